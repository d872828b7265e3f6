// Signals to a guest (README.md, G1 to G4) as a model: each step is one atomic operation, and every order of the steps
// is tried. There is no monitor, and but for one case no timer: nobody else comes to help. The guest works, parks, runs
// another fiber on top of its own or sleeps; two threads send it a signal each. The handler of the first may last until
// the second has come, as a collector's does. What is shown: no signal is left. Each rule is left out in turn, and the
// model must find what goes wrong.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amity/base/explore.hpp"

namespace amity {
namespace {

constexpr const char* left = "everybody rests, and a signal is left";

enum rule : unsigned {
  everything = 0,
  interrupt_who_waits = 1,   // G1
  permit_in_handler = 2,     // G2
  no_sleep_in_handler = 4,   // G2
  top_gives_way = 8,         // G3
  signals_behind_waits = 16  // G4
};

struct setting {
  bool handler_lasts = false;  // until both signals have come
  // A handler for some signal of the kernel's begins where the guest sleeps, and lasts. A timer brings the runtime's
  // signal again if it was put off.
  bool kernel_interrupts = false;
};

enum step : std::int8_t {
  // the guest
  work,
  look_permit,
  rest,
  set_asleep,
  sight_permit,
  futex,
  asleep,
  come_back,
  on_top,
  look_flag,
  take_all,
  in_handler,      // of the program's, begun by the runtime
  in_kernels_one,  // of the program's, begun by the kernel in the guest's loop
  // a sender
  leave_signal,
  set_flag,
  look_running,
  give_permit,
  wake,
  interrupt,
  done,
};

enum occupant : std::int8_t { nobody, own, another };
enum urgent : std::int8_t { none, gives_permit, ends_sleep };  // where the handler of the runtime's signal is

struct world {
  std::int8_t guest = work, then = work, running = own, permit = 0, asleep = 0, due = 0, signals = 0, taken = 0;
  std::int8_t interrupted = 0, alarm = 0, urgent = none, kernel_came = 0;
  std::int8_t sender[2] = {leave_signal, leave_signal};
};

class model {
 public:
  static constexpr int actors = 3, choices = 2;
  model(unsigned left_out, setting how) : without_(left_out), how_(how) {}

  static std::string visit(const world&) { return {}; }
  static std::string final(const world& w) { return w.signals != 0 ? left : ""; }

  bool advance(world& w, int number, int choice) const {
    if (number != 0) return choice == 0 && send(w, number - 1);
    if (w.urgent != none) return choice == 0 && handle(w);
    if (w.alarm != 0 && choice == 1 && w.interrupted == 0) return w.alarm = 0, w.interrupted = 1, true;
    if (w.interrupted != 0 && choice == 0) return take_interrupt(w);
    return go_on(w, choice);
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  bool send(world& w, int number) const {
    std::int8_t& at = w.sender[number];
    switch (static_cast<step>(at)) {
      case leave_signal:  // H1
        w.signals = static_cast<std::int8_t>(w.signals | 1 << number);
        return at = set_flag, true;
      case set_flag:
        w.due = 1;
        return at = look_running, true;
      case look_running:  // G1
        return at = w.running == own ? interrupt : give_permit, true;
      case give_permit:
        w.permit = 1;
        return at = wake, true;
      case wake:
        w.asleep = 0;
        return at = has(interrupt_who_waits) || w.running == another ? interrupt : done, true;
      case interrupt:
        w.interrupted = 1;
        return at = done, true;
      default:
        return false;
    }
  }

  // Where the runtime's signal comes: user code takes the signals there and then, the runtime's own code does not.
  bool take_interrupt(world& w) const {
    w.interrupted = 0;
    if (w.guest == work || w.guest == in_handler || w.guest == in_kernels_one) {
      w.then = w.guest;
      w.guest = look_flag;
    } else {
      w.urgent = gives_permit;
    }
    return true;
  }

  bool handle(world& w) const {
    if (w.urgent == gives_permit) {  // G2; on behalf of the guest beneath, too
      if (w.due != 0 && has(permit_in_handler)) w.permit = 1;
      w.urgent = ends_sleep;
      return true;
    }
    w.urgent = none;
    if (w.due == 0) return true;
    if (how_.kernel_interrupts) w.alarm = 1;
    if (w.guest == on_top) {  // G3
      if (has(top_gives_way)) w.running = nobody, w.guest = look_permit;
    } else if (has(no_sleep_in_handler)) {
      w.asleep = 0;
    }
    return true;
  }

  bool go_on(world& w, int choice) const {
    bool const may_choose = w.guest == look_permit || (w.guest == asleep && how_.kernel_interrupts);
    if (choice == 1 && !may_choose) return false;
    switch (static_cast<step>(w.guest)) {
      case work:
        return w.guest = look_permit, true;
      case look_permit:
        if (w.permit != 0)
          w.permit = 0, w.guest = come_back;
        else if (choice == 1)
          w.running = another, w.guest = on_top;
        else
          w.guest = rest;
        return true;
      case rest:
        w.running = nobody;
        return w.guest = set_asleep, true;
      case set_asleep:
        w.asleep = 1;
        return w.guest = sight_permit, true;
      case sight_permit:
        if (w.permit != 0) w.asleep = 0;
        return w.guest = w.permit != 0 ? look_permit : futex, true;
      case futex:
        return w.guest = w.asleep != 0 ? asleep : look_permit, true;
      case asleep:
        if (choice == 1 && w.kernel_came == 0) return w.kernel_came = 1, w.guest = in_kernels_one, true;
        return choice == 0 && w.asleep == 0 && (w.guest = look_permit, true);
      case come_back:
        w.running = own;
        w.then = work;
        return w.guest = has(signals_behind_waits) ? look_flag : work, true;
      case look_flag:  // H2
        if (w.due == 0) return w.guest = w.then, true;
        w.due = 0;
        return w.guest = take_all, true;
      case take_all:
        w.taken = static_cast<std::int8_t>(w.taken | w.signals);
        w.signals = 0;
        // The first handler may last until the second signal has come, on top of it.
        w.guest = how_.handler_lasts && w.taken != 3 ? in_handler : w.then == in_kernels_one ? asleep : work;
        return true;
      default:
        return false;  // on top, in handlers: until the runtime's signal comes
    }
  }

  unsigned without_;
  setting how_;
};

std::string explore(unsigned left_out, setting how, std::size_t* worlds = nullptr) {
  return base::explore(world{}, model(left_out, how), worlds);
}

constexpr setting at_once = {};
constexpr setting collectors = {.handler_lasts = true};
constexpr setting kernels = {.kernel_interrupts = true};

TEST(guest_signal_model, leaves_no_signal) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(everything, at_once, &worlds), "");
  EXPECT_GT(worlds, 1000u);
  EXPECT_EQ(explore(everything, collectors), "");
  EXPECT_EQ(explore(everything, kernels), "");
}

// A handler that the kernel has begun on top of the loop does not see a permit.
TEST(guest_signal_model, needs_an_interrupt_where_the_guest_waits) {
  EXPECT_EQ(explore(interrupt_who_waits, kernels), left);
}

// The guest was seen at work, and the runtime's signal came when it was about to sleep.
TEST(guest_signal_model, needs_a_permit_by_the_handler) { EXPECT_EQ(explore(permit_in_handler, at_once), left); }

// The kernel begins the sleep anew behind the handler.
TEST(guest_signal_model, needs_the_sleep_ended_by_the_handler) {
  EXPECT_EQ(explore(no_sleep_in_handler, at_once), left);
}

TEST(guest_signal_model, needs_the_fiber_on_top_to_give_way) { EXPECT_EQ(explore(top_gives_way, at_once), left); }

TEST(guest_signal_model, needs_the_look_behind_a_wait) { EXPECT_EQ(explore(signals_behind_waits, at_once), left); }

}  // namespace
}  // namespace amity
