// A promise that a thread of somebody else's keeps, as a driver's: its waiters and all that follows go on, and the
// thread does not become one of Amity's.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "amity/future/async.hpp"
#include "amity/future/combine.hpp"
#include "amity/future/future.hpp"
#include "amity/future/wait.hpp"
#include "amity/sched/fiber/fiber.hpp"

namespace amity {
namespace {

void start_tasks() {
  async([] {}).get();
}

/// Runs `f` on a thread that Amity must not get to know.
template <class F>
void on_foreign_thread(F f) {
  std::thread([&] {
    f();
    EXPECT_EQ(sched::self_or_null(), nullptr) << "it has become a guest";
  }).join();
}

TEST(ForeignThread, WakesWhoWaits) {
  start_tasks();
  promise<int> p;
  future<int> f = p.get_future();
  std::thread driver([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // so that the other one waits
    p.set_value(42);
    EXPECT_EQ(sched::self_or_null(), nullptr);
  });
  EXPECT_EQ(f.get(), 42);
  driver.join();
}

TEST(ForeignThread, WhatFollowsRunsElsewhere) {
  start_tasks();
  promise<int> p;
  std::atomic<bool> on_a_fiber{false};
  future<int> after = p.get_future().then([&](future<int> f) {
    on_a_fiber = sched::self_or_null() != nullptr;
    return f.get() + 1;
  });
  on_foreign_thread([&] { p.set_value(1); });
  EXPECT_EQ(after.get(), 2);
  EXPECT_TRUE(on_a_fiber);
}

TEST(ForeignThread, WhatFollowsInPlaceRunsOnAFiberToo) {
  start_tasks();
  promise<int> p;
  std::atomic<bool> on_a_fiber{false};
  future<void> after =
      p.get_future().then(launch::sync, [&](future<int>) { on_a_fiber = sched::self_or_null() != nullptr; });
  on_foreign_thread([&] { p.set_value(1); });
  after.get();
  EXPECT_TRUE(on_a_fiber);
}

TEST(ForeignThread, ErrorsAndBrokenPromisesAreTold) {
  start_tasks();
  promise<std::string> p;
  future<std::string> f = p.get_future();
  on_foreign_thread([&] { p.set_exception(std::make_exception_ptr(std::runtime_error("device lost"))); });
  EXPECT_THROW(f.get(), std::runtime_error);
  auto broken = std::make_unique<promise<int>>();
  future<int> g = broken->get_future();
  on_foreign_thread([&] { broken.reset(); });
  EXPECT_THROW(g.get(), future_error);
}

TEST(ForeignThread, KeepsPromisesThatNobodyWantsAnyMore) {
  start_tasks();
  for (int i = 0; i < 100; ++i) {
    auto p = std::make_unique<promise<std::string>>();
    { future<std::string> const dropped = p->get_future(); }
    on_foreign_thread([&] {
      p->set_value(std::string(100, 'x'));
      p.reset();
    });
  }
}

TEST(ForeignThread, ManyKeepManyPromises) {
  start_tasks();
  constexpr int each = 2000, threads = 3;
  std::vector<promise<int>> promises(each * threads);
  std::vector<future<int>> all;
  std::atomic<long> sum{0};
  for (promise<int>& p : promises)
    all.push_back(p.get_future().then([&](future<int> f) {
      int const x = f.get();
      sum += x;
      return x;
    }));
  std::vector<std::thread> drivers;
  for (int t = 0; t < threads; ++t)
    drivers.emplace_back([&, t] {
      for (int i = 0; i < each; ++i) promises[static_cast<std::size_t>(t * each + i)].set_value(1);
      EXPECT_EQ(sched::self_or_null(), nullptr);
    });
  wait_all(all);
  for (std::thread& d : drivers) d.join();
  EXPECT_EQ(sum, each * threads);
}

}  // namespace
}  // namespace amity
