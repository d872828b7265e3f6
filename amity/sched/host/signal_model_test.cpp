// The hand-over of signals (README.md, "A signal for a thread", H1 to H7) as a model: each step is one atomic
// operation, and every order of the steps is tried. One fiber of the shell pool, to which two threads send a signal
// each, and to which somebody may give a seat and work meanwhile; two carriers, A which is the fiber's own and home,
// and B. What is shown: no signal and no wake is lost, and the fiber never runs on two carriers. Each rule is left out
// in turn, and the model must find what goes wrong.
//
// The model is sequentially consistent. Where a thread sends and another lands, that is what the barrier makes of it
// which all threads pass.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "amity/base/explore.hpp"

namespace amity {
namespace {

constexpr const char* left = "everybody rests, and a signal is left";
constexpr const char* lost = "everybody rests, and a signal is left that nobody knows of";
constexpr const char* no_wake = "a wake is lost";
constexpr const char* twice = "the fiber runs on two carriers";

constexpr int nobody = -1, carriers = 2, native = 0, senders = 2;
constexpr int that_fiber = 0, another = 1;  // what a carrier runs

enum rule : unsigned {
  everything = 0,
  signal_before_flag = 1,    // H1: the sender leaves the signal, then sets the flag
  flag_before_signals = 2,   // H2: the fiber clears the flag, then takes the signals
  claim_first = 4,           // H3: only who has the claim hands the fiber over
  look_at_hand_over = 8,     // H4: a carrier looks at `signalled` between `asleep` and its sleep
  wake_who_sleeps = 16,      // H4: the sender wakes the carrier if it sleeps
  one_takes_it_out = 32,     // H5: one exchange gets what lies in `signalled`
  publish_after_claim = 64,  // H5: who takes it back looks at the permit when the claim is given up
  take_it_back = 128,        // H6: the monitor does, from a carrier that runs another
  leave_it_in_loop = 256,    // H6: nobody does from a carrier in its loop
  look_when_landing = 512,   // H7: the carrier looks at the flag when the fiber has landed
  flag_after_claim = 1024,   // H3: who has the claim looks at the flag again
};

// Whether A may begin with another fiber, and how long that lasts.
enum class other_work : std::int8_t { none, ends, never_ends };

struct setting {
  bool monitor = true;  // there is one, which looks whenever it could do something
  other_work of_a = other_work::never_ends;
  bool seat = true;    // somebody takes the fiber from the pool, and gives it work
  int sent = senders;  // signals
};

enum step : std::int8_t {
  // a carrier looks for a fiber
  look_signalled,
  take_signalled,
  look_permit,
  take_permit,
  take_claim,
  // it sleeps
  set_asleep,
  sight_signalled,
  sight_permit,
  futex,
  asleep,
  // it runs the fiber, which takes its signals, works and parks
  run,
  arrive,
  take_all,
  work,
  leave,
  land,
  look_at_flag,
  look_at_permit,
  // it runs another
  away,
  // a sender, or the monitor
  leave_signal,
  set_flag,
  look_claimed,
  round_claim,
  round_look,
  round_choose,
  round_put,
  round_wake,
  look_running,
  take_back,
  // give up a claim, or give a permit
  drop_claim,
  drop_look,
  give_permit,
  read_asleep,
  wake_home,
  wake_free,
  // somebody takes the fiber from the pool
  assign,
  done,
};

struct actor {
  std::int8_t at = done, back = done;
  std::int8_t own = 0;  // what it saw, or which carrier it found
};

struct world {
  std::int8_t due = 0, signals = 0, claimed = 0, seat = 0, permit = 0, owed = 0;
  std::int8_t on = native;  // the carrier that has it or had it last
  std::int8_t signalled[carriers] = {};
  std::int8_t asleep[carriers] = {};
  std::int8_t running[carriers] = {nobody, nobody};
  std::int8_t times_running = 0;
  std::int8_t interrupted = 0;  // the runtime's signal is on its way to the thread that carries the fiber
  std::int8_t asked = 0;        // the fiber has landed with signals, without a seat: the monitor sends it round
  actor actors[carriers + senders + 2];
};
constexpr int monitor_at = carriers + senders, user_at = monitor_at + 1;

class model {
 public:
  static constexpr int actors = carriers + senders + 2, choices = 2;
  explicit model(unsigned left_out, setting how) : without_(left_out), how_(how) {}

  static std::string visit(const world& w) { return w.times_running > 1 ? twice : ""; }

  // Nobody can move.
  [[nodiscard]] std::string final(const world& w) const {
    if (w.signals != 0 && w.due == 0) return lost;
    if (w.signals != 0 && (how_.monitor || w.asked == 0)) return left;
    // One that lies ready beneath what A runs for good is another matter (loop/README.md, S4).
    bool const is_ready = w.permit != 0 && w.claimed == 0;
    if (w.owed != 0 && !(is_ready && w.running[native] == another)) return no_wake;
    return {};
  }

  bool advance(world& w, int number, int choice) const {
    actor& me = w.actors[number];
    if (number == monitor_at && me.at == done) return begin_look(w, me, choice);
    bool const may_go_away = number == native && how_.of_a != other_work::none && me.at == look_signalled;
    if (choice == 1 && !may_go_away) return false;
    if (choice == 1) {
      w.running[native] = another;
      me.at = away;
      return true;
    }
    return number < carriers ? advance_carrier(w, number) : advance_other(w, number);
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  // The monitor looks again and again. What counts is a look that does something: else the world is the same after it.
  [[nodiscard]] bool begin_look(const world& w, actor& me, int choice) const {
    if (choice != 0 || !how_.monitor || w.due == 0) return false;
    bool const takes_back = w.signalled[w.on] != 0 && w.running[w.on] == another && has(take_it_back);
    if (w.claimed != 0 && w.running[w.on] != that_fiber && !takes_back) return false;
    me.at = look_claimed;
    return true;
  }

  // As free_carrier: the fiber's own; if that runs another fiber, that one's own, which is B.
  static int free_carrier(const world& w) {
    if (w.asleep[native] != 0 || w.running[native] == nobody) return native;
    if (w.running[native] == that_fiber) return nobody;
    return w.asleep[1] != 0 || w.running[1] == nobody ? 1 : nobody;
  }

  // What an actor has seen counts for the next step only: worlds that differ in it no more are the same.
  static bool goes(actor& me, std::int8_t next) {
    bool const keeps = next == take_claim || next == take_all || next == round_put || next == round_wake ||
                       next == take_back || next == drop_claim;
    me.at = next;
    if (!keeps) me.own = 0;
    return true;
  }
  // A permit was given: the home is woken, then back.
  static bool publishes(actor& me, std::int8_t back) {
    me.back = back;
    return goes(me, read_asleep);
  }

  bool advance_carrier(world& w, int number) const {
    actor& me = w.actors[number];
    switch (static_cast<step>(me.at)) {
      case look_signalled:
        return goes(me, w.signalled[number] != 0 ? take_signalled : look_permit);
      case take_signalled: {  // H5
        bool const got = w.signalled[number] != 0 || !has(one_takes_it_out);
        w.signalled[number] = 0;
        return goes(me, got ? run : look_signalled);
      }
      case look_permit:
        return goes(me, w.permit != 0 && w.claimed == 0 ? take_permit : set_asleep);
      case take_permit:  // C1
        me.own = w.permit;
        w.permit = 0;
        return goes(me, me.own != 0 ? take_claim : look_signalled);
      case take_claim:  // C2
        if (w.claimed != 0) {
          w.permit = 1;
          return publishes(me, look_signalled);
        }
        w.claimed = 1;
        w.on = static_cast<std::int8_t>(number);
        return goes(me, run);

      case set_asleep:  // A1
        w.asleep[number] = 1;
        return goes(me, has(look_at_hand_over) ? sight_signalled : sight_permit);
      case sight_signalled:  // H4
        if (w.signalled[number] == 0) return goes(me, sight_permit);
        w.asleep[number] = 0;
        return goes(me, look_signalled);
      case sight_permit:  // A2
        if (w.permit == 0 || w.claimed != 0) return goes(me, futex);
        w.asleep[number] = 0;
        return goes(me, look_signalled);
      case futex:
        return goes(me, w.asleep[number] != 0 ? asleep : look_signalled);
      case asleep:
        return w.asleep[number] == 0 && goes(me, look_signalled);

      case run:
        w.running[number] = that_fiber;
        ++w.times_running;
        return goes(me, arrive);
      case arrive:  // H2, first half; or the second before it
        if (has(flag_before_signals)) {
          me.own = w.due;
          w.due = 0;
        } else {
          me.own = w.due;
          if (me.own != 0) w.signals = 0;
        }
        return goes(me, me.own != 0 ? take_all : work);
      case take_all:
        if (has(flag_before_signals))
          w.signals = 0;
        else
          w.due = 0;
        return goes(me, work);
      case work:  // the signal of the runtime comes, or the fiber does what it has a permit for, or it parks
        if (w.interrupted != 0) {
          w.interrupted = 0;
          return goes(me, arrive);
        }
        w.owed = 0;  // what it was given to do is done by whoever runs it
        if (w.permit != 0) {
          w.permit = 0;
          return true;
        }
        return goes(me, leave);
      case leave:
        w.running[number] = nobody;
        w.interrupted = 0;  // its handler finds another, or nobody
        --w.times_running;
        return goes(me, land);
      case land:  // L1
        w.claimed = 0;
        return goes(me, has(look_when_landing) ? look_at_flag : look_at_permit);
      case look_at_flag:  // H7
        if (w.due == 0) return goes(me, look_at_permit);
        if (w.seat == 0) {
          w.asked = 1;
          return goes(me, look_signalled);
        }
        w.permit = 1;
        return publishes(me, wake_free);
      case look_at_permit:  // L2
        return w.permit != 0 ? publishes(me, look_signalled) : goes(me, look_signalled);
      case away:
        if (how_.of_a == other_work::never_ends) return false;
        w.running[number] = nobody;
        return goes(me, look_signalled);
      default:
        return advance_common(w, me, look_signalled);
    }
  }

  bool advance_other(world& w, int number) const {
    actor& me = w.actors[number];
    switch (static_cast<step>(me.at)) {
      case leave_signal:  // H1
        if (has(signal_before_flag))
          w.signals = static_cast<std::int8_t>(w.signals | 1 << (number - carriers));
        else
          w.due = 1;
        return goes(me, set_flag);
      case set_flag:
        if (has(signal_before_flag))
          w.due = 1;
        else
          w.signals = static_cast<std::int8_t>(w.signals | 1 << (number - carriers));
        return goes(me, look_claimed);
      case look_claimed:
        if (w.due == 0) return goes(me, done);
        if (w.claimed != 0) return goes(me, look_running);
        if (w.seat == 0) return goes(me, round_claim);
        w.permit = 1;  // wake_for_signal
        return publishes(me, wake_free);

      case round_claim:  // H3
        if (w.claimed != 0 && has(claim_first)) return goes(me, done);
        w.claimed = 1;
        return goes(me, has(flag_after_claim) ? round_look : round_choose);
      case round_look:
        return goes(me, w.due != 0 ? round_choose : drop_claim);
      case round_choose:
        me.own = static_cast<std::int8_t>(free_carrier(w));
        w.on = me.own != nobody ? me.own : native;
        return goes(me, me.own != nobody ? round_put : drop_claim);
      case round_put:
        if (w.signalled[me.own] != 0) return goes(me, drop_claim);
        w.signalled[me.own] = 1;
        return goes(me, has(wake_who_sleeps) ? round_wake : done);
      case round_wake:  // H4
        w.asleep[me.own] = 0;
        return goes(me, done);

      case look_running: {
        if (w.running[w.on] == that_fiber) {
          w.interrupted = 1;  // signal_running
          return goes(me, done);
        }
        me.own = w.on;
        bool const keeps_it = w.running[me.own] == nobody && has(leave_it_in_loop);
        return goes(me, keeps_it || !has(take_it_back) ? done : take_back);
      }
      case take_back:  // H6
        if (w.signalled[me.own] == 0) return goes(me, done);
        w.signalled[me.own] = 0;
        return goes(me, drop_claim);

      case assign:
        w.seat = 1;
        w.owed = 1;
        return goes(me, give_permit);
      case give_permit:  // P1
        w.permit = 1;
        return publishes(me, done);
      default:
        return advance_common(w, me, done);
    }
  }

  // What carriers and others do alike; then on to `then`.
  bool advance_common(world& w, actor& me, std::int8_t then) const {
    switch (static_cast<step>(me.at)) {
      case drop_claim:  // as L1
        w.claimed = 0;
        return goes(me, has(publish_after_claim) ? static_cast<std::int8_t>(drop_look) : then);
      case drop_look:  // as L2
        return w.permit != 0 ? publishes(me, then) : goes(me, then);
      case read_asleep:  // P3
        if (w.asleep[native] != 0) return goes(me, wake_home);
        return goes(me, std::exchange(me.back, done));
      case wake_home:
        w.asleep[native] = 0;
        return goes(me, std::exchange(me.back, done));
      case wake_free: {  // send_to_own_threads
        int const c = free_carrier(w);
        if (c != nobody) w.asleep[c] = 0;
        return goes(me, then);
      }
      default:
        return false;
    }
  }

  unsigned without_;
  setting how_;
};

world begin(setting how) {
  world w;
  for (int c = 0; c < carriers; ++c) w.actors[c].at = look_signalled;
  for (int s = 0; s < how.sent; ++s) w.actors[carriers + s].at = leave_signal;
  if (how.seat) w.actors[user_at].at = assign;
  return w;
}

std::string explore(unsigned left_out, setting how, std::size_t* worlds = nullptr) {
  return base::explore(begin(how), model(left_out, how), worlds);
}

// Small worlds: more at a time are millions.
constexpr setting beside_the_monitor = {.monitor = true, .of_a = other_work::never_ends, .seat = true, .sent = 1};
constexpr setting two_beside_the_monitor = {.monitor = true, .of_a = other_work::never_ends, .seat = false, .sent = 2};
constexpr setting a_comes_back = {.monitor = true, .of_a = other_work::ends, .seat = true, .sent = 1};
constexpr setting at_once = {.monitor = false, .of_a = other_work::none, .seat = true, .sent = 1};
constexpr setting two_at_once = {.monitor = false, .of_a = other_work::none, .seat = false, .sent = 2};

TEST(signal_model, loses_no_signal_and_no_wake) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(everything, beside_the_monitor, &worlds), "");
  EXPECT_GT(worlds, 100'000u);
  EXPECT_EQ(explore(everything, two_beside_the_monitor), "");
  EXPECT_EQ(explore(everything, a_comes_back), "");
}

// Where no carrier is kept by another fiber, nobody waits for the monitor's next look.
TEST(signal_model, hands_signals_over_without_the_monitor) {
  EXPECT_EQ(explore(everything, at_once), "");
  EXPECT_EQ(explore(everything, two_at_once), "");
}

TEST(signal_model, needs_the_signal_before_its_flag) { EXPECT_EQ(explore(signal_before_flag, at_once), lost); }

TEST(signal_model, needs_the_flag_cleared_before_the_signals_are_taken) {
  EXPECT_EQ(explore(flag_before_signals, two_at_once), lost);
}

TEST(signal_model, needs_the_claim_for_a_hand_over) { EXPECT_EQ(explore(claim_first, beside_the_monitor), twice); }

// A sender that was late once handed over a fiber whose signals had been taken. Nobody took it back then, and it could
// not be given work while its carrier ran another.
TEST(signal_model, needs_a_second_look_at_the_flag) {
  EXPECT_EQ(explore(flag_after_claim, beside_the_monitor), no_wake);
}

TEST(signal_model, needs_the_look_before_sleep) { EXPECT_EQ(explore(look_at_hand_over, two_at_once), left); }

TEST(signal_model, needs_the_wake) { EXPECT_EQ(explore(wake_who_sleeps, two_at_once), left); }

TEST(signal_model, needs_one_exchange_to_take_it_out) { EXPECT_EQ(explore(one_takes_it_out, a_comes_back), twice); }

TEST(signal_model, needs_the_look_at_the_permit_when_a_claim_is_given_up) {
  EXPECT_EQ(explore(publish_after_claim, beside_the_monitor), no_wake);
}

TEST(signal_model, needs_the_monitor_to_take_it_back) {
  EXPECT_EQ(explore(take_it_back, two_beside_the_monitor), left);
}

// A second sender once took back what the first had just handed to a carrier that was about to wake up.
TEST(signal_model, needs_a_carrier_in_its_loop_to_keep_it) { EXPECT_EQ(explore(leave_it_in_loop, two_at_once), left); }

TEST(signal_model, needs_the_look_when_a_fiber_has_landed) { EXPECT_EQ(explore(look_when_landing, at_once), left); }

}  // namespace
}  // namespace amity
