// Steps S4 and S5 of README.md as a model, as protocol_model_test.cpp has the others: two fibers at home on one
// carrier, and somebody who makes each of them ready once. A fiber that runs on top of another one never looks up
// again, as user code does that waits for it. What is shown: either that other one is not ready, or the monitor is
// armed. Each rule is left out in turn, and the model must find the fiber that nobody comes to.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amity/base/explore.hpp"

namespace amity {
namespace {

constexpr const char* buried = "a ready fiber is buried, and nobody is told";

constexpr int nobody = -1, fibers = 2;

enum rule : unsigned {
  everything = 0,
  look_beneath = 1,        // B2: the loop looks for others that are ready, once it runs one
  look_at_own_permit = 2,  // V3: a fiber that leaves for another looks at its own permit again
  look_who_leaves = 4,     // P4: the waker of a fiber that runs looks whether it leaves
  look_who_runs = 8,       // P5: the waker of a fiber looks whether another runs there
  leaving_first = 16,      // P4 before P5
};

enum step : std::int8_t {
  // the carrier, in fiber 0, which parks
  consume,
  tell_leaving,
  claim_next,
  look_at_permit,
  run_next,
  land,
  // in its loop
  to_loop,
  claim,
  run,
  look_at_others,
  in_user_code,
  // the waker, which makes fibers ready
  give_permit,
  first_read,
  second_read,
  done,
};

struct world {
  std::uint8_t ready = 0;
  std::uint8_t armed = 0;
  std::uint8_t claimed = 1;  // bits; fiber 0 runs at first
  std::int8_t running = 0, leaving = nobody;
  std::int8_t carrier_at = consume, next = nobody;
  struct {
    std::int8_t at = give_permit, leaving = nobody, running = nobody;
  } waker[fibers];
};

class model {
 public:
  static constexpr int actors = fibers + 1, choices = 1;
  explicit model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const world&) { return {}; }

  // Nobody can move.
  static std::string final(const world& w) {
    bool const is_buried = w.carrier_at == in_user_code && (w.ready & ~(1u << w.next)) != 0;
    return is_buried && w.armed == 0 ? buried : "";
  }

  bool advance(world& w, int actor, int) const {
    return actor == fibers ? advance_carrier(w) : advance_waker(w, actor);
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  // A fiber whose permit is there and whose context is saved; its claim is the carrier's then.
  static bool take(world& w) {
    for (int f = 0; f < fibers; ++f) {
      unsigned const bit = 1u << f;
      if ((w.ready & bit) == 0 || (w.claimed & bit) != 0) continue;
      w.ready = static_cast<std::uint8_t>(w.ready & ~bit);
      w.claimed = static_cast<std::uint8_t>(w.claimed | bit);
      w.next = static_cast<std::int8_t>(f);
      return true;
    }
    return false;
  }

  bool advance_carrier(world& w) const {
    switch (static_cast<step>(w.carrier_at)) {
      case consume:  // it finds its permit: it goes on, and parks for good the next time
        w.carrier_at = (w.ready & 1) != 0 ? consume : tell_leaving;
        if ((w.ready & 1) == 0) return true;
        w.ready = static_cast<std::uint8_t>(w.ready & ~1u);
        return true;
      case tell_leaving:  // V1
        w.leaving = 0;
        w.carrier_at = claim_next;
        return true;
      case claim_next:  // V2
        w.carrier_at = take(w) ? look_at_permit : to_loop;
        return true;
      case look_at_permit:  // V3
        if ((w.ready & 1) != 0 && has(look_at_own_permit)) w.armed = 1;
        w.carrier_at = run_next;
        return true;
      case run_next:  // V4
        w.running = w.next;
        w.carrier_at = land;
        return true;
      case land:  // V5
        w.leaving = nobody;
        w.claimed = static_cast<std::uint8_t>(w.claimed & ~1u);
        w.carrier_at = in_user_code;
        return true;
      case to_loop:
        w.running = nobody;
        w.leaving = nobody;
        w.claimed = static_cast<std::uint8_t>(w.claimed & ~1u);
        w.carrier_at = claim;
        return true;
      case claim:
        if (!take(w)) return false;
        w.carrier_at = run;
        return true;
      case run:  // B1
        w.running = w.next;
        w.carrier_at = look_at_others;
        return true;
      case look_at_others:  // B2
        if (w.ready != 0 && has(look_beneath)) w.armed = 1;
        w.carrier_at = in_user_code;
        return true;
      default:
        return false;
    }
  }

  bool advance_waker(world& w, int f) const {
    auto& me = w.waker[f];
    switch (static_cast<step>(me.at)) {
      case give_permit:  // P1
        w.ready = static_cast<std::uint8_t>(w.ready | 1u << f);
        me.at = first_read;
        return true;
      case first_read:
        (has(leaving_first) ? me.leaving : me.running) = has(leaving_first) ? w.leaving : w.running;
        me.at = second_read;
        return true;
      case second_read: {
        (has(leaving_first) ? me.running : me.leaving) = has(leaving_first) ? w.running : w.leaving;
        bool const another = me.running != nobody && me.running != f;
        bool const leaves = me.running == f && me.leaving == f;
        if ((another && has(look_who_runs)) || (leaves && has(look_who_leaves))) w.armed = 1;
        me.at = done;
        return true;
      }
      default:
        return false;
    }
  }

  unsigned without_;
};

std::string explore(unsigned left_out) { return base::explore(world(), model(left_out)); }

TEST(burial_model, tells_the_monitor_of_every_ready_fiber_beneath_another) {
  std::size_t worlds = 0;
  EXPECT_EQ(base::explore(world(), model(everything), &worlds), "");
  EXPECT_GT(worlds, 50u);
}

TEST(burial_model, needs_the_look_beneath_what_the_loop_runs) { EXPECT_EQ(explore(look_beneath), buried); }

TEST(burial_model, needs_the_look_at_the_own_permit) { EXPECT_EQ(explore(look_at_own_permit), buried); }

TEST(burial_model, needs_the_look_at_who_leaves) { EXPECT_EQ(explore(look_who_leaves), buried); }

TEST(burial_model, needs_the_look_at_who_runs) { EXPECT_EQ(explore(look_who_runs), buried); }

TEST(burial_model, needs_the_look_at_who_leaves_first) { EXPECT_EQ(explore(leaving_first), buried); }

}  // namespace
}  // namespace amity
