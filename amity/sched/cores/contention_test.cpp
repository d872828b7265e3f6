#include "amity/sched/cores/contention.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "amity/sched/idle/wake_cost.hpp"
#include "amity/sys/cpu_mask.hpp"
#include "amity/sys/current_cpu.hpp"
#include "amity/sys/futex.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

/// Runs `f` on a thread that stays on one CPU, with two carriers that are there, and awake.
template <class F>
void on_one_cpu(F f) {
  sys::probe_current_cpu();
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    auto a = std::make_unique<carrier>();
    auto b = std::make_unique<carrier>();
    for (carrier* c : {a.get(), b.get()}) c->is_there = true;
    f(*a, *b);
    for (cpu_note& note : cpu_notes) note.last = nullptr;
  }).join();
}

#define SKIP_IF_UNKNOWN()   \
  sys::probe_current_cpu(); \
  if (!sys::current_cpu_is_known) GTEST_SKIP() << "this processor, or this kernel, does not tell the CPU"

TEST(Contention, TwoAwakeCarriersMeet) {
  SKIP_IF_UNKNOWN();
  on_one_cpu([](carrier& a, carrier& b) {
    EXPECT_EQ(note_cpu(a), nullptr);
    EXPECT_EQ(note_cpu(a), nullptr);
    EXPECT_EQ(note_cpu(b), &a);
    EXPECT_EQ(note_cpu(b), nullptr);  // once for each time that they take turns
    EXPECT_EQ(note_cpu(a), &b);
  });
}

TEST(Contention, WhoSleepsOrHasEndedOrIsElsewhereIsNoCompany) {
  SKIP_IF_UNKNOWN();
  on_one_cpu([](carrier& a, carrier& b) {
    note_cpu(a);
    a.asleep = 1;
    EXPECT_EQ(note_cpu(b), nullptr);
    a.asleep = 0;
    note_cpu(a);
    a.is_there = false;
    EXPECT_EQ(note_cpu(b), nullptr);
    a.is_there = true;
    note_cpu(a);
    a.core.cpu = a.core.cpu + 1;  // as if it had looked there since
    EXPECT_EQ(note_cpu(b), nullptr);
  });
}

/// The kernel moves threads now and then: only a helper that meets another again soon spins no more.
TEST(Contention, OnlyThoseWhoKeepMeetingCountAsShared) {
  SKIP_IF_UNKNOWN();
  on_one_cpu([](carrier& a, carrier& b) {
    std::uint64_t const window = sys::ticks_of_microseconds(soon_again_us);
    std::uint64_t now = 100 * window;
    look_for_company(a, now);
    for (int meeting = 0; meeting < 4; ++meeting) {
      now += 2 * window;
      look_for_company(b, now);
      look_for_company(a, now);
      EXPECT_FALSE(is_shared(a, now) || is_shared(b, now)) << meeting;
    }
    now += window / 2;
    look_for_company(b, now);
    EXPECT_TRUE(is_shared(b, now));
    EXPECT_FALSE(is_shared(a, now));
  });
}

sys::cpu_mask own_mask() { return sys::cpu_mask::of_calling_thread(); }

/// Runs `f` with a helper on a CPU of several, and another carrier that was seen there.
template <class F>
void with_company(F f) {
  SKIP_IF_UNKNOWN();
  if (own_mask().count() < 2) GTEST_SKIP() << "there is one CPU only";
  std::thread([&] {
    auto helper = std::make_unique<carrier>();
    auto other = std::make_unique<carrier>();
    helper->kind = carrier_kind::helper;
    for (carrier* c : {helper.get(), other.get()}) c->is_there = true;
    note_cpu(*other);
    f(*helper, *other);
    for (cpu_note& note : cpu_notes) {
      note.last = nullptr;
      note.while_taken.forget();
    }
  }).join();
}

TEST(Contention, AHelperGoesWhereNobodyIs) {
  with_company([](carrier& helper, carrier& other) {
    std::uint64_t const now = sys::ticks();
    sys::cpu_mask const before = own_mask();
    if (note_cpu(helper) != &other) GTEST_SKIP() << "the kernel moved the thread meanwhile";
    int const here = helper.core.cpu;
    ASSERT_TRUE(move_apart(helper, now));
    EXPECT_NE(helper.core.moved_to, here);
    EXPECT_TRUE(before.contains(helper.core.moved_to));
    EXPECT_TRUE(own_mask() == before);
    EXPECT_FALSE(move_apart(helper, helper.core.moved_at + 1)) << "it moved a moment ago";
  });
}

TEST(Contention, WhereAllElseIsTakenAHelperTakesTurnsThere) {
  with_company([](carrier& helper, carrier& other) {
    std::uint64_t const now = sys::ticks();
    if (note_cpu(helper) != &other) GTEST_SKIP() << "the kernel moved the thread meanwhile";
    int const here = helper.core.cpu;
    for (cpu_note& note : cpu_notes) note.while_taken.begin(now, longest_taken_us);
    ASSERT_TRUE(move_apart(helper, now));
    EXPECT_NE(helper.core.moved_to, here);
    EXPECT_TRUE(takes_turns(helper.core.turn));
  });
}

TEST(Contention, AHelperStaysWhereItsOwnAreEverywhere) {
  with_company([](carrier& helper, carrier& other) {
    sys::cpu_mask const mask = own_mask();
    std::vector<std::unique_ptr<carrier>> others;
    for (int cpu = 0; cpu < most_cpus; ++cpu) {
      if (!mask.contains(cpu) || cpu == other.core.cpu) continue;
      carrier& there = *others.emplace_back(std::make_unique<carrier>());
      there.is_there = true;
      there.core.cpu = cpu;
      cpu_notes[cpu].last = &there;
    }
    if (note_cpu(helper) != &other) GTEST_SKIP() << "the kernel moved the thread meanwhile";
    EXPECT_FALSE(move_apart(helper, sys::ticks()));
  });
}

TEST(Contention, WhoIsConfinedStays) {
  with_company([](carrier& helper, carrier&) {
    helper.core.locality = 1;
    note_cpu(helper);
    EXPECT_FALSE(move_apart(helper, sys::ticks()));
  });
}

TEST(Contention, AHelperSleepsApartFromWhoIsAwake) {
  with_company([](carrier& helper, carrier& other) {
    std::uint64_t const now = sys::ticks();
    note_cpu(helper);
    if (helper.core.cpu != other.core.cpu) GTEST_SKIP() << "the kernel moved the thread meanwhile";
    int const here = helper.core.cpu;
    other.asleep = 1;
    sleep_apart(helper, &other, now);
    EXPECT_EQ(helper.core.moved_to, -1);
    other.asleep = 0;
    sleep_apart(helper, &other, now);
    EXPECT_NE(helper.core.moved_to, -1);
    EXPECT_NE(helper.core.moved_to, here);
  });
}

/// Starts the OS thread of a helper as start_apart() wants it; `f` gets the masks of that thread when it begins and
/// when it runs the program's code.
template <class F>
void start_one(bool kernel_sees_idle_cores, F f) {
  with_company([&](carrier& helper, carrier& other) {
    sys::kernel_sees_idle_cores = kernel_sees_idle_cores;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    bool const apart = start_apart(helper, attributes);
    EXPECT_NE(apart, kernel_sees_idle_cores);
    bool const moved = sys::current_cpu() != other.core.cpu;
    struct {
      carrier& helper;
      sys::cpu_mask at_first, later;
    } made{helper, {}, {}};
    auto const run = [](void* pointer) -> void* {
      auto& m = *static_cast<decltype(made)*>(pointer);
      m.at_first = own_mask();
      if (is_steered(m.helper)) end_steering(m.helper);
      m.later = own_mask();
      return nullptr;
    };
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, &attributes, run, &made), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    if (moved) GTEST_SKIP() << "the kernel moved the thread meanwhile";
    f(helper, other, made.at_first, made.later);
  });
}

TEST(Contention, AHelperStartsApartAndMayGoEverywhere) {
  start_one(false, [](carrier& helper, carrier& other, const sys::cpu_mask& at_first, const sys::cpu_mask& later) {
    EXPECT_NE(helper.core.cpu, -1);
    EXPECT_NE(helper.core.cpu, other.core.cpu);
    EXPECT_EQ(at_first.count(), 1);
    EXPECT_TRUE(at_first.contains(helper.core.cpu));
    EXPECT_EQ(cpu_notes[helper.core.cpu].last, &helper);
    EXPECT_TRUE(later == own_mask());
  });
}

TEST(Contention, WhereTheKernelSeesIdleCoresItPlacesHelpersItself) {
  start_one(true, [](carrier& helper, carrier&, const sys::cpu_mask& at_first, const sys::cpu_mask& later) {
    EXPECT_EQ(helper.core.cpu, -1);
    EXPECT_TRUE(at_first == own_mask());
    EXPECT_TRUE(later == own_mask());
  });
}

/// Wakes a helper that sleeps where its waker is, as wake_carrier does; `f` gets the CPU on which it woke, and the
/// masks of its OS thread before it slept and when it runs the program's code again.
template <class F>
void wake_one(bool kernel_sees_idle_cores, F f) {
  with_company([&](carrier& helper, carrier& waker) {
    sys::kernel_sees_idle_cores = kernel_sees_idle_cores;
    helper.asleep = 1;
    std::atomic<int> woke_on{-1};
    sys::cpu_mask before, after;
    std::thread sleeper([&] {
      before = own_mask();
      helper.thread_id = gettid();
      while (helper.asleep != 0) sys::futex_wait(helper.asleep, 1);
      woke_on = sys::current_cpu();
      if (is_steered(helper)) end_steering(helper);
      after = own_mask();
    });
    while (helper.thread_id == 0 || !sys::is_blocked(helper.thread_id)) usleep(1000);
    note_cpu(waker);
    int const here = waker.core.cpu;
    helper.core.cpu = here;
    bool const apart = begin_steering(helper, waker);
    EXPECT_NE(apart, kernel_sees_idle_cores);
    helper.asleep = 0;
    if (apart) steer(helper, waker);
    sys::futex_wake(helper.asleep, 1);
    sleeper.join();
    EXPECT_FALSE(is_steered(helper));
    f(helper, here, woke_on.load(), before, after);
  });
}

TEST(Contention, AHelperThatSleptWhereItsWakerIsWakesApartAndMayGoEverywhere) {
  wake_one(false, [](carrier& helper, int here, int woke_on, const sys::cpu_mask& before, const sys::cpu_mask& after) {
    EXPECT_NE(helper.core.cpu, here);
    EXPECT_TRUE(after == before);
    if (woke_on == here) GTEST_SKIP() << "the kernel moved the thread meanwhile";
    EXPECT_EQ(helper.core.cpu, woke_on);
  });
}

TEST(Contention, WhereTheKernelSeesIdleCoresItPlacesThoseWhoWake) {
  wake_one(true, [](carrier& helper, int here, int woke_on, const sys::cpu_mask& before, const sys::cpu_mask& after) {
    EXPECT_GE(woke_on, 0);
    EXPECT_EQ(helper.core.cpu, here);  // nothing is noted of it
    EXPECT_TRUE(after == before);
  });
}

TEST(Contention, WhoIsConfinedToTheVeryCpuThatItWasPutOnStaysThere) {
  with_company([](carrier& helper, carrier&) {
    sys::kernel_sees_idle_cores = false;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (!start_apart(helper, attributes)) GTEST_SKIP() << "no CPU seems free";
    pthread_attr_destroy(&attributes);
    sys::affinity const only = sys::affinity::of(helper.core.steered.cpu);
    ASSERT_TRUE(sys::set_affinity(only));
    helper.core.locality = 1;
    end_steering(helper);
    EXPECT_EQ(own_mask().count(), 1);
    EXPECT_FALSE(is_steered(helper));
  });
}

TEST(Contention, WhoWakesByItselfWaitsForTheOneThatSteersIt) {
  with_company([](carrier& helper, carrier& waker) {
    sys::kernel_sees_idle_cores = false;
    note_cpu(waker);
    helper.core.cpu = waker.core.cpu.load();
    helper.asleep = 0;  // its time was over
    ASSERT_TRUE(begin_steering(helper, waker));
    EXPECT_FALSE(begin_steering(helper, waker)) << "one at a time";
    std::thread other([&] { drop_steering(helper); });  // it was awake already
    end_steering(helper);
    other.join();
    EXPECT_FALSE(is_steered(helper));
  });
}

TEST(Contention, AThreadOfTheProgramIsNeverMoved) {
  with_company([](carrier& guest, carrier&) {
    guest.kind = carrier_kind::guest;
    note_cpu(guest);
    EXPECT_FALSE(move_apart(guest, sys::ticks()));
  });
}

TEST(Contention, AnAbsenceSpeaksAgainstTheCpuUnlessAnotherCarrierWasThere) {
  with_company([](carrier& helper, carrier& other) {
    std::uint64_t const now = sys::ticks();
    if (company_on(sys::current_cpu(), helper) != &other) GTEST_SKIP() << "the kernel moved the thread meanwhile";
    note_absence(helper, now);
    EXPECT_TRUE(is_shared(helper, now));
    EXPECT_FALSE(takes_turns(helper.core.turn));
    EXPECT_FALSE(cpu_notes[other.core.cpu].while_taken.covers(now));
    int const cpu = (note_cpu(helper), helper.core.cpu.load());
    note_absence(helper, now);
    if (sys::current_cpu() != cpu) GTEST_SKIP() << "the kernel moved the thread meanwhile";
    EXPECT_TRUE(cpu_notes[cpu].while_taken.covers(now));
    EXPECT_TRUE(takes_turns(helper.core.turn));
  });
}

TEST(DoublingWhile, EachThatBeginsSoonIsTwiceAsLong) {
  sys::calibrate_ticks();
  doubling_while w;
  std::uint64_t const first = sys::ticks_of_microseconds(doubling_while::first_us);
  std::uint64_t now = 100 * first;
  EXPECT_TRUE(w.begin(now, 5000));
  EXPECT_EQ(w.end(), now + first);
  EXPECT_FALSE(w.begin(now + 1, 5000)) << "it lasts";
  now = w.end();
  EXPECT_FALSE(w.covers(now));
  EXPECT_TRUE(w.begin(now, 5000));
  EXPECT_EQ(w.end(), now + 2 * first);
  now = w.end();
  EXPECT_TRUE(w.begin(now, 5000));
  EXPECT_EQ(w.end(), now + sys::ticks_of_microseconds(5000)) << "no longer than that";
  now = w.end() + 100 * first;
  EXPECT_TRUE(w.begin(now, 5000));
  EXPECT_EQ(w.end(), now + first) << "it was long ago";
}

TEST(WakeCost, FollowsTheMedian) {
  std::uint64_t const usual = sys::ticks_of_microseconds(40);
  for (int i = 0; i < 200; ++i) note_wake(i % 4 == 0 ? 100 * usual : usual);  // some met a time slice
  EXPECT_GT(wake_cost.load(), usual / 2);
  EXPECT_LT(wake_cost.load(), 2 * usual);
  EXPECT_GE(worth_waiting(10), usual);
  EXPECT_LE(worth_looking(10), usual);
  for (int i = 0; i < 200; ++i) note_wake(1);
  EXPECT_LT(wake_cost.load(), usual / 8);
  EXPECT_EQ(worth_waiting(10), sys::ticks_of_microseconds(10));
  for (int i = 0; i < 200; ++i) note_wake(~std::uint64_t{0});
  EXPECT_EQ(wake_cost.load(), sys::ticks_of_microseconds(most_wake_cost_us));
}

}  // namespace
}  // namespace amity::sched
