// The end of a job in which ranks are lost (README-end.md, L1 to L5 and S1) as a model. Two of three may be lost, each
// at any moment, the coordinator too, and each other rank learns of it at a moment of its own. Every order is tried.
// What is shown: when a rank takes the job for over, no message between ranks that live is on its way and nothing goes
// on there; and all that live leave. Without each of L5's rules the model finds a message that is lost, or ranks that
// wait for ever. What is simpler here: messages of the protocol arrive as they are sent.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "amity/base/explore.hpp"

namespace {

constexpr int ranks = 3;
constexpr std::int8_t all = (1 << ranks) - 1, nobody = -1;
template <class T>
using of_rank = std::array<T, ranks>;
using set = std::int8_t;  // of ranks

enum rule : unsigned {
  everything = 0,
  agree_on_losses = 1,         // a wave counts only if all know of the same losses
  leave_the_lost_out = 2,      // what was sent to a lost rank, or came from one, does not count
  tell_the_next = 4,           // a rank tells the next coordinator what it had told the lost one
  meeting_says_it_is_over = 8  // a new coordinator learns that all is over from the first that comes to the meeting
};

enum class stage : std::int8_t { serves, meets, has_left };

bool in(set s, int rank) { return (s >> rank & 1) != 0; }
void add(set& s, int rank) { s = static_cast<set>(s | 1 << rank); }
void remove(set& s, int rank) { s = static_cast<set>(s & ~(1 << rank)); }

struct world {
  of_rank<of_rank<std::int8_t>> arriving{}, sent{};  // [from][to]
  of_rank<of_rank<std::int8_t>> handled{};           // [to][from]
  of_rank<std::int8_t> active{};
  of_rank<stage> at{};
  of_rank<set> knows{};  // which ranks it knows to be lost
  of_rank<std::int8_t> told_come{nobody, nobody, nobody}, told_met{nobody, nobody, nobody};  // which coordinator
  of_rank<set> come{}, met{};                                                                // as a coordinator knows
  of_rank<std::int8_t> is_over{}, all_have_met{};
  of_rank<set> to_tell_end{}, to_tell_meeting{};  // others that it has still to tell
  // A coordinator's wave.
  of_rank<std::int8_t> counts{}, agreed{}, began_at_rest{}, sum_sent{}, sum_handled{}, sum_active{};
  of_rank<set> answered{}, losses{};
  of_rank<std::int8_t> quiet_before{nobody, nobody, nobody};
  set dead = 0;
  std::int8_t may_die = 0, sends_left = 0, counts_for_ever = 0;

  [[nodiscard]] std::string key() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
  [[nodiscard]] bool lives(int r) const { return !in(dead, r); }
  [[nodiscard]] bool runs(int r) const { return lives(r) && at[r] != stage::has_left; }
  [[nodiscard]] int coordinator_of(int r) const { return std::countr_one(static_cast<std::uint8_t>(knows[r])); }
};

class model {
 public:
  explicit model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const world& w) {
    if (w.counts_for_ever != 0) return "waves go on for ever";
    for (int r = 0; r < ranks; ++r)
      if (w.lives(r) && w.is_over[r] != 0)
        for (int a = 0; a < ranks; ++a) {
          if (w.lives(a) && w.active[a] != 0) return "the job is over, and something goes on";
          for (int b = 0; b < ranks; ++b)
            if (w.lives(a) && w.lives(b) && w.arriving[a][b] != 0)
              return "the job is over, and a message is on its way";
        }
    return {};
  }
  static std::string final(const world& w) {
    for (int r = 0; r < ranks; ++r)
      if (w.runs(r)) return "a rank waits for ever";
    return {};
  }

  [[nodiscard]] std::vector<world> steps(const world& now) const {
    std::vector<world> next;
    if (now.may_die != 0) {
      world w = now;
      w.may_die = 0;  // else nobody seems to wait for ever: another loss might help
      next.push_back(w);
    }
    for (int r = 0; r < ranks; ++r) {
      if (!now.runs(r)) continue;
      if (now.may_die != 0) next.push_back(after_death(now, r));
      for (int lost = 0; lost < ranks; ++lost)
        // One that has left is noted like a lost one: its process has gone, too.
        if (!in(now.knows[r], lost) && !now.runs(lost)) next.push_back(after_note(now, r, lost));
      add_work(now, r, next);
      now.at[r] == stage::serves ? add_serving(now, r, next) : add_meeting(now, r, next);
    }
    return next;
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  static world after_death(world w, int r) {
    --w.may_die;
    add(w.dead, r);
    for (int from = 0; from < ranks; ++from) w.arriving[from][r] = 0;
    w.active[r] = 0;
    return w;
  }

  static world after_note(world w, int r, int lost) {
    add(w.knows[r], lost);
    w.arriving[lost][r] = 0;  // S1
    forget_wave(w, r);
    w.quiet_before[r] = nobody;
    return w;
  }

  static void add_work(const world& now, int r, std::vector<world>& next) {
    for (int from = 0; from < ranks; ++from)
      if (now.arriving[from][r] != 0) {
        world w = now;
        --w.arriving[from][r];
        ++w.active[r];
        ++w.handled[r][from];
        next.push_back(w);
      }
    if (now.active[r] == 0) return;
    world done = now;
    --done.active[r];
    next.push_back(done);
    for (int to = 0; to < ranks && now.sends_left > 0; ++to) {
      if (to == r || in(now.knows[r], to)) continue;
      world w = now;
      --w.sends_left;
      ++w.sent[r][to];
      if (w.lives(to)) ++w.arriving[r][to];
      next.push_back(w);
    }
  }

  /// serve_until_all_leave
  void add_serving(const world& now, int r, std::vector<world>& next) const {
    int const c = now.coordinator_of(r);
    if (now.is_over[r] != 0) {
      world w = now;
      w.at[r] = stage::meets;
      if (c == r) w.to_tell_end[r] = others(w, r);
      next.push_back(w);
      return;
    }
    if (now.told_come[r] == nobody || (now.told_come[r] != c && has(tell_the_next))) {
      world w = now;
      w.told_come[r] = static_cast<std::int8_t>(c);
      if (w.runs(c) && !in(w.knows[c], r)) {
        add(w.come[c], r);
        if (w.is_over[c] != 0) w.is_over[r] = 1;  // it is answered
      }
      next.push_back(w);
      return;
    }
    if (c != r || (now.come[r] | now.knows[r]) != all) return;
    if (now.counts[r] == 0) {
      world w = now;
      w.counts[r] = w.agreed[r] = 1;
      w.losses[r] = w.knows[r];
      w.began_at_rest[r] = nothing_will_change(w) ? 1 : 0;
      next.push_back(w);
      return;
    }
    for (int a = 0; a < ranks; ++a)
      if (now.runs(a) && !in(now.answered[r], a) && !in(now.knows[r], a) && !in(now.knows[a], r))
        next.push_back(after_answer(now, r, a));
  }

  /// The answer of `a` to the wave of `r`.
  [[nodiscard]] world after_answer(world w, int r, int a) const {
    add(w.answered[r], a);
    for (int other = 0; other < ranks; ++other) {
      if (in(w.knows[a], other) && has(leave_the_lost_out)) continue;
      w.sum_sent[r] = static_cast<std::int8_t>(w.sum_sent[r] + w.sent[a][other]);
      w.sum_handled[r] = static_cast<std::int8_t>(w.sum_handled[r] + w.handled[a][other]);
    }
    w.sum_active[r] = static_cast<std::int8_t>(w.sum_active[r] + w.active[a]);
    if (w.knows[a] != w.losses[r] && has(agree_on_losses)) w.agreed[r] = 0;
    if ((w.answered[r] | w.losses[r]) != all) return w;
    bool const quiet = w.agreed[r] != 0 && w.sum_active[r] == 0 && w.sum_sent[r] == w.sum_handled[r];
    if (quiet && w.quiet_before[r] == w.sum_sent[r]) w.is_over[r] = 1;
    w.quiet_before[r] = quiet ? w.sum_sent[r] : nobody;
    if (!quiet && w.began_at_rest[r] != 0) w.counts_for_ever = 1;
    forget_wave(w, r);
    return w;
  }

  static void forget_wave(world& w, int r) {
    w.counts[r] = w.agreed[r] = w.began_at_rest[r] = w.answered[r] = w.losses[r] = 0;
    w.sum_sent[r] = w.sum_handled[r] = w.sum_active[r] = 0;
  }

  static bool nothing_will_change(const world& w) {
    for (int r = 0; r < ranks; ++r) {
      if (!w.lives(r)) continue;
      if (w.active[r] != 0 || w.knows[r] != w.dead) return false;
      for (int from = 0; from < ranks; ++from)
        if (w.arriving[from][r] != 0) return false;
    }
    return w.may_die == 0;
  }

  /// meet_by_messages
  void add_meeting(const world& now, int r, std::vector<world>& next) const {
    if (now.to_tell_end[r] != 0) return tell(now, r, &world::to_tell_end, &world::is_over, next);
    if (now.to_tell_meeting[r] != 0) return tell(now, r, &world::to_tell_meeting, &world::all_have_met, next);
    int const c = now.coordinator_of(r);
    if (now.all_have_met[r] != 0) {
      world w = now;
      w.at[r] = stage::has_left;
      next.push_back(w);
    } else if (now.told_met[r] == nobody || (now.told_met[r] != c && has(tell_the_next))) {
      world w = now;
      w.told_met[r] = static_cast<std::int8_t>(c);
      if (w.runs(c) && !in(w.knows[c], r)) {
        add(w.met[c], r);
        if (has(meeting_says_it_is_over)) w.is_over[c] = 1;
      }
      next.push_back(w);
    } else if (c == r && (now.met[r] | now.knows[r]) == all) {
      world w = now;
      w.all_have_met[r] = 1;
      w.to_tell_meeting[r] = others(w, r);
      next.push_back(w);
    }
  }

  static set others(const world& w, int r) { return static_cast<set>(all & ~w.knows[r] & ~(1 << r)); }

  /// One of those that are to be told: in any order, and the teller may be lost in between.
  static void tell(const world& now, int r, of_rank<set> world::*whom, of_rank<std::int8_t> world::*what,
                   std::vector<world>& next) {
    for (int to = 0; to < ranks; ++to) {
      if (!in((now.*whom)[r], to)) continue;
      world w = now;
      remove((w.*whom)[r], to);
      if (w.runs(to) && !in(w.knows[to], r)) (w.*what)[to] = 1;
      next.push_back(w);
    }
  }

  unsigned without_;
};

struct size_of_world {
  std::int8_t deaths, sends;
};
constexpr size_of_world sizes[] = {{1, 2}, {2, 1}};

// What went wrong first, or nothing.
std::string explore(unsigned left_out, size_of_world size) {
  world w;
  w.active = {0, 1, 1};  // two remote tasks go on when all have come to their ends
  w.may_die = size.deaths;
  w.sends_left = size.sends;
  return amity::base::explore_steps(w, model(left_out));
}

TEST(LeavingWithLossesModel, AllThatLiveLeaveWhenNothingGoesOn) {
  for (size_of_world size : sizes) EXPECT_EQ(explore(everything, size), "");
}

TEST(LeavingWithLossesModel, EachRuleIsNeeded) {
  for (rule r : {agree_on_losses, leave_the_lost_out, tell_the_next, meeting_says_it_is_over})
    for (size_of_world size : sizes) EXPECT_NE(explore(r, size), "") << "nothing goes wrong without rule " << r;
}

}  // namespace
