#include "amity/future/attend.hpp"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <system_error>
#include <vector>

#include "amity/base/config.hpp"
#include "amity/base/processor.hpp"
#include "amity/future/async.hpp"
#include "amity/sync/event.hpp"
#include "amity/sync/semaphore.hpp"
#include "amity/sys/test_support.hpp"

namespace amity {
namespace {

struct pipe_ends {
  int out = -1, in = -1;
  pipe_ends() {
    int both[2] = {};
    if (pipe2(both, O_CLOEXEC | O_NONBLOCK) == 0) out = both[0], in = both[1];
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  ~pipe_ends() {
    close(out);
    close_in();
  }
  void close_in() {
    if (in >= 0) close(in);
    in = -1;
  }
  void send(const std::string& text) const {
    ASSERT_EQ(write(in, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  [[nodiscard]] std::string take() const {
    char text[64];
    ssize_t const n = read(out, text, sizeof text);
    return n > 0 ? std::string(text, static_cast<std::size_t>(n)) : std::string();
  }
};

TEST(Attend, CallsWheneverThereIsSomething) {
  pipe_ends p;
  sync::semaphore told(0);
  std::string all;
  attendance const events = attend(p.out, [&] {
    all += p.take();
    told.release();
  });
  for (const char* word : {"one ", "two ", "three"}) {
    p.send(word);
    told.acquire();
  }
  EXPECT_EQ(all, "one two three");
}

TEST(Attend, OneCallAtATimeAndAgainWhileThereIsSomethingLeft) {
  pipe_ends p;
  p.send("abcdef");  // before anybody attends
  std::atomic<int> running{0}, most{0};
  std::string all;
  sync::event over;
  attendance const events = attend(p.out, [&] {
    int const now = ++running;
    if (now > most) most = now;
    char one = 0;
    if (read(p.out, &one, 1) == 1) all += one;
    --running;
    if (all.size() == 6) over.set();
  });
  over.wait();
  EXPECT_EQ(all, "abcdef");
  EXPECT_EQ(most, 1);
}

TEST(Attend, TheFunctionMayWaitAndMakeTasks) {
  pipe_ends p;
  sync::event over;
  attendance const events = attend(p.out, [&] {
    std::string const text = p.take();
    if (async([&] { return text.size(); }).get() == 5) over.set();
  });
  p.send("12345");
  over.wait();
}

TEST(Attend, StopWaitsForTheCallThatRuns) {
  pipe_ends p;
  sync::event begun;
  std::atomic<bool> ended{false};
  attendance events = attend(p.out, [&] {
    static_cast<void>(p.take());
    begun.set();
    for (int i = 0; i < 100; ++i) async([] {}).get();
    ended = true;
  });
  p.send("x");
  begun.wait();
  events.stop();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(events);
  p.send("y");
  EXPECT_EQ(p.take(), "y") << "nobody else has read it";
}

TEST(Attend, MayBeStoppedWithinTheFunction) {
  pipe_ends p;
  sync::event over;
  int calls = 0;
  attendance events;
  sync::event assigned;
  events = attend(p.out, [&] {
    assigned.wait();
    ++calls;
    events.stop();
    over.set();
  });
  assigned.set();
  p.send("x");
  over.wait();
  for (int i = 0; i < 50; ++i) async([] {}).get();
  EXPECT_EQ(calls, 1);
  attendance again = attend(p.out, [] {});  // the descriptor is free
  again.stop();
}

TEST(Attend, TheEndIsTold) {
  pipe_ends p;
  sync::event over;
  attendance const events = attend(p.out, [&] {
    char c;
    if (read(p.out, &c, 1) == 0) over.set();
  });
  p.close_in();
  over.wait();
}

TEST(Attend, ComesWhileAllWorkersCompute) {
  pipe_ends p;
  std::atomic<bool> told{false}, enough{false};
  attendance const events = attend(p.out, [&] {
    static_cast<void>(p.take());
    told = true;
  });
  std::vector<future<void>> busy;
  for (int i = 0; i < 4; ++i)
    busy.push_back(async([&] {
      while (!enough.load()) base::cpu_relax();
    }));
  p.send("x");
  while (!told.load()) base::cpu_relax();  // nor does this thread do anything else
  enough = true;
  for (future<void>& f : busy) f.get();
}

TEST(Attend, ManyDescriptorsAnswerEachOther) {
  constexpr int pairs = 50, rounds = 20;
  struct link {
    int a = -1, b = -1;
    attendance at_a, at_b;
    int count = 0;
  };
  std::vector<link> all(pairs);
  sync::semaphore over(0);
  for (link& l : all) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    l.a = ends[0], l.b = ends[1];
    l.at_b = attend(l.b, [&l] {
      char c;
      if (read(l.b, &c, 1) != 1) return;
      EXPECT_EQ(write(l.b, &c, 1), 1);
    });
    l.at_a = attend(l.a, [&l, &over] {
      char c;
      if (read(l.a, &c, 1) != 1) return;
      if (++l.count == rounds) return over.release();
      EXPECT_EQ(write(l.a, &c, 1), 1);
    });
  }
  for (link& l : all) EXPECT_EQ(write(l.a, "x", 1), 1);
  for (int i = 0; i < pairs; ++i) over.acquire();
  for (link& l : all) {
    l.at_a.stop();
    l.at_b.stop();
    close(l.a);
    close(l.b);
  }
}

TEST(Attend, AChildOfAForkAttendsNothingAndIsNotKeptByACallOfItsParent) {
  if (base::thread_sanitizer) GTEST_SKIP() << "it does not follow threads into the child of a fork";
  pipe_ends p;
  sync::event begun, go_on;
  attendance events = attend(p.out, [&] {
    static_cast<void>(p.take());
    begun.set();
    go_on.wait();
  });
  p.send("x");
  begun.wait();
  pid_t const child = sys::fork_for_test();
  if (child == 0) {
    alarm(20);
    events.stop();
    attendance own = attend(p.out, [] {});
    own.stop();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  go_on.set();
  events.stop();
}

TEST(Attend, WhatTheSystemRefusesIsAnError) {
  try {
    attendance const none = attend(-1, [] {});
    FAIL();
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code().value(), EBADF);
    EXPECT_NE(std::string(e.what()).find("amity::attend: descriptor -1"), std::string::npos);
  }
  int const file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  EXPECT_THROW(static_cast<void>(attend(file, [] {})), std::system_error) << "a file is always readable";
  close(file);
}

}  // namespace
}  // namespace amity
