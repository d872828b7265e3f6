#include "amity/sched/tasks/internal/roster.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace amity::sched {
namespace {

struct no_task : task {
  no_task() : task([](task&, worker&, call) noexcept {}, nullptr) {}
};

std::set<worker*> listed(const worker_roster& r, unsigned first = 0) {
  std::set<worker*> all;
  r.look(first, [&](worker& w) {
    EXPECT_TRUE(all.insert(&w).second) << "met twice";
    return false;
  });
  return all;
}

/// Kept for good, as the process's own is: nothing gives its pages back.
worker_roster& new_roster() {
  static auto& all = *new std::vector<worker_roster*>;
  return *all.emplace_back(new worker_roster);
}

/// As if the last weeding had been long ago.
constexpr std::uint64_t later = ~std::uint64_t{0} / 2;

TEST(Roster, HoldsThoseThatWereListedOnceEach) {
  worker_roster& r = new_roster();
  std::vector<std::unique_ptr<worker>> workers(150);  // more than two pages
  std::set<worker*> all;
  for (auto& w : workers) {
    w = std::make_unique<worker>();
    r.list(*w);
    r.list(*w);
    all.insert(w.get());
  }
  for (unsigned first : {0u, 1u, 63u, 64u, 100u, 149u, 150u, 10'000u}) EXPECT_EQ(listed(r, first), all) << first;
}

TEST(Roster, ALookBeginsWhereItIsToldAndSaysWhereItStopped) {
  worker_roster& r = new_roster();
  std::vector<std::unique_ptr<worker>> workers(70);
  for (auto& w : workers) {
    w = std::make_unique<worker>();
    r.list(*w);
  }
  for (unsigned at : {0u, 5u, 63u, 64u, 69u}) EXPECT_EQ(r.look(at, [](worker&) { return true; }), static_cast<int>(at));
  EXPECT_EQ(r.look(66, [&](worker& w) { return &w == workers[3].get(); }), 3);
  EXPECT_EQ(r.look(0, [](worker&) { return false; }), -1);
}

TEST(Roster, WeedingLeavesThoseThatHaveTasksAndMakesRoomForOthers) {
  worker_roster& r = new_roster();
  std::vector<std::unique_ptr<worker>> workers(130);
  no_task t;
  for (auto& w : workers) {
    w = std::make_unique<worker>();
    r.list(*w);
  }
  ASSERT_TRUE(workers[64]->queue.push(&t));
  ASSERT_TRUE(workers[129]->queue.push(&t));
  EXPECT_FALSE(r.weed(later));
  EXPECT_EQ(listed(r), (std::set<worker*>{workers[64].get(), workers[129].get()}));
  r.list(*workers[7]);
  EXPECT_EQ(r.look(0, [&](worker& w) { return &w == workers[7].get(); }), 0);  // the first free entry
}

TEST(Roster, WeedsNoMoreThanOnceInAWhile) {
  worker_roster& r = new_roster();
  worker w;
  r.list(w);
  EXPECT_FALSE(r.weed(later));
  r.list(w);
  EXPECT_FALSE(r.weed(later + 1));
  EXPECT_EQ(listed(r).size(), 1u);
}

/// Owners push and take back without a pause, others weed. After each push that said that it was to be announced, and
/// was, the worker is found at once: nobody else takes its task, and only the weeding could hide it.
TEST(Roster, NobodyIsWeededWithATask) {
  constexpr int owners = 3, rounds = 20'000;
  worker_roster& r = new_roster();
  std::vector<std::unique_ptr<worker>> workers(owners);
  for (auto& w : workers) w = std::make_unique<worker>();
  std::atomic<int> going{owners};
  std::atomic<int> lost{0};
  auto own = [&](worker& w) {
    no_task t;
    for (int i = 0; i < rounds; ++i) {
      using pushed = split_deque<task>::pushed;
      if (w.queue.push_and_tell(&t) != pushed::quietly) r.list(w);
      // A weeding that has taken it out comes back for it: wait for that, as long as it takes.
      for (int looks = 0; r.look(0, [&](worker& v) { return &v == &w; }) < 0; ++looks) {
        if (looks == 1'000'000) {
          ++lost;
          break;
        }
        std::this_thread::yield();
      }
      EXPECT_EQ(w.queue.pop(w.queue.bottom() - 1), &t);
    }
    --going;
  };
  std::vector<std::thread> threads;
  for (auto& w : workers) threads.emplace_back(own, std::ref(*w));
  threads.emplace_back([&] {
    for (std::uint64_t now = later; going != 0; now += later / 1'000'000'000) static_cast<void>(r.weed(now));
  });
  for (auto& t : threads) t.join();
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace amity::sched
