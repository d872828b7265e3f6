// The HabaneroUPC++ paper's programs with its names: asyncCopy with a data-driven future (its test_ddf), asyncAt with
// fib on every other place, finish_spmd around storms of both.
#include "amity/pgas/habanero_upcxx.hpp"
#include "check.hpp"

using namespace amity::habanero;
using test::check;

namespace {

long fib(int n) {
  if (n < 2) return n;
  long x = 0, y = 0;
  finish([&] {
    async([&] { x = fib(n - 1); });
    y = fib(n - 2);
  });
  return x + y;
}

void copies() {
  constexpr std::size_t count = 1024 * 1024;
  int const next = (myrank() + 1) % ranks();
  global_ptr<double> const src = amity::allocate<double>(myrank(), count);
  global_ptr<double> const dst = amity::allocate<double>(next, count);
  for (std::size_t i = 0; i < count; ++i) src.local()[i] = static_cast<double>(i);
  src.local()[count - 1] = 123456.789 + myrank();
  DDF_t* const ddf = ddf_create();
  double last = 0;
  finish_spmd([&] {
    asyncAwait(ddf, [&] { last = amity::rget(dst + (count - 1)).get(); });
    asyncCopy(src, dst, count, ddf);
  });
  check(last == 123456.789 + myrank(), "asyncCopy puts its DDF");
  ddf_free(ddf);

  check(test::thrown<std::invalid_argument>([&] { finish([&] { asyncCopy(src, global_ptr<double>(), 1); }); }) !=
            "nothing",
        "a copy to null within a finish");
  event none;
  check(test::thrown<std::invalid_argument>([&] { async_copy(src, global_ptr<double>(), 1, &none); }) != "nothing" &&
            none.isdone(),
        "a copy to null counts in no event");
  event arrived;
  async_copy(dst, src, count, &arrived);
  arrived.wait();
  check(arrived.isdone() && src.local()[count - 1] == 123456.789 + myrank(), "async_copy with an event");
  async_copy(src, dst, 100);
  async_copy(src + 100, dst + 100, 100);
  async_copy_fence();
  copy(src, dst, 10);
  static std::atomic<int> after{0};
  event begun, done;
  async_after(
      next, &begun, &done, [](int n) { after += n; }, 3);
  done.wait();
  barrier();
  check(after == 3, "async_after");
  barrier();
  event first, second;
  async(next, &first)([](int n) { after += n; }, 10);
  async_after(next, &first, &second)([] { after = after * 2; });
  second.wait();
  barrier();
  check(after == 26, "async with events");
  amity::deallocate(src);
  amity::deallocate(dst);
}

void calls() {
  static std::atomic<long> sum{0};
  finish_spmd([] {
    for (int place = 0; place < ranks(); ++place)
      asyncAt(place, [] {
        long const f = fib(16);
        finish([f] { async([f] { sum += f; }); });
      });
  });
  check(sum == 987L * ranks(), "fib on every place");
}

}  // namespace

int main() {
  copies();
  calls();
  return test::end();
}
