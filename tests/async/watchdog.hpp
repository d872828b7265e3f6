#pragma once

/// Ends a program that stands still: names the seed under way and what every thread waits for, as `amity dump` does,
/// and aborts. A thread of its own, which nothing of Amity's can hold up. AMITY_TEST_PATIENCE sets the seconds that one
/// seed may take (50).
///
///     watchdog dog(argv[0]);
///     for (unsigned seed = 1; seed < 100; ++seed) { dog.at(seed); run(seed); }

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

class watchdog {
 public:
  explicit watchdog(const char* program) : program_(program), thread_([this] { watch(); }) {}
  ~watchdog() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void at(unsigned seed) noexcept {
    seed_.store(seed, std::memory_order_relaxed);
    steps_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  void watch() {
    const char* const setting = std::getenv("AMITY_TEST_PATIENCE");
    std::chrono::seconds const patience(setting != nullptr ? std::atol(setting) : 50);
    unsigned long before = ~0ul;
    std::unique_lock lock(mutex_);
    for (;;) {
      unsigned long const now = steps_.load(std::memory_order_relaxed);
      if (now == before) bark();
      before = now;
      if (changed_.wait_for(lock, patience, [this] { return over_; })) return;
    }
  }

  [[noreturn]] void bark() {
    unsigned const seed = seed_.load(std::memory_order_relaxed);
    std::fprintf(stderr, "%s: stands still at seed %u\n", program_, seed);
    // The command stands in bin/ beside the program's folder; where it does not, the core has to tell.
    std::string path(program_);
    std::size_t const slash = path.rfind('/');
    path = (slash == std::string::npos ? std::string(".") : path.substr(0, slash)) + "/../bin/amity dump " +
           std::to_string(getpid()) + " >&2";
    if (std::system(path.c_str()) != 0) std::fprintf(stderr, "'%s' failed\n", path.c_str());
    std::abort();
  }

  const char* program_;
  std::atomic<unsigned> seed_{0};
  std::atomic<unsigned long> steps_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};
