// [all]
#include <amity/amity.hpp>
#include <cstdio>

amity::task<long> fib(int n) {
  if (n < 2) co_return n;
  amity::future<long> a = amity::async(fib(n - 1));
  long const b = co_await fib(n - 2);
  co_return co_await std::move(a) + b;
}

amity::future<long> later(amity::future<long> x) {
  co_return 2 * co_await std::move(x);
}

int main() {
  long const f = amity::sync_wait(fib(20));
  long const g =
      later(amity::async([] { return 21L; })).get();
  std::printf("%ld and %ld\n", f, g);
}
// [end]
