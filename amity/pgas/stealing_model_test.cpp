// Lifelines (README.md, A2 to A4) as a model: one process makes tasks and never runs them itself, the others take them;
// messages arrive in any order, and every order is tried. What is shown: no task is lost or run twice, and when nothing
// happens any more, at most one task is left waiting, whatever the thieves were doing when it was made. Each rule is
// then left out in turn, and the model must find the tasks that lie while others rest.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "amity/base/explore.hpp"

namespace {

constexpr int most = 3, maker = 0;  // processes

enum rule : unsigned {
  everything = 0,
  note_thieves = 1,    // A4: a process that has nothing notes the thief that asks as a lifeline
  feed_when_made = 2,  // A4: it gives to those it has noted when it has something
  wake_who_rests = 4,  // A4: tasks that come end the thief's rest
  answer_always = 8,   // A3: a request is answered, also with none
  ask_all_again = 16,  // A4: a thief that was fed is noted no more, so it asks all others again before it rests
};

enum class kind : std::int8_t { task, request, lifeline, answer, gift };
struct message {
  kind what;
  std::int8_t from, to, word;
  auto operator<=>(const message&) const = default;
};

enum class phase : std::int8_t { ready, asking, resting };

struct process {
  std::int8_t waiting = 0;
  phase at = phase::ready;
  std::int8_t asked = 0;   // without success, since it had something
  std::uint8_t noted = 0;  // thieves that are to be fed: a bit each
};

struct world {
  std::array<process, most> all;
  std::vector<message> under_way;  // sorted
  std::int8_t to_be_made = 0, run = 0;

  [[nodiscard]] std::string key() const {
    std::string k;
    for (const process& p : all)
      for (int byte : {int{p.waiting}, static_cast<int>(p.at), int{p.asked}, int{p.noted}})
        k += static_cast<char>(byte);
    k += static_cast<char>(to_be_made);
    k += static_cast<char>(run);
    for (const message& m : under_way)
      for (int byte : {static_cast<int>(m.what), int{m.from}, int{m.to}, int{m.word}}) k += static_cast<char>(byte);
    return k;
  }
  void send(kind what, int from, int to, int word = 0) {
    message const m{what, static_cast<std::int8_t>(from), static_cast<std::int8_t>(to), static_cast<std::int8_t>(word)};
    under_way.insert(std::upper_bound(under_way.begin(), under_way.end(), m), m);
  }
};

class model {
 public:
  model(int processes, int tasks, unsigned left_out) : processes_(processes), tasks_(tasks), without_(left_out) {}

  static std::string visit(const world&) { return {}; }
  [[nodiscard]] std::string final(const world& w) const {
    int waiting = 0;
    for (const process& p : w.all) {
      waiting += p.waiting;
      if (p.at == phase::asking) return "a thief waits for an answer that does not come";
    }
    if (w.run + waiting != tasks_) return "a task was lost or run twice";
    return waiting > 1 ? "tasks lie while others rest" : "";
  }

  [[nodiscard]] std::vector<world> steps(const world& now) const {
    std::vector<world> next;
    if (now.to_be_made > 0) {
      world w = now;
      --w.to_be_made;
      ++w.all[maker].waiting;
      feed(w, maker);
      next.push_back(w);
    }
    for (int p = 0; p < processes_; ++p) {
      if (p == maker) continue;
      if (now.all[p].waiting > 0) {
        world w = now;
        --w.all[p].waiting;
        ++w.run;
        next.push_back(w);
      } else if (now.all[p].at == phase::ready) {
        look_for_tasks(next, now, p);
      }
    }
    for (std::size_t i = 0; i < now.under_way.size(); ++i) {
      if (i > 0 && now.under_way[i] == now.under_way[i - 1]) continue;
      world w = now;
      w.under_way.erase(w.under_way.begin() + static_cast<std::ptrdiff_t>(i));
      arrive(w, now.under_way[i]);
      next.push_back(w);
    }
    return next;
  }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }

  // The older half of what waits at `from`. How many.
  static int give_half(world& w, int from, int to) {
    process& p = w.all[from];
    int const given = (p.waiting + 1) / 2;
    p.waiting = static_cast<std::int8_t>(p.waiting - given);
    for (int i = 0; i < given; ++i) w.send(kind::task, from, to);
    return given;
  }

  void feed(world& w, int number) const {
    process& p = w.all[number];
    for (int to = 0; to < processes_ && has(feed_when_made); ++to) {
      if ((p.noted & 1u << to) == 0 || p.waiting <= 1) continue;
      p.noted = static_cast<std::uint8_t>(p.noted & ~(1u << to));
      give_half(w, number, to);
      w.send(kind::gift, number, to);
    }
  }

  void arrive(world& w, const message& m) const {
    process& p = w.all[m.to];
    switch (m.what) {
      case kind::task:
        ++p.waiting;
        return feed(w, m.to);
      case kind::request:
      case kind::lifeline: {
        int const given = give_half(w, m.to, m.from);
        if (given == 0 && m.what == kind::lifeline && has(note_thieves))
          p.noted = static_cast<std::uint8_t>(p.noted | 1u << m.from);
        if (given != 0 || has(answer_always)) w.send(kind::answer, m.to, m.from, given);
        return;
      }
      case kind::answer:
        p.asked = m.word != 0 ? std::int8_t{0} : static_cast<std::int8_t>(p.asked + 1);
        if (p.at == phase::asking) p.at = phase::ready;
        return;
      case kind::gift:
        if (has(ask_all_again)) p.asked = 0;
        if (p.at == phase::resting && has(wake_who_rests)) p.at = phase::ready;
        return;
    }
  }

  // One by chance, then those 1 and 2 further, which note it; then it rests.
  void look_for_tasks(std::vector<world>& next, const world& now, int number) const {
    int const asked = now.all[number].asked;
    for (int chance = 1; chance < processes_; ++chance) {
      world w = now;
      process& p = w.all[number];
      if (asked >= processes_) {
        p.asked = 0;
        p.at = phase::resting;
      } else {
        int const step = asked == 0 ? chance : asked;
        p.at = phase::asking;
        w.send(asked == 0 ? kind::request : kind::lifeline, number, (number + step) % processes_);
      }
      next.push_back(w);
      if (asked != 0) return;  // nothing is left to chance
    }
  }

  int processes_, tasks_;
  unsigned without_;
};

// What went wrong first, or nothing.
std::string explore(int processes, int tasks, unsigned left_out, std::size_t* worlds = nullptr) {
  world w;
  w.to_be_made = static_cast<std::int8_t>(tasks);
  w.all[maker].at = phase::resting;  // it is busy with a task that makes others
  return amity::base::explore_steps(w, model(processes, tasks, left_out), worlds);
}

TEST(StealingModel, NothingLiesWhileOthersRest) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(2, 5, everything), "");
  EXPECT_EQ(explore(3, 2, everything, &worlds), "");
  EXPECT_GT(worlds, 10'000u);
}

TEST(StealingModel, EachRuleIsNeeded) {
  for (rule r : {note_thieves, feed_when_made, wake_who_rests, answer_always, ask_all_again})
    EXPECT_NE(explore(2, 5, r), "") << "nothing goes wrong without rule " << r;
}

}  // namespace
