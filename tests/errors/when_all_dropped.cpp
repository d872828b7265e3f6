// Nobody waits here, though it looks like it.
// error: declared with attribute
#include <amity/future/async.hpp>
#include <amity/future/when.hpp>

int main() {
  auto a = amity::async([] { return 1; });
  amity::when_all(std::move(a));
}
