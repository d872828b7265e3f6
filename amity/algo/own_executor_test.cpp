#include "amity/algo/own_executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "amity/algo/for_each.hpp"
#include "amity/algo/reduce.hpp"

namespace amity {
namespace {

namespace x = execution::experimental;
namespace ex = execution;

/// By member functions.
struct counting {
  std::atomic<int>* calls;
  template <class F, class... Args>
  auto async_execute(F&& f, Args&&... args) const {
    ++*calls;
    return amity::async(std::forward<F>(f), std::forward<Args>(args)...);
  }
};
/// By tag_invoke.
struct tagged {
  std::atomic<int>* calls;
  template <class F, class... Args>
  friend auto tag_invoke(x::async_execute_t, const tagged& me, F&& f, Args&&... args) {
    ++*me.calls;
    return amity::async(std::forward<F>(f), std::forward<Args>(args)...);
  }
};
/// In place.
struct in_place {
  std::atomic<int>* calls;
  template <class F, class... Args>
  decltype(auto) sync_execute(F&& f, Args&&... args) const {
    ++*calls;
    return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  }
};
/// Many at a time only.
struct in_bulk {
  std::atomic<int>* calls;
  template <class F, class Shape, class... Args>
  auto bulk_async_execute(F&& f, const Shape& shape, Args&&... args) const {
    ++*calls;
    return x::bulk_async_execute(ex::parallel_executor(), std::forward<F>(f), shape, std::forward<Args>(args)...);
  }
};

template <class E>
class own_executor : public testing::Test {};
using kinds = testing::Types<counting, tagged, in_place, in_bulk>;
TYPED_TEST_SUITE(own_executor, kinds);

TYPED_TEST(own_executor, single_calls) {
  std::atomic<int> calls{0};
  TypeParam const by{&calls};
  static_assert(ex::own_executor<TypeParam>);
  EXPECT_EQ(amity::async(
                by, [](int a, std::string b) { return std::to_string(a) + b; }, 4, std::string("2"))
                .get(),
            "42");
  EXPECT_EQ(x::sync_execute(
                by, [](int a) { return a + 1; }, 41),
            42);
  EXPECT_EQ(calls.load(), 2);
  EXPECT_THROW(amity::async(by, [] { throw std::runtime_error("x"); }).get(), std::runtime_error);
  std::atomic<int> posted{0};
  amity::post(by, [&posted] { ++posted; });
  while (posted.load() == 0) std::this_thread::yield();
  EXPECT_EQ(calls.load(), 4);
}

TYPED_TEST(own_executor, what_follows_a_future) {
  std::atomic<int> calls{0};
  TypeParam const by{&calls};
  auto const plus = [](future<int> f, int more) { return f.get() + more; };
  EXPECT_EQ(x::then_execute(by, plus, make_ready_future(40), 2).get(), 42);
  EXPECT_EQ(calls.load(), 1);
}

TYPED_TEST(own_executor, many_calls) {
  std::atomic<int> calls{0};
  TypeParam const by{&calls};
  std::vector<int> const shape{1, 2, 3};
  auto const times = [](int each, int by_what) { return each * by_what; };
  EXPECT_EQ(x::bulk_sync_execute(by, times, shape, 10), (std::vector<int>{10, 20, 30}));
  EXPECT_EQ(x::bulk_sync_execute(by, times, 3, 10), (std::vector<int>{0, 10, 20}));
  std::atomic<int> sum{0};
  x::bulk_sync_execute(
      by, [&sum](int each) { sum += each; }, 4);
  EXPECT_EQ(sum.load(), 6);
  auto const before = make_ready_future(5).share();
  auto const with = [](int each, const shared_future<int>& f, int more) { return each * f.get() + more; };
  EXPECT_EQ(x::bulk_then_execute(by, with, shape, before, 1).get(), (std::vector<int>{6, 11, 16}));
  EXPECT_GT(calls.load(), 3);
}

TYPED_TEST(own_executor, algorithms) {
  std::atomic<int> calls{0};
  TypeParam const by{&calls};
  std::vector<int> v(100000);
  std::iota(v.begin(), v.end(), 0);
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(amity::reduce(ex::par.with(ex::static_chunk_size(100)).on(by), v.begin(), v.end(), 0L),
              std::accumulate(v.begin(), v.end(), 0L));
    std::vector<int> w(1000);
    amity::for_each(ex::par.on(by), w.begin(), w.end(), [](int& each) { ++each; });
    EXPECT_EQ(std::accumulate(w.begin(), w.end(), 0), 1000);
  }
  EXPECT_THROW(amity::for_each(ex::par.with(ex::static_chunk_size(1)).on(by), v.begin(), v.end(),
                               [](int each) {
                                 if (each == 5) throw std::runtime_error("x");
                               }),
               exception_list);
}

/// Drops what it is given, or refuses it.
struct unwilling {
  bool throws;
  template <class F>
  future<void> async_execute(F&&) const {
    if (throws) throw std::runtime_error("no");
    return make_ready_future();
  }
};

TEST(own_executors, the_caller_does_what_nobody_takes) {
  for (bool throws : {false, true}) {
    std::vector<int> w(1000);
    amity::for_each(ex::par.with(ex::static_chunk_size(10)).on(unwilling{throws}), w.begin(), w.end(),
                    [](int& each) { ++each; });
    EXPECT_EQ(std::accumulate(w.begin(), w.end(), 0), 1000);
  }
}

// Amity's own answer, too.
TEST(own_executors, amitys_are_asked_likewise) {
  EXPECT_EQ(parallel::execution::async_execute(
                ex::parallel_executor(), [](int a) { return a; }, 7)
                .get(),
            7);
  EXPECT_EQ(parallel::execution::sync_execute(ex::sequenced_executor(), [] { return 8; }), 8);
  EXPECT_EQ(x::bulk_sync_execute(
                ex::parallel_executor(), [](int a) { return a; }, 2),
            (std::vector<int>{0, 1}));
  EXPECT_EQ(x::then_execute(
                ex::parallel_executor(), [](future<int> f) { return f.get(); }, make_ready_future(3))
                .get(),
            3);
}

}  // namespace
}  // namespace amity
