// The protocols of tasks as models, in the manner of protocol_model_test.cpp: every order of the steps is tried, and
// each rule is left out in turn, which the model must notice.
//
// One is the split deque: an owner that pushes and pops without fences, thieves that steal and raid (deque.hpp). The
// other is a push that nobody misses (README.md, T1, T2, T4 and T6).
//
// The owner's plain stores go through a store buffer, first in first out, as x86 has it: they become visible some time
// later, and its loads may overtake them. A read-modify-write empties it; so does the barrier that a raider makes all
// threads pass. All else is sequentially consistent.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amity/base/explore.hpp"

namespace {

// --- what both have in common

using amity::base::explore;
using byte = std::int8_t;

// --- the split deque

constexpr int entries = 3, slots = 4, thieves = 2, buffered = 4, most_looks = 2;

struct deque_word {
  byte top = 0, open = 0, tag = 0, raided = 0, moved = 0;
  [[nodiscard]] byte split() const { return static_cast<byte>(top + open); }
  bool operator==(const deque_word&) const = default;
};

struct store {
  byte to = 0, value = 0;  // to: a slot, or `slots` for bottom
};

struct thief {
  byte at = 0, looks = 0, item = 0;
  deque_word seen;
};

struct deque_world {
  byte slot[slots] = {}, bottom = 0;  // as others see them
  deque_word word;
  store buffer[buffered];
  byte waiting = 0;  // stores in the buffer
  // the owner's
  byte own_bottom = 0, split = 0, at = 0, b = 0, pushed = 0, pops = 0;
  deque_word seen;
  thief thieves_of[thieves];
  byte taken[entries + 1] = {};  // entry 0 is none
};

enum deque_rule : unsigned {
  whole_deque = 0,
  raid_barrier = 1,       // the raider makes all threads pass a barrier before it reads bottom
  owner_waits = 2,        // the owner's pop does not go on while a raid is on
  raid_leaves_moved = 4,  // the owner's copy of the split is not used after a raid
  reclaim_tags = 8,       // what was reclaimed is not claimed by a thief that had looked before
};

class deque_model {
 public:
  static constexpr int actors = 2 + thieves, choices = 2;  // the owner, its store buffer, thieves
  explicit deque_model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const deque_world& w) {
    for (int e = 1; e <= entries; ++e)
      if (w.taken[e] > 1) return "an entry is taken twice";
    return {};
  }
  static std::string final(const deque_world& w) {
    for (int e = 1; e <= entries; ++e)
      if (w.taken[e] != 1) return "an entry is lost";
    return {};
  }

  bool advance(deque_world& w, int actor, int choice) const {
    if (actor == 0) return owner(w, choice);
    if (actor == 1) return choice == 0 && w.waiting != 0 && (drain_one(w), true);
    return steal(w, w.thieves_of[actor - 2], choice);
  }

 private:
  [[nodiscard]] bool has(deque_rule r) const { return (without_ & r) == 0; }

  static void drain_one(deque_world& w) {
    store const s = w.buffer[0];
    (s.to == slots ? w.bottom : w.slot[s.to]) = s.value;
    for (int i = 1; i < w.waiting; ++i) w.buffer[i - 1] = w.buffer[i];
    w.buffer[--w.waiting] = {};
  }
  static void drain(deque_world& w) {
    while (w.waiting != 0) drain_one(w);
  }
  static void put(deque_world& w, int to, byte value) {
    if (w.waiting == buffered) drain_one(w);
    w.buffer[w.waiting++] = {static_cast<byte>(to), value};
    if (to == slots) w.own_bottom = value;
  }
  static byte own_slot(const deque_world& w, byte index) {
    for (int i = w.waiting; i-- > 0;)
      if (w.buffer[i].to == index % slots) return w.buffer[i].value;
    return w.slot[index % slots];
  }

  enum owner_step : byte { idle, pushing, publishing, popping, shared, done };

  // A compare-and-swap of the owner's. It empties the store buffer, whether or not it succeeds.
  static bool replace_as_owner(deque_world& w, deque_word to) {
    drain(w);
    if (!(w.word == w.seen)) {
      w.seen = w.word;
      return false;
    }
    w.word = to;
    w.split = to.split();
    return true;
  }

  static void take(deque_world& w, byte item) {
    ++w.taken[item];
    w.at = idle;
  }

  bool owner(deque_world& w, int choice) const {
    switch (static_cast<owner_step>(w.at)) {
      case idle:
        if (choice == 0) {
          if (w.pushed == entries) return false;
          ++w.pushed;
          put(w, w.own_bottom % slots, w.pushed);
          put(w, slots, static_cast<byte>(w.own_bottom + 1));
          w.at = pushing;
          return true;
        }
        // Pops in between are bounded, so that there is an end; the last ones take what is left.
        if (w.pushed < entries && w.pops == 2) return false;
        if (w.own_bottom == 0) {
          if (w.pushed < entries) return false;
          w.at = done;
          return true;
        }
        if (w.pushed < entries) ++w.pops;
        w.b = static_cast<byte>(w.own_bottom - 1);
        put(w, slots, w.b);
        w.at = popping;
        return true;
      case pushing:  // the look at the word after bottom has moved
        if (choice != 0) return false;
        w.seen = w.word;
        w.at = w.seen.open == 0 || w.seen.raided != 0 || w.seen.moved != 0 ? publishing : idle;
        return true;
      case publishing: {
        if (choice != 0) return false;
        if (w.seen.raided != 0) {
          if (w.word == w.seen) return false;  // it waits
          w.seen = w.word;
          return true;
        }
        int const hidden = w.own_bottom - w.seen.split();
        deque_word to = w.seen;
        to.open = static_cast<byte>(to.open + (hidden + 1) / 2);
        to.moved = 0;
        if (hidden <= 0 || replace_as_owner(w, to)) w.at = idle;
        return true;
      }
      case popping:
        if (choice != 0) return false;
        w.seen = w.word;
        if ((w.seen.raided == 0 || !has(owner_waits)) && w.seen.moved == 0 && w.b >= w.split)
          take(w, own_slot(w, w.b));
        else
          w.at = shared;
        return true;
      case shared: {
        if (choice != 0) return false;
        if (w.seen.raided != 0 && has(owner_waits)) {
          if (w.word == w.seen) return false;
          w.seen = w.word;
          return true;
        }
        deque_word to = w.seen;
        if (to.moved != 0) {
          to.moved = 0;
          if (replace_as_owner(w, to)) w.seen = to;
          return true;
        }
        if (w.b >= to.split()) {
          take(w, own_slot(w, w.b));
          return true;
        }
        if (to.open == 0) {  // all stolen
          put(w, slots, static_cast<byte>(w.b + 1));
          w.at = w.pushed == entries ? done : idle;
          return true;
        }
        to.open = static_cast<byte>(to.open - (to.open + 1) / 2);
        if (has(reclaim_tags)) ++to.tag;
        if (replace_as_owner(w, to)) take(w, own_slot(w, w.b));
        return true;
      }
      case done:
        return false;
    }
    return false;
  }

  enum thief_step : byte { look, read_slot, claim, begin_raid, all_pass, read_bottom, end_raid };

  bool steal(deque_world& w, thief& t, int choice) const {
    switch (static_cast<thief_step>(t.at)) {
      case look:  // steals, or looks for something to raid
        if (t.looks == most_looks) return false;
        ++t.looks;
        t.seen = w.word;
        if (choice == 0)
          t.at = t.seen.open != 0 ? read_slot : look;
        else
          t.at = t.seen.raided == 0 && w.bottom > t.seen.split() ? begin_raid : look;
        return true;
      case read_slot:
        if (choice != 0) return false;
        t.item = w.slot[t.seen.top % slots];
        t.at = t.item == 0 ? look : claim;
        return true;
      case claim:
        if (choice != 0) return false;
        if (w.word == t.seen) {
          ++w.word.top;
          --w.word.open;
          ++w.taken[t.item];
        }
        t.at = look;
        return true;
      case begin_raid:
        if (choice != 0) return false;
        t.at = look;
        if (!(w.word == t.seen)) return true;
        w.word.raided = 1;
        t.at = all_pass;
        return true;
      case all_pass:
        if (choice != 0) return false;
        if (has(raid_barrier)) drain(w);
        t.at = read_bottom;
        return true;
      case read_bottom:
        if (choice != 0) return false;
        t.seen = w.word;
        t.item = static_cast<byte>(w.bottom > t.seen.split() ? w.bottom - t.seen.split() : 0);
        t.at = end_raid;
        return true;
      case end_raid:
        if (choice != 0) return false;
        if (!(w.word == t.seen)) {
          t.at = read_bottom;
          return true;
        }
        w.word.open = static_cast<byte>(w.word.open + t.item);
        w.word.raided = 0;
        if (has(raid_leaves_moved)) w.word.moved = 1;
        t.item = 0;
        t.at = look;
        return true;
    }
    return false;
  }

  unsigned without_;
};

TEST(split_deque_model, takes_each_entry_once) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(deque_world{}, deque_model(whole_deque), &worlds), "");
  EXPECT_GT(worlds, 10000u);
}
TEST(split_deque_model, needs_the_barrier_of_a_raid) {
  EXPECT_EQ(explore(deque_world{}, deque_model(raid_barrier)), "an entry is taken twice");
}
TEST(split_deque_model, needs_the_owner_to_wait_for_a_raid) {
  EXPECT_EQ(explore(deque_world{}, deque_model(owner_waits)), "an entry is taken twice");
}
TEST(split_deque_model, needs_the_flag_that_a_raid_leaves) {
  EXPECT_EQ(explore(deque_world{}, deque_model(raid_leaves_moved)), "an entry is taken twice");
}
TEST(split_deque_model, needs_the_tag) {
  EXPECT_EQ(explore(deque_world{}, deque_model(reclaim_tags)), "an entry is taken twice");
}

// --- a push that nobody misses

constexpr int pushes = 3, seekers = 2;

struct seeker {
  byte at = 0, other = 0;
};

struct sleep_world {
  byte bottom = 0;  // as others see it: how many were pushed
  byte unseen = 0;  // pushes in the owner's store buffer
  byte taken = 0, open = 0;
  byte unsearched = 0;
  byte listed = 0;
  byte asleep[seekers] = {};
  byte at = 0, pushed = 0, teller = 0;
  seeker seekers_of[seekers];
  byte weeding = 0, weeds = 0, weeder = 0;
  [[nodiscard]] bool hidden() const { return bottom > taken + open; }
  [[nodiscard]] bool found_open() const { return listed != 0 && open != 0; }
  [[nodiscard]] bool found_hidden() const { return listed != 0 && hidden(); }
};

enum sleep_rule : unsigned {
  whole_sleep = 0,
  thorough_barrier = 1,   // T1: all threads pass a barrier before the last look
  thorough_hidden = 2,    // T1: that look is at what queues hide, too
  look_after_asleep = 4,  // T2: a carrier that has said that it sleeps looks once more
  announcement = 8,       // T2: a worker that publishes looks for sleepers
  note_of_theft = 16,     // T4: a thief says that there may be more
  share_of_thief = 32,    // T4: and makes what the victim hides public where somebody sleeps already
  owner_lists = 64,       // T6: a worker that publishes is listed before it looks for sleepers
  thief_lists = 2048,     // T6: so does a thief that publishes what another hides
  weed_barrier = 128,     // T6: all threads pass a barrier after a worker was taken out
  weed_look = 256,        // T6: and then somebody looks once more whether it has tasks
  weed_notes = 512,       // T6: says that there may be more, for those who looked meanwhile
  weed_announces = 1024,  // T6: and announces what is found
};

class sleep_model {
 public:
  static constexpr int actors = 3 + seekers, choices = 2;  // the owner, its store buffer, one who weeds, seekers
  explicit sleep_model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const sleep_world&) { return {}; }
  static std::string final(const sleep_world& w) {
    bool sleeps = false;
    for (byte a : w.asleep) sleeps |= a != 0;
    return sleeps && w.taken < pushes ? "somebody sleeps beside a task" : "";
  }

  bool advance(sleep_world& w, int actor, int choice) const {
    if (actor == 0) return choice == 0 && owner(w);
    if (actor == 1) {
      if (choice != 0 || w.unseen == 0) return false;
      --w.unseen;
      ++w.bottom;
      return true;
    }
    if (actor == 2) return choice == 0 && weed(w);
    return seek(w, actor - 3, choice);
  }

 private:
  [[nodiscard]] bool has(sleep_rule r) const { return (without_ & r) == 0; }

  static void drain(sleep_world& w) {
    w.bottom = static_cast<byte>(w.bottom + w.unseen);
    w.unseen = 0;
  }
  static void publish(sleep_world& w, int share) { w.open = static_cast<byte>(w.open + share); }

  enum weed_step : byte { take_out, weed_barrier_step, look_again, note_it, tell_of_it };

  // One who takes the owner out of the list while it has nothing; twice at most.
  bool weed(sleep_world& w) const {
    switch (static_cast<weed_step>(w.weeding)) {
      case take_out:
        if (w.weeds == 2 || w.listed == 0 || w.open != 0 || w.hidden()) return false;
        ++w.weeds;
        w.listed = 0;
        w.weeding = has(weed_barrier) ? weed_barrier_step : look_again;
        return true;
      case weed_barrier_step:
        drain(w);
        w.weeding = look_again;
        return true;
      case look_again:
        w.weeding = take_out;
        if ((w.open == 0 && !w.hidden()) || !has(weed_look)) return true;
        w.listed = 1;
        w.weeding = note_it;
        return true;
      case note_it:
        if (has(weed_notes)) w.unsearched = 1;
        w.weeding = has(weed_announces) ? tell_of_it : take_out;
        return true;
      case tell_of_it:
        if (tell(w, w.weeder)) w.weeding = take_out;
        return true;
    }
    return false;
  }

  enum owner_step : byte { push, look_at_word, publishing, listing, telling };

  // Pushes, and then runs something for ever: it never pops.
  bool owner(sleep_world& w) const {
    switch (static_cast<owner_step>(w.at)) {
      case push:
        if (w.pushed == pushes) return false;
        ++w.pushed;
        ++w.unseen;
        w.at = look_at_word;
        return true;
      case look_at_word:
        w.at = w.open == 0 ? publishing : push;
        return true;
      case publishing:
        drain(w);
        publish(w, (w.pushed - w.taken - w.open + 1) / 2);
        w.teller = 0;
        w.at = listing;
        return true;
      case listing:
        if (has(owner_lists)) w.listed = 1;
        w.at = has(announcement) ? telling : push;
        return true;
      case telling:
        w.at = tell(w, w.teller) ? static_cast<byte>(push) : w.at;
        return true;
    }
    return false;
  }

  // One step of announce: looks at one sleeper. True: the last step.
  static bool tell(sleep_world& w, byte& whom) {
    if (w.asleep[whom] != 0) {
      w.asleep[whom] = 0;
      whom = 0;
      return true;
    }
    whom = static_cast<byte>(whom + 1 == seekers ? 0 : whom + 1);
    return whom == 0;
  }

  enum seeker_step : byte {
    look,
    note,
    look_for_sleepers,
    share,
    tell_others,
    run,
    clear_note,
    pass_barrier,
    last_look,
    raid,
    say_asleep,
    look_once_more,
    futex,
    sleep,
    busy_for_ever,
  };

  bool take(sleep_world& w, seeker& me) const {
    if (!w.found_open()) return false;
    --w.open;
    ++w.taken;
    me.at = has(note_of_theft) ? note : look_for_sleepers;
    return true;
  }

  bool seek(sleep_world& w, int number, int choice) const {
    seeker& me = w.seekers_of[number];
    if (choice != 0 && me.at != run) return false;
    switch (static_cast<seeker_step>(me.at)) {
      case look:
        if (!take(w, me)) me.at = clear_note;
        return true;
      case note:
        w.unsearched = 1;
        me.at = look_for_sleepers;
        return true;
      case look_for_sleepers:
        me.at = w.asleep[1 - number] != 0 && has(share_of_thief) ? share : run;
        return true;
      case share:
        drain(w);
        if (w.open == 0 && w.hidden()) publish(w, w.bottom - w.taken);
        if (w.open != 0 && has(thief_lists)) w.listed = 1;
        me.other = 0;
        me.at = w.open != 0 ? tell_others : run;
        return true;
      case tell_others:
        if (tell(w, me.other)) me.at = run;
        return true;
      case run:  // short, or for ever
        me.at = choice == 0 ? look : busy_for_ever;
        return true;
      case clear_note:
        w.unsearched = 0;
        me.at = has(thorough_barrier) ? pass_barrier : last_look;
        return true;
      case pass_barrier:
        drain(w);
        me.at = last_look;
        return true;
      case last_look:
        if (!take(w, me)) me.at = w.found_hidden() && has(thorough_hidden) ? raid : say_asleep;
        return true;
      case raid:
        drain(w);
        if (w.hidden()) publish(w, w.bottom - w.taken - w.open);
        if (w.open != 0 && has(thief_lists)) w.listed = 1;
        me.at = look;
        return true;
      case say_asleep:
        w.asleep[number] = 1;
        me.at = has(look_after_asleep) ? look_once_more : futex;
        return true;
      case look_once_more:
        if (w.unsearched != 0 || w.found_open()) {
          w.asleep[number] = 0;
          me.at = look;
        } else {
          me.at = futex;
        }
        return true;
      case futex:
        me.at = w.asleep[number] != 0 ? sleep : look;
        return true;
      case sleep:
        if (w.asleep[number] != 0) return false;
        me.at = look;
        return true;
      case busy_for_ever:
        return false;
    }
    return false;
  }

  unsigned without_;
};

TEST(task_sleep_model, nobody_sleeps_beside_a_task) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(sleep_world{}, sleep_model(whole_sleep), &worlds), "");
  EXPECT_GT(worlds, 1000u);
}
TEST(task_sleep_model, needs_each_rule) {
  for (sleep_rule r : {thorough_barrier, thorough_hidden, look_after_asleep, announcement, note_of_theft,
                       share_of_thief, owner_lists, thief_lists, weed_barrier, weed_look, weed_notes, weed_announces})
    EXPECT_EQ(explore(sleep_world{}, sleep_model(r)), "somebody sleeps beside a task") << "without rule " << r;
}

}  // namespace
