// Steps S4 and S5 of README.md as a model, as protocol_model_test.cpp has the others: two fibers at home on one
// carrier, and somebody who makes each of them ready once. A fiber that runs on top of another one never looks up
// again, as user code does that waits for it. What is shown: either that other one is not ready, or the monitor is
// armed. Each rule is left out in turn, and the model must find the fiber that nobody comes to.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

namespace {

constexpr int nobody = -1, fibers = 2;

enum rule : unsigned {
  everything = 0,
  look_beneath = 1,        // B2: the loop looks for others that are ready, once it runs one
  look_at_own_permit = 2,  // L3: who leaves for another looks at its own permit again
  look_who_leaves = 4,     // P4: who wakes the one that runs looks whether it leaves
  look_who_runs = 8,       // P5: who wakes one looks whether another runs there
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
  // who makes fibers ready
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
  explicit model(unsigned left_out) : without_(left_out) {}

  // What went wrong first, or nothing.
  std::string explore() {
    visit(world());
    while (!to_do_.empty() && wrong_.empty()) {
      const world now = to_do_.back();
      to_do_.pop_back();
      bool moved = false;
      for (int actor = 0; actor <= fibers; ++actor) {
        world next = now;
        if (!(actor == fibers ? advance_carrier(next) : advance_waker(next, actor))) continue;
        moved = true;
        visit(next);
      }
      bool const buried = now.carrier_at == in_user_code && (now.ready & ~(1u << now.next)) != 0;
      if (!moved && buried && now.armed == 0) wrong_ = "a ready fiber is buried, and nobody is told";
    }
    return wrong_;
  }

  [[nodiscard]] std::size_t worlds() const { return seen_.size(); }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  void visit(const world& w) {
    std::string key(sizeof w, '\0');
    std::memcpy(key.data(), &w, sizeof w);
    if (seen_.insert(key).second) to_do_.push_back(w);
  }

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
      case tell_leaving:  // L1
        w.leaving = 0;
        w.carrier_at = claim_next;
        return true;
      case claim_next:  // L2
        w.carrier_at = take(w) ? look_at_permit : to_loop;
        return true;
      case look_at_permit:  // L3
        if ((w.ready & 1) != 0 && has(look_at_own_permit)) w.armed = 1;
        w.carrier_at = run_next;
        return true;
      case run_next:  // L4
        w.running = w.next;
        w.carrier_at = land;
        return true;
      case land:  // L5
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
  std::string wrong_;
  std::unordered_set<std::string> seen_;
  std::vector<world> to_do_;
};

constexpr const char* buried = "a ready fiber is buried, and nobody is told";

TEST(burial_model, tells_the_monitor_of_every_ready_fiber_beneath_another) {
  model all(everything);
  EXPECT_EQ(all.explore(), "");
  EXPECT_GT(all.worlds(), 50u);
}

TEST(burial_model, needs_the_look_beneath_what_the_loop_runs) { EXPECT_EQ(model(look_beneath).explore(), buried); }

TEST(burial_model, needs_the_look_at_the_own_permit) { EXPECT_EQ(model(look_at_own_permit).explore(), buried); }

TEST(burial_model, needs_the_look_at_who_leaves) { EXPECT_EQ(model(look_who_leaves).explore(), buried); }

TEST(burial_model, needs_the_look_at_who_runs) { EXPECT_EQ(model(look_who_runs).explore(), buried); }

TEST(burial_model, needs_the_look_at_who_leaves_first) { EXPECT_EQ(model(leaving_first).explore(), buried); }

}  // namespace
