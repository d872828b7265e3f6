// Raising a signal on the OS thread of a fiber that keeps the runtime's own signal out (README.md, H8) as a model:
// each step is one atomic operation, and every order of the steps is tried. Two senders, and a fiber that runs, leaves
// its carrier and comes back again and again. What is shown: no signal is raised on an OS thread that the fiber has
// left, and none is left. Each rule is left out in turn, and the model must find what goes wrong.
//
// The model is sequentially consistent. For the fiber's store and look that is what the barrier makes of it which all
// threads pass between a sender's mark and its look.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amity/base/explore.hpp"

namespace amity {
namespace {

constexpr const char* astray = "a signal is raised where the fiber has left";
constexpr const char* left = "everybody rests, and a signal is left";

enum rule : unsigned {
  everything = 0,
  mark_first = 1,        // the sender marks that signals are coming, then looks whether the fiber runs
  wait_for_signals = 2,  // who is about to leave sees the mark, and waits
  leave_first = 4,       // the fiber says that it leaves, then looks at the mark
  give_back = 8          // a sender that finds the fiber gone sets the flag again
};

enum step : std::int8_t {
  run,
  say,
  look,
  await,
  go,
  landed,
  take,
  rest,
  leave_signal,
  set_flag,
  see,
  mark,
  look_there,
  raise,
  return_flag,
  unmark,
  done
};

constexpr std::int8_t due = 1, coming = 2;

struct world {
  std::int8_t fiber = run, leaving = 0, away = 0, turns = 0;
  std::int8_t word = 0, signals = 0, wrong = 0;
  std::int8_t sender[2] = {leave_signal, leave_signal};
};

class model {
 public:
  static constexpr int actors = 3, choices = 1;
  explicit model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const world& w) { return w.wrong != 0 ? astray : ""; }
  static std::string final(const world& w) { return w.signals != 0 ? left : ""; }

  bool advance(world& w, int number, int) const { return number == 0 ? go_on(w) : send(w, number - 1); }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  // The fiber leaves twice. What is raised comes to it at once, wherever it is.
  bool go_on(world& w) const {
    std::int8_t& at = w.fiber;
    switch (static_cast<step>(at)) {
      case run:
        return at = has(leave_first) ? say : look, true;
      case say:
        w.leaving = 1;
        return at = has(leave_first) ? look : go, true;
      case look:
        if ((w.word & coming) == 0 || !has(wait_for_signals)) return at = has(leave_first) ? go : say, true;
        w.leaving = 0;
        return at = await, true;
      case await:
        return (w.word & coming) == 0 && (at = run, true);
      case go:
        w.away = 1;
        w.leaving = 0;
        return at = landed, true;
      case landed:
        if ((w.word & due) != 0) return at = take, true;
        at = rest;
        if (w.turns++ == 0) w.away = 0, at = run;
        return true;
      case take:
        w.word = static_cast<std::int8_t>(w.word & ~due);
        w.signals = 0;
        return at = landed, true;
      default:
        return false;
    }
  }

  static bool runs(const world& w) { return w.away == 0 && w.leaving == 0; }

  bool send(world& w, int number) const {
    std::int8_t& at = w.sender[number];
    switch (static_cast<step>(at)) {
      case leave_signal:
        w.signals = static_cast<std::int8_t>(w.signals | 1 << number);
        return at = set_flag, true;
      case set_flag:
        w.word |= due;
        return at = see, true;
      case see:  // with the kernel's help: it keeps the runtime's own signal out. Else it is woken, and takes them.
        if (runs(w)) return at = has(mark_first) ? mark : look_there, true;
        if (w.fiber == rest) w.fiber = take;
        return at = done, true;
      case mark:
        if ((w.word & due) == 0) return at = done, true;
        if ((w.word & coming) != 0) return false;
        w.word = coming;
        return at = has(mark_first) ? look_there : raise, true;
      case look_there:
        if (!has(mark_first)) return at = runs(w) ? mark : done, true;
        return at = runs(w) ? raise : has(give_back) ? return_flag : unmark, true;
      case raise:
        if (w.away != 0 || w.fiber == go) w.wrong = 1;
        w.signals = 0;
        return at = unmark, true;
      case return_flag:
        w.word |= due;
        return at = unmark, true;
      case unmark:
        w.word = static_cast<std::int8_t>(w.word & ~coming);
        if ((w.word & due) != 0 && w.fiber == rest) w.fiber = take;  // the landing sees to it, or the monitor
        return at = done, true;
      default:
        return false;
    }
  }

  unsigned without_;
};

std::string explore(unsigned left_out, std::size_t* worlds = nullptr) {
  return base::explore(world{}, model(left_out), worlds);
}

TEST(raise_model, raises_none_where_the_fiber_has_left) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(everything, &worlds), "");
  EXPECT_GT(worlds, 300u);
}

TEST(raise_model, needs_the_mark_before_the_look) { EXPECT_EQ(explore(mark_first), astray); }
TEST(raise_model, needs_the_fiber_to_wait) { EXPECT_EQ(explore(wait_for_signals), astray); }
TEST(raise_model, needs_the_fiber_to_say_that_it_leaves_before_it_looks) { EXPECT_EQ(explore(leave_first), astray); }
TEST(raise_model, needs_the_flag_back) { EXPECT_EQ(explore(give_back), left); }

}  // namespace
}  // namespace amity
