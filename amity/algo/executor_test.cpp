#include "amity/algo/executor.hpp"

#include <memory>
#include <thread>

#include "amity/algo/for_each.hpp"
#include "amity/algo/for_loop.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/algo/test_support.hpp"
#include "amity/finish/finish.hpp"
#include "amity/finish/task_group.hpp"
#include "amity/future/combine.hpp"
#include "amity/future/thread.hpp"

namespace amity {
namespace {

using namespace algo_test;
namespace ex = execution;

TEST(executor, single_tasks) {
  EXPECT_EQ(amity::async(
                ex::parallel_executor(), [](int a) { return a + 1; }, 41)
                .get(),
            42);
  auto const here = std::this_thread::get_id();
  EXPECT_EQ(amity::async(ex::sequenced_executor(), [] { return std::this_thread::get_id(); }).get(), here);
  EXPECT_THROW(amity::async(ex::sequenced_executor(), [] { throw 42; }).get(), int);
  std::atomic<int> done{0};
  finish([&] { post(ex::fork_join_executor(), [&] { ++done; }); });
  EXPECT_EQ(done, 1);
}

TEST(executor, limiting_executors_hold_back) {
  ex::limiting_executor const two(ex::parallel_executor(), 2);
  std::atomic<int> inside{0}, most{0}, done{0};
  finish([&] {
    for (int i = 0; i < 200; ++i)
      amity::post(two, [&] {
        int const now = ++inside;
        for (int m = most; now > m && !most.compare_exchange_weak(m, now);) {
        }
        ++done;
        --inside;
      });
  });
  EXPECT_EQ(done, 200);
  EXPECT_LE(most, 2);
}

TEST(executor, annotations) {
  EXPECT_EQ(annotation(), nullptr);
  ex::annotating_executor const named(ex::parallel_executor(), "assembly");
  EXPECT_EQ(amity::async(named, [] { return std::string(annotation()); }).get(), "assembly");
  std::vector<int> v(1000);
  std::atomic<int> right{0};
  auto const check = [&](int) { right += annotation() != nullptr && std::string(annotation()) == "assembly" ? 1 : 0; };
  amity::for_each(ex::par.with(ex::static_chunk_size(10)).on(named), v.begin(), v.end(), check);
  EXPECT_EQ(right, 1000);
  amity::for_each(ex::par.on(named), v.begin(), v.begin() + 10, check);
  amity::for_each(ex::seq.on(named), v.begin(), v.begin() + 10, check);
  EXPECT_EQ(right, 1020);
  {
    scoped_annotation const outer("outer");
    EXPECT_STREQ(annotation(), "outer");
    scoped_annotation const inner("inner");
    EXPECT_STREQ(annotation(), "inner");
  }
  EXPECT_EQ(annotation(), nullptr);
}

TEST(executor, policies_keep_what_their_parameters_share) {
  auto const policy = ex::par.with(ex::persistent_auto_chunk_size())
                          .on(ex::annotating_executor(ex::parallel_executor(), std::string(40, 'x')));
  std::vector<int> const v(20000, 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(amity::reduce(policy, v.begin(), v.end(), 0), 20000);
  EXPECT_EQ(amity::reduce(policy(ex::task), v.begin(), v.end(), 0).get(), 20000);
  static_assert(is_execution_policy_v<decltype(policy)> && is_execution_policy_v<const ex::parallel_policy&>);
  static_assert(!is_execution_policy_v<int>);
}

TEST(executor, an_executor_within_another_keeps_its_name) {
  const std::string name(100, 'n');
  using named = ex::annotating_executor<ex::parallel_executor>;
  const auto policies = [&] {
    return std::pair(ex::par.on(ex::limiting_executor<named>(named(name), 2)),
                     ex::par.with(ex::persistent_auto_chunk_size(), named(name), ex::persistent_auto_chunk_size()));
  }();
  const std::string other(100, 'o');  // where the name was
  std::atomic<int> wrong{0};
  const auto look = [&](int) { wrong += name != annotation(); };
  amity::for_loop(policies.first, 0, 100, look);
  amity::for_loop(policies.second, 0, 100, look);
  EXPECT_EQ(wrong.load(), 0);
}

TEST(executor, a_measurement_is_made_once) {
  if (worker_count() == 1) GTEST_SKIP() << "one worker measures nothing";
  ex::persistent_auto_chunk_size const chunks;
  auto const policy = ex::par.with(chunks);
  auto const measured = [&] { return policy.settings().remembered->load(); };
  EXPECT_EQ(measured(), 0u);
  std::vector<int> v(100000, 1);
  amity::for_each(policy, v.begin(), v.end(), [](int& x) { ++x; });
  auto const first = measured();
  EXPECT_NE(first, 0u);
  amity::for_each(ex::par.with(chunks), v.begin(), v.end(), [](int& x) { ++x; });
  EXPECT_EQ(measured(), first);
  EXPECT_EQ(v, std::vector<int>(100000, 3));
}

TEST(executor, fewer_cores) {
  std::vector<int> const v(1000, 1);
  EXPECT_EQ(amity::reduce(ex::par.with(ex::num_cores(2), ex::static_chunk_size(3)), v.begin(), v.end(), 0), 1000);
  EXPECT_EQ(amity::reduce(ex::par.with(ex::num_cores(1)), v.begin(), v.end(), 0), 1000);
}

template <class Executor>
void follow_with(const Executor& executor) {
  EXPECT_EQ(amity::async([] { return 1; }).then(executor, [](future<int> f) { return f.get() + 1; }).get(), 2);
  shared_future<int> const s = amity::async([] { return 2; }).share();
  EXPECT_EQ(s.then(executor, [](shared_future<int> f) { return std::make_unique<int>(f.get()); }).get() != nullptr,
            true);
  auto const add = [](int a, int b) { return a + b; };
  EXPECT_EQ(dataflow(executor, add, s, amity::async([] { return 3; })).get(), 5);
  EXPECT_EQ(dataflow(executor, unwrapping(add), s, 4).get(), 6);
  EXPECT_EQ(dataflow(
                executor, [](future<int> f) { return f.has_exception(); }, make_exceptional_future<int>(1))
                .get(),
            true);
  EXPECT_EQ(dataflow(
                executor, [](const std::unique_ptr<int>& p) { return *p; },
                amity::async([] { return std::make_unique<int>(6); }).share())
                .get(),
            6);
  EXPECT_THROW(dataflow(executor, add, make_exceptional_future<int>(1), 1).get(), int);
  std::atomic<int> done{0};
  experimental::task_group group;
  for (int i = 1; i <= 10; ++i)
    group.run(
        executor, [&](int x) { done += x; }, i);
  group.wait();
  EXPECT_EQ(done, 55);
  group.run(executor, [] { throw 1; });
  EXPECT_THROW(group.wait(), exception_list);
}

TEST(executor, what_follows_and_groups) {
  follow_with(ex::parallel_executor());
  follow_with(ex::sequenced_executor());
  follow_with(ex::fork_join_executor());
  follow_with(ex::limiting_executor(ex::parallel_executor(), 1));
  follow_with(ex::annotating_executor(ex::parallel_executor(), "named"));
  follow_with(ex::policy_executor("static"));
}

template <class Executor>
void follow_in_place_with(const Executor& executor) {
  amity::async([&] {
    auto const me = this_thread::get_id();
    auto followed = make_ready_future(1).then(executor, [](future<int>) { return this_thread::get_id(); });
    EXPECT_TRUE(followed.is_ready());
    EXPECT_EQ(followed.get(), me);
    auto flow = dataflow(
        executor, [](int) { return this_thread::get_id(); }, make_ready_future(1));
    EXPECT_TRUE(flow.is_ready());
    EXPECT_EQ(flow.get(), me);
    promise<int> p;
    shared_future<int> const later = p.get_future().share();
    auto after = later.then(executor, [](shared_future<int>) { return this_thread::get_id(); });
    auto flow_after = dataflow(
        executor, [](int) { return this_thread::get_id(); }, later);
    auto const maker = amity::async([&] {
                         p.set_value(1);
                         EXPECT_TRUE(after.is_ready() && flow_after.is_ready());
                         return this_thread::get_id();
                       }).get();
    EXPECT_EQ(after.get(), maker);
    EXPECT_EQ(flow_after.get(), maker);
  }).get();
}

TEST(executor, what_follows_in_place_was_another_task) {
  follow_in_place_with(ex::sequenced_executor());
  follow_in_place_with(ex::annotating_executor(ex::sequenced_executor(), "here"));
  follow_in_place_with(ex::limiting_executor(ex::sequenced_executor(), 1));
}

TEST(executor, a_group_runs_in_place_what_was_another_task) {
  amity::async([] {
    experimental::task_group group;
    thread::id where;
    group.run(ex::sequenced_executor(), [&] { where = this_thread::get_id(); });
    EXPECT_EQ(where, this_thread::get_id());
    group.wait();
  }).get();
}

TEST(executor, a_finish_waits_for_what_an_executor_was_given) {
  std::atomic<int> done{0};
  promise<void> go;
  finish([&] {
    auto f = go.get_future().then(ex::parallel_executor(), [&](future<void>) { ++done; });
    go.set_value();
  });
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace amity
