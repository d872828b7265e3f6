#include "amity/omp/rt/task_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "amity/base/processor.hpp"
#include "amity/omp/rt/task.hpp"

namespace amity::omp {
namespace {

bool any(const explicit_task&, const void*) { return true; }

TEST(task_queue, high_before_low_and_first_come_first_served) {
  task_queue queue;
  std::vector<std::unique_ptr<explicit_task>> made;
  for (int priority : {0, 2, 1, 2, 0}) {
    made.push_back(std::make_unique<explicit_task>());
    made.back()->priority = priority;
    queue.push(*made.back());
  }
  for (std::size_t expected : {1, 3, 2, 0, 4}) EXPECT_EQ(queue.take_first(any, nullptr), made[expected].get());
  EXPECT_TRUE(queue.is_empty());
}

TEST(task_queue, what_had_no_room_elsewhere_goes_first_of_those_without_priority) {
  task_queue queue;
  explicit_task urgent, usual, kept[2];
  urgent.priority = 1;
  queue.push_first(kept[0]);
  queue.push(usual);
  queue.push(urgent);
  queue.push_first(kept[1]);
  for (const explicit_task* expected : {&urgent, &kept[1], &kept[0], &usual})
    EXPECT_EQ(queue.take_first(any, nullptr), expected);
  EXPECT_TRUE(queue.is_empty());
  queue.push(usual);  // the end is where it should be
  EXPECT_EQ(queue.take_first(any, nullptr), &usual);
}

TEST(task_queue, who_only_tries_looks_at_a_few) {
  task_queue queue;
  std::vector<explicit_task> tasks(100);
  for (explicit_task& x : tasks) queue.push(x);
  auto const is_it = [](const explicit_task& x, const void* wanted) { return &x == wanted; };
  EXPECT_EQ(queue.try_take_first(is_it, &tasks[3]), &tasks[3]);
  EXPECT_EQ(queue.try_take_first(is_it, &tasks[90]), nullptr);
  EXPECT_EQ(queue.take_first(is_it, &tasks[90]), &tasks[90]);
  EXPECT_FALSE(queue.is_urgent());
  explicit_task urgent;
  urgent.priority = 3;
  queue.push(urgent);
  EXPECT_TRUE(queue.is_urgent());
  EXPECT_EQ(queue.try_take_first(any, nullptr), &urgent);
  EXPECT_FALSE(queue.is_urgent());
  while (queue.take_first(any, nullptr) != nullptr) {
  }
}

/// Two threads leave it within some nanoseconds of one another, if each has a core.
class rendezvous {
 public:
  void meet() noexcept {
    int const round = arrived_.fetch_add(1) / 2;
    for (int turns = 0; arrived_.load() / 2 == round; ++turns)
      turns < 10'000 ? base::cpu_relax() : std::this_thread::yield();
  }

 private:
  std::atomic<int> arrived_{0};
};

/// One pushes, then looks whether somebody was told; the other takes that back, then looks into the queue. Should
/// neither see the other, the task stays there and nobody comes. Where the two have to share a core, a meeting takes as
/// long as the others' time slices: fewer rounds are enough then, which show little.
TEST(task_queue, a_push_is_seen_or_sees) {
  constexpr int rounds = 100'000;
  auto const latest = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  task_queue queue;
  explicit_task pushed;
  alignas(128) std::atomic<bool> told{true};
  alignas(128) rendezvous both;
  bool relies_on_others = false, over = false;
  std::thread pusher([&] {
    for (;;) {
      both.meet();
      if (over) return;
      queue.push(pushed);
      relies_on_others = told.load(std::memory_order_relaxed);
      both.meet();
    }
  });
  int missed = 0;
  for (int i = 0; i < rounds && std::chrono::steady_clock::now() < latest; ++i) {
    both.meet();
    for (int wait = i % 64; wait > 0; --wait) asm volatile("");
    told.store(false, std::memory_order_seq_cst);
    bool const found_nothing = queue.is_empty();
    both.meet();
    missed += relies_on_others && found_nothing;
    EXPECT_EQ(queue.take_first(any, nullptr), &pushed);
    told.store(true);
  }
  over = true;
  both.meet();
  pusher.join();
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace amity::omp
