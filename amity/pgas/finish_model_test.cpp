// The protocol of a finish over processes (README.md, F1 to F5, and A3) as a model: messages arrive in any order, and
// every order is tried, in small worlds. What is shown: when the root's finish ends, no task of it runs and none is on
// its way; and whatever happens, it ends. Each rule is then left out in turn, and the model must find what goes wrong.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "amity/base/explore.hpp"

namespace {

constexpr int processes = 3, root = 0;

enum rule : unsigned {
  everything = 0,
  count_before_sending = 1,   // F1: the message is counted by its sender before it leaves
  parent_waits = 2,           // F2: the message that made a process a member is acknowledged last
  acknowledge_when_idle = 4,  // F3: the others as soon as no task is left, whatever is outstanding
  wait_for_own_messages = 8,  // F5: a member leaves when its own messages are acknowledged
  root_acknowledges = 16,     // F2 at the root
  count_before_gone = 32,     // A3: a task that another process takes counts as a message before it counts as gone
};

// A message: a task on its way, or an acknowledgement of some.
struct message {
  std::int8_t from, to;
  std::int8_t acknowledges;  // 0: a task
  auto operator<=>(const message&) const = default;
};

struct process {
  std::int8_t tasks = 0;
  std::int8_t outstanding = 0;
  std::int8_t is_member = 0, parent = -1;
  std::array<std::int8_t, processes> owed{};
};

struct world {
  std::array<process, processes> all;
  std::vector<message> under_way;  // sorted
  std::int8_t spawns_left = 0, moves_left = 0;
  std::int8_t is_over = 0;

  [[nodiscard]] std::string key() const {
    std::string k;
    for (const process& p : all) {
      k += static_cast<char>(p.tasks);
      k += static_cast<char>(p.outstanding);
      k += static_cast<char>(p.is_member);
      k += static_cast<char>(p.parent);
      for (std::int8_t o : p.owed) k += static_cast<char>(o);
    }
    k += static_cast<char>(spawns_left);
    k += static_cast<char>(moves_left);
    k += static_cast<char>(is_over);
    for (const message& m : under_way) {
      k += static_cast<char>(m.from);
      k += static_cast<char>(m.to);
      k += static_cast<char>(m.acknowledges);
    }
    return k;
  }
  void send(message m) { under_way.insert(std::upper_bound(under_way.begin(), under_way.end(), m), m); }
};

class model {
 public:
  explicit model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const world& w) {
    if (!w.is_over) return {};
    for (const process& p : w.all)
      if (p.tasks != 0) return "the finish has ended, and a task runs";
    for (const message& m : w.under_way)
      if (m.acknowledges == 0) return "the finish has ended, and a task is on its way";
    return {};
  }
  static std::string final(const world& w) { return w.is_over ? "" : "the finish waits for ever"; }

  [[nodiscard]] std::vector<world> steps(const world& now) const {
    std::vector<world> next;
    for (int p = 0; p < processes; ++p) {
      if (now.all[p].tasks == 0) continue;
      for (int to = 0; to < processes && now.spawns_left > 0; ++to) {  // a task makes another
        world w = now;
        --w.spawns_left;
        if (to == p) {
          ++w.all[p].tasks;
        } else {
          if (has(count_before_sending)) ++w.all[p].outstanding;
          w.send({static_cast<std::int8_t>(p), static_cast<std::int8_t>(to), 0});
        }
        next.push_back(w);
      }
      for (int to = 0; to < processes && now.moves_left > 0; ++to) {  // one that waits is given away
        if (to == p) continue;
        world w = now;
        --w.moves_left;
        if (!has(count_before_gone)) lose_task(w, p);
        ++w.all[p].outstanding;
        w.send({static_cast<std::int8_t>(p), static_cast<std::int8_t>(to), 0});
        if (has(count_before_gone)) lose_task(w, p);
        next.push_back(w);
      }
      world w = now;  // it ends
      lose_task(w, p);
      next.push_back(w);
    }
    for (std::size_t i = 0; i < now.under_way.size(); ++i) {
      if (i > 0 && now.under_way[i] == now.under_way[i - 1]) continue;
      world w = now;
      w.under_way.erase(w.under_way.begin() + static_cast<std::ptrdiff_t>(i));
      arrive(w, now.under_way[i]);
      next.push_back(w);
    }
    if (!now.is_over && now.all[root].tasks == 0 && now.all[root].outstanding == 0) {
      world w = now;
      w.is_over = 1;
      next.push_back(w);
    }
    return next;
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  // No task is left at `p`, or one of its messages was acknowledged (settle).
  void settle(world& w, int number) const {
    process& p = w.all[number];
    if (number == root || !p.is_member || p.tasks != 0) return;
    bool const leaves = p.outstanding == 0 || !has(wait_for_own_messages);
    if (has(acknowledge_when_idle) || leaves)
      for (int to = 0; to < processes; ++to)
        if (p.owed[to] != 0)
          w.send({static_cast<std::int8_t>(number), static_cast<std::int8_t>(to), std::exchange(p.owed[to], 0)});
    if (!leaves) return;
    p.is_member = 0;
    if (has(parent_waits)) w.send({static_cast<std::int8_t>(number), p.parent, 1});
    p.parent = -1;
  }

  void lose_task(world& w, int number) const {
    --w.all[number].tasks;
    settle(w, number);
  }

  void arrive(world& w, const message& m) const {
    process& p = w.all[m.to];
    if (m.acknowledges != 0) {
      p.outstanding = static_cast<std::int8_t>(p.outstanding - m.acknowledges);
      settle(w, m.to);
      return;
    }
    ++p.tasks;
    if (m.to == root) {
      if (has(root_acknowledges)) w.send({m.to, m.from, 1});
    } else if (!p.is_member) {
      p.is_member = 1;
      p.parent = m.from;
      if (!has(parent_waits)) w.send({m.to, m.from, 1});
    } else {
      ++p.owed[m.from];
    }
  }

  unsigned without_;
};

// What went wrong first, or nothing: a task of the root makes `spawns` others; so many times one that waits moves.
std::string explore(unsigned left_out, int spawns, int moves, std::size_t* worlds = nullptr) {
  world w;
  w.all[root].tasks = 1;
  w.spawns_left = static_cast<std::int8_t>(spawns);
  w.moves_left = static_cast<std::int8_t>(moves);
  return amity::base::explore_steps(w, model(left_out), worlds);
}

TEST(FinishModel, EndsWhenAllIsDoneAndNotBefore) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(everything, 5, 0, &worlds), "");
  EXPECT_GT(worlds, 10'000u);
}

TEST(FinishModel, TasksMayMove) { EXPECT_EQ(explore(everything, 2, 2), ""); }

TEST(FinishModel, EachRuleIsNeeded) {
  for (rule r : {count_before_sending, parent_waits, acknowledge_when_idle, wait_for_own_messages, root_acknowledges})
    EXPECT_NE(explore(r, 5, 0), "") << "nothing goes wrong without rule " << r;
  EXPECT_NE(explore(count_before_gone, 2, 2), "") << "nothing goes wrong without A3";
}

}  // namespace
