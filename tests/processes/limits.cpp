// What is large, and what is slow: the first argument says which.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "check.hpp"

using test::check;

namespace {

/// The most memory that this process has had, in MiB.
long most_memory() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6) / 1024;
  return 0;
}

std::atomic<long> received{0};

// Rank 1 takes what it is sent slowly: it is stopped by its own program most of the time.
void slow_receiver(int me) {
  constexpr int messages = 600;
  long const before = most_memory();
  if (me == 0) {
    std::vector<char> const some(1 << 20);
    for (int i = 0; i < messages; ++i)
      amity::rpc_ff(
          1, [](std::vector<char> v) { received += static_cast<long>(v.size()) >> 20; }, some);
    check(most_memory() - before < 250, "memory at the sender: " + std::to_string(most_memory() - before) + " MiB");
  }
  if (me == 1)
    while (received < messages) {  // keeps its core, but for a moment now and then
      for (auto const until = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
           std::chrono::steady_clock::now() < until;) {
      }
      amity::this_task::yield();
    }
}

// More than 2 GiB in one call, and in one transfer.
void large(int me, int n) {
  constexpr std::size_t size = std::size_t{5} << 29;  // 2.5 GiB
  if (me == 0) {
    std::vector<char> much(size);
    much.back() = 7;
    check(amity::rpc(
              1 % n, [](std::span<const char> v) { return std::pair(v.size(), v[v.size() - 1]); },
              std::span<const char>(much))
                  .get() == std::pair(size, char(7)),
          "a call with 2.5 GiB");
    much = {};
  }
  amity::barrier_all();
  if (me == 0) {
    auto const there = amity::allocate<char>(1 % n, size);
    std::vector<char> much(size, 1);
    much.back() = 9;
    amity::rput(much.data(), there, size).get();
    much.back() = 0;
    amity::rget(there, much.data(), size).get();
    check(much.back() == 9, "2.5 GiB there and back");
    amity::deallocate(there);
  }
}

// Rank 0 takes nothing for some seconds. Rank 1 has sent it more than may be under way and waits, and meanwhile its
// monitor finds that it stands still, which is said to rank 0: that message must not wait for room, since it is sent by
// the fiber that polls.
void stopped_receiver(int me) {
  amity::barrier_all();
  if (me == 0) {
    pid_t const parent = getpid(), child = fork();
    if (child == 0) {
      timespec const some_looks{5, 0};
      nanosleep(&some_looks, nullptr);
      kill(parent, SIGCONT);
      _exit(0);
    }
    kill(parent, SIGSTOP);
    waitpid(child, nullptr, 0);
  } else {
    std::vector<char> const some(std::size_t{48} << 20);
    for (int i = 0; i < 3; ++i)
      check(amity::rpc(
                0, [](const std::vector<char>& v) { return v.size(); }, some)
                    .get() == some.size(),
            "a large message to a process that was stopped");
  }
  amity::barrier_all();
}

}  // namespace

int main(int argc, char** argv) {
  std::string const what = argc > 1 ? argv[1] : "";
  int const me = amity::rank_me(), n = amity::rank_n();
  if (what == "slow_receiver") slow_receiver(me);
  if (what == "stopped_receiver") stopped_receiver(me);
  if (what == "large") large(me, n);
  return test::end();
}
