#include "amity/sched/idle/starvation_judge.hpp"

#include <gtest/gtest.h>

namespace amity::sched {
namespace {

constexpr std::uint64_t look_us = 5'000;

/// A judge who looks every 5 ms.
struct watcher {
  starvation_judge judge;
  std::uint64_t now = 1'000'000;

  starvation_judge::decision look(const task_census& c) { return judge.look(c, now += look_us); }
  /// Looks until somebody is sent: how long that takes.
  std::uint64_t until_sent(const task_census& c) {
    std::uint64_t const begun = now;
    while (!look(c).send && now - begun < 100'000'000) {
    }
    return now - begun;
  }
};

TEST(Relief, AnIdleCoreIsUsedAtOnce) {
  watcher w;
  w.judge.begin(w.now);
  EXPECT_TRUE(w.look({.cores = 1, .computing = 0}).send);
  EXPECT_FALSE(w.look({.cores = 1, .computing = 1, .sent_run = true, .sent_got_on = true}).send);
  EXPECT_TRUE(w.look({.cores = 2, .computing = 1}).send);
}

TEST(Relief, ForEachBlockedOneAnotherMayRun) {
  watcher w;
  w.judge.begin(w.now);
  EXPECT_EQ(w.look({.cores = 2, .computing = 0, .blocked = 2}).extra, 2);
  EXPECT_EQ(w.look({.cores = 2, .computing = 1, .blocked = 3, .sent_run = true}).extra, 3);
  EXPECT_EQ(w.look({.cores = 2, .computing = 2, .blocked = 0, .others_got_on = true}).extra, 0);
}

TEST(Relief, WhoGetsOnIsLeftAlone) {
  watcher w;
  w.judge.begin(w.now);
  for (int i = 0; i < 10'000; ++i)
    EXPECT_FALSE(w.look({.cores = 2, .computing = 2, .others_got_on = i % 10 == 0}).send);
  EXPECT_EQ(w.judge.patience(), starvation_judge::first_patience);
}

TEST(Relief, WhereNobodyGetsOnOneMoreIsTriedAfterAWhile) {
  watcher w;
  w.judge.begin(w.now);
  task_census const still{.cores = 1, .computing = 1};
  EXPECT_EQ(w.until_sent(still), starvation_judge::first_patience);
  // That was right: it had little to do. The next time it goes faster.
  EXPECT_EQ(w.look({.cores = 1, .computing = 2, .sent_run = true, .sent_got_on = true}).extra, 1);
  w.judge.end(false, w.now);
  std::uint64_t last = starvation_judge::first_patience;
  for (int i = 0; i < 5; ++i) {
    w.judge.begin(w.now);
    std::uint64_t const took = w.until_sent(still);
    EXPECT_LE(took, last);
    last = took;
    w.judge.end(false, w.now);
  }
  EXPECT_EQ(last, starvation_judge::least_patience);
}

TEST(Relief, WhoHasNoCoreIsGivenMoreTime) {
  watcher w;
  w.judge.begin(w.now);
  // Two threads that compute, each of them on a core for a tenth of the time.
  EXPECT_EQ(w.until_sent({.cores = 2, .computing = 2, .ran_us = look_us / 5}), 10 * starvation_judge::first_patience);
}

TEST(Relief, WhoGivesTheCoreUpInALoopIsNotGivenAllTheTime) {
  watcher w;
  w.judge.begin(w.now);
  std::uint64_t const longest = starvation_judge::least_share * starvation_judge::first_patience;
  EXPECT_LE(w.until_sent({.cores = 1, .computing = 1, .ran_us = 10}), longest + longest / 10);
}

TEST(Relief, WhatAThreadRanBeforeTheLastLookDoesNotCount) {
  watcher w;
  w.judge.begin(w.now);
  EXPECT_EQ(w.until_sent({.cores = 2, .computing = 2, .ran_us = 1'000 * look_us}), starvation_judge::first_patience);
}

TEST(Relief, LongTasksGetFewerAndFewerThreads) {
  watcher w;
  w.judge.begin(w.now);
  int sent = 0;
  while (w.now < 60'000'000) sent += w.look({.cores = 1, .computing = 1 + sent, .sent_run = sent > 0}).send ? 1 : 0;
  EXPECT_GE(sent, 5);
  EXPECT_LE(sent, 12);
}

TEST(Relief, WhatNobodyGotOnWithBeforeTasksWaitedDoesNotCount) {
  watcher w;
  w.judge.begin(w.now);
  w.judge.end(false, w.now);
  w.now += 1'000'000;
  w.judge.begin(w.now);
  EXPECT_FALSE(w.look({.cores = 1, .computing = 1}).send);
}

}  // namespace
}  // namespace amity::sched
