#include "amity/sys/thread_activity.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <semaphore>
#include <string>
#include <thread>

#include "amity/sys/futex.hpp"

namespace amity::sys {
namespace {

TEST(ThreadActivity, WhoRunsUsesTimeAndIsNotBlocked) {
  std::uint64_t const before = cpu_time_ns(gettid());
  ASSERT_NE(before, unknown_time);
  std::uint64_t now = before;
  while (now - before < 1'000'000) now = cpu_time_ns(gettid());  // ends: this loop is what uses it
  EXPECT_FALSE(is_blocked(gettid()));
}

TEST(ThreadActivity, WhoWaitsIsBlockedAndUsesNone) {
  std::atomic<int> id{0};
  std::binary_semaphore go{0};
  std::thread sleeper([&] {
    id = gettid();
    go.acquire();
  });
  while (id == 0 || !is_blocked(id)) std::this_thread::yield();
  std::uint64_t const before = cpu_time_ns(id);
  EXPECT_TRUE(is_blocked(id));
  EXPECT_EQ(cpu_time_ns(id), before);
  go.release();
  sleeper.join();
}

TEST(ThreadActivity, WhoRunsIsInNoCall) {
  std::atomic<int> id{0};
  std::atomic<bool> over{false};
  std::thread runner([&] {
    id = gettid();
    while (!over) continue;
  });
  while (id == 0) std::this_thread::yield();
  kernel_call call;
  EXPECT_FALSE(reads_call(id, call));
  over = true;
  runner.join();
}

TEST(ThreadActivity, WhoWaitsIsInACall) {
  std::atomic<int> id{0};
  std::atomic<std::uint32_t> word{7};
  std::thread sleeper([&] {
    id = gettid();
    while (word == 7) futex_wait(word, 7);
  });
  kernel_call call;
  while (id == 0 || !is_blocked(id)) std::this_thread::yield();
  bool known = false;
  for (int i = 0; i < 1000 && !(known && call.number == SYS_futex); ++i) known = reads_call(id, call);
  word = 8;
  futex_wake(word, 1);
  sleeper.join();
  if (!known) GTEST_SKIP() << "this kernel does not say";
  EXPECT_EQ(call.number, SYS_futex);
  EXPECT_EQ(call.arguments[0], reinterpret_cast<long>(&word));
  EXPECT_EQ(call.arguments[2], 7);
  EXPECT_NE(call.stack, 0u);
  EXPECT_NE(call.next, 0u);
}

TEST(ThreadActivity, WhichSignalsAThreadBlocks) {
  if (blocked_signals(gettid()) == unknown_time) GTEST_SKIP() << "this kernel does not say";
  std::uint64_t const bit = std::uint64_t{1} << (SIGUSR2 - 1);
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  EXPECT_NE(blocked_signals(gettid()) & bit, 0u);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  EXPECT_EQ(blocked_signals(gettid()) & bit, 0u);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// The calling thread, and those that it makes.
bool stay_on_this_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

/// Two that compute on one CPU wait for it in turns.
TEST(ThreadActivity, WhoSharesACpuWaitsForIt) {
  if (queue_time_ns(gettid()) == unknown_time) GTEST_SKIP() << "this kernel does not say";
  std::atomic<bool> over{false};
  std::thread other;
  std::thread([&] {
    ASSERT_TRUE(stay_on_this_cpu());  // the other inherits it
    other = std::thread([&] {
      while (!over) {
      }
    });
    std::uint64_t const before = queue_time_ns(gettid());
    while (queue_time_ns(gettid()) - before < 1'000'000) {  // ends: they take turns
    }
    over = true;
  }).join();
  other.join();
}

/// A yield counts, if another one wants the core; a wait in the kernel does not.
TEST(ThreadActivity, WhoYieldsLeavesItsCoreInvoluntarilyAndWhoSleepsDoesNot) {
  if (involuntary_switches(gettid()) == unknown_time) GTEST_SKIP() << "this kernel does not say";
  constexpr std::uint64_t enough = 20;
  std::atomic<bool> over{false};
  std::thread other;
  std::thread([&] {
    ASSERT_TRUE(stay_on_this_cpu());  // the other inherits it
    std::uint64_t before = involuntary_switches(gettid());
    for (std::uint64_t i = 0; i < 10 * enough; ++i) usleep(1);
    EXPECT_LT(involuntary_switches(gettid()) - before, 5 * enough);
    other = std::thread([&] {
      while (!over) sched_yield();
    });
    before = involuntary_switches(gettid());
    while (involuntary_switches(gettid()) - before < enough) sched_yield();  // ends: they take turns
    over = true;
  }).join();
  other.join();
}

char state_of(int id) {
  std::string text;
  std::getline(std::ifstream("/proc/self/task/" + std::to_string(id) + "/stat"), text);
  return text.at(text.rfind(')') + 2);
}

/// As the parent of a vfork does until the child has gone.
TEST(ThreadActivity, WhoWaitsForTheKernelIsNotBlocked) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer makes a fork of it";
#endif
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::atomic<int> id{0};
  std::thread parent([&] {
    id = gettid();
    char byte;
    if (vfork() == 0) _exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
  });
  while (id == 0 || state_of(id) != 'D') std::this_thread::yield();
  EXPECT_FALSE(is_blocked(id));
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  parent.join();
  close(ends[0]);
  close(ends[1]);
}

TEST(ThreadActivity, NothingIsKnownOfWhoIsNotThere) {
  int id = 0;
  std::thread([&] { id = gettid(); }).join();
  while (cpu_time_ns(id) != unknown_time) std::this_thread::yield();  // the kernel is not done with it at once
  EXPECT_FALSE(is_blocked(id));
  EXPECT_EQ(cpu_time_ns(0), unknown_time);
  EXPECT_EQ(queue_time_ns(0), unknown_time);
}

}  // namespace
}  // namespace amity::sys
