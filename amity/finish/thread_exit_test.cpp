/// Threads that end, by pthread_exit or pthread_cancel, where tasks are.

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <string>

#include "amity/finish/finish.hpp"
#include "amity/finish/fork_join.hpp"
#include "amity/finish/task_group.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/mutex.hpp"

namespace amity {
namespace {

int mark;  // what a thread gives by pthread_exit

/// What a thread that calls `f` gives.
template <class F>
void* given_by_thread(F f) {
  pthread_t thread;
  auto const call = [](void* context) -> void* {
    (*static_cast<F*>(context))();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, nullptr, call, &f), 0);
  void* given = nullptr;
  EXPECT_EQ(pthread_join(thread, &given), 0);
  return given;
}

TEST(thread_exit, in_a_finish_waits_for_its_tasks) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ran{0};
    void* const given = given_by_thread([&] {
      finish([&] {
        for (int i = 0; i < 20; ++i) async([&] { post([&] { ++ran; }); });
        pthread_exit(&mark);
      });
    });
    EXPECT_EQ(given, &mark);
    EXPECT_EQ(ran, 20);
  }
}

TEST(thread_exit, in_nested_finishes_and_a_group) {
  std::atomic<int> ran{0};
  task_group group;
  void* const given = given_by_thread([&] {
    finish([&] {
      async([&] { ++ran; });
      finish([&] {
        async([&] { ++ran; });
        group.run_and_wait([&] {
          group.run([&] { ++ran; });
          pthread_exit(&mark);
        });
      });
    });
  });
  EXPECT_EQ(given, &mark);
  EXPECT_EQ(ran, 3);
}

TEST(thread_exit, a_thread_that_waits_is_cancelled_afterwards) {
  sync::mutex held;
  sync::latch waits(3);
  promise<int> p;
  shared_future<int> const f = p.get_future().share();
  std::atomic<int> ended{0};
  auto const then_end = [&] {
    ++ended;
    pthread_testcancel();
  };
  auto on_mutex = [&] {
    waits.count_down();
    held.lock();
    held.unlock();
    then_end();
  };
  auto on_future = [&] {
    waits.count_down();
    f.get();
    then_end();
  };
  auto on_finish = [&] {
    waits.count_down();
    finish([&] { async([&] { f.get(); }); });
    then_end();
  };
  held.lock();
  pthread_t threads[3];
  auto const begin = [](pthread_t& t, auto& call) {
    using function = std::remove_reference_t<decltype(call)>;
    auto const run = [](void* context) -> void* {
      (*static_cast<function*>(context))();
      return nullptr;
    };
    ASSERT_EQ(pthread_create(&t, nullptr, run, &call), 0);
  };
  begin(threads[0], on_mutex);
  begin(threads[1], on_future);
  begin(threads[2], on_finish);
  waits.wait();
  for (pthread_t t : threads) EXPECT_EQ(pthread_cancel(t), 0);
  EXPECT_EQ(ended, 0);
  held.unlock();
  p.set_value(1);
  for (pthread_t t : threads) {
    void* given = nullptr;
    pthread_join(t, &given);
    EXPECT_EQ(given, PTHREAD_CANCELED);
  }
  EXPECT_EQ(ended, 3);
}

TEST(thread_exit_in_a_task_DeathTest, says_what_is_allowed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  std::string const message = "amity: pthread_exit, or .*in the midst of a task; .*returning or by an exception";
  EXPECT_DEATH(finish([] { async([] { pthread_exit(nullptr); }); }), message);
  EXPECT_DEATH(async([] { return pthread_exit(nullptr), 1; }).get(), message);
  EXPECT_DEATH(finish([] { post([] { finish([] { pthread_exit(nullptr); }); }); }), message);
}

}  // namespace
}  // namespace amity
