#include "amity/omp/rt/task_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "amity/base/atomic_shim.hpp"
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
/// neither see the other, the task stays there and nobody comes.
TEST(task_queue, a_push_is_seen_or_sees) {
  constexpr int rounds = 100'000;
  task_queue queue;
  explicit_task pushed;
  alignas(128) std::atomic<bool> told{true};
  alignas(128) rendezvous both;
  bool relies_on_others = false;
  std::thread pusher([&] {
    for (int i = 0; i < rounds; ++i) {
      both.meet();
      queue.push(pushed);
      relies_on_others = told.load(std::memory_order_relaxed);
      both.meet();
    }
  });
  int missed = 0;
  for (int i = 0; i < rounds; ++i) {
    both.meet();
    for (int wait = i % 64; wait > 0; --wait) asm volatile("");
    told.store(false, std::memory_order_seq_cst);
    bool const found_nothing = queue.is_empty();
    both.meet();
    missed += relies_on_others && found_nothing;
    EXPECT_EQ(queue.take_first(any, nullptr), &pushed);
    told.store(true);
  }
  pusher.join();
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace amity::omp
