#include "amity/algo/run_on_all.hpp"

#include <numeric>

#include "amity/algo/test_support.hpp"
#include "amity/finish/finish.hpp"
#include "amity/sync/barrier.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;
using experimental::run_on_all;

TEST(run_on_all, once_on_each_worker) {
  auto const workers = static_cast<std::size_t>(worker_count());
  std::vector<int> seen(workers, -1);
  run_on_all([&](std::size_t i) { seen.at(i) = this_worker_number(); });
  std::vector<int> expected(workers);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(seen, expected);
}

TEST(run_on_all, reductions) {
  unsigned n = 0;
  run_on_all(reduction_plus(n), [](unsigned& mine) { ++mine; });
  EXPECT_EQ(n, static_cast<unsigned>(worker_count()));
  n = 0;
  run_on_all(2, reduction_plus(n), [](unsigned& mine) { ++mine; });
  EXPECT_EQ(n, 2u);
  std::size_t most = 0;
  std::string order;
  run_on_all(ex::par, 9, reduction_max(most), reduction(order, std::string(), std::plus<>()),
             [](std::size_t i, std::size_t& m, std::string& s) {
               m = i;
               s += std::to_string(i);
             });
  EXPECT_EQ(most, 8u);
  EXPECT_EQ(order, "012345678");
  run_on_all(ex::seq, 3, reduction_plus(n), [](unsigned& mine) { ++mine; });
  EXPECT_EQ(n, 5u);
  run_on_all(ex::par.with(ex::num_cores(1)), reduction_plus(n), [](unsigned& mine) { ++mine; });
  EXPECT_EQ(n, 6u);
  run_on_all(ex::par(ex::task), 4, reduction_plus(n), [](unsigned& mine) { ++mine; }).get();
  EXPECT_EQ(n, 10u);
}

TEST(run_on_all, the_calls_may_wait_for_one_another) {
  for (int calls : {1, worker_count(), 3 * worker_count()}) {
    sync::barrier<> all(calls);
    std::atomic<int> passed{0};
    run_on_all(calls, [&] {
      all.arrive_and_wait();
      ++passed;
      all.arrive_and_wait();
      EXPECT_EQ(passed, calls);
    });
  }
}

TEST(run_on_all, exceptions_and_stopped_finishes) {
  EXPECT_THROW(run_on_all(6, [](std::size_t i) { i == 5 ? throw 42 : i; }), exception_list);
  try {
    sync::barrier<> all(4);
    run_on_all(4, [&](std::size_t i) {
      all.arrive_and_wait();
      throw i;
    });
    FAIL();
  } catch (const exception_list& all) {
    std::size_t next = 0;
    for (const std::exception_ptr& each : all) EXPECT_EQ(algo_test::thrown<std::size_t>(each), next++);
    EXPECT_EQ(next, 4u);
  }
  std::stop_source stop;
  std::atomic<int> calls{0};
  finish(stop.get_token(), [&] {
    stop.request_stop();
    run_on_all(5, [&] { ++calls; });
  });
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace amity
