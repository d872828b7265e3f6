#include "amity/future/async.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "amity/sync/condition_variable.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/mutex.hpp"

namespace amity {
namespace {

TEST(async, passes_arguments_and_gives_the_result) {
  future<int> answer = async([](int a, int b) { return a * b; }, 6, 7);
  EXPECT_EQ(answer.get(), 42);
  EXPECT_FALSE(answer.valid());
}

/// Counts what becomes of it.
struct counted {
  struct counts {
    int copies = 0, moves = 0;
    bool operator==(const counts&) const = default;
    friend std::ostream& operator<<(std::ostream& to, const counts& c) {
      return to << c.copies << " copies, " << c.moves << " moves";
    }
  };
  counts* of;
  explicit counted(counts& c) : of(&c) {}
  counted(const counted& other) : of(other.of) { ++of->copies; }
  counted(counted&& other) noexcept : of(other.of) { ++of->moves; }
  counted& operator=(const counted&) = delete;
  ~counted() = default;
  void operator()() const {}
};

/// What `begin(function, argument)` does to an argument that is an lvalue, one that is an rvalue, and a function.
template <class Begin>
std::array<counted::counts, 4> copies_and_moves(Begin begin) {
  std::array<counted::counts, 4> of;
  counted lvalue(of[0]), function(of[2]);
  begin([](const counted&) {}, lvalue);
  begin([](const counted&) {}, counted(of[1]));
  begin([](counted) {}, counted(of[3]));
  begin([](const counted& f) { f(); }, std::move(function));
  return of;
}

TEST(async, copies_or_moves_its_arguments_as_often_as_stds) {
  using all = std::array<counted::counts, 4>;
  all const expected{{{1, 0}, {0, 1}, {0, 1}, {0, 2}}};  // the last is moved into the call, too
  auto const count = [](auto&&... what) {
    return copies_and_moves([&](auto f, auto&& x) { async(what..., f, std::forward<decltype(x)>(x)).get(); });
  };
  EXPECT_EQ(count(), expected);
  EXPECT_EQ(count(launch::async), expected);
  EXPECT_EQ(count(launch::sync), expected);
  EXPECT_EQ(count(launch::deferred), expected);
  EXPECT_EQ(count(task_priority::high), expected);
  EXPECT_EQ(count(on_worker(0)), expected);
  auto const posted = [](auto f, auto&& x) {
    sync::latch ran(1);
    auto const then_tell = [&](auto&& y) {
      f(std::forward<decltype(y)>(y));
      ran.count_down();
    };
    post(then_tell, std::forward<decltype(x)>(x));
    ran.wait();
  };
  EXPECT_EQ(copies_and_moves(posted), expected);
  counted::counts function;
  async(counted(function)).get();
  EXPECT_EQ(function, (counted::counts{0, 1}));
}

TEST(async, binds_what_std_async_does) {
  struct square {
    int side;
    int area(int times) const { return side * side * times; }
  };
  EXPECT_EQ(async(&square::area, square{3}, 2).get(), 18);  // a member function
  int x = 1;
  async([](int& y) { y = 2; }, std::ref(x)).get();
  EXPECT_EQ(x, 2);
  EXPECT_EQ(async([](const std::string& s, const int* p) { return s + std::to_string(*p); }, "the text", &x).get(),
            "the text2");
  EXPECT_EQ(async([](std::unique_ptr<int> p) { return *p; }, std::make_unique<int>(4)).get(), 4);
  const int array[] = {1, 2, 3};
  EXPECT_EQ(async([](const int* p) { return p[2]; }, array).get(), 3);
}

TEST(async, gives_references_and_large_results) {
  int x = 1;
  future<int&> r = async([&]() -> int& { return x; });
  EXPECT_EQ(&r.get(), &x);
  struct large {
    int a[3000];
  };
  auto f = async([] { return large{{1, 2, 3}}; });
  EXPECT_EQ(f.get().a[2], 3);
}

TEST(async, an_exception_travels) {
  auto f = async([]() -> std::string { throw 7; });
  EXPECT_THROW(f.get(), int);
}

TEST(async, futures_in_the_order_of_their_tasks) {
  std::vector<future<int>> many;
  for (int i = 0; i < 20'000; ++i) many.push_back(async([i] { return i; }));
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(many[static_cast<std::size_t>(i)].get(), i);
}

TEST(async, a_result_is_gone_when_it_was_read) {
  auto alive = std::make_shared<int>(0);
  struct copied {
    explicit copied(std::shared_ptr<int> p) : held(std::move(p)) {}
    copied(const copied& other) = default;  // what is returned is a copy, and the result still holds its own
    std::shared_ptr<int> held;
  };
  for (int round = 0; round < 100; ++round) {
    auto older = async([&] { return copied(alive); });
    auto newer = async([] {});  // the older one's place in the queue lies below this one's
    static_cast<void>(older.get());
    EXPECT_EQ(alive.use_count(), 1) << "in round " << round;
    newer.get();
  }
}

TEST(async, a_discarded_future_leaves_the_task_alone) {
  std::atomic<int> ran{0};
  auto alive = std::make_shared<int>(0);
  for (int i = 0; i < 1000; ++i) async([&ran, alive] { ++ran; });
  promise<void> last;
  async([&] { last.set_value(); });
  last.get_future().get();  // waits: others run what lies in this thread's queue
  while (ran != 1000 || alive.use_count() != 1) sched_yield();
}

TEST(async, a_launch_policy_says_where) {
  int ran = 0;
  async(launch::sync, [&] { ++ran; });
  EXPECT_EQ(ran, 1);
  auto alive = std::make_shared<int>(0);
  {
    auto f = async(launch::deferred, [&, alive] { ++ran; });
    auto g = async(launch::deferred, [&, alive] { return ran; });
    EXPECT_EQ(ran, 1);
    f.get();
    EXPECT_EQ(ran, 2);
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(async, a_blocked_task_leaves_its_core_to_others) {
  sync::mutex m;
  sync::condition_variable changed;
  int turn = 0;
  constexpr int tasks = 50;
  std::vector<future<void>> all;
  for (int i = 0; i < tasks; ++i)
    all.push_back(async([&, i] {
      std::unique_lock lock(m);
      changed.wait(lock, [&] { return turn == tasks - 1 - i; });
      ++turn;
      changed.notify_all();
    }));
  for (auto& f : all) f.get();
  EXPECT_EQ(turn, tasks);
}

TEST(async, timed_waits_run_nothing_here) {
  using namespace std::chrono_literals;
  auto deferred = async(launch::deferred, [] { return 1; });
  EXPECT_EQ(deferred.wait_for(1h), future_status::deferred);
  EXPECT_EQ(deferred.get(), 1);
  auto const me = std::this_thread::get_id();
  auto other = async([] { return std::this_thread::get_id(); });
  while (other.wait_for(1ms) != future_status::ready) {
  }
  EXPECT_NE(other.get(), me);
}

/// Each call says as what it was called.
struct called_as {
  int operator()() & { return 1; }
  int operator()() && { return 2; }
  int operator()(int) && { return 3; }
};

TEST(async, calls_its_function_as_an_rvalue) {
  EXPECT_EQ(async(called_as{}).get(), 2);
  called_as f;
  EXPECT_EQ(async(f).get(), 2);
  EXPECT_EQ(async(f, 0).get(), 3);
  EXPECT_EQ(async(launch::sync, f).get(), 2);
  struct once {
    promise<int> to;
    void operator()() && { to.set_value(4); }
  };
  promise<int> p;
  auto done = p.get_future();
  post(once{std::move(p)});
  EXPECT_EQ(done.get(), 4);
}

TEST(sync_wait, of_a_function_runs_a_task_and_waits) {
  EXPECT_EQ(sync_wait([](int a, int b) { return a * b; }, 6, 7), 42);
  int ran = 0;
  EXPECT_EQ(&sync_wait([&ran]() -> int& { return ran; }), &ran);
  sync_wait([&] { ++ran; });
  EXPECT_EQ(ran, 1);
  EXPECT_THROW(sync_wait([] { throw std::runtime_error("thrown"); }), std::runtime_error);
}

TEST(async, workers_by_the_names_of_hpx) {
  auto const workers = static_cast<std::size_t>(worker_count());
  EXPECT_EQ(get_num_worker_threads(), workers);
  EXPECT_EQ(get_os_thread_count(), workers);
  EXPECT_EQ(async(bound_to_worker(worker_count() - 1), [] { return get_worker_thread_num(); }).get(), workers - 1);
  std::thread([] { EXPECT_EQ(get_worker_thread_num(), static_cast<std::size_t>(-1)); }).join();
}

}  // namespace
}  // namespace amity
