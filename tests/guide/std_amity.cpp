// Amity's side of docs/guide.md, from the standard library.
// The other: std.cpp.
#include <amity/amity.hpp>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <vector>

#include "guide.hpp"

namespace {

using guide::f;
using namespace std::chrono_literals;

long async() {
  // [async]
  amity::future<long> a = amity::async(f, 3);
  long const b = f(4);
  long const c = a.get() * b;
  // [end]
  return c;
}

// [recursion]
long fib(int k) {
  if (k < 16) return guide::fib_serial(k);
  auto [a, b] = amity::fork_join([k] { return fib(k - 1); },
                                 [k] { return fib(k - 2); });
  return a + b;
}
// [end]
long begin_fib() { return fib(20); }

long promise() {
  // [promise]
  amity::promise<long> p;
  amity::future<long> a = p.get_future();
  amity::post(
      [p = std::move(p)]() mutable { p.set_value(f(3)); });
  long const c = a.get();
  // [end]
  return c;
}

long packaged() {
  // [packaged_task]
  amity::packaged_task<long(int)> call(f);
  amity::future<long> a = call.get_future();
  call(5);
  long const c = a.get();
  // [end]
  return c;
}

long combine() {
  // [combine]
  std::vector<amity::future<long>> parts;
  for (int i = 0; i < 10; ++i)
    parts.push_back(amity::async(f, i));
  amity::future<long> sum =
      amity::when_all(std::move(parts)).then([](auto all) {
        long s = 0;
        for (auto& p : all.get()) s += p.get();
        return s;
      });
  // [end]
  return sum.get();
}

long timed() {
  // [wait_for]
  amity::promise<long> p;
  amity::future<long> a = p.get_future();
  bool const late =
      a.wait_for(1ms) == amity::future_status::timeout;
  // [end]
  return late ? 1 : 0;
}

long threads() {
  long a = 0, b = 0;
  // [thread]
  amity::finish([&] {
    amity::post([&] { a = f(1); });
    amity::post([&] { b = f(2); });
  });
  // [end]
  return a * 10 + b;
}

long stop() {
  std::atomic<long> rounds = 0;
  // [jthread]
  amity::jthread worker([&](amity::stop_token stop) {
    do ++rounds;
    while (amity::this_thread::sleep_for(100us, stop));
  });
  while (rounds < 3) amity::this_thread::sleep_for(100us);
  worker.request_stop();
  worker.join();
  // [end]
  return rounds >= 3 ? 1 : 0;
}

long condition() {
  // [condition_variable]
  amity::mutex m;
  amity::condition_variable changed;
  std::deque<long> queue;
  amity::future<void> maker = amity::async([&] {
    std::lock_guard const guard(m);
    queue.push_back(f(3));
    changed.notify_one();
  });
  std::unique_lock lock(m);
  changed.wait(lock, [&] { return !queue.empty(); });
  long const got = queue.front();
  lock.unlock();
  maker.get();
  // [end]
  return got;
}

long shared() {
  long value = 3;
  // [shared_mutex]
  amity::shared_mutex m;
  {
    std::unique_lock const writing(m);
    ++value;
  }
  std::shared_lock const reading(m);
  // [end]
  return value;
}

long latch() {
  std::atomic<long> sum = 0;
  // [latch]
  amity::latch done(4);
  for (int i = 0; i < 4; ++i)
    amity::post([&, i] {
      sum += f(i);
      done.count_down();
    });
  done.wait();
  // [end]
  return sum;
}

long barrier() {
  long a[3], b[3];
  // [barrier]
  amity::barrier in_step(3);
  amity::finish([&] {
    for (int i = 0; i < 3; ++i)
      amity::post([&, i] {
        a[i] = f(i);
        in_step.arrive_and_wait();
        b[i] = a[(i + 1) % 3];
      });
  });
  // [end]
  return b[0] * 100 + b[1] * 10 + b[2];
}

long semaphore() {
  std::atomic<long> at_once = 0, most = 0;
  // [semaphore]
  amity::counting_semaphore<> slots(2);
  auto use = [&](auto work) {
    slots.acquire();
    work();
    slots.release();
  };
  // [end]
  auto work = [&] {
    long const now = ++at_once;
    long seen = most;
    while (now > seen &&
           !most.compare_exchange_weak(seen, now)) {
    }
    --at_once;
  };
  amity::finish([&] {
    for (int i = 0; i < 8; ++i)
      amity::post([&] { use(work); });
  });
  return most <= 2 ? 1 : 0;
}

long once() {
  std::atomic<long> calls = 0;
  // [call_once]
  static amity::once_flag ready;
  amity::call_once(ready, [&] { ++calls; });
  // [end]
  amity::call_once(ready, [&] { ++calls; });
  return calls;
}

}  // namespace

int main() {
  return guide::check({{"async", async, 12},
                       {"recursion", begin_fib, 6765},
                       {"promise", promise, 3},
                       {"packaged_task", packaged, 5},
                       {"combine", combine, 24},
                       {"wait_for", timed, 1},
                       {"thread", threads, 12},
                       {"jthread", stop, 1},
                       {"condition_variable", condition, 3},
                       {"shared_mutex", shared, 4},
                       {"latch", latch, 6},
                       {"barrier", barrier, 120},
                       {"semaphore", semaphore, 1},
                       {"call_once", once, 1}});
}
