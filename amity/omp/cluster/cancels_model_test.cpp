// Cancellation of a region over three processes (README.md, A1 to A5) as a model: process 0 with a leader and a member,
// two more with a leader each; messages in order between each two, at any time. Each member may cancel the region
// before its barrier, or after it; a second region follows, in which nobody does. Every order is tried. What is shown:
// all end, all get the same answer at a barrier, nobody is let pass a barrier before all are there, and no region hears
// of what was cancelled in the one before. Each rule is left out in turn, and the model must find what goes wrong.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "amity/base/explore.hpp"

namespace amity {
namespace {

constexpr const char* stuck = "somebody waits for ever";
constexpr const char* disagree = "some go on behind a barrier, and some leave the region";
constexpr const char* early = "a barrier lets somebody pass too early";
constexpr const char* stale = "a region hears of what was cancelled in the one before";

enum rule : unsigned {
  everything = 0,
  by_way_of_0 = 1,        // A1: others are told by process 0
  keeps_early_ones = 2,   // A2: what is cancelled before a part has begun is kept for it
  waits_to_tell = 4,      // A2, too: process 0 keeps it until the others know of the region
  forgets_late_ones = 8,  // A3: a part that is over hears of nothing
  always_says = 16,       // A4: a process says that its members are through, be the region cancelled or not
  ignores_release = 32    // A5: a release behind "all are through" lets nobody pass
};

constexpr int processes = 3, members = 4, regions = 2;
constexpr int process_of[members] = {0, 0, 1, 2}, here_in[processes] = {2, 1, 1};

enum topic : std::int8_t { region, cancels, arrived, go_on, through, all_through, joined };

enum step : std::int8_t {
  idle,
  tell,
  tell_more,
  told,
  first_part,
  at_barrier,
  second_part,
  at_end,
  attend,
  attends,
  join,
  finished
};

struct member_state {
  std::int8_t at = idle, region = 0, met = 0;  // barriers
};

enum stage : std::int8_t { announced, open, has_told, over };

struct process_state {
  std::int8_t region = 0, stage = over, cancelled = 0, round = 0, early = 0 /* 1 + round */, early_region = 0,
              all_are = 0;
  std::int8_t came = 0, released = 0, through = 0, outside_through = 0, joined = 0, due = 0;
};

// Messages in order. Without memory of its own, so that millions of worlds are copied and compared as bytes.
struct messages {
  static constexpr int most = 6;
  std::int8_t count = 0, is[most][3] = {};

  void add(topic t, int of_region, int round) {
    if (count == most) throw std::length_error("the model needs a longer channel");
    std::int8_t* m = is[count++];
    m[0] = t;
    m[1] = static_cast<std::int8_t>(of_region);
    m[2] = static_cast<std::int8_t>(round);
  }
  void drop_first() {
    std::memmove(is[0], is[1], sizeof is - sizeof is[0]);
    std::memset(is[most - 1], 0, sizeof is[0]);
    --count;
  }
};

struct world {
  member_state one[members];
  process_state in[processes];
  std::int8_t missing = 0, not_through = 0, some = 0, joins = 0, answer = 0 /* 1: go on, 2: leave */, wrong = 0;
  messages channel[processes][processes];

  [[nodiscard]] std::string key() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};

class model {
 public:
  explicit model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const world& w) {
    return w.wrong == 1 ? disagree : w.wrong == 2 ? early : w.wrong == 3 ? stale : "";
  }
  static std::string final(const world& w) {
    for (const member_state& m : w.one)
      if (m.at != finished) return stuck;
    return {};
  }

  std::vector<world> steps(const world& now) const {
    std::vector<world> all;
    for (int i = 0; i < members; ++i)
      for (bool choice : {false, true}) {
        world next = now;
        if (goes_on(next, i, choice)) all.push_back(next);
      }
    for (int to = 0; to < processes; ++to)
      for (int from = 0; from < processes; ++from) {
        if (now.channel[from][to].count == 0) continue;
        world next = now;
        auto const [t, of_region, round] = now.channel[from][to].is[0];
        next.channel[from][to].drop_first();
        takes(next, to, from, static_cast<topic>(t), of_region, round);
        all.push_back(next);
      }
    return all;
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }
  static void send(world& w, int from, int to, topic t, int of_region, int round = 0) {
    w.channel[from][to].add(t, of_region, round);
  }
  static bool to(member_state& m, step next) { return m.at = next, true; }

  // True: it is new here.
  static bool note(world& w, int p, int of_region, int round) {
    process_state& in = w.in[p];
    if (in.region != of_region) w.wrong = 3;
    if (in.cancelled != 0) return false;
    in.round = static_cast<std::int8_t>(round);
    return in.cancelled = 1, true;
  }

  static void tell_others(world& w, int of_region, int round, int but) {
    for (int p = 1; p < processes; ++p)
      if (p != but) send(w, 0, p, cancels, of_region, round);
  }

  void member_cancels(world& w, int i) const {
    member_state& me = w.one[i];
    int const p = process_of[i];
    if (!note(w, p, me.region, me.met)) return;
    if (p != 0) {
      send(w, p, 0, cancels, me.region, me.met);
      if (!has(by_way_of_0)) send(w, p, 3 - p, cancels, me.region, me.met);
      return;
    }
    process_0_tells(w, me.region, me.met, 0);
  }

  void process_0_tells(world& w, int of_region, int round, int but) const {
    w.some = 1;
    if (w.in[0].stage != has_told && has(waits_to_tell))
      w.in[0].early = static_cast<std::int8_t>(1 + round);
    else
      tell_others(w, of_region, round, but);
  }

  static void release(world& w, int p) {
    process_state& in = w.in[p];
    ++in.released;
    for (int i = 0; i < members; ++i) {
      const member_state& m = w.one[i];
      bool const may_wait = m.at >= first_part && m.at <= attends && m.region == in.region;
      if (process_of[i] == p && may_wait && m.met < in.released) w.wrong = 2;
    }
  }

  static void one_more_arrives(world& w) {
    if (--w.missing != 0) return;
    w.missing = processes;
    for (int p = 1; p < processes; ++p) send(w, 0, p, go_on, w.in[0].region);
    release(w, 0);
  }

  static void arrive(world& w, int i) {
    int const p = process_of[i];
    ++w.one[i].met;
    if (++w.in[p].came != here_in[p]) return;
    w.in[p].came = 0;
    p == 0 ? one_more_arrives(w) : send(w, p, 0, arrived, w.in[p].region);
  }

  static void one_more_is_through(world& w) {
    if (--w.not_through != 0 || w.some == 0) return;
    for (int p = 1; p < processes; ++p) send(w, 0, p, all_through, w.in[0].region);
    w.in[0].outside_through = 1;
  }

  // The leader of process p, when all there have joined.
  static void ends_part(world& w, int p, bool forgets_late) {
    process_state& in = w.in[p];
    int const r = in.region;
    bool const all_are = in.all_are != 0;
    stage const s = forgets_late ? over : open;
    in = {};
    in.region = static_cast<std::int8_t>(r);
    in.stage = s;
    in.all_are = all_are ? 1 : 0;
  }

  static void next_region(member_state& m) {
    int const r = m.region + 1;
    m = {};
    m.region = static_cast<std::int8_t>(r);
    m.at = r == regions ? finished : idle;
  }

  bool goes_on(world& w, int i, bool choice) const {
    member_state& me = w.one[i];
    int const p = process_of[i];
    process_state& in = w.in[p];
    bool const is_over = in.through == here_in[p] && in.outside_through != 0;
    auto const either = [&](step next) {
      if (choice && me.region == 0) {
        member_cancels(w, i);
        return to(me, at_end);
      }
      return !choice && to(me, next);
    };
    if (choice && me.at != first_part && me.at != second_part) return false;
    switch (static_cast<step>(me.at)) {
      case idle:
        if (i == 0) {
          ends_part(w, 0, true);
          in.region = me.region;
          in.stage = open;
          in.due = 1;
          w.missing = w.not_through = processes;
          w.joins = processes - 1;
          w.some = w.answer = 0;
          return to(me, tell);
        }
        if (p == 0) return in.due != 0 && in.region == me.region && to(me, first_part);
        if (in.due == 0) return false;
        if (in.cancelled != 0) w.wrong = 3;
        in.due = 0;
        in.region = me.region;
        in.stage = open;
        if (in.early != 0 && has(keeps_early_ones)) note(w, p, in.early_region, in.early - 1);
        return to(me, first_part);
      case tell:
        send(w, 0, 1, region, me.region);
        return to(me, tell_more);
      case tell_more:
        send(w, 0, 2, region, me.region);
        return to(me, told);
      case told:
        in.stage = has_told;
        if (in.early != 0) tell_others(w, me.region, in.early - 1, 0);
        return to(me, first_part);

      case first_part:
        return either(at_barrier);
      case at_barrier: {
        if (me.met == 0) return arrive(w, i), true;
        if (in.released < 1) return false;
        bool const leaves = in.cancelled != 0 && in.round <= 0;
        std::int8_t const answer = leaves ? 2 : 1;
        if (w.answer != 0 && w.answer != answer) w.wrong = 1;
        w.answer = answer;
        return to(me, leaves ? at_end : second_part);
      }
      case second_part:
        return either(at_end);

      case at_end:
        if (++in.through == here_in[p] && (has(always_says) || in.cancelled != 0))
          p == 0 ? one_more_is_through(w) : send(w, p, 0, through, me.region);
        return to(me, attend);
      case attend:
        if (in.cancelled == 0 || is_over) return to(me, join);
        arrive(w, i);
        return to(me, attends);
      case attends:
        if (is_over) return to(me, join);
        return in.released >= me.met && to(me, attend);
      case join:
        if (i == 1) {
          ++in.joined;
          next_region(me);
          return true;
        }
        if (p == 0) {
          if (in.joined != 1 || w.joins != 0) return false;
          next_region(me);
          return true;
        }
        ends_part(w, p, has(forgets_late_ones));
        send(w, p, 0, joined, me.region);
        next_region(me);
        return true;
      default:
        return false;
    }
  }

  void takes(world& w, int p, int from, topic t, int of_region, int round) const {
    process_state& in = w.in[p];
    switch (t) {
      case region:
        in.stage = announced;
        in.due = 1;
        in.early = 0;
        in.all_are = 0;
        return;
      case cancels: {
        bool is_new = false;
        if (in.stage == announced) {
          in.early = static_cast<std::int8_t>(1 + round);
          in.early_region = static_cast<std::int8_t>(of_region);
        } else if (in.stage != over) {
          is_new = note(w, p, of_region, round);
        }
        if (p != 0) return;
        if (is_new) process_0_tells(w, of_region, round, from);
        return;
      }
      case arrived:
        return one_more_arrives(w);
      case go_on:
        if (in.all_are == 0 || !has(ignores_release)) release(w, p);
        return;
      case through:
        return one_more_is_through(w);
      case all_through:
        in.all_are = 1;
        if (in.stage == open) in.outside_through = 1;
        return;
      case joined:
        --w.joins;
        return;
    }
  }

  unsigned without_;
};

std::string explore(unsigned left_out, std::size_t* worlds = nullptr) {
  return base::explore_steps(world{}, model(left_out), worlds);
}

TEST(cancels_model, ends_and_agrees) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(everything, &worlds), "");
  EXPECT_GT(worlds, 100'000u);
}

TEST(cancels_model, needs_others_to_be_told_by_process_0) { EXPECT_EQ(explore(by_way_of_0), stale); }
TEST(cancels_model, needs_parts_to_keep_what_is_early) { EXPECT_EQ(explore(keeps_early_ones), disagree); }
TEST(cancels_model, needs_process_0_to_wait_until_the_region_is_told) { EXPECT_EQ(explore(waits_to_tell), disagree); }
TEST(cancels_model, needs_parts_that_are_over_to_hear_of_nothing) { EXPECT_EQ(explore(forgets_late_ones), stale); }
TEST(cancels_model, needs_every_process_to_say_that_it_is_through) { EXPECT_EQ(explore(always_says), stuck); }
TEST(cancels_model, needs_late_releases_to_be_ignored) { EXPECT_EQ(explore(ignores_release), early); }

}  // namespace
}  // namespace amity
