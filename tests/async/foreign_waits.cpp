// Programs that wait for tasks by means that the runtime does not see: std::future, a flag, a pipe, std::barrier, a
// mutex with a condition variable. With threads of their own for each task they would end; with one carrier, too, they
// have to. Then all goes on as before.
//
//   async_foreign_waits [first seed] [count]

#include <unistd.h>

#include <amity/amity.hpp>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "seeds.hpp"

namespace {

/// The first thread is blocked in the kernel, and nothing but the task can wake it.
bool std_future() {
  std::promise<int> p;
  auto f = p.get_future();
  amity::post([&] { p.set_value(42); });
  return f.get() == 42;
}

/// It polls what the runtime gave it.
bool polled() {
  auto f = amity::async([] { return 7; });
  while (!f.is_ready()) std::this_thread::yield();
  return f.get() == 7;
}

/// It spins, and its core is busy.
bool flag() {
  std::atomic<bool> done{false};
  amity::post([&] { done.store(true, std::memory_order_release); });
  while (!done.load(std::memory_order_acquire)) {
  }
  return true;
}

/// Each task is blocked until the one after it runs; as deep as `n`, whatever the number of carriers.
bool chain(int n) {
  std::vector<std::promise<int>> links(static_cast<std::size_t>(n));
  std::atomic<int> begun{0};
  auto all = amity::async([&] {
    amity::finish([&] {
      for (int i = 0; i < n; ++i)
        amity::async([&, i] {
          ++begun;
          links[static_cast<std::size_t>(i)].set_value(
              i == 0 ? 1 : 1 + links[static_cast<std::size_t>(i - 1)].get_future().get());
        });
    });
    return begun.load();
  });
  return all.get() == n;
}

/// All of them have to be there at the same time.
bool meeting(int n) {
  std::barrier<> all(n);
  amity::finish([&] {
    for (int i = 0; i < n; ++i)
      amity::async([&] {
        all.arrive_and_wait();
        all.arrive_and_wait();
      });
  });
  return true;
}

bool through_a_pipe() {
  int ends[2];
  if (pipe(ends) != 0) return false;
  auto reader = amity::async([&] {
    char c = 0;
    return read(ends[0], &c, 1) == 1 ? c : '\0';
  });
  auto writer = amity::async([&] { return write(ends[1], "x", 1) == 1; });
  bool const right = reader.get() == 'x' && writer.get();
  close(ends[0]);
  close(ends[1]);
  return right;
}

/// A thread of the program's that never waits for tasks, and hands out many.
bool served(int n) {
  std::mutex m;
  std::condition_variable changed;
  int done = 0;
  std::thread server([&] {
    for (int i = 0; i < n; ++i) {
      amity::post([&] {
        std::lock_guard lock(m);
        ++done;
        changed.notify_one();
      });
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    std::unique_lock lock(m);
    changed.wait(lock, [&] { return done == n; });
  });
  server.join();
  return done == n;
}

/// A policy of its own, whose only worker would be the thread that is blocked.
bool with_a_policy() {
  amity::execution::policy_executor own("local-priority-fifo");
  std::promise<int> p;
  auto f = p.get_future();
  auto done = amity::async(own, [&] { p.set_value(3); });
  bool const right = f.get() == 3;
  done.get();
  return right;
}

/// As many tasks as ever, and none is lost.
bool as_usual() {
  std::atomic<long> sum{0};
  amity::finish([&] {
    for (int i = 0; i < 2000; ++i) amity::async([&sum, i] { sum.fetch_add(i, std::memory_order_relaxed); });
  });
  return sum == 1999 * 1000;
}

bool run(unsigned seed) {
  std::minstd_rand random(seed);
  auto const n = [&] { return 2 + static_cast<int>(random() % 8); };
  switch (random() % 9) {
    case 0:
      return std_future();
    case 1:
      return polled();
    case 2:
      return flag();
    case 3:
      return chain(n());
    case 4:
      return meeting(n());
    case 5:
      return through_a_pipe();
    case 6:
      return served(10 * n());
    case 7:
      return with_a_policy();
    default:
      return as_usual();
  }
}

}  // namespace

int main(int argc, char** argv) { return run_seeds(argc, argv, 40, run); }
