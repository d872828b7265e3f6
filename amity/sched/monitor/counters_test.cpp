#include "amity/sched/monitor/counters.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "amity/sched/loop/park.hpp"
#include "amity/sched/tasks/task.hpp"

namespace amity::sched {
namespace {

using counters::read;

TEST(counters, each_has_a_name_and_a_value) {
  static_cast<void>(self());
  std::set<std::string> names;
  for (const auto& c : counters::all()) {
    EXPECT_TRUE(names.insert(std::string(c.name)).second) << c.name;
    EXPECT_TRUE(c.name.starts_with('/') && !c.meaning.empty()) << c.name;
    EXPECT_TRUE(read(c.name).has_value()) << c.name;
  }
  EXPECT_FALSE(read("/threads/count").has_value());
  EXPECT_FALSE(read("").has_value());
  EXPECT_FALSE(read("/threads{locality#0").has_value());
}

TEST(counters, hpx_instances_are_understood) {
  EXPECT_EQ(read("/threads{locality#0/total}/count/sleeps").has_value(), true);
  EXPECT_EQ(read("/runtime{locality#0/total}/count/cores"), static_cast<std::uint64_t>(worker_count()));
}

TEST(counters, tasks_are_counted_when_they_end) {
  worker& w = this_worker();
  std::uint64_t const before = *read("/threads/count/cumulative");
  std::uint64_t const queued = *read("/threads/count/instantaneous/pending");
  scope s;
  s.owner = &w;
  w.current = &s;
  std::uint32_t const base = w.queue.bottom();
  for (int i = 0; i < 10; ++i) {
    frame* memory = take_task_memory<sizeof(task)>(w);
    frame_pool* const home = memory->home;
    auto* t = new (memory) task;
    t->home = home;
    t->size_class = static_cast<std::uint8_t>(class_for_task(sizeof(task)));
    t->run = [](task& x, worker& runner, call) noexcept {
      scope* const within = x.within;
      give_task_memory(&x, x.size_class, runner);
      end_within(within, runner);
    };
    spawn(*t, w);
  }
  EXPECT_LE(*read("/threads/count/instantaneous/pending"), queued + 10);
  join(w, s, base);
  w.current = nullptr;
  EXPECT_EQ(*read("/threads/count/cumulative"), before + 10);
}

TEST(counters, time_goes_on_and_the_rate_has_bounds) {
  static_cast<void>(self());
  std::uint64_t const before = *read("/runtime/uptime");
  EXPECT_GT(before, 0u);
  EXPECT_GE(*read("/runtime/uptime"), before);
  EXPECT_LE(*read("/threads/idle-rate"), 10'000u);
}

}  // namespace
}  // namespace amity::sched
