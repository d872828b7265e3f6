#include "amity/finish/phaser.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "amity/finish/accumulator.hpp"
#include "amity/finish/finish.hpp"
#include "amity/finish/fork_join.hpp"
#include "amity/finish/phaser_accumulator.hpp"

namespace amity {
namespace {

TEST(phaser, nobody_leaves_a_phase_early) {
  constexpr int phases = 20;
  for (unsigned degree : {0, 2, 3, 8, 1000})
    for (int parties : {1, 2, 9, 100}) {
      std::atomic<int> arrived[phases] = {};
      std::atomic<bool> early{false};
      finish([&] {
        phaser p(degree);
        for (int i = 0; i < parties; ++i)
          async_phased({{p, phaser_mode::signal_wait}}, [&, p]() mutable {
            for (int phase = 0; phase < phases; ++phase) {
              ++arrived[phase];
              p.next();
              if (arrived[phase] != parties) early = true;
            }
          });
        p.drop();
      });
      EXPECT_FALSE(early) << degree << ", " << parties;
    }
  EXPECT_THROW(phaser(1), phaser_error);
}

TEST(phaser, signal_and_wait_apart) {
  constexpr int parties = 5, phases = 30;
  std::atomic<int> signalled[phases] = {};
  std::atomic<bool> early{false};
  finish([&] {
    phaser p;
    for (int i = 0; i < parties; ++i)
      async_phased({{p, phaser_mode::signal_wait}}, [&, p]() mutable {
        for (int phase = 0; phase < phases; ++phase) {
          EXPECT_THROW(p.wait(), phaser_error);
          ++signalled[phase];
          p.signal();
          p.signal();  // once a phase is enough
          if (phase % 2 == 0)
            p.wait();
          else
            p.next();
          if (signalled[phase] != parties) early = true;
        }
      });
    async_phased({{p, phaser_mode::wait_only}}, [&, p]() mutable {
      for (int phase = 0; phase < phases; ++phase) {
        p.wait();
        if (signalled[phase] != parties) early = true;
      }
    });
    async_phased({{p, phaser_mode::signal_only}}, [p]() mutable { EXPECT_THROW(p.wait(), phaser_error); });
    p.drop();
  });
  EXPECT_FALSE(early);
}

TEST(phaser, a_single_runs_once_between_two_phases) {
  constexpr int parties = 7, phases = 40;
  std::atomic<int> arrived{0}, runs{0}, wrong{0};
  finish([&] {
    phaser p(2);
    for (int i = 0; i < parties; ++i)
      async_phased({{p, phaser_mode::signal_wait}}, [&, p, i]() mutable {
        for (int phase = 1; phase <= phases; ++phase) {
          ++arrived;
          if (i == 0 && phase % 3 == 0) {  // not everybody has to give one
            p.next();
          } else {
            p.next_single([&] {
              if (arrived != phase * parties) ++wrong;
              ++runs;
            });
          }
          if (runs != phase) ++wrong;
          p.next();
        }
      });
    p.drop();
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runs, phases);
}

TEST(phaser, what_a_single_throws_is_thrown_where_it_was_given) {
  std::atomic<int> caught{0}, on{0};
  finish([&] {
    phaser p;
    for (int i = 0; i < 4; ++i)
      async_phased({{p, phaser_mode::signal_wait}}, [&, p]() mutable {
        try {
          p.next_single([] { throw std::runtime_error("single"); });
        } catch (const std::runtime_error&) {
          ++caught;
        }
        p.next();
        ++on;
        p.signal();
        EXPECT_THROW(p.next_single([] {}), phaser_error);
      });
    p.drop();
  });
  EXPECT_EQ(caught, 1);
  EXPECT_EQ(on, 4);
}

TEST(phaser, a_producer_runs_ahead_of_consumers) {
  constexpr int phases = 50;
  std::atomic<int> made{0};
  std::atomic<bool> wrong{false};
  finish([&] {
    phaser p;
    for (int i = 0; i < 3; ++i)
      async_phased({{p, phaser_mode::wait_only}}, [&, p]() mutable {
        for (int phase = 1; phase <= phases; ++phase) {
          p.next();
          if (made < phase) wrong = true;
        }
      });
    async_phased({{p, phaser_mode::signal_only}}, [&, p]() mutable {
      for (int phase = 0; phase < phases; ++phase) {
        ++made;
        p.next();
      }
    });
    p.drop();
  });
  EXPECT_FALSE(wrong);
}

TEST(phaser, neighbours_whose_number_is_known_at_run_time) {
  constexpr int tasks = 6, phases = 30;
  std::atomic<int> done[tasks] = {};
  std::atomic<bool> wrong{false};
  std::vector<phaser> steps(tasks);
  finish([&] {
    for (int i = 0; i < tasks; ++i) {
      std::vector<phased_with> parts = {{steps[i], phaser_mode::signal_only}};
      if (i > 0) parts.push_back({steps[i - 1], phaser_mode::wait_only});
      if (i + 1 < tasks) parts.push_back({steps[i + 1], phaser_mode::wait_only});
      async_phased(parts, [&, i] {
        for (int phase = 1; phase <= phases; ++phase) {
          done[i] = phase;
          steps[i].signal();
          for (int const j : {i - 1, i + 1}) {
            if (j < 0 || j >= tasks) continue;
            steps[j].next();
            if (done[j] < phase) wrong = true;
          }
        }
      });
    }
    for (phaser& p : steps) p.drop();
  });
  EXPECT_FALSE(wrong);
}

TEST(phaser, tasks_join_and_leave_at_any_phase) {
  std::atomic<int> ended{0};
  finish([&] {
    phaser p;
    for (int i = 1; i <= 10; ++i) {
      async_phased([] {});  // the creator's part is not inherited without being named
      async_phased({{p, phaser_mode::signal_wait}}, [&, p, i]() mutable {
        for (int k = 0; k < i; ++k) p.next();
        async_phased([&, p]() mutable {
          p.next();
          ++ended;
        });
      });
      p.next();
    }
    p.drop();
  });
  EXPECT_EQ(ended, 10);
}

TEST(phaser, misuse_is_refused) {
  phaser p;
  finish([&] {
    async_phased({{p, phaser_mode::wait_only}}, [p]() mutable {
      EXPECT_THROW(p.signal(), phaser_error);
      EXPECT_THROW(async_phased({{p, phaser_mode::signal_wait}}, [] {}), phaser_error);
      p.drop();
      EXPECT_THROW(p.next(), phaser_error);
    });
  });
  phaser const copy = p;
  EXPECT_THROW(phaser(copy).next(), phaser_error);
}

TEST(phaser, crowds_come_and_go) {
  for (unsigned degree : {0, 2, 5}) {
    std::atomic<int> ended{0};
    finish([&] {
      phaser p(degree);
      for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 30; ++i)
          async_phased({{p, phaser_mode::signal_wait}}, [&, p, i]() mutable {
            for (int k = 0; k < i % 5; ++k) p.next();
            ++ended;
          });
        p.next();
      }
      p.drop();
    });
    EXPECT_EQ(ended, 600) << degree;
  }
}

TEST(phaser_accumulator, is_the_same_for_all_after_each_phase) {
  constexpr int parties = 6, phases = 50;
  for (accumulate::mode how : {accumulate::mode::lazy, accumulate::mode::eager}) {
    std::atomic<int> wrong{0};
    finish([&] {
      phaser p(3);
      phaser_accumulator<long> sum(p, 0, {}, how);
      phaser_accumulator<int, accumulate::max> most(p, -1, {}, how);
      for (int i = 0; i < parties; ++i)
        async_phased({{p, phaser_mode::signal_wait}}, [&, p, sum, most, i]() mutable {
          for (int phase = 1; phase <= phases; ++phase) {
            sum.put(phase * i);
            sum.put(1);
            if (phase % 2 == 0) most.put(phase + i);
            p.next();
            if (sum.get() != phase * parties * (parties - 1) / 2 + parties + 1000) ++wrong;
            if (most.get() != (phase % 2 == 0 ? phase + parties - 1 : -1)) ++wrong;
          }
        });
      for (int phase = 1; phase <= phases; ++phase) {
        sum.put(p, 1000);
        p.next();
      }
      p.drop();
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST(phaser_accumulator, knows_the_phases_of_who_is_ahead) {
  constexpr int phases = 25;
  std::atomic<int> wrong{0};
  finish([&] {
    phaser p;
    phaser_accumulator<long> sum(p);
    async_phased({{p, phaser_mode::signal_only}}, [p, sum]() mutable {
      for (int phase = 1; phase <= phases; ++phase) {
        sum.put(phase);
        p.next();
      }
    });
    async_phased({{p, phaser_mode::signal_wait}}, [&, p, sum]() mutable {
      for (int phase = 1; phase <= phases; ++phase) {
        p.next();
        if (sum.get() != phase) ++wrong;
      }
    });
    async_phased({{p, phaser_mode::wait_only}}, [p, sum]() mutable { EXPECT_THROW(sum.put(1), phaser_error); });
    p.drop();
    EXPECT_THROW(sum.put(1), phaser_error);
  });
  EXPECT_EQ(wrong, 0);
}

TEST(phaser_accumulator, made_in_a_later_phase) {
  phaser p;
  for (int i = 0; i < 1000; ++i) p.next();
  phaser_accumulator<std::string> all(p);
  all.put(p, "a");
  all.put(p, "b");
  p.next();
  EXPECT_EQ(all.get(), "ab");
  p.next();
  EXPECT_EQ(all.get(), "");
}

TEST(accumulator, operations_and_modes) {
  for (accumulate::mode how : {accumulate::mode::lazy, accumulate::mode::eager}) {
    accumulator<long> sum(how);
    accumulator<double, accumulate::times> product(how);
    accumulator<int, accumulate::min> least(how);
    accumulator<double, accumulate::max> most(how);
    accumulator<int, accumulate::any> some(how);
    EXPECT_EQ(sum.get(), 0);
    EXPECT_EQ(product.get(), 1);
    EXPECT_EQ(least.get(), std::numeric_limits<int>::max());
    EXPECT_EQ(most.get(), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(some.get(), 0);
    finish([&] {
      for (int i = 1; i <= 10; ++i)
        async([&, i] {
          sum.put(i);
          product.put(i);
          least.put(i);
          most.put(-i);
          some.put(i);
        });
    });
    EXPECT_EQ(sum.get(), 55);
    EXPECT_EQ(product.get(), 3628800);
    EXPECT_EQ(least.get(), 1);
    EXPECT_EQ(most.get(), -1);
    EXPECT_GE(some.get(), 1);
    EXPECT_LE(some.get(), 10);
    sum.reset();
    EXPECT_EQ(sum.get(), 0);
  }
}

TEST(accumulator, sums) {
  accumulator<long, std::plus<>> sum(0);
  finish([&] {
    for (long i = 1; i <= 1000; ++i) async([&, i] { sum.put(i); });
  });
  EXPECT_EQ(sum.get(), 500'500);
  auto larger = [](int a, int b) { return a > b ? a : b; };
  accumulator<int, decltype(larger)> most(0, larger);
  finish([&] {
    for (int i = 0; i < 100; ++i) async([&, i] { most.put(i); });
  });
  EXPECT_EQ(most.get(), 99);
}

TEST(phaser, tasks_that_are_not_run_take_no_part) {
  std::stop_source stop;
  phaser p;
  finish(stop.get_token(), [&] {
    for (int i = 0; i < 20; ++i)
      async_phased({{p, phaser_mode::signal_wait}}, [p]() mutable {
        for (int phase = 0; phase < 3; ++phase) p.next();
      });
    stop.request_stop();
    p.drop();
  });
  std::atomic<int> passed{0};
  phaser again;
  finish(stop.get_token(), [&] { async_phased({{again, phaser_mode::signal_wait}}, [&] { ++passed; }); });
  again.next();
  EXPECT_EQ(again.phase(), 1u);
  EXPECT_EQ(passed, 0);
}

TEST(phaser, a_refused_registration_takes_back_those_before_it) {
  phaser p, q;
  q.drop();
  EXPECT_THROW(async_phased({{p, phaser_mode::signal_wait}, {q, phaser_mode::signal_wait}}, [] {}), phaser_error);
  p.next();
  EXPECT_EQ(p.phase(), 1u);
}

/// Mostly the thread of the task that takes part runs the others, because that task waits for them.
TEST(phaser, others_that_run_while_a_task_waits_take_no_part) {
  finish([] {
    phaser p;
    async_phased({{p, phaser_mode::signal_wait}}, [p]() mutable {
      auto refused = [&p] { EXPECT_THROW(static_cast<void>(p.mine()), phaser_error); };
      for (int i = 0; i < 50; ++i) {
        async(refused).get();
        async(refused).wait();
        finish([&] {
          for (int k = 0; k < 5; ++k) post(refused);
        });
        async(launch::deferred, refused).get();
        make_ready_future().then(launch::sync, [&](auto) { refused(); }).get();
        fork_join(refused, refused);
        // One that waits itself, and one with a part of its own.
        async([&] { async(refused).get(), refused(); }).get();
        async_phased({{p, phaser_mode::signal_only}}, [&] {
          p.signal();
          async(refused).get();
          p.signal();
        }).get();
        p.next();  // still takes part
      }
    });
    p.drop();
  });
}

TEST(accumulator, least_and_largest_of_other_types) {
  accumulator<std::string, accumulate::max> most(std::string{});  // nothing is before it
  accumulator<std::string, accumulate::min> least(std::string("\x7f"));
  finish([&] {
    for (const char* word : {"pear", "apple", "plum"}) async([&, word] { most.put(word), least.put(word); });
  });
  EXPECT_EQ(most.get(), "plum");
  EXPECT_EQ(least.get(), "apple");
}

TEST(accumulator, an_operation_whose_call_is_not_const) {
  auto plus = [](int a, int b) mutable { return a + b; };
  accumulator<int, decltype(plus)> sum(0, plus);
  sum.put(1);
  sum.put(2);
  EXPECT_EQ(std::as_const(sum).get(), 3);
}

// What is put off to the end of a task goes along with its phasers, and is no affair of those beneath or above.
TEST(phaser, tasks_may_put_off_results_to_their_end) {
  phaser p;
  promise<int> one, two;
  future<int> first = one.get_future(), second = two.get_future();
  finish([&] {
    async_phased({{p, phaser_mode::signal_wait}}, [&, p]() mutable {
      one.set_value_at_thread_exit(1);
      p.next();
      fork_join([&] { two.set_value_at_thread_exit(2); }, [] {});
      EXPECT_TRUE(second.is_ready());
      EXPECT_FALSE(first.is_ready());
      p.next();
    });
    p.next();
    p.next();
  });
  EXPECT_EQ(first.get() + second.get(), 3);
}

}  // namespace
}  // namespace amity
