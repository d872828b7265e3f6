#include "amity/future/thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <vector>

#include "amity/sync/event.hpp"
#include "amity/sync/latch.hpp"

namespace amity {
namespace {

using namespace std::chrono_literals;

/// The code of the std::system_error that `f()` throws.
template <class F>
std::error_code error_of(F f) {
  try {
    f();
  } catch (const std::system_error& e) {
    return e.code();
  }
  return {};
}

TEST(thread, runs_its_function_and_is_joined) {
  int sum = 0;
  thread t([&sum](int a, std::unique_ptr<int> b) { sum = a + *b; }, 40, std::make_unique<int>(2));
  EXPECT_TRUE(t.joinable());
  EXPECT_NE(t.get_id(), thread::id());
  t.join();
  EXPECT_EQ(sum, 42);
  EXPECT_FALSE(t.joinable());
  EXPECT_EQ(t.get_id(), thread::id());
}

TEST(thread, member_functions_and_references) {
  struct counter {
    int n = 0;
    void add(int k) { n += k; }
  } c;
  thread(&counter::add, &c, 3).join();
  thread([](counter& x) { x.add(4); }, std::ref(c)).join();
  EXPECT_EQ(c.n, 7);
}

TEST(thread, begins_though_nobody_joins_it) {
  sync::event begun;
  thread t([&] { begun.set(); });
  begun.wait();
  t.join();
  sync::event done;
  thread([&done] { done.set(); }).detach();
  done.wait();
}

TEST(thread, many_wait_for_one_another) {
  constexpr int n = 1000;
  sync::latch all(n);
  std::vector<thread> threads;
  for (int i = 0; i < n; ++i) threads.emplace_back([&] { all.arrive_and_wait(); });
  for (auto& t : threads) t.join();
  EXPECT_TRUE(all.try_wait());
}

TEST(thread, is_moved_and_swapped) {
  std::atomic<int> ran{0};
  thread a([&] { ++ran; });
  thread::id const was = a.get_id();
  thread b(std::move(a));
  EXPECT_FALSE(a.joinable());  // NOLINT(bugprone-use-after-move): what the test is about
  EXPECT_EQ(b.get_id(), was);
  swap(a, b);
  EXPECT_EQ(a.get_id(), was);
  b = std::move(a);
  b.join();
  EXPECT_EQ(ran, 1);
  EXPECT_GE(thread::hardware_concurrency(), 1U);
}

TEST(thread, has_an_id_of_its_own) {
  thread::id inside, again, in_std;
  thread t([&] {
    inside = this_thread::get_id();
    this_thread::yield();
    again = this_thread::get_id();
  });
  thread::id const outside = t.get_id();
  t.join();
  EXPECT_EQ(inside, outside);
  EXPECT_EQ(again, outside);
  std::thread([&] { in_std = this_thread::get_id(); }).join();
  thread::id const here = this_thread::get_id();
  EXPECT_EQ(here, this_thread::get_id());
  EXPECT_EQ((std::unordered_set<thread::id>{here, inside, in_std, thread::id()}.size()), 4U);
  std::ostringstream text, none;
  text << here;
  none << thread::id();
  EXPECT_NE(text.str(), none.str());
  EXPECT_TRUE((here < inside) != (inside < here));
}

TEST(thread, misuse_is_told) {
  thread none;
  EXPECT_EQ(error_of([&] { none.join(); }), std::errc::invalid_argument);
  EXPECT_EQ(error_of([&] { none.detach(); }), std::errc::invalid_argument);
  std::error_code of_itself;
  sync::event assigned;
  thread t([&] {
    assigned.wait();
    of_itself = error_of([&] { t.join(); });
  });
  assigned.set();
  t.join();
  EXPECT_EQ(of_itself, std::errc::resource_deadlock_would_occur);
}

TEST(thread_death, of_one_that_is_joinable) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH({ thread t([] {}); }, "terminate");
  EXPECT_DEATH(thread([] { throw std::runtime_error("thrown in a thread"); }).join(), "thrown in a thread");
}

TEST(jthread, is_asked_to_stop_and_joined) {
  std::atomic<int> rounds{0};
  bool ended = false;
  {
    jthread t([&](stop_token stop) {
      do ++rounds;
      while (this_thread::sleep_for(100us, stop));
      ended = true;
    });
    while (rounds < 3) this_thread::sleep_for(100us);
    EXPECT_FALSE(ended);
  }
  EXPECT_TRUE(ended);
}

TEST(jthread, may_take_no_token) {
  int sum = 0;
  {
    jthread t([&sum](int a, int b) { sum = a + b; }, 40, 2);
    EXPECT_TRUE(t.get_stop_source().stop_possible());
  }
  EXPECT_EQ(sum, 42);
  jthread none;
  EXPECT_FALSE(none.joinable());
  EXPECT_FALSE(none.request_stop());
  EXPECT_FALSE(none.get_stop_token().stop_possible());
}

TEST(jthread, assignment_ends_the_one_before) {
  std::atomic<int> ended{0};
  auto wait = [&ended](stop_token stop) {
    sync::event asked;
    stop_callback const wake(stop, [&asked] { asked.set(); });
    asked.wait();
    ++ended;
  };
  jthread a(wait), b(wait);
  a = std::move(b);
  EXPECT_EQ(ended, 1);
  jthread c;
  c.swap(a);
  EXPECT_TRUE(c.request_stop());
  c.join();
  EXPECT_EQ(ended, 2);
}

TEST(this_thread, sleeps_and_suspends) {
  auto const begin = std::chrono::steady_clock::now();
  this_thread::sleep_for(1ms);
  this_thread::suspend(1ms);
  this_thread::suspend(std::chrono::steady_clock::now() + 1ms);
  this_thread::suspend();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 3ms);
}

}  // namespace
}  // namespace amity
