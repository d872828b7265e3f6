/// What each scheduling policy promises, under executors of its own. The order in which things happen is shown with one
/// worker, which is kept busy until all tasks are there.

#include "amity/sched/tasks/policy.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "amity/algo/executor.hpp"
#include "amity/finish/finish.hpp"
#include "amity/finish/fork_join.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sys/test_support.hpp"

namespace amity {
namespace {

using execution::policy_executor;

const std::vector<std::string> all_policies{"priority-local",
                                            "priority-local-lifo",
                                            "priority-local-fifo",
                                            "static-priority",
                                            "local",
                                            "static",
                                            "global",
                                            "abp",
                                            "abp-fifo",
                                            "hierarchical",
                                            "periodic-priority"};

/// The machine that these tests want to see, whatever it is.
const bool eight_workers = [] { return setenv("AMITY_THREADS", "8", 0) == 0; }();

/// Numbers in the order in which tasks noted them.
class notes {
 public:
  void add(int n) {
    std::lock_guard const held(lock_);
    all_.push_back(n);
  }
  [[nodiscard]] std::vector<int> all() {
    std::lock_guard const held(lock_);
    return all_;
  }

 private:
  sync::mutex lock_;
  std::vector<int> all_;
};

policy_executor alone(const char* policy) { return policy_executor(policy, {.workers = 1}); }

/// Has `make` called in a task of `by`, whose only worker runs what it makes when it has ended.
template <class Make>
void made_by_worker(const policy_executor& by, Make make) {
  finish([&] { async(by, [&make] { make(); }); });
}

using order = std::vector<int>;

order order_of_three(const char* policy) {
  notes seen;
  made_by_worker(alone(policy), [&seen] {
    for (int i = 0; i < 3; ++i) post([&seen, i] { seen.add(i); });
  });
  return seen.all();
}

TEST(policy, first_in_first_out_or_the_other_way_round) {
  for (const char* fifo : {"priority-local-fifo", "local", "static", "static-priority", "global", "abp-fifo",
                           "hierarchical", "periodic-priority"})
    EXPECT_EQ(order_of_three(fifo), (order{0, 1, 2})) << fifo;
  for (const char* lifo : {"priority-local", "priority-local-lifo", "abp"})
    EXPECT_EQ(order_of_three(lifo), (order{2, 1, 0})) << lifo;
}

void post_mixed(notes& seen) {
  post(task_priority::low, [&seen] { seen.add(0); });
  post([&seen] { seen.add(1); });
  post(task_priority::high, [&seen] { seen.add(2); });
  post(task_priority::low, [&seen] { seen.add(0); });
  post(task_priority::high, [&seen] { seen.add(2); });
  post([&seen] { seen.add(1); });
}

TEST(policy, high_before_normal_before_low) {
  for (const char* name : {"priority-local", "priority-local-fifo", "static-priority", "periodic-priority"}) {
    notes seen;
    made_by_worker(alone(name), [&seen] { post_mixed(seen); });
    EXPECT_EQ(seen.all(), (order{2, 2, 1, 1, 0, 0})) << name;
  }
}

TEST(policy, a_wait_keeps_to_priorities_too) {
  for (const char* name : {"priority-local", "priority-local-fifo", "static-priority", "periodic-priority"}) {
    notes seen;
    async(alone(name), [&seen] { finish([&seen] { post_mixed(seen); }); }).get();
    EXPECT_EQ(seen.all(), (order{2, 2, 1, 1, 0, 0})) << name;
  }
}

TEST(policy, static_tasks_never_migrate) {
  for (const char* name : {"static", "static-priority"}) {
    policy_executor const by(name);
    int const workers = worker_count();
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(workers));
    std::atomic<int> wrong{0};
    finish([&] {
      for (int i = 0; i < 20 * workers; ++i)
        async(by.with_worker(i), [&, n = i % workers] {
          if (this_worker_number() != n) ++wrong;
          finish([&] {
            for (int child = 0; child < workers; ++child)
              post(on_worker(child), [&, child] {
                if (this_worker_number() != child) ++wrong;
                ++runs[static_cast<std::size_t>(child)];
              });
          });
          if (this_worker_number() != n) ++wrong;
        });
    });
    EXPECT_EQ(wrong, 0) << name;
    for (auto& r : runs) EXPECT_EQ(r, 20 * workers) << name;
  }
}

/// A task that is not detached, as a future's is, and sees whether others could claim it once a policy has handed it
/// out.
struct seen_when_run : sched::task {
  std::atomic<int> claimed_then{-1};
  seen_when_run() : task(&note, nullptr) {}
  static void note(task& t, sched::worker&, sched::call) noexcept {
    static_cast<seen_when_run&>(t).claimed_then = t.claimed;
  }
};

TEST(policy, what_is_handed_out_is_for_who_took_it) {
  for (const std::string& name : all_policies) {
    seen_when_run t;
    made_by_worker(policy_executor(name), [&t] { sched::enqueue(t, sched::this_worker()); });
    while (t.claimed_then < 0) sched_yield();
    EXPECT_EQ(t.claimed_then, sched::handed_out) << name;
    EXPECT_FALSE(sched::claim(t, sched::call::where_it_lies)) << name;
    EXPECT_TRUE(sched::claim(t, sched::call::from_queue)) << name;
  }
}

TEST(policy, static_workers_get_tasks_in_turn) {
  policy_executor const by("static");
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(worker_count()));
  finish([&] {
    for (int i = 0; i < 5 * worker_count(); ++i)
      async(by, [&runs] { ++runs.at(static_cast<std::size_t>(this_worker_number())); });
  });
  for (auto& r : runs) EXPECT_EQ(r, 5);
}

TEST(policy, static_workers_stay_on_their_core) {
  policy_executor const by("static");
  auto const cores = static_cast<int>(place::all(place_kind::core).size());
  std::atomic<int> elsewhere{0};
  finish([&] {
    for (int i = 0; i < 200; ++i)
      async(by.with_worker(i), [&elsewhere, core = i % worker_count() % cores] {
        auto const cpus = place::all(place_kind::core)[static_cast<std::size_t>(core)].cpus();
        if (std::find(cpus.begin(), cpus.end(), sched_getcpu()) == cpus.end()) ++elsewhere;
      });
  });
  EXPECT_EQ(elsewhere, 0);
}

TEST(policy, static_workers_do_not_run_two_tasks_at_a_time) {
  policy_executor const by("static");
  std::vector<std::atomic<int>> running(static_cast<std::size_t>(worker_count()));
  std::atomic<int> together{0};
  finish([&] {
    for (int i = 0; i < 400; ++i)
      async(by, [&] {
        auto& mine = running[static_cast<std::size_t>(this_worker_number())];
        if (mine.fetch_add(1) != 0) ++together;
        for (int turn = 0; turn < 100; ++turn) sched_getcpu();
        mine.fetch_sub(1);
      });
  });
  EXPECT_EQ(together, 0);
}

/// Tasks that wait for others that were given to the same worker: it must not be lost to them.
TEST(policy, a_worker_whose_task_waits_goes_on) {
  for (const std::string& name : all_policies) {
    policy_executor const by(name, {.workers = 1});
    sync::latch go(1);
    finish([&] {
      for (int i = 0; i < 20; ++i) async(by, [&go] { go.wait(); });
      async(by, [&go] { go.count_down(); });
    });
    int const sum = async(by, [&by] {
                      auto inner = async(by, [] { return async([] { return 20; }).get() + 1; });
                      return 2 * inner.get();
                    }).get();
    EXPECT_EQ(sum, 42) << name;
  }
}

TEST(policy, bound_tasks_are_run_by_the_worker_that_was_asked_for) {
  for (const std::string& name : all_policies) {
    policy_executor const by(name);
    std::atomic<int> wrong{0};
    finish([&] {
      for (int i = 0; i < 100; ++i)
        async(by.with(task_priority::bound).with_worker(i), [&wrong, n = i % worker_count()] {
          if (this_worker_number() != n) ++wrong;
        });
    });
    EXPECT_EQ(wrong, 0) << name;
  }
}

TEST(policy, without_stealing_hints_are_kept) {
  for (const char* name : {"priority-local", "priority-local-fifo", "local", "abp", "abp-fifo", "periodic-priority"}) {
    policy_executor const by(name, {.stealing = false});
    std::atomic<int> wrong{0};
    finish([&] {
      for (int i = 0; i < 200; ++i)
        async(by.with_worker(i), [&wrong, n = i % worker_count()] {
          if (this_worker_number() != n) ++wrong;
        });
    });
    EXPECT_EQ(wrong, 0) << name;
  }
}

/// All go to one worker, whose first task ends only when others have been run: somebody must steal them.
TEST(policy, with_stealing_a_busy_worker_is_relieved) {
  if (worker_count() < 2) GTEST_SKIP() << "one worker has nobody to steal from it";
  for (const char* name : {"priority-local", "priority-local-fifo", "local", "abp", "abp-fifo", "periodic-priority",
                           "hierarchical", "global"}) {
    policy_executor const by(name);
    std::atomic<int> others{0};
    finish([&] {
      async(by.with_worker(0), [&others] {
        for (int i = 0; i < 10; ++i) post([&others] { ++others; });
        while (others < 10) sched_yield();
      });
    });
    EXPECT_EQ(others, 10) << name;
  }
}

TEST(policy, the_hierarchy_drains) {
  for (bool stealing : {true, false}) {
    policy_executor const by("hierarchical", {.stealing = stealing});
    std::atomic<int> runs{0};
    for (int tasks : {1, 7, 1000}) {
      runs = 0;
      finish([&] {
        for (int i = 0; i < tasks; ++i) async(by, [&runs] { post([&runs] { ++runs; }); });
      });
      EXPECT_EQ(runs, tasks);
    }
  }
}

long fib(int n) {
  if (n < 2) return n;
  auto a = async([n] { return fib(n - 1); });
  long const b = fib(n - 2);
  return a.get() + b;
}
long fib_by_finish(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  finish([&] {
    post([&a, n] { a = fib_by_finish(n - 1); });
    post([&b, n] { b = fib_by_finish(n - 2); });
  });
  return a + b;
}
long fib_by_fork(int n) {
  if (n < 2) return n;
  auto const [a, b] = fork_join([n] { return fib_by_fork(n - 1); }, [n] { return fib_by_fork(n - 2); });
  return a + b;
}

TEST(policy, recursion_in_all_its_forms) {
  for (const std::string& name : all_policies) {
    policy_executor const by(name);
    EXPECT_EQ(async(by, [] { return fib(13); }).get(), 233) << name;
    EXPECT_EQ(async(by, [] { return fib_by_finish(11); }).get(), 89) << name;
    EXPECT_EQ(async(by, [] { return fib_by_fork(14); }).get(), 377) << name;
  }
}

/// Newest first, with a count of what it did.
class newest_first final : public scheduling_policy {
 public:
  static inline std::atomic<int> puts{0}, takes{0}, alive{0};
  newest_first() noexcept { ++alive; }
  ~newest_first() override { --alive; }
  void put(task_ref t, const placement&) noexcept override {
    std::lock_guard const held(lock_);
    tasks_.push_back(t);
    ++puts;
  }
  task_ref take(int) noexcept override {
    std::lock_guard const held(lock_);
    if (tasks_.empty()) return {};
    task_ref const t = tasks_.back();
    tasks_.pop_back();
    ++takes;
    return t;
  }

 private:
  sys::spin_lock lock_;
  std::vector<task_ref> tasks_;
};

TEST(policy, one_of_the_programs_own) {
  auto const make = [](const policy_options&) -> scheduling_policy* { return new newest_first; };
  EXPECT_TRUE(register_policy("newest-first", make));
  EXPECT_FALSE(register_policy("newest-first", make));
  EXPECT_FALSE(register_policy("static", make));
  EXPECT_NE(std::string(policy_names()).find(", newest-first"), std::string::npos);
  {
    EXPECT_EQ(order_of_three("newest-first"), (order{2, 1, 0}));
    policy_executor const by("newest-first");
    EXPECT_EQ(async(by, [] { return fib(10); }).get(), 55);
  }
  // What was run where it lay, by the fiber that waited for it, is taken when a worker comes by.
  EXPECT_LE(newest_first::takes, newest_first::puts);
  EXPECT_GT(newest_first::puts, 60);
}

TEST(policy, an_unknown_name_lists_the_names) {
  try {
    policy_executor const by("fastest");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("'fastest'"), std::string::npos);
    for (const std::string& name : all_policies) EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << name;
  }
  EXPECT_EQ(use_scheduler("fastest"), scheduler_choice::unknown_name);
  EXPECT_EQ(use_scheduler("static"), scheduler_choice::too_late);
}

TEST(policy, executors_are_used_again) {
  for (int i = 0; i < 200; ++i) {
    policy_executor const by(all_policies[static_cast<std::size_t>(i) % all_policies.size()]);
    EXPECT_EQ(async(by, [i] { return async([i] { return i; }).get(); }).get(), i);
  }
}

TEST(policy, a_forked_child_begins_anew) {
  if (base::thread_sanitizer) GTEST_SKIP() << "it does not follow threads into the child of a fork";
  policy_executor const floating("abp"), bound("static");
  auto const use = [&] {
    return async(floating, [] { return fib(8); }).get() + async(bound, [] { return fib(7); }).get() +
           async_at(place::machine(), [] { return fib(6); }).get();
  };
  ASSERT_EQ(use(), 42);
  pid_t const child = sys::fork_for_test();
  if (child == 0) {
    alarm(30);
    _exit(use() == 42 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(use(), 42);
}

// --- without a policy's queues: the process's default

TEST(default_policy, high_before_normal_before_low) {
  notes seen;
  finish([&seen] { post_mixed(seen); });
  order const all = seen.all();
  EXPECT_EQ(all.size(), 6u);
  if (worker_count() == 1) {
    EXPECT_EQ(all, (order{2, 2, 1, 1, 0, 0}));
  }
}

TEST(default_policy, high_tasks_made_during_the_wait_go_first) {
  if (worker_count() != 1) GTEST_SKIP() << "for one worker";
  notes seen;
  finish([&seen] {
    post([&seen] { seen.add(4); });
    post([&seen] { seen.add(3); });
    post([&seen] {
      seen.add(1);
      post(task_priority::high, [&seen] { seen.add(2); });
    });
  });
  EXPECT_EQ(seen.all(), (order{1, 2, 3, 4}));
}

TEST(default_policy, hints_name_a_bound_worker) {
  std::atomic<int> wrong{0};
  finish([&] {
    for (int i = 0; i < 40; ++i) {
      post(bound_to_worker(i), [&wrong, n = i % worker_count()] {
        if (this_worker_number() != n) ++wrong;
      });
      post(on_worker(i), [] {});
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(default_policy, futures_with_priorities) {
  auto low = async(task_priority::low, [] { return 1; });
  auto high = async(
      task_priority::high, [](int x) { return x; }, 2);
  EXPECT_EQ(low.get() + high.get(), 3);
  async(task_priority::low, [] {});  // thrown away
}

long depth(int n) {
  if (n == 0) return 0;
  auto [mine, below] = fork_join([] { return 1L; }, [n] { return depth(n - 1); });
  return mine + below;
}

TEST(policy, fork_join_deeper_than_a_stack) {
  int const calls = base::thread_sanitizer ? 5000 : 30000;  // it makes each ten times slower, its frames are larger
  for (const char* name : {"local", "hierarchical"}) {      // not of "static", which lets no call go elsewhere
    policy_executor const executor(name);
    EXPECT_EQ(async(executor, [calls] { return depth(calls); }).get(), calls) << name;
  }
}

}  // namespace
}  // namespace amity
