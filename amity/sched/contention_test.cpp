#include "amity/sched/contention.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <memory>
#include <thread>

#include "amity/sys/current_cpu.hpp"

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
    for (auto& last : seen_on) last = nullptr;
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
    a.cpu = a.cpu + 1;  // as if it had looked there since
    EXPECT_EQ(note_cpu(b), nullptr);
  });
}

/// The kernel moves threads now and then: only who meets another again soon spins no more.
TEST(Contention, OnlyThoseWhoKeepMeetingCountAsShared) {
  SKIP_IF_UNKNOWN();
  on_one_cpu([](carrier& a, carrier& b) {
    std::uint64_t const window = sys::ticks_of_microseconds(first_window_us);
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

}  // namespace
}  // namespace amity::sched
