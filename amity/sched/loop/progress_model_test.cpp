// The protocol of sources of progress (README-progress.md, E1 to E4) as a model: each step is one atomic operation or
// one look of a library's, and every order of the steps is gone through. A carrier polls, arms and sleeps; a fiber
// elsewhere polls once, before it parks; two events come at any time; the monitor looks at any time while it watches.
// What is shown: when nobody can move, nothing is left that has come. Each rule is left out in turn, and the model must
// find what is left: so the rules are needed, and the model can see.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amity/base/explore.hpp"

namespace {

enum rule : unsigned {
  everything = 0,
  armed_first = 1,      // E1: `armed` is set before the source looks whether there is something
  look_when_armed = 2,  // E1: it looks at all
  look_again = 4,       // E2: the carrier looks at `armed` once it has said that it sleeps
  clear_first = 8,      // E2: `armed` is cleared before the look at who sleeps
  disarm = 16,          // E4: a poll that has taken something clears `armed`
  watch = 32,           // E4: and the monitor watches then
  own_wakes = 64,       // E3: the monitor, which sleeps on events too, takes no wake of the attendant's
};

// announced: those that bring something say so (announce_progress). library: its descriptor tells of the first event
// after it was armed, and of no other; to poll it takes what the descriptor has told of.
enum class source { announced, library };

enum step : std::int8_t {
  // the carrier
  poll,
  set_armed,
  look_for_more,
  arm_late,
  set_asleep,
  look_at_armed,
  asleep,
  // an event
  come,
  tell,
  look_who_sleeps,
  // the fiber elsewhere
  poll_once,
  ended,
};

struct world {
  std::int8_t has = 0, armed = 0, is_asleep = 0, watches = 0;
  std::int8_t tells_next = 0, readable = 0;
  std::int8_t wake = 0;  // the eventfd: the attendant's sleep ends
  std::int8_t arms = 0;  // the carrier holds the lock of those who poll
  std::int8_t at[5] = {poll, come, come, poll_once, 0};
};

class model {
 public:
  static constexpr int actors = 5, choices = 1;  // the carrier, two events, the fiber, the monitor

  model(source kind, unsigned left_out) : kind_(kind), without_(left_out) {}

  [[nodiscard]] std::string visit(const world&) const { return {}; }
  [[nodiscard]] std::string final(const world& w) const { return w.has != 0 ? "what has come is left" : ""; }

  bool advance(world& w, int actor, int) const {
    switch (actor) {
      case 0:
        return carrier(w);
      case 1:
      case 2:
        return event(w, w.at[actor]);
      case 3:
        return fiber(w);
      default:
        return monitor(w);
    }
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  void take(world& w) const {
    w.has = 0;
    w.readable = 0;
    if (has(disarm)) w.armed = 0;
    if (has(watch)) w.watches = 1;
  }

  bool carrier(world& w) const {
    std::int8_t& at = w.at[0];
    switch (at) {
      case poll:
        if (w.has != 0)
          take(w);
        else
          at = w.armed != 0 ? set_asleep : has(armed_first) ? set_armed : look_for_more;
        return true;
      case set_armed:
        w.armed = 1;
        w.arms = 1;
        at = look_for_more;
        return true;
      case look_for_more:
        w.arms = 1;
        if (w.has != 0 && has(look_when_armed)) {
          w.armed = 0;
          w.arms = 0;
          at = poll;
        } else if (!has(armed_first)) {
          at = arm_late;
        } else {
          w.tells_next = 1;
          w.arms = 0;
          at = set_asleep;
        }
        return true;
      case arm_late:
        w.armed = w.tells_next = 1;
        w.arms = 0;
        at = set_asleep;
        return true;
      case set_asleep:
        w.is_asleep = 1;
        at = has(look_again) ? look_at_armed : asleep;
        return true;
      case look_at_armed:
        if (w.armed == 0) w.is_asleep = 0;
        at = w.armed == 0 ? poll : asleep;
        return true;
      default:
        if (kind_ == source::library && w.readable != 0) {  // the attendant takes what the kernel has told
          w.readable = 0;
          w.armed = 0;
        } else if (w.wake != 0) {
          w.wake = 0;
        } else {
          return false;
        }
        w.is_asleep = 0;
        at = poll;
        return true;
    }
  }

  bool event(world& w, std::int8_t& at) const {
    switch (at) {
      case come:
        w.has = 1;
        at = ended;
        if (kind_ == source::announced) at = has(clear_first) ? tell : look_who_sleeps;
        if (kind_ == source::library && w.tells_next != 0) {
          w.tells_next = 0;
          w.readable = 1;
        }
        return true;
      case tell:
        at = w.armed != 0 && has(clear_first) ? look_who_sleeps : ended;
        w.armed = 0;
        return true;
      case look_who_sleeps:
        wake_carrier(w);
        at = has(clear_first) ? ended : tell;
        return true;
      default:
        return false;
    }
  }

  bool fiber(world& w) const {
    if (w.at[3] != poll_once || w.arms != 0) return false;
    if (w.has != 0) take(w);
    w.at[3] = ended;
    return true;
  }

  // The thread that takes `asleep` back writes to the eventfd.
  static void wake_carrier(world& w) {
    if (w.is_asleep == 0) return;
    w.is_asleep = 0;
    w.wake = 1;
  }

  bool monitor(world& w) const {
    if (!has(own_wakes) && w.wake != 0) {  // it sleeps on the events as well, and is faster
      w.wake = 0;
      return true;
    }
    if (w.watches == 0 || w.is_asleep == 0 || w.armed != 0) return false;
    wake_carrier(w);
    return true;
  }

  source kind_;
  unsigned without_;
};

std::string outcome(source kind, unsigned left_out) { return amity::base::explore(world{}, model(kind, left_out)); }

TEST(ProgressModel, NothingIsLeft) {
  EXPECT_EQ(outcome(source::announced, everything), "");
  EXPECT_EQ(outcome(source::library, everything), "");
}

TEST(ProgressModel, EachRuleIsNeeded) {
  EXPECT_NE(outcome(source::announced, armed_first), "");
  EXPECT_NE(outcome(source::announced, look_when_armed), "");
  EXPECT_NE(outcome(source::library, look_when_armed), "");
  EXPECT_NE(outcome(source::announced, look_again), "");
  EXPECT_NE(outcome(source::announced, clear_first), "");
  EXPECT_NE(outcome(source::library, disarm), "");
  EXPECT_NE(outcome(source::library, watch), "");
  EXPECT_NE(outcome(source::announced, own_wakes), "");
}

}  // namespace
