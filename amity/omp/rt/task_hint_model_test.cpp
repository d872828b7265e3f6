// How members that have nothing to do learn of tasks (README-task-search.md, H1 to H6), as a model: one member queues
// tasks and then computes for ever; others spin, search, park, and compute for ever once they have a task. Every order
// of their steps is gone through. What is shown: in the end nobody is parked beside a task. Each rule is left out in
// turn, and the model must find who is.
//
// The maker's plain stores go through a store buffer and become visible some time later: its loads may overtake them. A
// seq_cst store and a read-modify-write empty it, and so does the barrier that others make all threads pass. All else
// is sequentially consistent.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amity/base/explore.hpp"

namespace amity {
namespace {

using byte = std::int8_t;

constexpr int seekers = 2;

enum hint_value : byte { none, unproven, told, doubtful };

enum rule : unsigned {
  everything = 0,
  hint_after_idle = 1,          // H1: who is idle looks at the hint before it parks
  barrier_of_parker = 2,        // H2: who takes `told` back and parks makes all threads pass a barrier before it looks
  doubt_of_thief = 4,           // H3: a thief that leaves none behind while others are idle takes `told` back
  barrier_of_thief = 8,         // H3: and looks once more behind a barrier
  spinner_proves_nothing = 16,  // H4: who takes `told` back and spins on leaves `unproven`
  thief_tells = 32,             // H5: a thief that leaves some behind tells the next one
  look_at_permit = 64,          // H6: who is busy from now on passes on the news that it was told
  look_at_idle = 128,           // H6: who has told a member that is busy by then tells another
};

/// The part of a step list that tells somebody: sets the hint, then goes through the others.
struct teller {
  byte at = 0, whom = 0;
};

struct seeker {
  byte at = 0, parks = 0, looked_last = 0, was_told = 0;
  teller tells;
};

struct world {
  byte bottom = 0, unseen = 0;  // entries that others see; pushes in the maker's store buffer
  byte taken = 0, open = 0, hint = none;
  byte idle[seekers] = {}, permit[seekers] = {};
  byte at = 0, pushed = 0;
  teller tells;
  seeker of[seekers];
};

template <int Pushes>
class model {
 public:
  static constexpr int actors = 2 + seekers, choices = 2;  // the maker, its store buffer, those who seek
  explicit model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const world&) { return {}; }
  static std::string final(const world& w) {
    for (const seeker& s : w.of)
      if (s.at == parked && w.taken < Pushes) return "somebody is parked beside a task";
    return {};
  }

  bool advance(world& w, int actor, int choice) const {
    if (actor == 0) return choice == 0 && make(w);
    if (actor == 1) {
      if (choice != 0 || w.unseen == 0) return false;
      --w.unseen;
      ++w.bottom;
      return true;
    }
    return seek(w, actor - 2, choice);
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  static void pass_barrier(world& w) {
    w.bottom = static_cast<byte>(w.bottom + w.unseen);
    w.unseen = 0;
  }
  static bool are_more(const world& w) { return w.bottom > w.taken; }
  static bool hides_some(const world& w) { return w.bottom > w.taken + w.open; }
  static bool invites(byte hint) { return hint >= told; }

  // --- tell and wake_one

  enum teller_step : byte { set_hint, look_at_member, give_permit, look_again };

  /// True: that was the last step. `self`: the caller's number, or one that nobody has.
  bool tell(world& w, teller& t, int self) const {
    bool goes_on = true;
    switch (static_cast<teller_step>(t.at)) {
      case set_hint:
        w.hint = told;
        t.at = look_at_member;
        t.whom = self == 0 ? 1 : 0;
        return false;
      case look_at_member:
        if (w.idle[t.whom] == 0) break;
        t.at = give_permit;
        return false;
      case give_permit:
        w.permit[t.whom] = 1;
        t.at = look_again;
        return false;
      case look_again:
        goes_on = w.idle[t.whom] == 0 && has(look_at_idle);
        break;
    }
    t.at = look_at_member;
    do ++t.whom;
    while (t.whom == self);
    bool const over = !goes_on || t.whom >= seekers;
    if (over) t = {};
    return over;
  }

  // --- the maker

  enum maker_step : byte { push, look_at_word, publish, look_at_hint, telling };

  bool make(world& w) const {
    switch (static_cast<maker_step>(w.at)) {
      case push:
        if (w.pushed == Pushes) return false;
        ++w.pushed;
        ++w.unseen;
        w.at = look_at_word;
        return true;
      case look_at_word:
        w.at = w.open == 0 ? publish : look_at_hint;
        return true;
      case publish:
        pass_barrier(w);  // a compare-and-swap
        w.open = static_cast<byte>(w.open + (w.bottom - w.taken - w.open + 1) / 2);
        w.at = look_at_hint;
        return true;
      case look_at_hint:
        w.at = w.hint == told ? push : telling;
        return true;
      case telling:
        if (w.tells.at == set_hint) pass_barrier(w);  // a seq_cst store
        if (tell(w, w.tells, seekers)) w.at = push;
        return true;
    }
    return false;
  }

  // --- those who seek

  enum seeker_step : byte {
    spin,
    in_sight,
    search,
    take_back,
    barrier,
    last_look,
    say_idle,
    parked,
    // with a task
    more,
    doubt,
    barrier_on_all,
    more_after_all,
    tell_next,
    leave_doubt,
    not_idle,
    own_permit,
    busy_for_ever,
  };

  static bool take(world& w, seeker& me) {
    if (w.open == 0) return false;
    --w.open;
    ++w.taken;
    me.at = more;
    return true;
  }

  /// The search has brought nothing.
  static void give_up(seeker& me, bool is_idle) { me.at = me.parks == 0 ? spin : is_idle ? parked : say_idle; }

  /// The end of pass_on.
  static void passed_on(seeker& me) {
    if (me.was_told != 0)
      be_busy(me);
    else
      me.at = leave_doubt;
  }
  static void be_busy(seeker& me) {
    me = {};
    me.at = busy_for_ever;
  }

  bool seek(world& w, int number, int choice) const {
    seeker& me = w.of[number];
    bool const is_idle = w.idle[number] != 0;
    if (choice != 0 && me.at != spin) return false;
    switch (static_cast<seeker_step>(me.at)) {
      case spin:
        if (choice == 0 && !invites(w.hint)) return false;
        me.parks = static_cast<byte>(choice);
        me.at = choice == 0 ? search : in_sight;
        return true;
      case in_sight:
        if (w.hint != none && (!is_idle || has(hint_after_idle)))
          me.at = search;
        else
          give_up(me, is_idle);
        return true;
      case search:
        me.looked_last = 0;
        if (take(w, me)) return true;
        me.at = me.parks == 0 && hides_some(w) ? spin : take_back;
        return true;
      case take_back: {
        bool const proves = me.parks != 0 || !has(spinner_proves_nothing);
        me.at = me.parks != 0 && w.hint != none && has(barrier_of_parker) ? barrier : last_look;
        if (w.hint != none) w.hint = proves ? none : unproven;
        me.looked_last = 1;
        return true;
      }
      case barrier:
        pass_barrier(w);
        me.at = last_look;
        return true;
      case last_look:
        if (take(w, me)) return true;
        if (hides_some(w)) {  // it raids
          pass_barrier(w);
          w.open = static_cast<byte>(w.bottom - w.taken);
        } else {
          give_up(me, is_idle);
        }
        return true;
      case say_idle:
        w.idle[number] = 1;
        me.at = in_sight;
        return true;
      case parked:
        if (w.permit[number] == 0) return false;
        w.permit[number] = w.idle[number] = 0;
        me.at = in_sight;
        return true;
      case more:
        if (are_more(w)) {
          me.at = tell_next;
          if (!has(thief_tells)) passed_on(me);
          return true;
        }
        if (w.hint != none && w.idle[1 - number] != 0 && has(doubt_of_thief))
          me.at = doubt;
        else
          passed_on(me);
        return true;
      case doubt:
        w.hint = doubtful;
        me.at = has(barrier_of_thief) ? barrier_on_all : more_after_all;
        return true;
      case barrier_on_all:
        pass_barrier(w);
        me.at = more_after_all;
        return true;
      case more_after_all:
        if (are_more(w))
          me.at = tell_next;
        else
          passed_on(me);
        return true;
      case tell_next:
        if (tell(w, me.tells, number)) passed_on(me);
        return true;
      case leave_doubt:
        if (me.looked_last != 0 && !invites(w.hint)) w.hint = doubtful;
        me.at = not_idle;
        return true;
      case not_idle:
        w.idle[number] = 0;
        me.at = own_permit;
        if (!is_idle) be_busy(me);
        return true;
      case own_permit:
        me.was_told = 1;
        me.at = more;
        if (w.permit[number] == 0 || !has(look_at_permit)) be_busy(me);
        return true;
      case busy_for_ever:
        return false;
    }
    return false;
  }

  unsigned without_;
};

template <int Pushes>
std::string explore(unsigned left_out) {
  return base::explore(world(), model<Pushes>(left_out));
}

TEST(task_hint_model, a_push_beside_a_theft_is_not_missed) {
  std::size_t worlds = 0;
  EXPECT_EQ(base::explore(world(), model<2>(everything), &worlds), "");
  EXPECT_GT(worlds, 1000u);
  EXPECT_EQ(explore<3>(everything), "");
}

TEST(task_hint_model, needs_each_rule) {
  for (rule r : {hint_after_idle, barrier_of_parker, doubt_of_thief, barrier_of_thief, spinner_proves_nothing,
                 thief_tells, look_at_permit, look_at_idle})
    EXPECT_EQ(explore<2>(r), "somebody is parked beside a task") << "without rule " << r;
}

}  // namespace
}  // namespace amity
