// error: the task's function can't be called with these arguments
#include <amity/future/async.hpp>

int main() {
  auto a = amity::async([](int x) { return x; });
}
