#include "amity/algo/team_executor.hpp"

#include <set>

#include "amity/algo/for_each.hpp"
#include "amity/algo/for_loop.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/algo/scan.hpp"
#include "amity/algo/sort.hpp"
#include "amity/algo/test_support.hpp"
#include "amity/finish/finish.hpp"
#include "amity/future/combine.hpp"
#include "amity/sync/mutex.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

/// Each algorithm gives what it gives without.
template <class Executor>
void agree(const Executor& executor) {
  for (auto const& policy :
       {ex::par.on(executor), ex::par.on(executor).with(ex::dynamic_chunk_size(7)),
        ex::par.with(ex::static_chunk_size(100)).on(executor), ex::par.with(ex::guided_chunk_size(3)).on(executor)})
    for (std::size_t n : {0, 1, 2, 5, 100, 1009, 20011}) {
      SCOPED_TRACE(n);
      auto v = numbers(n, 1000);
      EXPECT_EQ(amity::reduce(policy, v.begin(), v.end(), 1L), std::reduce(v.begin(), v.end(), 1L));
      std::vector<int> sums(n), expected(n);
      amity::inclusive_scan(policy, v.begin(), v.end(), sums.begin());
      std::inclusive_scan(v.begin(), v.end(), expected.begin());
      EXPECT_EQ(sums, expected);
      amity::sort(policy, v.begin(), v.end());
      EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
      std::vector<std::atomic<int>> hits(n);
      amity::for_loop(policy, std::size_t{0}, n, [&](std::size_t i) { ++hits[i]; });
      EXPECT_TRUE(std::all_of(hits.begin(), hits.end(), [](auto& h) { return h == 1; }));
    }
  std::vector<int> const v(3000);
  EXPECT_THROW(amity::for_each(ex::par.on(executor), v.begin(), v.end(), [](int) { throw 42; }), exception_list);
  EXPECT_EQ(amity::reduce(ex::par(ex::task).on(executor), v.begin(), v.end(), 5).get(), 5);
  EXPECT_EQ(amity::async(
                executor, [](int a) { return a + 1; }, 41)
                .get(),
            42);
  EXPECT_EQ(amity::async([] { return 1; }).then(executor, [](future<int> f) { return f.get() + 1; }).get(), 2);
  std::atomic<int> done{0};
  finish([&] {
    for (int i = 0; i < 10; ++i) post(executor, [&] { ++done; });
  });
  EXPECT_EQ(done, 10);
  EXPECT_THROW(amity::async(executor, [] { throw 42; }).get(), int);
}

/// The numbers of the workers that make calls.
template <class Policy>
std::set<int> workers_of(const Policy& policy) {
  sync::mutex lock;
  std::set<int> seen;
  amity::for_loop(policy, 0, 200, [&](int) {
    std::lock_guard const held(lock);
    seen.insert(this_worker_number());
  });
  return seen;
}

TEST(team_executor, some_of_the_workers) {
  agree(ex::restricted_thread_pool_executor(0, worker_count()));
  agree(ex::restricted_thread_pool_executor(worker_count() - 1));
  for (int w = 0; w < worker_count(); ++w) {
    ex::restricted_thread_pool_executor const one(w);
    EXPECT_EQ(workers_of(ex::par.on(one)), std::set<int>{w});
    EXPECT_EQ(workers_of(ex::par.on(one).with(ex::auto_chunk_size())), std::set<int>{w});
    EXPECT_EQ(amity::async(one, [] { return this_worker_number(); }).get(), w);
  }
  int const half = (worker_count() + 1) / 2;
  ex::restricted_thread_pool_executor const some(0, half);
  for (int w : workers_of(ex::par.on(some).with(ex::dynamic_chunk_size(1)))) EXPECT_LT(w, half);
  std::set<int> seen;
  for (int i = 0; i < 3 * half; ++i) seen.insert(amity::async(some, [] { return this_worker_number(); }).get());
  EXPECT_EQ(static_cast<int>(seen.size()), half);
}

TEST(team_executor, workers_that_there_are_not) {
  EXPECT_THROW(ex::restricted_thread_pool_executor(-1, 1), std::invalid_argument);
  EXPECT_THROW(ex::restricted_thread_pool_executor(0, 0), std::invalid_argument);
  EXPECT_THROW(ex::restricted_thread_pool_executor(1, worker_count()), std::invalid_argument);
  EXPECT_THROW(ex::block_executor(std::vector<place>()), std::invalid_argument);
}

TEST(team_executor, blocks_are_at_their_places) {
  agree(ex::block_executor());
  std::vector<place> const cores = place::all(place_kind::core);
  if (cores.empty()) GTEST_SKIP() << "nobody can tell where the cores are";
  ex::block_executor const by(cores);
  agree(by);
  EXPECT_EQ(by.places().size(), cores.size());
  if (worker_count() < static_cast<int>(cores.size())) GTEST_SKIP() << "a worker stands for several cores";
  std::size_t const n = 60 * cores.size();
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> elsewhere{0};
    amity::for_loop(ex::par.on(by).with(ex::static_chunk_size(5)), std::size_t{0}, n, [&](std::size_t i) {
      if (!(place::here() == cores[i / 60])) ++elsewhere;
    });
    EXPECT_EQ(elsewhere, 0);
  }
}

TEST(team_executor, within_others_and_within_a_policy_that_outlives_it) {
  auto const policy = [] {
    ex::restricted_thread_pool_executor const all(0, worker_count());
    return ex::par.on(ex::limiting_executor(
        ex::annotating_executor<ex::restricted_thread_pool_executor>(all, std::string(50, 'x')), 1));
  }();
  std::atomic<int> inside{0}, wrong{0};
  amity::for_loop(policy, 0, 500, [&](int) {
    if (++inside != 1 || annotation() == nullptr || std::string(50, 'x') != annotation()) ++wrong;
    --inside;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(team_executor, a_stopped_finish_does_not_stop_it_half_way) {
  std::stop_source stop;
  std::atomic<int> calls{0};
  finish(stop.get_token(), [&] {
    stop.request_stop();
    amity::for_loop(ex::par.on(ex::restricted_thread_pool_executor(0, worker_count())), 0, 1000, [&](int) { ++calls; });
  });
  EXPECT_EQ(calls, 1000);
}

TEST(team_executor, one_within_another) {
  ex::restricted_thread_pool_executor const all(0, worker_count());
  std::atomic<int> calls{0};
  amity::for_loop(ex::par.on(all), 0, 20, [&](int) {
    amity::for_loop(ex::par.on(all), 0, 20, [&](int) { ++calls; });
    amity::for_loop(ex::par, 0, 20, [&](int) { ++calls; });
  });
  EXPECT_EQ(calls, 800);
}

TEST(chunks, not_more_than_asked_for) {
  for (auto const& policy : {ex::par.with(ex::dynamic_chunk_size(1), ex::max_num_chunks(3)),
                             ex::par.with(ex::max_num_chunks(3), ex::static_chunk_size(10)),
                             ex::par.with(ex::guided_chunk_size(1), ex::max_num_chunks(3)),
                             ex::par.with(ex::adaptive_static_chunk_size(), ex::experimental::max_num_chunks(3))}) {
    algo::partition p(policy.settings(), 1000);
    EXPECT_GE(p.chunks(), 1u);
    EXPECT_LE(p.chunks(), 3u);
    EXPECT_EQ(p.first_of(p.chunks()), 1000u);
    std::atomic<int> calls{0};
    amity::for_loop(policy, 0, 1000, [&](int) { ++calls; });
    EXPECT_EQ(calls, 1000);
  }
  algo::partition p(ex::par.with(ex::adaptive_static_chunk_size()).settings(), 100000);
  EXPECT_EQ(p.chunks(), 4u * static_cast<unsigned>(worker_count()));
  algo::partition sized(ex::par.with(ex::experimental::adaptive_static_chunk_size(10)).settings(), 100);
  EXPECT_EQ(sized.chunks(), 10u);
  algo::partition single(ex::par.with(ex::adaptive_static_chunk_size(), ex::static_chunk_size()).settings(), 100000);
  EXPECT_EQ(single.chunks(), static_cast<unsigned>(worker_count()));
}

TEST(policies, simd) {
  static_assert(is_execution_policy_v<ex::simd_policy> && !ex::simd.is_parallel && ex::par_simd.is_parallel);
  std::vector<double> v(1000, 1);
  amity::for_each(ex::simd, v.begin(), v.end(), [](double& x) { x *= 2; });
  amity::for_each(ex::par_simd, v.begin(), v.end(), [](double& x) { x *= 2; });
  EXPECT_EQ(amity::reduce(ex::par_simd(ex::task), v.begin(), v.end(), 0.0).get(), 4000);
}

}  // namespace
}  // namespace amity
