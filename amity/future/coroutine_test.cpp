#include "amity/future/coroutine.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace amity {
namespace {

task<int> sum_of(int n) {
  if (n == 0) co_return 0;
  int rest = co_await sum_of(n - 1);
  int mine = co_await async([n] { return n; });
  co_return rest + mine;
}

TEST(coroutine, awaits_tasks_and_futures) { EXPECT_EQ(sync_wait(sum_of(100)), 5050); }

task<long> depth_of(long n) {
  if (n == 0) co_return 0;
  co_return 1 + co_await depth_of(n - 1);
}

// Also where the compiler makes calls of the transfers. ThreadSanitizer notes 65536 calls of a stack at most.
#if !AMITY_TSAN
task<long> one() { co_return 1; }
task<long> many_of(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += co_await one();
  co_return sum;
}
task<long> fails_at(long depth) {
  if (depth == 0) throw 1;
  co_return co_await fails_at(depth - 1);
}

TEST(coroutine, recursion_takes_no_stack) { EXPECT_EQ(sync_wait(depth_of(300'000)), 300'000); }
TEST(coroutine, loops_take_no_stack) { EXPECT_EQ(sync_wait(many_of(1'000'000)), 1'000'000); }
TEST(coroutine, exceptions_from_deep_below) { EXPECT_THROW(sync_wait(fails_at(20'000)), int); }
#endif
TEST(coroutine, recursion) { EXPECT_EQ(sync_wait(depth_of(500)), 500); }

task<std::vector<int>> some() { co_return {1, 2, 3}; }

TEST(coroutine, gives_what_is_in_braces) { EXPECT_EQ(sync_wait(some()).size(), 3U); }

task<> fails() {
  co_await async([] { throw 3; });
}

TEST(coroutine, exceptions_travel) { EXPECT_THROW(sync_wait(fails()), int); }

task<int> of_shared(shared_future<int> f, std::unique_ptr<int> p) { co_return co_await f + *p; }

TEST(coroutine, started_ones_run_until_they_have_to_wait) {
  promise<int> p;
  auto f = start(of_shared(p.get_future().share(), std::make_unique<int>(2)));
  EXPECT_FALSE(f.is_ready());
  p.set_value(40);
  EXPECT_EQ(f.get(), 42);
}

task<long> tree(int n) {
  if (n < 2) co_return n;
  future<long> beside = async(tree(n - 1));
  long const mine = co_await tree(n - 2);
  co_return co_await std::move(beside) + mine;
}

TEST(coroutine, begun_as_tasks) {
  EXPECT_EQ(sync_wait(tree(16)), 987);
  EXPECT_THROW(async(fails()).get(), int);
}

TEST(coroutine, begun_as_a_task_that_is_cancelled) {
  std::stop_source stop;
  sched::scope s;  // what finish(stop_token) makes, which lies above this module
  std::stop_token const token = stop.get_token();
  sched::worker& w = sched::this_worker();
  s.owner = &w;
  s.outer = w.current;
  s.stop = &token;
  stop.request_stop();
  std::uint32_t const base = w.queue.bottom();
  w.current = &s;
  future<long> f = async(tree(3));
  w.current = s.outer;
  sched::join(w, s, base);
  try {
    f.get();
    FAIL() << "it was run";
  } catch (const future_error& e) {
    EXPECT_EQ(e.code(), future_errc::cancelled);
  }
}

TEST(coroutine, one_that_is_never_awaited_is_destroyed) {
  auto alive = std::make_shared<int>(1);
  {
    auto t = [](std::shared_ptr<int> x) -> task<int> { co_return *x; }(alive);
    EXPECT_EQ(alive.use_count(), 2);
  }
  EXPECT_EQ(alive.use_count(), 1);
}

future<int> fib(int n) {
  if (n < 2) co_return n;
  co_return co_await async(fib, n - 1) + co_await fib(n - 2);
}
shared_future<std::unique_ptr<int>> shared_one() { co_return std::make_unique<int>(co_await fib(10)); }
future<int> throws_late() {
  co_await async([] {});
  throw 5;
}
future<void> does_nothing(std::shared_ptr<int> kept) {
  co_await async([] {});
  EXPECT_EQ(*kept, 1);
}
future<int&> of_reference(int& x) { co_return x; }

TEST(coroutine, that_returns_a_future) {
  EXPECT_EQ(fib(12).get(), 144);
  EXPECT_EQ(*shared_one().get(), 55);
  EXPECT_THROW(throws_late().get(), int);
  auto kept = std::make_shared<int>(1);
  does_nothing(kept).get();
  int x = 3;
  EXPECT_EQ(&of_reference(x).get(), &x);
  EXPECT_THROW(
      []() -> future<int> {
        throw 1;
        co_return 2;
      }()
                  .get(),
      int);
}

TEST(coroutine, its_objects_are_gone_when_its_future_is_ready) {
  auto alive = std::make_shared<int>(1);
  promise<void> go;
  auto f = [](std::shared_ptr<int> x, future<void> g) -> future<int> {
    auto const copy = x;
    co_await std::move(g);
    co_return *copy;
  }(alive, go.get_future());
  auto copies = f.then(launch::sync, [&](future<int>) { return alive.use_count(); });
  go.set_value();
  EXPECT_EQ(copies.get(), 2);  // the argument is the frame's
}

}  // namespace
}  // namespace amity
