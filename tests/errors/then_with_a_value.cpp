// error: then(f): f is called with the ready future, not with its value; f.then(unwrapping(g)) calls g with that
#include <amity/future/future.hpp>

int main() {
  amity::future<int> a = amity::make_ready_future(1);
  auto b = a.then([](int x) { return x; });
}
