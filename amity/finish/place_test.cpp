#include "amity/sched/tasks/place.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>

#include "amity/finish/finish.hpp"
#include "amity/finish/forasync.hpp"
#include "amity/sync/mutex.hpp"

namespace amity {
namespace {

/// The calling thread runs on a CPU of `p`.
bool is_at(place p) {
  auto const cpus = p.cpus();
  return std::find(cpus.begin(), cpus.end(), sched_getcpu()) != cpus.end();
}

std::vector<place> all_places() {
  std::vector<place> all;
  for (place_kind kind :
       {place_kind::machine, place_kind::socket, place_kind::numa_domain, place_kind::cache, place_kind::core})
    for (place p : place::all(kind)) all.push_back(p);
  return all;
}

TEST(place, the_machine_is_a_tree_of_all_places) {
  place const machine = place::machine();
  EXPECT_EQ(machine.kind(), place_kind::machine);
  EXPECT_EQ(machine.parent(), machine);
  std::size_t children = 0;
  for (place p : all_places()) {
    EXPECT_TRUE(machine.contains(p));
    EXPECT_FALSE(p.cpus().empty());
    for (place child : p.children()) {
      ++children;
      EXPECT_EQ(child.parent(), p);
      EXPECT_GT(child.index(), p.index());
      EXPECT_TRUE(std::includes(p.cpus().begin(), p.cpus().end(), child.cpus().begin(), child.cpus().end()));
    }
  }
  EXPECT_EQ(children + 1, all_places().size());
}

TEST(place, the_cores_share_out_the_cpus) {
  std::vector<int> cpus;
  for (place core : place::machine().cores()) {
    EXPECT_EQ(core.kind(), place_kind::core);
    EXPECT_TRUE(core.children().empty());
    EXPECT_EQ(core.cores(), std::vector<place>{core});
    cpus.insert(cpus.end(), core.cpus().begin(), core.cpus().end());
  }
  std::sort(cpus.begin(), cpus.end());
  EXPECT_TRUE(std::equal(cpus.begin(), cpus.end(), place::machine().cpus().begin(), place::machine().cpus().end()));
}

TEST(place, tasks_run_where_they_were_sent) {
  std::atomic<int> elsewhere{0};
  finish([&] {
    for (int i = 0; i < 20; ++i)
      for (place p : all_places()) {
        async_at(p, [&elsewhere, p] {
          if (!is_at(p)) ++elsewhere;
          finish([&elsewhere, p] {
            post([&elsewhere, p] {
              if (!is_at(p)) ++elsewhere;  // where its maker is
            });
          });
          if (!is_at(p)) ++elsewhere;
        });
        post(at(p), [&elsewhere, p] {
          if (!is_at(p)) ++elsewhere;
        });
      }
  });
  // With fewer workers than cores, one worker stands for several cores.
  if (static_cast<std::size_t>(worker_count()) >= place::all(place_kind::core).size()) {
    EXPECT_EQ(elsewhere, 0);
  }
}

TEST(place, here_is_where_the_task_is) {
  if (static_cast<std::size_t>(worker_count()) < place::all(place_kind::core).size()) GTEST_SKIP();
  for (place core : place::all(place_kind::core))
    EXPECT_TRUE(async_at(core, [core] { return core.contains(place::here()); }).get());
  EXPECT_TRUE(place::machine().contains(place::here()));
}

TEST(place, tasks_send_tasks_to_and_fro) {
  std::vector<place> const all = all_places();
  std::atomic<int> runs{0};
  struct chain {
    const std::vector<place>& all;
    std::atomic<int>& runs;
    void go(std::size_t i) const {
      ++runs;
      if (i == 300) return;
      async_at(all[i % all.size()], [this, i] { go(i + 1); }).get();
    }
  };
  chain const c{all, runs};
  c.go(0);
  EXPECT_EQ(runs, 301);
}

TEST(place, loops_in_blocks_and_in_turn) {
  std::vector<place> const cores = place::all(place_kind::core);
  auto const many = static_cast<long>(cores.size());
  constexpr long n = 103;
  for (distribution how : {distribution::block, distribution::cyclic}) {
    std::vector<std::atomic<int>> hits(n);
    std::atomic<int> elsewhere{0};
    finish([&] {
      forasync(range(0, n), over_places{.how = how, .places = cores, .tile = {1}}, [&](long i) {
        ++hits[static_cast<std::size_t>(i)];
        long const where = how == distribution::cyclic ? i % many : i * many / n;
        if (!is_at(cores[static_cast<std::size_t>(where)])) ++elsewhere;
      });
    });
    for (auto& h : hits) EXPECT_EQ(h, 1);
    if (worker_count() >= many) {
      EXPECT_EQ(elsewhere, 0);
    }
  }
}

TEST(place, loops_of_three_dimensions) {
  std::vector<std::atomic<int>> hits(7 * 5 * 3);
  finish([&] {
    forasync(range3d({0, 7}, {0, 5}, {0, 3}), over_places{.tile = {0, 2, 2}},
             [&](long i, long j, long k) { ++hits[static_cast<std::size_t>((i * 5 + j) * 3 + k)]; });
    forasync(range(5, 5), over_places{}, [&](long) { ++hits[0]; });
  });
  for (auto& h : hits) EXPECT_EQ(h, 1);
}

}  // namespace
}  // namespace amity
