#include "amity/omp/cluster/worth.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

namespace amity::omp::cluster {
namespace {

/// A kind of region: how long it takes each way, and how often each process waits where it is spread.
struct kind {
  std::int64_t spread_us, here_us;
  int waits;
};

/// A program that runs its regions round and round. A region that is run the other way than the one before takes
/// longer: its pages are elsewhere.
class program {
 public:
  explicit program(std::vector<kind> kinds) : kinds_(std::move(kinds)) {}

  /// Returns the share of regions that were spread.
  double run(int regions) {
    int spread = 0;
    for (int i = 0; i < regions; ++i) {
      kind const& k = kinds_[next_++ % kinds_.size()];
      bool const spreads = judge_->spreads(&k, now_ns_, waited_ns_);
      std::int64_t us = spreads ? k.spread_us : k.here_us;
      if (spreads != before_) us += k.waits * 50;
      if (spreads) waited_ns_ += static_cast<std::uint64_t>(k.waits) * 50'000;
      before_ = spreads;
      spread += spreads ? 1 : 0;
      now_ns_ += us * 1000;
      took_us_ += us;
    }
    return double(spread) / regions;
  }
  [[nodiscard]] std::int64_t took_us() const { return took_us_; }
  std::vector<kind>& kinds() { return kinds_; }

 private:
  std::unique_ptr<judge> judge_ = std::make_unique<judge>();
  std::vector<kind> kinds_;
  std::size_t next_ = 0;
  std::int64_t now_ns_ = 1, took_us_ = 0;
  std::uint64_t waited_ns_ = 0;
  bool before_ = true;
};

TEST(worth, regions_that_wait_for_pages_stay_in_one_process) {
  program p({{1500, 50, 25}, {800, 20, 12}, {100, 60, 0}});
  p.run(200);
  EXPECT_LT(p.run(100'000), 0.02);
}

TEST(worth, regions_that_gain_are_spread_though_they_wait) {
  program p({{1500, 2900, 10}, {500, 700, 8}});
  EXPECT_GT(p.run(20'000), 0.97);
}

TEST(worth, who_never_waits_is_always_spread) {
  program p({{300, 100, 0}, {2000, 100, 1}});
  EXPECT_EQ(p.run(10'000), 1);
}

TEST(worth, a_program_that_changes_is_tried_anew) {
  program p({{1500, 50, 25}});
  p.run(5'000);
  p.kinds()[0] = {500, 4000, 0};
  p.run(30'000);
  EXPECT_EQ(p.run(1'000), 1);
}

TEST(worth, what_trying_costs_is_little) {
  for (kind const k : {kind{1500, 50, 25}, kind{1500, 2900, 10}, kind{1000, 1000, 10}, kind{400, 350, 5}}) {
    program p({k});
    p.run(20'000);
    double const best = 20'000.0 * static_cast<double>(std::min(k.spread_us, k.here_us));
    EXPECT_LT(static_cast<double>(p.took_us()), 1.4 * best) << k.spread_us << ' ' << k.here_us;
  }
}

TEST(worth, more_functions_than_it_keeps) {
  std::vector<kind> all(3000, kind{1500, 50, 25});
  program p(all);
  EXPECT_GE(p.run(20'000), 0);
}

}  // namespace
}  // namespace amity::omp::cluster
