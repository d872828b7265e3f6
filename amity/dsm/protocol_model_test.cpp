// Goes through every order in which threads of two or three processes use one page, and messages come. The functions of
// protocol.hpp are the runtime's own. What surrounds them (memory, streams, the pager that does what they want) is a
// model, and each test that is called without_* leaves out one thing that README.md asks of it, to see it fail.
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "amity/base/assert.hpp"
#include "amity/base/explore.hpp"
#include "amity/dsm/protocol.hpp"

namespace amity::dsm {
namespace {

constexpr int most = 3;

// What the surroundings do otherwise than README.md asks.
enum class fault_of {
  nobody,
  streams_reorder,
  sends_before_closing,
  home_drops_contents,
  does_not_close,
  wakes_nobody
};

struct letter {
  message m;
  std::uint8_t contents;
};

struct world {
  int count = 0;
  copy copies[most];
  entry of_home;
  std::deque<letter> streams[most][most];
  // How often anybody has written so far, and what each process's memory has of it.
  std::uint8_t writes = 0, memory[most] = {};
  access may[most] = {};        // what the hardware lets threads do
  access waits_for[most] = {};  // the thread is in a fault
  access faulted[most] = {};    // of which the pager hasn't heard yet
  bool holds[most] = {};
  std::deque<action> todo[most];   // what the pager of each process still has to do before it looks at what comes next
  std::uint8_t left[most] = {};    // operations that the thread of each process has before it
  std::uint8_t passed[most] = {};  // grants to others since it began to wait in the home's queue
  const char* wrong = "";

  [[nodiscard]] std::string key() const {
    std::string k;
    auto const add = [&k](auto value) { k.append(reinterpret_cast<const char*>(&value), sizeof value); };
    for (int p = 0; p < count; ++p) {
      add(copies[p]), add(memory[p]), add(may[p]), add(waits_for[p]), add(faulted[p]), add(holds[p]), add(left[p]),
          add(passed[p]);
      add(static_cast<std::uint8_t>(todo[p].size()));
      for (const action& a : todo[p])
        add(a.what), add(a.to), add(a.m.about), add(a.m.what), add(a.m.has_data), add(a.m.was_written);
      for (int q = 0; q < count; ++q) {
        add(static_cast<std::uint8_t>(streams[p][q].size()));
        for (const letter& l : streams[p][q])
          add(l.m.about), add(l.m.what), add(l.m.has_data), add(l.m.was_written), add(l.contents);
      }
    }
    entry const& e = of_home;
    add(e.readers), add(e.awaited), add(e.want_read), add(e.want_write), add(e.writer), add(e.requester);
    add(e.requested), add(e.is_known), add(e.is_busy), add(e.last_writer), add(e.migrates), add(writes);
    return k;
  }
};

struct model {
  fault_of odd = fault_of::nobody;

  [[nodiscard]] static place from(int p) { return {.own = p, .home = 0, .page = 0}; }

  void plan(world& w, int p, const actions& todo) const {
    w.todo[p].insert(w.todo[p].end(), todo.begin(), todo.end());
    auto const first = w.todo[p].end() - (todo.end() - todo.begin());
    if (odd == fault_of::sends_before_closing && w.todo[p].end() - first == 2 && first->what == action::kind::close)
      std::iter_swap(first, first + 1);
  }

  void carry_out_next(world& w, int p) const {
    action const a = w.todo[p].front();
    w.todo[p].pop_front();
    switch (a.what) {
      case action::kind::send:
        if (a.m.about == topic::grant) {
          for (int q = 0; q < w.count; ++q)
            if (((w.of_home.want_read | w.of_home.want_write) >> q & 1) != 0 && q != a.to) ++w.passed[q];
          w.passed[a.to] = 0;
        }
        w.streams[p][a.to].push_back({a.m, a.m.has_data ? w.memory[p] : std::uint8_t{0}});
        break;
      case action::kind::open:
        w.may[p] = a.m.what;
        if (odd != fault_of::wakes_nobody || a.m.what == access::write) w.waits_for[p] = access::none;
        break;
      case action::kind::close:
        if (odd != fault_of::does_not_close) w.may[p] = a.m.what;
        break;
      case action::kind::hold:
        w.holds[p] = true;
        break;
    }
  }

  // The thread of p reads or writes, or asks for leave to.
  void use(world& w, int p, access wanted) const {
    if (w.may[p] < wanted) {
      w.waits_for[p] = wanted;
      w.faulted[p] = wanted;
      return;
    }
    if (w.memory[p] != w.writes) w.wrong = "a thread sees what is no longer there";
    if (wanted == access::write) w.memory[p] = ++w.writes;
    --w.left[p];
  }

  void deliver(world& w, int a, int b, std::size_t which) const {
    auto& stream = w.streams[a][b];
    letter const l = stream[which];
    stream.erase(stream.begin() + static_cast<std::ptrdiff_t>(which));
    if (l.m.has_data && !(odd == fault_of::home_drops_contents && b == 0)) w.memory[b] = l.contents;
    actions todo;
    if (l.m.about == topic::ask || l.m.about == topic::give_back)
      step(w.of_home, from(b), a, l.m, todo);
    else
      step(w.copies[b], from(b), l.m, todo);
    plan(w, b, todo);
  }

  [[nodiscard]] std::vector<world> steps(const world& now) const {
    std::vector<world> all;
    if (*now.wrong != '\0') return all;
    for (int p = 0; p < now.count; ++p) {
      if (now.left[p] > 0 && now.waits_for[p] == access::none)
        for (access const wanted : {access::read, access::write}) use(all.emplace_back(now), p, wanted);
      if (!now.todo[p].empty()) {  // the pager of p is at work
        carry_out_next(all.emplace_back(now), p);
        continue;
      }
      if (now.faulted[p] != access::none) {
        world& w = all.emplace_back(now);
        actions todo;
        fault(w.copies[p], from(p), std::exchange(w.faulted[p], access::none), todo);
        plan(w, p, todo);
      }
      if (now.holds[p]) {
        world& w = all.emplace_back(now);
        w.holds[p] = false;
        actions todo;
        recall_is_due(w.copies[p], from(p), todo);
        plan(w, p, todo);
      }
      for (int q = 0; q < now.count; ++q) {
        std::size_t const here = now.streams[q][p].size();
        std::size_t const choices = odd == fault_of::streams_reorder ? here : std::min<std::size_t>(here, 1);
        for (std::size_t k = 0; k < choices; ++k) deliver(all.emplace_back(now), q, p, k);
      }
      // The kernel may tell of a fault late, when all is well again; and a mapping may get lost (memory is short).
      if (now.may[p] != access::none && now.waits_for[p] == access::none && now.left[p] > 0) {
        world& w = all.emplace_back(now);
        w.waits_for[p] = w.faulted[p] = now.may[p];
      }
    }
    return all;
  }

  [[nodiscard]] std::string visit(const world& w) const {
    if (*w.wrong != '\0') return w.wrong;
    for (int p = 0; p < w.count; ++p) {
      if (w.passed[p] > w.count) return "others were preferred again and again";
      for (int q = 0; q < w.count; ++q)
        if (p != q && w.may[p] == access::write && w.may[q] != access::none) return "one writes what another may use";
    }
    return "";
  }
  [[nodiscard]] std::string final(const world& w) const {
    for (int p = 0; p < w.count; ++p)
      if (w.left[p] > 0 || w.waits_for[p] != access::none) return "a thread waits for ever";
    return w.of_home.is_busy ? "the home waits for ever" : "";
  }
};

world begin(int count, int operations) {
  world w;
  w.count = count;
  w.may[0] = access::write;
  for (int p = 0; p < count; ++p) w.left[p] = static_cast<std::uint8_t>(operations);
  ++w.left[count - 1];
  return w;
}

std::string explored(fault_of odd, int count, int operations) {
  std::size_t worlds = 0;
  std::string const wrong = base::explore_steps(begin(count, operations), model{odd}, &worlds);
  ::testing::Test::RecordProperty("worlds", static_cast<int>(worlds));
  return wrong;
}

TEST(protocol_model, is_right_in_every_order_with_two) { EXPECT_EQ(explored(fault_of::nobody, 2, 4), ""); }
TEST(protocol_model, is_right_in_every_order_with_three) { EXPECT_EQ(explored(fault_of::nobody, 3, 1), ""); }

TEST(protocol_model, without_order_in_streams_it_fails) {
#if AMITY_ASSERT_ACTIVE
  EXPECT_DEATH(static_cast<void>(explored(fault_of::streams_reorder, 3, 1)), "");
#else
  EXPECT_NE(explored(fault_of::streams_reorder, 3, 1), "");
#endif
}
TEST(protocol_model, without_closing_first_a_write_is_lost) {
  EXPECT_NE(explored(fault_of::sends_before_closing, 2, 3), "");
}
TEST(protocol_model, without_what_was_given_back_the_home_is_wrong) {
  EXPECT_NE(explored(fault_of::home_drops_contents, 2, 2), "");
}
TEST(protocol_model, without_closing_two_write) { EXPECT_NE(explored(fault_of::does_not_close, 2, 2), ""); }
TEST(protocol_model, without_waking_readers_a_thread_waits_for_ever) {
  EXPECT_NE(explored(fault_of::wakes_nobody, 2, 2), "");
}

}  // namespace
}  // namespace amity::dsm
