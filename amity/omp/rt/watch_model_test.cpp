// How a crowded team's group goes on (watch.hpp), as a model: two fibers of one carrier and a third one elsewhere meet
// at barriers. Every order of their steps is gone through, and a fiber that looks out may stop doing so at any time.
// What is shown: nobody is left parked. Each rule (README-barrier.md) is left out in turn, and the model must find who
// is.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amity/base/explore.hpp"

namespace amity {
namespace {

constexpr const char* stuck = "somebody stays parked";

constexpr int members = 2, rounds = 3;
constexpr int reports_a_round = 2;  // the group's, and that of the one elsewhere

enum rule : unsigned {
  everything = 0,
  clear_flag = 1,    // W4: a fiber that stops looking out says so
  look_again = 2,    // W5: and looks once more
  tell_group = 4,    // W3: a fiber that saw it lets its group go on
  own_group = 8,     // W2: the fiber that completes the barrier lets its own group go on, whatever its flag says
  report_first = 16  // W1: the fiber that completes it does so before it looks at the flag of others
};

enum step : std::int8_t {
  arrive,
  report,
  // the last one of the group, if it was not the last one of all
  look_out,
  clear,
  last_look,
  keep_watch,
  go_on,
  // everybody else
  park,
  wake_up,
  // the one elsewhere
  look_at_flag,
  tell,
  await,
  finished,
};

struct world {
  std::uint8_t reports = 0, arrived = 0, watched = 0;
  std::uint8_t permits = 0;  // bits
  struct {
    std::int8_t at = arrive, round = 0;
  } member[members];
  struct {
    std::int8_t at = report, round = 0, seen = 0;
  } elsewhere;
};

class model {
 public:
  static constexpr int actors = members + 1, choices = 2;
  explicit model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const world&) { return {}; }

  // Nobody can move.
  static std::string final(const world& w) {
    bool all = w.elsewhere.at == finished;
    for (const auto& m : w.member) all = all && m.at == finished;
    return all ? "" : stuck;
  }

  bool advance(world& w, int actor, int choice) const {
    bool const stops = choice != 0;
    if (actor < members) return advance_member(w, actor, stops);
    return !stops && advance_elsewhere(w);
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  static bool over(const world& w, int round) { return w.reports >= reports_a_round * (round + 1); }

  template <class Actor>
  static void leave(Actor& me, step first) {
    me.at = ++me.round == rounds ? finished : first;
  }

  bool advance_member(world& w, int i, bool stops) const {
    auto& me = w.member[i];
    unsigned const mine = 1u << i;
    if (stops && me.at != look_out) return false;
    switch (static_cast<step>(me.at)) {
      case arrive:
        me.at = ++w.arrived == members ? report : park;
        if (w.arrived == members) w.arrived = 0;
        return true;
      case report:
        ++w.reports;
        if (!over(w, me.round))
          me.at = look_out;
        else
          me.at = has(own_group) || w.watched == 0 ? go_on : wake_up;
        return true;
      case look_out:
        if (stops) {
          me.at = clear;
          return true;
        }
        if (!over(w, me.round)) return false;
        me.at = keep_watch;
        return true;
      case clear:
        me.at = w.watched == 0 ? wake_up : last_look;
        if (has(clear_flag)) w.watched = 0;
        return true;
      case last_look:
        me.at = over(w, me.round) && has(look_again) ? keep_watch : wake_up;
        return true;
      case keep_watch:
        w.watched = 1;
        me.at = go_on;
        return true;
      case go_on:
        if (has(tell_group)) w.permits = static_cast<std::uint8_t>(w.permits | (3u & ~mine));
        leave(me, arrive);
        return true;
      case park:
        if ((w.permits & mine) == 0) return false;
        w.permits = static_cast<std::uint8_t>(w.permits & ~mine);
        me.at = wake_up;
        return true;
      case wake_up:
        if (over(w, me.round))
          leave(me, arrive);
        else
          me.at = park;
        return true;
      default:
        return false;
    }
  }

  bool advance_elsewhere(world& w) const {
    auto& me = w.elsewhere;
    switch (static_cast<step>(me.at)) {
      case report:
        if (!has(report_first)) me.seen = static_cast<std::int8_t>(w.watched);
        me.at = look_at_flag;
        if (has(report_first)) ++w.reports;
        return true;
      case look_at_flag:
        if (has(report_first))
          me.seen = static_cast<std::int8_t>(w.watched);
        else
          ++w.reports;
        me.at = over(w, me.round) && me.seen == 0 ? tell : await;
        return true;
      case tell:
        w.permits = 3;
        me.at = await;
        return true;
      case await:
        if (!over(w, me.round)) return false;
        leave(me, report);
        return true;
      default:
        return false;
    }
  }

  unsigned without_;
};

std::string explore(unsigned left_out) { return base::explore(world(), model(left_out)); }

TEST(watch_model, leaves_nobody_parked) {
  std::size_t worlds = 0;
  EXPECT_EQ(base::explore(world(), model(everything), &worlds), "");
  EXPECT_GT(worlds, 100u);
}

TEST(watch_model, needs_the_flag_cleared) { EXPECT_EQ(explore(clear_flag), stuck); }
TEST(watch_model, needs_the_second_look) { EXPECT_EQ(explore(look_again), stuck); }
TEST(watch_model, needs_the_group_told) { EXPECT_EQ(explore(tell_group), stuck); }
TEST(watch_model, needs_the_own_group_told) { EXPECT_EQ(explore(own_group), stuck); }
TEST(watch_model, needs_the_report_before_the_look_at_the_flag) { EXPECT_EQ(explore(report_first), stuck); }

}  // namespace
}  // namespace amity
