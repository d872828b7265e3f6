// options: -std=c++17
// error: its C++ interface needs C++20 or newer: -std=c++20
#include <amity/amity.hpp>

int main() {}
