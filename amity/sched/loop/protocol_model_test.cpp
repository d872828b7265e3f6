// The protocol of README.md as a model: each step is one atomic operation, and every order of the steps is tried. Two
// carriers, A at home to all fibers and B which helps; unparkers that give permits. What is shown: no permit is left
// when everybody sleeps, and no fiber runs twice at once. Each rule of the protocol is then left out in turn, and the
// model must find what goes wrong: so the rules are needed, and the model can see.
//
// The model is sequentially consistent, as the operations are that the proofs speak of. It does not show that the
// orders of the others suffice; ThreadSanitizer and park_test look there.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

namespace {

constexpr int carriers = 2, home = 0, fibers = 2, unparkers = 2;
constexpr int nobody = -1;

// What may be left out.
enum rule : unsigned {
  everything = 0,
  second_look_at_chain = 1,  // S1, Q2
  look_before_sleep = 2,     // S2, A2
  publish_when_landing = 4,  // S3, L2 on another carrier than the home
  claim_beside_permit = 8,   // C2
  permit_back = 16,          // what C1 took is given back when C2 fails
};

// What B does when the fiber that it ran has parked.
enum class helper { looks_on, goes_away };  // away: a guest whose own wait is over, a shell

// Where an actor is. A publisher is a subroutine: it returns to `back`.
enum step : std::int8_t {
  // unparker
  give_permit,
  ended,
  // publish
  read_summary,
  set_summary,
  read_asleep,
  wake_home,
  // a carrier looks for a fiber
  look,
  look_claimed,
  take_permit,
  take_claim,
  put_permit_back,
  chain_empty,
  clear_summary,
  look_again,
  restore_summary,
  // it sleeps
  set_asleep,
  sight_summary,
  sight_ready,
  sight_claimed,
  stay_awake,
  futex,
  asleep,
  // it runs a fiber, which parks
  run,
  consume,
  release_claim,
  look_at_permit,
};

struct actor {
  std::int8_t at = ended, back = ended, fiber = 0;
  std::uint8_t seen = 0;  // a snapshot of `ready`
};

struct world {
  std::uint8_t ready = 0, summary = 0;
  std::uint8_t is_asleep[carriers] = {};
  std::uint8_t claimed[fibers] = {};
  std::uint8_t times_running[fibers] = {};
  std::uint8_t owed[fibers] = {};  // a permit was given, and the fiber has not run or looked since
  actor actors[carriers + unparkers];
};

class model {
 public:
  explicit model(unsigned left_out, helper b = helper::goes_away) : without_(left_out), b_(b) {}

  // What went wrong first, or nothing.
  std::string explore() {
    world w;
    for (int c = 0; c < carriers; ++c) w.actors[c].at = look;
    for (int u = 0; u < unparkers; ++u)
      w.actors[carriers + u] = {give_permit, ended, static_cast<std::int8_t>(u % fibers), 0};
    visit(w);
    w.actors[carriers + 1].fiber = 0;  // both wake the same one
    visit(w);
    while (!to_do_.empty() && wrong_.empty()) {
      const world now = to_do_.back();
      to_do_.pop_back();
      bool moved = false;
      for (int a = 0; a < carriers + unparkers; ++a) {
        world next = now;
        if (!advance(next, a)) continue;
        moved = true;
        visit(next);
      }
      if (!moved && now.ready != 0) wrong_ = "everybody sleeps, and a permit is left";
      if (!moved && now.ready == 0 && (now.owed[0] | now.owed[1]) != 0) wrong_ = "a wake is lost";
    }
    return wrong_;
  }

  [[nodiscard]] std::size_t worlds() const { return seen_.size(); }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  [[nodiscard]] std::int8_t after_fiber() const { return b_ == helper::looks_on ? look : ended; }

  void visit(const world& w) {
    for (int f = 0; f < fibers; ++f)
      if (w.times_running[f] > 1) wrong_ = "a fiber runs on two carriers";
    std::string key(sizeof w, '\0');
    std::memcpy(key.data(), &w, sizeof w);
    if (seen_.insert(key).second) to_do_.push_back(w);
  }

  static void publish(actor& me, std::int8_t then) {
    me.at = read_summary;
    me.back = then;
  }

  // The lowest fiber of the snapshot, which loses it; or on to `otherwise`.
  static void next_of_snapshot(actor& me, std::int8_t with_one, std::int8_t otherwise) {
    if (me.seen == 0) {
      me.at = otherwise;
      return;
    }
    me.fiber = static_cast<std::int8_t>(__builtin_ctz(me.seen));
    me.seen = static_cast<std::uint8_t>(me.seen & (me.seen - 1));
    me.at = with_one;
  }

  // One atomic operation of the actor. False: it can't move.
  bool advance(world& w, int number) const {
    actor& me = w.actors[number];
    const auto bit = static_cast<std::uint8_t>(1u << me.fiber);
    switch (static_cast<step>(me.at)) {
      case give_permit:  // P1
        w.ready |= bit;
        w.owed[me.fiber] = 1;
        publish(me, ended);
        return true;
      case ended:
        return false;

      case read_summary:  // P2
        me.at = w.summary != 0 ? read_asleep : set_summary;
        return true;
      case set_summary:
        w.summary = 1;
        me.at = read_asleep;
        return true;
      case read_asleep:  // P3
        me.at = w.is_asleep[home] != 0 ? static_cast<std::int8_t>(wake_home) : me.back;
        return true;
      case wake_home:
        w.is_asleep[home] = 0;
        me.at = me.back;
        return true;

      case look:
        me.seen = w.summary != 0 ? w.ready : 0;
        next_of_snapshot(me, look_claimed, w.summary != 0 ? chain_empty : set_asleep);
        return true;
      case look_claimed:
        if (w.claimed[me.fiber] == 0)
          me.at = take_permit;
        else
          next_of_snapshot(me, look_claimed, chain_empty);
        return true;
      case take_permit:  // C1
        if ((w.ready & bit) == 0) {
          next_of_snapshot(me, look_claimed, chain_empty);
          return true;
        }
        w.ready = static_cast<std::uint8_t>(w.ready & ~bit);
        me.at = take_claim;
        return true;
      case take_claim:  // C2
        if (w.claimed[me.fiber] != 0 && has(claim_beside_permit)) {
          me.at = has(permit_back) ? put_permit_back : look;
          return true;
        }
        w.claimed[me.fiber] = 1;
        ++w.times_running[me.fiber];
        w.owed[me.fiber] = 0;
        me.at = run;
        return true;
      case put_permit_back:
        w.ready |= bit;
        publish(me, look);
        return true;
      case chain_empty:
        me.at = w.ready != 0 ? set_asleep : clear_summary;  // ready, but not claimable: look on, then sleep
        return true;
      case clear_summary:  // Q1
        w.summary = 0;
        me.at = has(second_look_at_chain) ? look_again : set_asleep;
        return true;
      case look_again:  // Q2
        me.at = w.ready != 0 ? restore_summary : set_asleep;
        return true;
      case restore_summary:
        w.summary = 1;
        me.at = set_asleep;
        return true;

      case set_asleep:  // A1
        w.is_asleep[number] = 1;
        me.at = has(look_before_sleep) ? sight_summary : futex;
        return true;
      case sight_summary:  // A2
        me.at = w.summary != 0 ? sight_ready : futex;
        return true;
      case sight_ready:
        me.seen = w.ready;
        next_of_snapshot(me, sight_claimed, futex);
        return true;
      case sight_claimed:
        if (w.claimed[me.fiber] == 0)
          me.at = stay_awake;
        else
          next_of_snapshot(me, sight_claimed, futex);
        return true;
      case stay_awake:
        w.is_asleep[number] = 0;
        me.at = look;
        return true;
      case futex:
        me.at = w.is_asleep[number] != 0 ? asleep : look;
        return true;
      case asleep:
        if (w.is_asleep[number] != 0) return false;
        me.at = look;
        return true;

      case run:  // the fiber parks: is its permit there again?
        me.at = (w.ready & bit) != 0 ? consume : release_claim;
        return true;
      case consume:
        w.ready = static_cast<std::uint8_t>(w.ready & ~bit);
        w.owed[me.fiber] = 0;
        me.at = run;
        return true;
      case release_claim:  // L1
        --w.times_running[me.fiber];
        w.claimed[me.fiber] = 0;
        if (number == home)
          me.at = look;  // it looks before it sleeps
        else
          me.at = has(publish_when_landing) ? static_cast<std::int8_t>(look_at_permit) : after_fiber();
        return true;
      case look_at_permit:  // L2
        if ((w.ready & bit) != 0)
          publish(me, after_fiber());
        else
          me.at = after_fiber();
        return true;
    }
    return false;
  }

  unsigned without_;
  helper b_;
  std::string wrong_;
  std::unordered_set<std::string> seen_;
  std::vector<world> to_do_;
};

TEST(protocol_model, loses_no_permit_and_runs_no_fiber_twice) {
  for (helper b : {helper::looks_on, helper::goes_away}) {
    model all(everything, b);
    EXPECT_EQ(all.explore(), "");
    EXPECT_GT(all.worlds(), 5000u);
  }
}

TEST(protocol_model, needs_the_second_look_at_the_chain) {
  EXPECT_EQ(model(second_look_at_chain).explore(), "everybody sleeps, and a permit is left");
}

TEST(protocol_model, needs_the_look_before_sleep) {
  EXPECT_EQ(model(look_before_sleep).explore(), "everybody sleeps, and a permit is left");
}

TEST(protocol_model, needs_the_publication_when_landing_elsewhere) {
  EXPECT_EQ(model(publish_when_landing).explore(), "everybody sleeps, and a permit is left");
}

TEST(protocol_model, needs_the_claim_beside_the_permit) {
  EXPECT_EQ(model(claim_beside_permit).explore(), "a fiber runs on two carriers");
}

TEST(protocol_model, needs_the_permit_back_after_a_failed_claim) {
  EXPECT_EQ(model(permit_back).explore(), "a wake is lost");
}

}  // namespace
