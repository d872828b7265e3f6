// A team with members elsewhere (rt/README-barrier.md, O1 to O4) as a model: a leader and a member here, each a group
// of its own, and the thread that reports for those elsewhere, in two regions with two barriers each or none. Each step
// is one atomic operation, and every order of the steps is tried. What is shown: nobody is left parked, nobody passes a
// barrier before all are there, and those elsewhere are told of all here when all are. Each rule is left out in turn,
// and the model must find what goes wrong.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amity/base/explore.hpp"

namespace amity {
namespace {

constexpr const char* stuck = "somebody waits for ever";
constexpr const char* early = "a barrier lets somebody pass too early";
constexpr const char* told_early = "those elsewhere are told of all here when one is missing";

constexpr int here = 2, regions = 2, reports = here + 1, joins = 2;

enum rule : unsigned {
  everything = 0,
  comes_last = 1,         // O1: those elsewhere arrive when all here have
  look_at_parked = 2,     // O2: and then look whether somebody is parked
  joins_when_begun = 4,   // O3: they join a region that has begun here
  look_after_telling = 8  // O4: the last one here looks at the barrier before it parks
};

struct setting {
  int barriers = 2;
  bool at_once = false;  // those elsewhere are there before, and the last one here lets all others go on
  bool crowded = false;  // members park without a look at the barrier, and get a permit from whoever lets them go on
};

enum step : std::int8_t {
  // leader: forks
  clear_joined,
  open_dock,
  say_begun,
  // member
  await_dock,
  // both
  report,
  tell,
  spin,
  set_parked,
  last_look,
  parked,
  // the region's end
  join,
  await_joined,
  // elsewhere
  far_begin,
  far_await,
  far_arrive,
  far_look,
  far_wake,
  far_join,
  finished,
};

struct actor {
  std::int8_t at = finished, round = 0, region = 0, permit = 0;
};

struct world {
  std::int8_t arrivals = 0, parked = 0, told = 0, joined = 0, epoch = 0, begun = 0, wrong = 0;
  std::int8_t came[here + 1] = {};  // at barriers, in all
  actor one[here + 1] = {{.at = clear_joined}, {.at = await_dock}, {.at = far_begin}};
};

class model {
 public:
  static constexpr int actors = here + 1, choices = 1;
  model(unsigned left_out, setting how) : without_(left_out), how_(how), barriers_(how.barriers) {}

  static std::string visit(const world& w) { return w.wrong == 1 ? early : w.wrong == 2 ? told_early : ""; }
  static std::string final(const world& w) {
    for (const actor& a : w.one)
      if (a.at != finished) return stuck;
    return {};
  }

  bool advance(world& w, int number, int) const {
    return number == here ? far(w, w.one[number]) : near(w, number, w.one[number]);
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }
  [[nodiscard]] int due(const actor& a) const { return (a.region * barriers_ + a.round + 1) * reports; }
  static bool goes(actor& me, std::int8_t next) { return me.at = next, true; }

  bool passes(world& w, actor& me) const {
    for (std::int8_t came : w.came)
      if (came < me.region * barriers_ + me.round + 1) w.wrong = 1;
    return goes(me, ++me.round < barriers_ ? report : join);
  }

  bool near(world& w, int number, actor& me) const {
    switch (static_cast<step>(me.at)) {
      case clear_joined:
        w.joined = 0;
        return goes(me, open_dock);
      case open_dock:
        ++w.epoch;
        return goes(me, say_begun);
      case say_begun:
        ++w.begun;
        return goes(me, barriers_ != 0 ? report : join);
      case await_dock:
        return w.epoch > me.region && goes(me, barriers_ != 0 ? report : join);

      case report:
        ++w.came[number];
        ++w.arrivals;
        if (w.arrivals == due(me)) {  // only where those elsewhere did not come last
          if (w.parked != 0) w.parked = 0, w.one[1 - number].permit = 1;
          return passes(w, me);
        }
        if (due(me) - w.arrivals == 1) return goes(me, tell);
        return goes(me, how_.crowded ? parked : spin);
      case tell:
        for (int i = 0; i < here; ++i)
          if (w.came[i] < me.region * barriers_ + me.round + 1) w.wrong = 2;
        ++w.told;
        if (how_.at_once) {
          ++w.came[here];
          ++w.arrivals;
          if (w.parked != 0 || how_.crowded) w.parked = 0, w.one[1 - number].permit = 1;
        }
        return goes(me, how_.crowded && !has(look_after_telling) ? parked : spin);
      case spin:
        return w.arrivals >= due(me) ? passes(w, me) : goes(me, set_parked);
      case set_parked:
        w.parked = 1;
        return goes(me, last_look);
      case last_look:
        return w.arrivals >= due(me) ? passes(w, me) : goes(me, parked);
      case parked:
        if (me.permit == 0) return false;
        me.permit = 0;
        return goes(me, spin);

      case join:
        if (number != 0) ++w.joined;
        return goes(me, await_joined);
      case await_joined:
        if (number == 0 && w.joined != joins) return false;
        me.round = 0;
        if (++me.region == regions) return goes(me, finished);
        return goes(me, number == 0 ? clear_joined : await_dock);
      default:
        return false;
    }
  }

  bool far(world& w, actor& me) const {
    switch (static_cast<step>(me.at)) {
      case far_begin:
        if (has(joins_when_begun)) return w.begun > me.region && goes(me, far_await);
        return goes(me, far_await);
      case far_await:
        if (me.round == barriers_) return goes(me, far_join);
        if (how_.at_once) {
          if (w.told <= me.region * barriers_ + me.round) return false;
          ++me.round;
          return true;
        }
        if (has(comes_last) && w.told <= me.region * barriers_ + me.round) return false;
        return goes(me, far_arrive);
      case far_arrive:
        ++w.came[here];
        ++w.arrivals;
        ++me.round;
        return goes(me, has(look_at_parked) ? far_look : far_await);
      case far_look:
        return goes(me, w.parked != 0 || how_.crowded ? far_wake : far_await);
      case far_wake:
        w.parked = 0;
        for (int i = 0; i < here; ++i) w.one[i].permit = 1;
        return goes(me, far_await);
      case far_join:
        ++w.joined;
        me.round = 0;
        return goes(me, ++me.region == regions ? finished : far_begin);
      default:
        return false;
    }
  }

  unsigned without_;
  setting how_;
  int barriers_;
};

std::string explore(unsigned left_out, setting how, std::size_t* worlds = nullptr) {
  return base::explore(world{}, model(left_out, how), worlds);
}

TEST(outside_model, leaves_nobody_behind) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(everything, {}, &worlds), "");
  EXPECT_GT(worlds, 1000u);
  EXPECT_EQ(explore(everything, {.barriers = 0}), "");
  EXPECT_EQ(explore(everything, {.at_once = true}), "");
  EXPECT_EQ(explore(everything, {.crowded = true}), "");
  EXPECT_EQ(explore(everything, {.at_once = true, .crowded = true}), "");
}

TEST(outside_model, needs_those_elsewhere_to_come_last) { EXPECT_EQ(explore(comes_last, {}), early); }
TEST(outside_model, needs_the_look_at_the_flag) { EXPECT_EQ(explore(look_at_parked, {}), stuck); }

TEST(outside_model, needs_the_region_to_have_begun) { EXPECT_EQ(explore(joins_when_begun, {.barriers = 0}), stuck); }

// A leader that was the last one here went to sleep at a barrier that it had completed itself.
TEST(outside_model, needs_the_last_one_here_to_look) {
  EXPECT_EQ(explore(look_after_telling, {.at_once = true, .crowded = true}), stuck);
}

}  // namespace
}  // namespace amity
