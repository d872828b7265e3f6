// What every engine promises (README-engines.md, C1 to C8): several ranks in this process, each on a thread of its own.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "amity/net/test_job.hpp"

namespace amity::net {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

class EngineContract : public testing::TestWithParam<kind_of_engine> {
 protected:
  void SetUp() override {
    if (const char* const missing = why_missing(GetParam())) GTEST_SKIP() << missing;
  }
  void TearDown() override {
    if (leaves_some_out_) return;
    EXPECT_EQ(buffers_out(), out_before_) << "memory for messages was not given back";
  }
  /// What was sent to a lost rank is UCX's for ever.
  void may_leave_some_out() noexcept {
    leaves_some_out_ = true;
    if (GetParam() != kind_of_engine::sockets && GetParam() != kind_of_engine::tcp) leave_some_behind();
  }

 private:
  std::size_t const out_before_ = buffers_out();
  bool leaves_some_out_ = false;
};

std::size_t any_size(std::minstd_rand& random) {
  constexpr std::size_t most[] = {1, 100, 5000, 40'000, 300'000};
  return random() % most[random() % std::size(most)];
}

/// To all others, in turn.
void send_storm(test_rank& r, std::minstd_rand& random) {
  for (int to = 0; to < r.size; ++to)
    if (to != r.rank) r.send(to, any_size(random), random() % 4 == 0);
}

// C1, C3
TEST_P(EngineContract, CarriesMessagesOfAllSizesWhole) {
  std::vector<std::size_t> sizes{0, 1, 7, 8, 63, 64, 255, 1024, 2 * mib, 40 * mib};
  for (std::size_t limit : {4096, 8192, 16 * 1024, 32 * 1024, 64 * 1024, 1 << 20})
    for (std::size_t s : {limit - 1, limit, limit + 1}) sizes.push_back(s);
  test_job job(GetParam(), 2);
  meeting end(2);
  std::uint64_t const all = 2 * sizes.size();
  job.run([&](test_rank& r) {
    for (std::size_t s : sizes)
      for (bool copied : {false, true}) r.send(1 - r.rank, s, copied);
    r.serve_until([&] { return r.taken == all; }, end);
    EXPECT_EQ(r.engine.backlog(1 - r.rank), 0u);
    EXPECT_FALSE(r.engine.needs_polls());
  });
  EXPECT_EQ(job.faults(), "");
}

// C1, C3, C6
TEST_P(EngineContract, CarriesStormsBetweenAll) {
  constexpr int ranks = 4, rounds = 150;
  test_job job(GetParam(), ranks);
  meeting end(ranks);
  job.run([&](test_rank& r) {
    std::minstd_rand random(static_cast<unsigned>(7 * r.rank + 1));
    for (int i = 0; i < rounds; ++i) {
      send_storm(r, random);
      if (random() % 3 == 0) r.serve();
    }
    r.serve_until([&] { return r.taken == rounds * (ranks - 1); }, end);
  });
  EXPECT_EQ(job.faults(), "");
}

// C2: nobody relies on it where it is not promised.
TEST_P(EngineContract, KeepsTheOrderWhereThatIsPromised) {
  constexpr int messages = 500;
  bool const promised = GetParam() == kind_of_engine::sockets || GetParam() == kind_of_engine::tcp;
  if (!promised) GTEST_SKIP() << "messages may overtake one another";
  test_job job(GetParam(), 2);
  meeting end(2);
  job.run([&](test_rank& r) {
    std::minstd_rand random(static_cast<unsigned>(r.rank + 1));
    for (int i = 0; i < messages; ++i) {
      r.send(1 - r.rank, any_size(random), random() % 4 == 0);
      if (random() % 8 == 0) r.serve();
    }
    r.serve_until([&] { return r.taken == messages; }, end);
    EXPECT_TRUE(r.all_in_order);
  });
  EXPECT_EQ(job.faults(), "");
}

// C4
TEST_P(EngineContract, SaysWhatWaitsForAReceiverThatDoesNotPoll) {
  constexpr int messages = 8;
  test_job job(GetParam(), 2);
  std::atomic<bool> looked{false};
  meeting end(2);
  job.run([&](test_rank& r) {
    if (r.rank == 0) {
      for (int i = 0; i < messages; ++i) r.send(1, 4 * mib);
      for (int i = 0; i < 100; ++i) r.serve();
      EXPECT_GT(r.engine.backlog(1), 4 * mib);
      EXPECT_EQ(r.engine.backlog(0), 0u);
      EXPECT_FALSE(r.engine.is_flushed());
      looked = true;
    }
    while (!looked) std::this_thread::yield();
    r.serve_until([&] { return r.taken == (r.rank == 1 ? messages : 0); }, end);
    EXPECT_EQ(r.engine.backlog(1), 0u);
  });
  EXPECT_EQ(job.faults(), "");
}

/// Sleeps until there is something for `r`, or until `done`. False: nothing has come for a minute.
bool sleep_until(test_rank& r, const std::function<bool()>& done) {
  constexpr int long_ms = 60'000;
  while (!done()) {
    if (r.engine.poll() != 0 || r.engine.needs_polls() || !r.engine.arm()) continue;
    pollfd fd{r.engine.fd(), POLLIN, 0};
    if (::poll(&fd, 1, long_ms) == 0) return false;
  }
  return true;
}

// C5: the message is sent after the receiver has armed.
TEST_P(EngineContract, WakesWhoHasArmed) {
  test_job job(GetParam(), 2);
  ASSERT_EQ(job.faults(), "");
  if (job[0].engine.fd() < 0) GTEST_SKIP() << "there is nothing to sleep on";
  meeting begun(2), end(2);
  std::atomic<bool> is_armed{false};
  job.run([&](test_rank& r) {
    r.send(1 - r.rank, 8);
    r.serve_until([&] { return r.taken == 1; }, begun);
    if (r.rank == 1) {
      while (r.engine.poll() != 0 || r.engine.needs_polls() || !r.engine.arm()) continue;
      is_armed = true;
      pollfd fd{r.engine.fd(), POLLIN, 0};
      EXPECT_EQ(::poll(&fd, 1, 60'000), 1);
      EXPECT_TRUE(sleep_until(r, [&] { return r.taken == 2; }));
    } else {
      while (!is_armed) std::this_thread::yield();
      r.send(1, 8);
    }
    r.serve_until([] { return true; }, end);
  });
  EXPECT_EQ(job.faults(), "");
}

// C5: both sides sleep and wake at any moment.
TEST_P(EngineContract, LosesNoWakeUp) {
  constexpr std::uint64_t rounds = 2000;
  test_job job(GetParam(), 2);
  ASSERT_EQ(job.faults(), "");
  if (job[0].engine.fd() < 0) GTEST_SKIP() << "there is nothing to sleep on";
  meeting end(2);
  job.run([&](test_rank& r) {
    for (std::uint64_t i = 0; i < rounds; ++i) {
      std::size_t const size = i % 50 == 0 ? 20'000 : i % 100;
      if (r.rank == 0) r.send(1, size);
      if (!sleep_until(r, [&] { return r.taken == i + 1; })) {
        ADD_FAILURE() << "rank " << r.rank << " was not woken up for message " << i;
        return;
      }
      if (r.rank == 1) r.send(0, size);
    }
    r.serve_until([] { return true; }, end);
  });
  EXPECT_EQ(job.faults(), "");
}

// C6
TEST_P(EngineContract, ServesSeveralJobsOfAProcess) {
  constexpr int ranks = 2, rounds = 60;
  test_job first(GetParam(), ranks), second(GetParam(), ranks);
  meeting end_of_first(ranks), end_of_second(ranks);
  const auto storm = [](test_job& job, meeting& end) {
    job.run([&end](test_rank& r) {
      std::minstd_rand random(static_cast<unsigned>(r.rank + 1));
      for (int i = 0; i < rounds; ++i) {
        send_storm(r, random);
        r.serve();
      }
      r.serve_until([&] { return r.taken == rounds * (ranks - 1); }, end);
    });
  };
  std::thread other([&] { storm(second, end_of_second); });
  storm(first, end_of_first);
  other.join();
  EXPECT_EQ(first.faults(), "");
  EXPECT_EQ(second.faults(), "");
}

// C6: a rank leaves, and the others go on. Then all is opened again.
TEST_P(EngineContract, ClosesOneAndLeavesTheOthersOpen) {
  constexpr int ranks = 3;
  constexpr std::uint64_t rounds = 40;
  for (int again = 0; again < 3; ++again) {
    test_job job(GetParam(), ranks);
    meeting all_met(ranks), end(ranks - 1);
    job.run([&](test_rank& r) {
      std::minstd_rand random(static_cast<unsigned>(r.rank + 1));
      for (std::uint64_t i = 0; i < rounds; ++i) send_storm(r, random);
      r.serve_until([&] { return r.taken == rounds * (ranks - 1); }, all_met);
      if (r.rank == ranks - 1) return r.close();
      for (std::uint64_t i = 0; i < rounds; ++i) {
        r.send(1 - r.rank, any_size(random));
        r.serve();
      }
      r.serve_until([&] { return r.taken == rounds * ranks; }, end);
    });
    EXPECT_EQ(job.faults(), "");
  }
}

// C7
TEST_P(EngineContract, ForgetsARankAmidTraffic) {
  constexpr int ranks = 4, lost = 3;
  constexpr std::uint64_t rounds = 100;
  test_job job(GetParam(), ranks);
  ASSERT_EQ(job.faults(), "");
  if (job[0].engine.table->forget == nullptr) GTEST_SKIP() << "it can't go on without a rank";
  may_leave_some_out();
  meeting end(ranks - 1);
  job.run([&](test_rank& r) {
    std::minstd_rand random(static_cast<unsigned>(r.rank + 1));
    const auto from_others = [&] { return r.taken - r.taken_from[lost]; };
    if (r.rank == lost) {  // it does not know; at last it does not poll, either
      for (std::uint64_t i = 0; i < rounds && end.missing > 0; ++i) {
        send_storm(r, random);
        r.serve();
      }
      while (end.missing > 0) std::this_thread::yield();
      return;
    }
    for (std::uint64_t i = 0; i < rounds; ++i) {
      for (int to = 0; to < ranks; ++to)
        if (to != r.rank && (to != lost || i < rounds / 2)) r.send(to, any_size(random));
      if (i == rounds / 2) r.forget(lost);
      r.serve();
    }
    EXPECT_EQ(r.engine.backlog(lost), 0u);
    r.serve_until([&] { return from_others() == rounds * (ranks - 2); }, end);
    EXPECT_EQ(r.engine.backlog(lost), 0u);
    EXPECT_FALSE(r.engine.needs_polls());
  });
  EXPECT_EQ(job.faults(), "");
}

// C8: of what has left; the receiver polls again only after the end.
TEST_P(EngineContract, HandsOnWhatARankHadSentBeforeItsEnd) {
  constexpr std::uint64_t most = 20;
  test_job job(GetParam(), 2);
  meeting begun(2);
  std::atomic<bool> has_ended{false};
  std::uint64_t left = 0;
  job.run([&](test_rank& r) {
    r.send(1 - r.rank, 8);
    r.serve_until([&] { return r.taken == 1; }, begun);
    if (r.rank == 1) {
      for (std::uint64_t i = 0; i < most && r.engine.backlog(0) == 0; ++i) {
        r.send(0, 100 * i);
        if (r.engine.backlog(0) == 0) ++left;
      }
      EXPECT_GT(left, 0u);
      r.close();
      has_ended = true;
      return;
    }
    while (!has_ended) std::this_thread::yield();
    bool const polls = r.engine.table->has_handed_on == nullptr;
    while (polls ? r.taken < left + 1 : !r.engine.has_handed_on(1)) r.serve();
    EXPECT_GE(r.taken, left + 1);
  });
  EXPECT_EQ(job.faults(), "");
}

// C9
TEST_P(EngineContract, SaysWhyItIsNotOpened) {
  test_job job(GetParam(), 1);
  ASSERT_EQ(job.faults(), "");
  char text[4] = "???";
  constexpr std::size_t too_small = 2;
  EXPECT_EQ(job[0].engine.table->open(job.facts_of(job[0]), text, too_small), nullptr);
  EXPECT_EQ(strnlen(text, sizeof text), too_small - 1) << "words, as far as there is room";
}

INSTANTIATE_TEST_SUITE_P(Of, EngineContract,
                         testing::Values(kind_of_engine::sockets, kind_of_engine::tcp, kind_of_engine::ucx,
                                         kind_of_engine::openmpi, kind_of_engine::mpich,
                                         kind_of_engine::rings_and_sockets, kind_of_engine::rings_and_ucx,
                                         kind_of_engine::ucx_and_sockets),
                         [](const testing::TestParamInfo<kind_of_engine>& of) { return name_of(of.param); });

}  // namespace
}  // namespace amity::net
