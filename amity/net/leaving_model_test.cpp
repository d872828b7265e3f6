// The end of a job (README-end.md, L1 to L4) as a model: waves that count messages, while messages arrive in any order
// and lead to others. Every order is tried, in small worlds. What is shown: when rank 0 ends the job, no message is on
// its way and nothing goes on anywhere. Without the second wave, or without the counts of what goes on, the model finds
// a message that is lost.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "amity/base/explore.hpp"

namespace {

constexpr int ranks = 3;

enum rule : unsigned { everything = 0, second_wave = 1, count_activities = 2, compare_sums = 4 };

struct world {
  std::array<std::int8_t, ranks> sent{}, handled{}, active{};
  std::array<std::int8_t, ranks> arriving{};  // messages on their way, by receiver
  std::array<std::int8_t, ranks> answered{};  // to the present wave
  std::int8_t sends_left = 0;
  std::int8_t sum_sent = 0, sum_handled = 0, sum_active = 0;  // of the present wave
  std::int8_t quiet_before = -1;                              // what the last wave found, if it was quiet
  std::int8_t waves_left = 0;
  std::int8_t is_over = 0;

  [[nodiscard]] std::string key() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};

class model {
 public:
  explicit model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const world& w) {
    for (int r = 0; w.is_over && r < ranks; ++r)
      if (w.arriving[r] != 0 || w.active[r] != 0) return "the job has ended, and something goes on";
    return {};
  }
  static std::string final(const world&) { return {}; }

  [[nodiscard]] std::vector<world> steps(const world& now) const {
    std::vector<world> next;
    if (now.is_over) return next;
    for (int r = 0; r < ranks; ++r) {
      if (now.active[r] != 0) {
        for (int to = 0; to < ranks && now.sends_left > 0; ++to) {
          world w = now;
          --w.sends_left;
          ++w.sent[r];
          ++w.arriving[to];
          next.push_back(w);
        }
        world w = now;
        --w.active[r];
        next.push_back(w);
      }
      if (now.arriving[r] != 0) {  // its handler makes a task, and is then counted
        world w = now;
        --w.arriving[r];
        ++w.active[r];
        ++w.handled[r];
        next.push_back(w);
      }
      if (!now.answered[r] && now.waves_left > 0) {
        world w = now;
        w.answered[r] = 1;
        w.sum_sent = static_cast<std::int8_t>(w.sum_sent + w.sent[r]);
        w.sum_handled = static_cast<std::int8_t>(w.sum_handled + w.handled[r]);
        w.sum_active = static_cast<std::int8_t>(w.sum_active + w.active[r]);
        if (std::all_of(w.answered.begin(), w.answered.end(), [](std::int8_t a) { return a != 0; })) end_wave(w);
        next.push_back(w);
      }
    }
    return next;
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  void end_wave(world& w) const {
    bool const quiet =
        (w.sum_active == 0 || !has(count_activities)) && (w.sum_sent == w.sum_handled || !has(compare_sums));
    bool const twice = quiet && (w.quiet_before == w.sum_sent || !has(second_wave));
    w.is_over = twice;
    w.quiet_before = quiet ? w.sum_sent : std::int8_t{-1};
    w.sum_sent = w.sum_handled = w.sum_active = 0;
    w.answered = {};
    --w.waves_left;
  }

  unsigned without_;
};

// What went wrong first, or nothing.
std::string explore(unsigned left_out) {
  world w;
  w.active = {1, 1, 0};  // two remote tasks go on when all have come to their ends
  w.sends_left = 3;
  w.waves_left = 3;
  return amity::base::explore_steps(w, model(left_out));
}

TEST(LeavingModel, NothingGoesOnWhenTheJobEnds) { EXPECT_EQ(explore(everything), ""); }

TEST(LeavingModel, EachRuleIsNeeded) {
  for (rule r : {second_wave, count_activities, compare_sums})
    EXPECT_NE(explore(r), "") << "nothing goes wrong without rule " << r;
}

}  // namespace
