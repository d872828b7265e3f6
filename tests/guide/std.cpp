// The standard library's side of docs/guide.md. The Amity
// side: std_amity.cpp.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "guide.hpp"

namespace {

using guide::f;
using namespace std::chrono_literals;

long async() {
  // [async]
  std::future<long> a = std::async(std::launch::async, f, 3);
  long const b = f(4);
  long const c = a.get() * b;
  // [end]
  return c;
}

// [recursion]
long fib(int k) {
  if (k < 16) return guide::fib_serial(k);
  auto a = std::async(std::launch::async, fib, k - 1);
  long const b = fib(k - 2);
  return a.get() + b;
}
// [end]
long begin_fib() { return fib(20); }

long promise() {
  // [promise]
  std::promise<long> p;
  std::future<long> a = p.get_future();
  std::jthread maker([&p] { p.set_value(f(3)); });
  long const c = a.get();
  // [end]
  return c;
}

long packaged() {
  // [packaged_task]
  std::packaged_task<long(int)> call(f);
  std::future<long> a = call.get_future();
  call(5);
  long const c = a.get();
  // [end]
  return c;
}

long combine() {
  // [combine]
  std::vector<std::future<long>> parts;
  for (int i = 0; i < 10; ++i)
    parts.push_back(std::async(std::launch::async, f, i));
  long sum = 0;
  for (auto& p : parts) sum += p.get();
  // [end]
  return sum;
}

long timed() {
  // [wait_for]
  std::promise<long> p;
  std::future<long> a = p.get_future();
  bool const late =
      a.wait_for(1ms) == std::future_status::timeout;
  // [end]
  return late ? 1 : 0;
}

long threads() {
  long a = 0, b = 0;
  // [thread]
  std::thread one([&] { a = f(1); });
  std::thread two([&] { b = f(2); });
  one.join();
  two.join();
  // [end]
  return a * 10 + b;
}

long stop() {
  std::atomic<long> rounds = 0;
  // [jthread]
  std::jthread worker([&](std::stop_token stop) {
    while (!stop.stop_requested()) {
      ++rounds;
      std::this_thread::sleep_for(100us);
    }
  });
  while (rounds < 3) std::this_thread::sleep_for(100us);
  worker.request_stop();
  worker.join();
  // [end]
  return rounds >= 3 ? 1 : 0;
}

long condition() {
  // [condition_variable]
  std::mutex m;
  std::condition_variable changed;
  std::deque<long> queue;
  std::jthread maker([&] {
    std::lock_guard const guard(m);
    queue.push_back(f(3));
    changed.notify_one();
  });
  std::unique_lock lock(m);
  changed.wait(lock, [&] { return !queue.empty(); });
  long const got = queue.front();
  lock.unlock();
  // [end]
  return got;
}

long shared() {
  long value = 3;
  // [shared_mutex]
  std::shared_mutex m;
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
  std::latch done(4);
  std::vector<std::jthread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&, i] {
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
  std::barrier in_step(3);
  std::vector<std::jthread> all;
  for (int i = 0; i < 3; ++i)
    all.emplace_back([&, i] {
      a[i] = f(i);
      in_step.arrive_and_wait();
      b[i] = a[(i + 1) % 3];
    });
  for (auto& t : all) t.join();
  // [end]
  return b[0] * 100 + b[1] * 10 + b[2];
}

long semaphore() {
  std::atomic<long> at_once = 0, most = 0;
  // [semaphore]
  std::counting_semaphore<> slots(2);
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
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < 8; ++i)
      all.emplace_back([&] { use(work); });
  }
  return most <= 2 ? 1 : 0;
}

long once() {
  std::atomic<long> calls = 0;
  // [call_once]
  static std::once_flag ready;
  std::call_once(ready, [&] { ++calls; });
  // [end]
  std::call_once(ready, [&] { ++calls; });
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
