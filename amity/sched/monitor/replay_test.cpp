// Replays what the monitor saw on real machines (internal/recorder.hpp) through its judges: each concludes what it
// concluded then, and code that computes, spins or blocks is taken for what it is. tests/traces/README.md says what ran
// where.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "amity/sched/idle/starvation_judge.hpp"
#include "amity/sched/idle/stuck_by.hpp"

namespace amity::sched {
namespace {

const std::filesystem::path traces = std::filesystem::path(__FILE__).parent_path() / "../../../tests/traces";

struct outcome {
  int lines = 0;
  int sent = 0;                       ///< rescues of fibers whose carrier keeps its core
  int waited = 0;                     ///< of those whose carrier waits in the kernel
  int spins = 0;                      ///< times that code was found to spin
  int computes = 0;                   ///< or to compute
  int threads = 0;                    ///< looks at which tasks were to get one more thread
  std::uint64_t longest_wait_us = 0;  ///< from the first look that found a carrier stuck to the rescue
};

class replay {
 public:
  outcome run(const std::filesystem::path& file) {
    bool const failed_before = testing::Test::HasFailure();
    std::ifstream in(file);
    EXPECT_TRUE(in) << file << " can't be read";
    for (std::string line; std::getline(in, line);) {
      ++all_.lines;
      std::istringstream words(line);
      std::string kind;
      words >> kind;
      step(kind, words);
      if (!failed_before && testing::Test::HasFailure()) {
        ADD_FAILURE() << file.filename() << ':' << all_.lines << ": " << line;
        break;
      }
    }
    return all_;
  }

 private:
  struct home {
    stuck_watch watch;
    verdict judged = verdict::goes_on;
  };
  struct group {
    spin_evidence spinning;
    std::uint64_t stuck_since_us = 0;
  };

  template <class T>
  static T next(std::istream& in) {
    T value{};
    in >> value;
    EXPECT_TRUE(in) << "a number is missing";
    return value;
  }
  static std::uint64_t n(std::istream& in) { return next<std::uint64_t>(in); }
  static int i(std::istream& in) { return next<int>(in); }

  void found(spin_evidence::finding what, int expected) {
    EXPECT_EQ(static_cast<int>(what), expected);
    all_.spins += what == spin_evidence::finding::spins;
    all_.computes += what == spin_evidence::finding::computes;
  }

  void step(const std::string& kind, std::istream& in) {
    if (kind == "c") {
      home& h = homes_[next<std::string>(in)];
      std::uint64_t const events = n(in), cpu_ns = n(in), enough_ns = n(in);
      h.judged = h.watch.look(events, cpu_ns, enough_ns);
      EXPECT_EQ(static_cast<int>(h.judged), i(in));
    } else if (kind == "e") {
      group& g = groups_[next<std::string>(in)];
      std::uint64_t const events = n(in), helped = (now_us_ = n(in), n(in));
      found(g.spinning.look(events, now_us_, helped), i(in));
    } else if (kind == "r") {
      group& g = groups_[next<std::string>(in)];
      g.spinning.restart(n(in));
      g.stuck_since_us = 0;
    } else if (kind == "k") {
      group& g = groups_[next<std::string>(in)];
      home& h = homes_[next<std::string>(in)];
      std::uint64_t const since = n(in), enough = n(in);
      int const passed = i(in), waits = i(in);
      bool asked = false;
      stuck_by const how =
          what_keeps(h.judged, h.watch, g.spinning, {since, enough, passed}, [&] { return asked = true, waits == 1; });
      EXPECT_EQ(asked, waits != -1);
      EXPECT_EQ(static_cast<int>(how), i(in));
      if (h.judged != verdict::stuck) g.stuck_since_us = 0;
      if (h.judged == verdict::stuck && g.stuck_since_us == 0) g.stuck_since_us = now_us_;
    } else if (kind == "s") {
      group& g = groups_[next<std::string>(in)];
      now_us_ = n(in);
      auto const fibers = next<unsigned>(in);
      g.spinning.note_rescue(now_us_, fibers);
      ++all_.sent;
      if (g.stuck_since_us != 0) all_.longest_wait_us = std::max(all_.longest_wait_us, now_us_ - g.stuck_since_us);
      g.stuck_since_us = 0;
    } else if (kind == "w") {
      group& g = groups_[next<std::string>(in)];
      found(g.spinning.note_wait(), i(in));
      ++all_.waited;
    } else if (kind == "b") {
      tasks_.begin(n(in));
    } else if (kind == "x") {
      bool const sent_run = i(in) != 0;
      tasks_.end(sent_run, n(in));
    } else if (kind == "t") {
      task_census c;
      c.cores = i(in), c.computing = i(in), c.ran_us = n(in), c.blocked = i(in);
      c.sent_run = i(in) != 0, c.sent_got_on = i(in) != 0, c.others_got_on = i(in) != 0;
      starvation_judge::decision const d = tasks_.look(c, n(in));
      EXPECT_EQ(d.extra, i(in));
      EXPECT_EQ(d.send, i(in) != 0);
      all_.threads += d.send;
    } else {
      ADD_FAILURE() << "an unknown kind of line";
    }
  }

  std::map<std::string, home> homes_;
  std::map<std::string, group> groups_;
  starvation_judge tasks_;
  std::uint64_t now_us_ = 0;
  outcome all_;
};

/// All traces of one program: its name, then a machine's.
template <class Check>
void each(const std::string& program, Check check) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(traces)) {
    std::string const name = entry.path().filename().string();
    if (!name.starts_with(program + "_") || entry.path().extension() != ".trace") continue;
    SCOPED_TRACE(name);
    outcome const seen = replay().run(entry.path());
    EXPECT_GT(seen.lines, 20);
    check(seen);
    ++found;
  }
  EXPECT_GT(found, 0) << "no trace of " << program << " in " << traces;
}

// 300 regions of 8 members, each of which computes for 1.3 ms.
TEST(Replay, CodeThatComputesIsLeftAlone) {
  each("computes", [](const outcome& seen) {
    EXPECT_LT(seen.sent, 40);
    EXPECT_LT(seen.spins, 10);  // by chance, where it has not always a core
  });
}

// Regions in which each member spins for the one before it.
TEST(Replay, CodeThatSpinsIsFoundAndRescuedSoon) {
  each("spins", [](const outcome& seen) {
    EXPECT_GT(seen.sent, 0);
    EXPECT_GT(seen.spins, 0);
    EXPECT_LT(seen.longest_wait_us, 150'000u);
  });
}

// Regions in which each member sleeps.
TEST(Replay, CodeThatSleepsIsNotTakenForComputing) {
  each("sleeps", [](const outcome& seen) { EXPECT_GT(seen.waited, 0); });
}

// Tasks that block in the kernel while others wait.
TEST(Replay, TasksGetThreadsWhereOthersBlock) {
  each("tasks", [](const outcome& seen) { EXPECT_GT(seen.threads, 0); });
}

}  // namespace
}  // namespace amity::sched
