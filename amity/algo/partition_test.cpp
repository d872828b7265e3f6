#include "amity/algo/partition.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>

#include "amity/algo/test_support.hpp"
#include "amity/finish/finish.hpp"

namespace amity::algo {
namespace {

using namespace algo_test;

TEST(partition, every_element_is_done_once) {
  for_all([](const auto& policy, std::size_t n) {
    std::vector<std::atomic<int>> done(n);
    over_elements(policy.settings(), n, [&](index from, index to) {
      for (; from < to; ++from) ++done[from];
    });
    for (auto& d : done) ASSERT_EQ(d, 1);
  });
}

TEST(partition, slots_are_in_the_order_of_their_elements) {
  for_all([](const auto& policy, std::size_t n) {
    partition p(policy.settings(), n, 50);
    slot_results<std::pair<index, index>> parts;
    over_slots(p, parts, [&](std::pair<index, index>& part, index from, index to) {
      if (part.second == 0) part.first = from;
      part.second = to;
    });
    ASSERT_LE(parts.chunks.size(), 50u);
    index next = 0;
    parts.each([&](const std::pair<index, index>& part) {
      if (part.second == 0) return;
      EXPECT_EQ(part.first, next);
      next = part.second;
    });
    ASSERT_EQ(next, n);
  });
}

TEST(partition, the_leftmost_exception_comes_out_when_all_have_ended) {
  for (const named_policy& p : policies()) {
    SCOPED_TRACE(p.name);
    std::atomic<int> inside{0};
    try {
      over_elements(p.policy.settings(), 10000, [&](index from, index to) {
        ++inside;
        std::unique_ptr<std::atomic<int>, void (*)(std::atomic<int>*)> leave(&inside,
                                                                             [](std::atomic<int>* i) { --*i; });
        for (; from < to; ++from)
          if (from % 1000 == 777) throw from;
      });
      FAIL() << "nothing was thrown";
    } catch (index first) {
      EXPECT_EQ(first, 777u);
    } catch (const exception_list& all) {
      EXPECT_GT(all.size(), 1u);
      std::vector<index> places;
      for (const std::exception_ptr& each : all) places.push_back(algo_test::thrown<index>(each));
      EXPECT_EQ(places.front(), 777u);
      EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
    }
    EXPECT_EQ(inside, 0);
  }
}

TEST(partition, a_finish_that_is_asked_to_stop_does_not_leave_elements_out) {
  std::stop_source stop;
  std::atomic<int> done{0};
  finish(stop.get_token(), [&] {
    stop.request_stop();
    over_elements(execution::par.with(execution::static_chunk_size(3)).settings(), 1000,
                  [&](index from, index to) { done += static_cast<int>(to - from); });
  });
  EXPECT_EQ(done, 1000);
}

TEST(partition, counts_beyond_32_bits) {
  index const n = index{1} << 40;
  for (auto policy : {execution::par.with(execution::guided_chunk_size(n / 64)),
                      execution::par.with(execution::static_chunk_size(n / 64 + 1)),
                      execution::par.with(execution::dynamic_chunk_size(n / 100)),
                      execution::par.with(execution::static_chunk_size())}) {
    std::atomic<index> sum{0};
    over_elements(policy.settings(), n, [&](index from, index to) { sum += to - from; });
    EXPECT_EQ(sum, n);
  }
}

TEST(partition, chunks_behind_the_limit_are_not_begun) {
  partition p(execution::par.on(execution::sequenced_executor()).with(execution::static_chunk_size(10)).settings(),
              1000);
  index last = 0;
  over_chunks(p, [&](std::size_t, index from, index, std::atomic<index>& limit) {
    lower(limit, 500);
    last = from;
  });
  EXPECT_EQ(last, 490u);
}

TEST(partition, nested_in_chunks_of_its_own_and_in_tasks) {
  std::atomic<long> sum{0};
  auto const how = execution::par.with(execution::static_chunk_size(2)).settings();
  finish([&] {
    for (int t = 0; t < 8; ++t)
      async([&] {
        over_elements(how, 20, [&](index from, index to) {
          for (; from < to; ++from) over_elements(how, 50, [&](index a, index b) { sum += static_cast<long>(b - a); });
        });
      });
  });
  EXPECT_EQ(sum, 8 * 20 * 50);
}

TEST(partition, tasks_that_a_body_begins_belong_to_the_finish_around) {
  std::atomic<int> tasks{0};
  finish([&] {
    over_elements(execution::par.with(execution::static_chunk_size(1)).settings(), 100,
                  [&](index, index) { post([&] { ++tasks; }); });
  });
  EXPECT_EQ(tasks, 100);
}

TEST(partition, what_is_small_is_done_by_the_caller) {
  // Where the core is away during the measurement, ten elements take long.
  bool other = true;
  for (int tries = 0; other && tries < 100; ++tries) {
    auto* const self = &sched::this_worker();
    std::atomic<bool> seen{false};
    over_elements(execution::par.settings(), 10, [&](index, index) {
      if (&sched::this_worker() != self) seen = true;
    });
    other = seen;
  }
  EXPECT_FALSE(other);
}

TEST(partition, limited_executors_are_not_exceeded) {
  std::atomic<int> inside{0}, most{0};
  auto const two = execution::par.on(execution::limiting_executor(execution::parallel_executor(), 2))
                       .with(execution::static_chunk_size(1));
  over_elements(two.settings(), 2000, [&](index, index) {
    int const now = ++inside;
    for (int m = most; now > m && !most.compare_exchange_weak(m, now);) {
    }
    --inside;
  });
  EXPECT_LE(most, 2);
}

}  // namespace
}  // namespace amity::algo
