// The same tree of calls in each of the ways to begin a task and wait for it. From the cheapest to the most general:
//
//   fork_join    two calls, the caller waits for both; nothing is allocated
//   finish       everything that was begun within a block, grandchildren too
//   task_group   the same as an object, for where a block does not fit
//   async        a future of the result, which may be waited for anywhere
//   coroutine    co_await in place of waiting; the code that waits needs no stack
//
// Usage: fib [n]. Below `small` a plain call is made, as real programs do; the times are of this run alone.
#include <amity/amity.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "usage.hpp"

namespace {

constexpr int small = 8;

long serial(int n) { return n < 2 ? n : serial(n - 1) + serial(n - 2); }

long by_fork_join(int n) {
  if (n < small) return serial(n);
  auto const [a, b] = amity::fork_join([n] { return by_fork_join(n - 1); }, [n] { return by_fork_join(n - 2); });
  return a + b;
}

long by_finish(int n) {
  if (n < small) return serial(n);
  long a = 0, b = 0;
  amity::finish([&] {
    amity::post([&a, n] { a = by_finish(n - 1); });
    b = by_finish(n - 2);
  });
  return a + b;
}

long by_task_group(int n) {
  if (n < small) return serial(n);
  long a = 0;
  amity::task_group group;
  group.run([&a, n] { a = by_task_group(n - 1); });
  long const b = by_task_group(n - 2);
  group.wait();
  return a + b;
}

long by_async(int n) {
  if (n < small) return serial(n);
  amity::future<long> a = amity::async([n] { return by_async(n - 1); });
  long const b = by_async(n - 2);
  return a.get() + b;
}

amity::task<long> by_coroutine(int n) {
  if (n < small) co_return serial(n);
  amity::future<long> a = amity::async(by_coroutine(n - 1));
  long const b = co_await by_coroutine(n - 2);
  co_return co_await std::move(a) + b;
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[n = 27]");
  int const n = argc > 1 ? std::atoi(argv[1]) : 27;
  long const right = serial(n);
  int wrong = 0;

  auto show = [&](const char* how, auto fib) {
    auto const begin = std::chrono::steady_clock::now();
    long const result = fib(n);
    std::chrono::duration<double, std::milli> const took = std::chrono::steady_clock::now() - begin;
    std::printf("%-12s fib(%d) = %ld  %8.2f ms%s\n", how, n, result, took.count(), result == right ? "" : "  WRONG");
    if (result != right) ++wrong;
  };
  show("serial", serial);
  amity::async([] {}).get();  // the runtime starts at its first use, and not within a measurement
  show("fork_join", by_fork_join);
  show("finish", by_finish);
  show("task_group", by_task_group);
  show("async", by_async);
  show("coroutine", [](int k) { return amity::sync_wait(by_coroutine(k)); });
  return wrong == 0 ? 0 : 1;
}
