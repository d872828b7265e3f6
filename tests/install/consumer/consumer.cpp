#include <amity/amity.hpp>
#include <cstdio>

int main() { std::printf("Amity %d.%d.%d\n", amity::version_major, amity::version_minor, amity::version_patch); }
