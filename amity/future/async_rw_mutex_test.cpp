#include "amity/future/async_rw_mutex.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "amity/future/async.hpp"
#include "amity/future/coroutine.hpp"
#include "amity/future/execution/as_sender.hpp"
#include "amity/future/execution/sync_wait.hpp"
#include "amity/future/execution/then.hpp"
#include "amity/future/wait.hpp"

namespace amity {
namespace {

TEST(async_rw_mutex, gives_access_in_the_order_of_asking) {
  async_rw_mutex<int> m(1);
  auto first = m.read(), second = m.read();
  EXPECT_TRUE(first.is_ready());
  EXPECT_TRUE(second.is_ready());
  auto third = m.readwrite();
  auto fourth = m.read(), fifth = m.read();
  auto sixth = m.readwrite();
  EXPECT_FALSE(third.is_ready());
  EXPECT_FALSE(fourth.is_ready());  // though there are only readers now
  auto reading = first.get();
  EXPECT_EQ(reading.get(), 1);
  auto copy = reading;
  reading.reset();
  EXPECT_FALSE(reading);
  second = {};  // with its access
  EXPECT_FALSE(third.is_ready());
  EXPECT_EQ(*copy, 1);
  copy.reset();
  EXPECT_TRUE(third.is_ready());
  {
    auto writing = third.get();
    writing.get() = 2;
    EXPECT_FALSE(fourth.is_ready());
  }
  EXPECT_TRUE(fifth.is_ready());
  EXPECT_EQ(*fourth.get(), 2);
  EXPECT_FALSE(sixth.is_ready());
  EXPECT_EQ(*fifth.get(), 2);
  *sixth.get() = 3;
  EXPECT_EQ(*m.read().get(), 3);
}

TEST(async_rw_mutex, accesses_are_what_they_say) {
  using mutex = async_rw_mutex<std::string>;
  static_assert(std::is_copy_constructible_v<mutex::read_access_type>);
  static_assert(!std::is_copy_constructible_v<mutex::readwrite_access_type>);
  static_assert(std::is_same_v<decltype(std::declval<mutex::read_access_type>().get()), const std::string&>);
  static_assert(!std::is_copy_constructible_v<mutex>);
  mutex m("text");
  EXPECT_EQ(m.read().get()->size(), 4U);
  m.readwrite().get()->push_back('s');
  EXPECT_EQ(*m.read().get(), "texts");
}

TEST(async_rw_mutex, of_nothing) {
  async_rw_mutex<> m;
  auto first = m.readwrite();
  auto second = m.read();
  EXPECT_FALSE(second.is_ready());
  first.get().reset();
  EXPECT_TRUE(static_cast<bool>(second.get()));
}

TEST(async_rw_mutex, the_value_outlives_the_mutex) {
  future<async_rw_mutex<std::unique_ptr<int>>::read_access_type> later;
  async_rw_mutex_access<std::unique_ptr<int>> writing;
  {
    async_rw_mutex<std::unique_ptr<int>> m(std::make_unique<int>(1));
    writing = m.readwrite().get();
    later = m.read();
  }
  **writing = 2;
  writing = {};
  EXPECT_EQ(**later.get(), 2);
}

// One that nobody wants is given and ends, and so is the next: no stack grows with their number.
TEST(async_rw_mutex, many_that_nobody_wants) {
  async_rw_mutex<int> m(0);
  auto first = m.readwrite();
  // Enough to overflow a stack that each of them would be on; the detectors take up to 0.2 ms for one.
  int const n = base::thread_sanitizer || base::address_sanitizer ? 40'000 : 200'000;
  for (int i = 0; i < n; ++i) static_cast<void>(m.readwrite());
  auto last = m.read();
  first = {};
  EXPECT_EQ(*last.get(), 0);
}

TEST(async_rw_mutex, a_task_for_each_access) {
  struct {
    long a = 0, b = 0;
  } initial;
  async_rw_mutex<decltype(initial)> m(initial);
  std::atomic<int> readers{0}, most{0};
  std::vector<future<void>> all;
  std::minstd_rand random(1);
  long writes = 0;
  for (int i = 0; i < 3000; ++i) {
    if (random() % 3 == 0) {
      ++writes;
      all.push_back(m.readwrite().then([&readers](auto f) {
        auto x = f.get();
        EXPECT_EQ(readers, 0);
        ++x->a;
        ++x->b;
      }));
    } else {
      all.push_back(m.read().then([&, writes](auto f) {
        auto x = f.get();
        most = std::max(most.load(), ++readers);
        EXPECT_EQ(x->a, writes);
        EXPECT_EQ(x->b, writes);
        --readers;
      }));
    }
  }
  wait_all(all);
  for (auto& f : all) f.get();
  EXPECT_EQ(m.read().get()->a, writes);
}

task<int> increments(async_rw_mutex<int>& m) {
  auto x = co_await m.readwrite();
  co_return ++*x;
}

TEST(async_rw_mutex, as_a_sender_and_in_coroutines) {
  async_rw_mutex<int> m(40);
  EXPECT_EQ(sync_wait(increments(m)), 41);
  auto added = execution::as_sender(m.readwrite()) | execution::then([](auto x) { return *x += 1; });
  auto read = execution::as_sender(m.read()) | execution::then([](const auto& x) { return *x; });
  EXPECT_EQ(execution::sync_wait(std::move(added)), std::tuple(42));
  EXPECT_EQ(execution::sync_wait(std::move(read)), std::tuple(42));
}

}  // namespace
}  // namespace amity
