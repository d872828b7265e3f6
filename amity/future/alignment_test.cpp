// Closures, arguments and results that are aligned to more than a cache line.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "amity/future/async.hpp"
#include "amity/future/combine.hpp"
#include "amity/future/coroutine.hpp"
#include "amity/future/senders.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/this_task.hpp"

namespace amity {
namespace {

std::atomic<int> misplaced{0}, alive{0};

/// Knows whether it lies where it should.
template <std::size_t Alignment>
struct alignas(Alignment) placed {
  int number = 0;

  explicit placed(int n) : number(n) { made(); }
  placed(const placed& other) : number(other.number) { made(); }
  placed(placed&& other) noexcept : number(std::exchange(other.number, -1)) { made(); }
  placed& operator=(const placed&) = delete;
  ~placed() {
    look();
    --alive;
  }
  [[nodiscard]] int read() const {
    look();
    return number;
  }

 private:
  void made() const {
    look();
    ++alive;
  }
  void look() const {
    if (reinterpret_cast<std::uintptr_t>(this) % Alignment != 0) ++misplaced;
  }
};

template <class Placed>
class alignment : public testing::Test {
 protected:
  void SetUp() override { misplaced = alive = 0; }
  void TearDown() override {
    while (alive != 0) this_task::yield();  // a closure that nobody waits for may last a little longer
    EXPECT_EQ(misplaced, 0);
  }
};
using kinds = testing::Types<placed<64>, placed<128>, placed<4096>>;
TYPED_TEST_SUITE(alignment, kinds);

/// A function and its argument, both aligned; the result, too.
template <class Placed>
struct doubles {
  Placed factor{2};
  Placed operator()(const Placed& x) { return Placed(factor.read() * x.read()); }
};

TYPED_TEST(alignment, async_takes_closures_arguments_and_results) {
  future<TypeParam> doubled = async(doubles<TypeParam>(), TypeParam(21));
  EXPECT_EQ(doubled.get().read(), 42);
  EXPECT_EQ(async(launch::sync, doubles<TypeParam>(), TypeParam(4)).get().read(), 8);
  EXPECT_EQ(async(launch::deferred, doubles<TypeParam>(), TypeParam(5)).get().read(), 10);
}

TYPED_TEST(alignment, tasks_are_run_by_others) {
  sync::latch both(2);
  auto meet = [&both, x = TypeParam(3)](int n) {
    both.arrive_and_wait();
    return TypeParam(n * x.read());
  };
  auto a = async(meet, 1), b = async(meet, 2);
  EXPECT_EQ(a.get().read() + b.get().read(), 9);
}

TYPED_TEST(alignment, a_future_may_be_thrown_away) {
  sync::latch done(2);
  static_cast<void>(async([&done, x = TypeParam(1)] {
    done.count_down(x.read());
    return TypeParam(2);
  }));
  post([&done, x = TypeParam(1)] { done.count_down(x.read()); });
  done.wait();
}

TYPED_TEST(alignment, what_throws_leaves_nothing) {
  auto f = async([x = TypeParam(1)]() -> TypeParam { throw std::runtime_error("thrown"); });
  EXPECT_THROW(static_cast<void>(f.get()), std::runtime_error);
}

TYPED_TEST(alignment, promises_and_continuations) {
  promise<TypeParam> p;
  shared_future<TypeParam> first = p.get_future().share();
  auto second = first.then(
      [add = TypeParam(1)](const shared_future<TypeParam>& f) { return TypeParam(f.get().read() + add.read()); });
  auto third = second.then(
      launch::sync, [add = TypeParam(1)](future<TypeParam> f) { return TypeParam(f.get().read() + add.read()); });
  p.set_value(TypeParam(40));
  EXPECT_EQ(third.get().read(), 42);
}

TYPED_TEST(alignment, combinations) {
  auto sum = dataflow(
      [c = TypeParam(1)](const TypeParam& a, const TypeParam& b) { return TypeParam(a.read() + b.read() + c.read()); },
      async([] { return TypeParam(20); }), TypeParam(21));
  EXPECT_EQ(sum.get().read(), 42);
  std::vector<future<TypeParam>> some;
  for (int i = 0; i < 10; ++i) some.push_back(async([i] { return TypeParam(i); }));
  auto all = when_all(std::move(some)).then([zero = TypeParam(0)](future<std::vector<future<TypeParam>>> f) {
    int total = zero.read();
    for (auto& one : f.get()) total += one.get().read();
    return TypeParam(total);
  });
  EXPECT_EQ(all.get().read(), 45);
}

template <class Placed>
task<Placed> made_by_coroutine(int n) {
  co_return Placed(n);
}
template <class Placed>
future<Placed> future_of_coroutine(int n) {
  co_return Placed(n);
}

TYPED_TEST(alignment, results_of_coroutines) {
  EXPECT_EQ(future_of_coroutine<TypeParam>(7).get().read(), 7);
  EXPECT_EQ(sync_wait(made_by_coroutine<TypeParam>(8)).read(), 8);
  EXPECT_EQ(async(made_by_coroutine<TypeParam>(9)).get().read(), 9);
}

TYPED_TEST(alignment, senders) {
  auto work =
      execution::schedule(get_scheduler()) | execution::then([x = TypeParam(6)] { return TypeParam(x.read()); });
  EXPECT_EQ(execution::make_future(std::move(work)).get().read(), 6);
}

}  // namespace
}  // namespace amity
