// Many threads, few addresses, everything at once: looks for lost wakes (a hang, ended by the time limit) and for
// broken exclusion.
#include <gtest/gtest.h>

#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "amity/sync/condition_variable.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sync/nest_mutex.hpp"

namespace amity::sync {
namespace {

TEST(stress, mutexes_under_random_load) {
  constexpr int threads = 32, rounds = 3000, objects = 3;
  struct {
    mutex plain;
    nest_mutex nested;
    condition_variable changed;
    long by_plain = 0, by_nested = 0;
  } object[objects];
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      alignas(8) int me;
      std::minstd_rand random(static_cast<unsigned>(i + 1));
      for (int r = 0; r < rounds; ++r) {
        auto& o = object[random() % objects];
        if (random() % 2 == 0) {
          std::lock_guard guard(o.plain);
          ++o.by_plain;
          if (random() % 64 == 0) std::this_thread::yield();  // be found holding it
        } else {
          if (o.nested.try_lock(&me) == 0) o.nested.lock(&me);
          ++o.by_nested;
          int const more = static_cast<int>(random() % 3);
          for (int d = 1; d <= more; ++d) ASSERT_EQ(o.nested.lock(&me), d + 1);
          if (random() % 64 == 0) std::this_thread::yield();  // others begin to wait while the depth changes
          for (int d = more; d >= 0; --d) ASSERT_EQ(o.nested.unlock(), d);
        }
      }
    });
  for (auto& one : all) one.join();
  long sum = 0;
  for (auto& o : object) sum += o.by_plain + o.by_nested;
  EXPECT_EQ(sum, long{threads} * rounds);
}

// Regression by design: the waiter destroys the latch as soon as it is through.
TEST(stress, a_latch_may_die_under_its_last_count_down) {
  for (int round = 0; round < 3000; ++round) {
    auto* done = new latch(1);
    std::thread counter([done] { done->count_down(); });
    done->wait();
    delete done;
    counter.join();
  }
}

}  // namespace
}  // namespace amity::sync
