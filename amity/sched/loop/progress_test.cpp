// Sources of progress: an eventfd that others write to. What comes is told soon, whatever the workers do at the moment;
// and who waits for nothing costs nothing.
#include "amity/sched/loop/progress.hpp"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "amity/base/config.hpp"
#include "amity/base/processor.hpp"
#include "amity/sched/fiber/identity.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/test_support.hpp"

namespace amity::sched {
namespace {

using namespace std::chrono_literals;

/// Counts what is written to a descriptor, and wakes a fiber at each poll that took something.
struct counting : progress_source {
  std::atomic<std::uint64_t> come{0};
  std::atomic<fiber*> waits{nullptr};
  std::atomic<bool> is_wanted{true};
  std::atomic<int> in_poll{0};
  std::function<void()> on_event;  // called within poll

  counting() {
    fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    progress_source::poll = [](progress_source& s) noexcept { return static_cast<counting&>(s).take(); };
    wanted = [](const progress_source& s) noexcept { return static_cast<const counting&>(s).is_wanted.load(); };
  }
  int take() noexcept {
    EXPECT_EQ(in_poll.fetch_add(1), 0) << "one at a time";
    std::uint64_t n = 0;
    bool const some = read(fd, &n, sizeof n) == sizeof n;
    if (some) {
      come.fetch_add(n);
      if (on_event) on_event();
      if (fiber* f = waits.load()) unpark(f);
    }
    in_poll.fetch_sub(1);
    return some ? 1 : 0;
  }
  void send() const noexcept {
    std::uint64_t const one = 1;
    EXPECT_EQ(write(fd, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  /// The calling fiber waits, and its core goes to others.
  void await(std::uint64_t n) {
    waits.store(self());
    while (come.load() < n) park();
    waits.store(nullptr);
  }
};

/// Sources live as long as the process.
template <class Source>
Source& make_source() {
  static auto* const all = new std::vector<Source*>;
  all->push_back(new Source);
  return *all->back();
}
counting& make_counting() { return make_source<counting>(); }

/// A plain thread of the program's, which knows nothing of Amity, sends.
template <class F>
void beside(F&& f, const std::function<void()>& sender) {
  std::thread t(sender);
  f();
  t.join();
}

struct job : task {
  std::function<void()> what;
  explicit job(std::function<void()> f) : task(run_it, nullptr), what(std::move(f)) {}
  static void run_it(task& t, worker& w, call) noexcept {
    auto& j = static_cast<job&>(t);
    j.what();
    end_within(nullptr, w);
    delete &j;
  }
};
void post(std::function<void()> f) {
  auto* j = new job(std::move(f));
  j->detached = true;
  enqueue(*j, this_worker());
}

TEST(Progress, WhatComesWhileAllSleepIsTold) {
  counting& s = make_counting();
  ASSERT_EQ(attend(s), 0);
  constexpr int n = 300;
  beside([&] { s.await(n); },
         [&] {
           for (int i = 0; i < n; ++i) {
             s.send();
             if (i % 3 == 0) std::this_thread::sleep_for(1ms);
           }
         });
  EXPECT_EQ(s.come, static_cast<std::uint64_t>(n));
  dismiss(s);
}

TEST(Progress, AThreadOfTheProgramThatSleepsInTheKernelKeepsNothingBack) {
  counting& s = make_counting();
  ASSERT_EQ(attend(s), 0);
  s.send();
  for (int ms = 0; ms < 5000 && s.come.load() == 0; ++ms) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(s.come, 1u);
  dismiss(s);
}

TEST(Progress, WhatComesWhileAllComputeIsTold) {
  counting& s = make_counting();
  ASSERT_EQ(attend(s), 0);
  std::atomic<bool> enough{false};
  std::atomic<int> busy{0};
  auto compute = [&] {
    ++busy;
    while (!enough.load()) base::cpu_relax();
    --busy;
  };
  for (int i = 1; i < concurrency(); ++i) post(compute);
  while (busy.load() < concurrency() - 1) yield();
  s.send();
  auto const deadline = std::chrono::steady_clock::now() + 20s;
  while (s.come.load() == 0 && std::chrono::steady_clock::now() < deadline) base::cpu_relax();  // nor does this thread
  EXPECT_EQ(s.come, 1u);
  s.send();  // it has been armed again
  while (s.come.load() < 2 && std::chrono::steady_clock::now() < deadline) base::cpu_relax();
  EXPECT_EQ(s.come, 2u);
  enough = true;
  while (busy.load() != 0) yield();
  dismiss(s);
}

TEST(Progress, TasksThatAPollQueuesRunAlsoWhileAllCompute) {
  counting& s = make_counting();
  std::atomic<int> ran{0};
  s.on_event = [&] { post([&] { ++ran; }); };
  ASSERT_EQ(attend(s), 0);
  std::atomic<bool> enough{false};
  std::atomic<int> busy{0};
  for (int i = 1; i < concurrency(); ++i)
    post([&] {
      ++busy;
      while (!enough.load()) base::cpu_relax();
      --busy;
    });
  while (busy.load() < concurrency() - 1) yield();
  s.send();
  auto const deadline = std::chrono::steady_clock::now() + 20s;
  while (ran.load() == 0 && std::chrono::steady_clock::now() < deadline) base::cpu_relax();
  EXPECT_EQ(ran, 1);
  enough = true;
  while (busy.load() != 0) yield();
  dismiss(s);
}

TEST(Progress, WhatNobodyWantsIsNotPolledUntilItIsStirred) {
  counting& s = make_counting();
  s.is_wanted = false;
  ASSERT_EQ(attend(s), 0);
  s.send();
  for (int i = 0; i < 20; ++i) {
    yield();
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(s.come, 0u);
  s.is_wanted = true;
  stir(s);
  s.await(1);
  EXPECT_EQ(s.come, 1u);
  dismiss(s);
}

TEST(Progress, WhoIsDismissedIsNotCalledAnyMore) {
  counting& s = make_counting();
  ASSERT_EQ(attend(s), 0);
  s.send();
  s.await(1);
  dismiss(s);
  s.send();
  for (int i = 0; i < 20; ++i) {
    yield();
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(s.come, 1u);
  ASSERT_EQ(attend(s), 0);  // and again
  s.await(2);
  dismiss(s);
}

/// A stack that any thread may push to, without a descriptor.
struct announced : progress_source {
  std::atomic<std::uint64_t> given{0}, taken{0};
  std::atomic<fiber*> waits{nullptr};

  announced() {
    poll = [](progress_source& s) noexcept {
      auto& a = static_cast<announced&>(s);
      std::uint64_t const n = a.given.load() - a.taken.load();
      a.taken.fetch_add(n);
      if (fiber* f = a.waits.load(); f != nullptr && n != 0) unpark(f);
      return static_cast<int>(n);
    };
    wanted = [](const progress_source&) noexcept { return true; };
    arm = [](progress_source& s) noexcept {
      auto& a = static_cast<announced&>(s);
      return a.given.load() == a.taken.load();
    };
  }
};

TEST(Progress, AnnouncementsFromForeignThreadsAreTold) {
  auto& s = make_source<announced>();
  ASSERT_EQ(attend(s), 0);
  constexpr std::uint64_t each = 20'000;
  constexpr int senders = 3;
  std::vector<std::thread> threads;
  for (int t = 0; t < senders; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (std::uint64_t i = 0; i < each; ++i) {
        s.given.fetch_add(1);
        announce_progress(s);
        if (random() % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      }
    });
  s.waits.store(self());
  while (s.taken.load() < senders * each) park();
  s.waits.store(nullptr);
  for (std::thread& t : threads) t.join();
  dismiss(s);
}

TEST(Progress, WhatIsNeitherToldNorAnnouncedIsLookedForAfterNaps) {
  struct silent : progress_source {
    std::atomic<int> given{0}, taken{0};
    std::atomic<fiber*> waits{nullptr};
  };
  auto& s = make_source<silent>();
  s.nap_us = 100;
  s.poll = [](progress_source& p) noexcept {
    auto& me = static_cast<silent&>(p);
    int const n = me.given.exchange(0);
    me.taken += n;
    if (fiber* f = me.waits.load(); f != nullptr && n != 0) unpark(f);
    return n;
  };
  s.wanted = [](const progress_source&) noexcept { return true; };
  ASSERT_EQ(attend(s), 0);
  std::thread giver([&] {
    for (int i = 0; i < 50; ++i) {
      s.given.fetch_add(1);
      std::this_thread::sleep_for(1ms);
    }
  });
  s.waits.store(self());
  while (s.taken.load() < 50) park();
  s.waits.store(nullptr);
  giver.join();
  dismiss(s);
}

int threads_of_process() {
  int n = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) n += !each.path().empty();
  return n;
}

// As a library does that waits for a core within its own calls, or whose memory another process has left blocked.
TEST(Progress, SlowPollsThatNeverRestDoNotHaveThreadsMade) {
  struct slow : progress_source {
    std::atomic<bool> is_wanted{true};
  };
  auto& s = make_source<slow>();
  s.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  s.poll = [](progress_source&) noexcept {
    timespec const nap{0, 4'000'000};
    sys::raw_syscall(SYS_nanosleep, reinterpret_cast<long>(&nap), 0);
    return 0;
  };
  s.wanted = [](const progress_source& p) noexcept { return static_cast<const slow&>(p).is_wanted.load(); };
  s.arm = [](progress_source&) noexcept { return false; };
  int const before = threads_of_process();
  ASSERT_EQ(attend(s), 0);
  park_until(instant_after(1s));
  EXPECT_LE(threads_of_process(), before + 8 + concurrency());
  s.is_wanted = false;
  dismiss(s);
}

TEST(Progress, WhatCantBeWaitedForIsRefused) {
  counting& s = make_counting();
  int const events = std::exchange(s.fd, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(attend(s), EPERM);  // epoll_ctl(2): a regular file
  close(std::exchange(s.fd, events));
  EXPECT_EQ(attend(s), 0);
  dismiss(s);
}

double cpu_seconds() {
  rusage r{};
  getrusage(RUSAGE_SELF, &r);
  auto const seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(r.ru_utime) + seconds(r.ru_stime);
}

TEST(Progress, WhereNothingComesEverybodySleeps) {
  counting& s = make_counting();
  ASSERT_EQ(attend(s), 0);
  s.send();
  s.await(1);
  std::this_thread::sleep_for(100ms);
  double const before = cpu_seconds();
  std::thread later([&] {
    std::this_thread::sleep_for(1s);
    s.send();
  });
  s.await(2);
  double const used = cpu_seconds() - before;
  later.join();
  EXPECT_LT(used, 0.2) << "no figure: a loop that never sleeps would have used a second";
  dismiss(s);
}

TEST(Progress, AChildOfAForkHasNoSources) {
  if (base::thread_sanitizer) GTEST_SKIP() << "it does not follow threads into the child of a fork";
  counting& s = make_counting();
  ASSERT_EQ(attend(s), 0);
  s.send();
  s.await(1);
  pid_t const child = sys::fork_for_test();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    if (some_progress()) _exit(1);
    counting& own = make_counting();
    if (attend(own) != 0) _exit(2);
    own.send();
    own.await(1);
    _exit(own.come.load() == 1 ? 0 : 3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  s.send();
  s.await(2);  // the parent's own go on
  dismiss(s);
}

TEST(Progress, ManyArrivalsAtAnyMoment) {
  counting& s = make_counting();
  ASSERT_EQ(attend(s), 0);
  constexpr std::uint64_t n = 30'000;
  std::thread sender([&] {
    std::mt19937 random(7);
    for (std::uint64_t i = 0; i < n; ++i) {
      s.send();
      switch (random() % 16) {
        case 0:
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
          break;
        case 1:
          for (unsigned turns = random() % 2000; turns > 0; --turns) base::cpu_relax();
          break;
        default:
          break;
      }
    }
  });
  std::mt19937 random(11);
  std::uint64_t seen = 0;
  while (seen < n) {  // waits for the next, with tasks in between
    std::uint64_t const wanted = seen + 1;
    s.await(wanted);
    seen = s.come.load();
    if (random() % 8 == 0) post([] {});
    if (random() % 32 == 0)
      for (int i = 0; i < 50; ++i) yield();
  }
  sender.join();
  EXPECT_EQ(s.come, n);
  dismiss(s);
}

}  // namespace
}  // namespace amity::sched
