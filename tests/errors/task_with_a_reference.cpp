// A task has copies of its arguments.
// error: give it by std::ref, or capture it
#include <amity/future/async.hpp>

int main() {
  int x = 0;
  amity::post([](int& y) { ++y; }, x);
}
