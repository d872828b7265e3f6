#include "amity/dsm/test_support.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace amity::dsm::testing {
namespace {

constexpr int most = 4;
constexpr unsigned seconds = 240;

unsigned next_random;
void delay() noexcept {
  next_random = next_random * 1664525 + 1013904223;
  timespec const t{0, static_cast<long>((next_random >> 16) % 50'000)};
  nanosleep(&t, nullptr);
}

[[noreturn]] void be_process(const shape& s, int own, const int (&links)[most], std::byte* base, int to_parent,
                             const std::function<bool(const node&)>& body) {
  alarm(seconds);
  cpu_set_t core;  // as processes of one machine have their cores
  CPU_ZERO(&core);
  CPU_SET(static_cast<std::size_t>(own) % std::thread::hardware_concurrency(), &core);
  sched_setaffinity(0, sizeof core, &core);
  next_random = static_cast<unsigned>(own);
  auto* const p = new pager;
  pager::setting how{.own = own, .count = s.processes};
  for (int q = 0; q < s.processes; ++q) how.links[q] = links[q];
  if (s.with_delays) how.before_message = delay;
  p->start(how);
  std::size_t const each = static_cast<std::size_t>(s.pages) * page_size;
  p->pages().make(each * static_cast<std::size_t>(s.processes));
  munmap(base, each * static_cast<std::size_t>(s.processes));
  for (int q = 0; q < s.processes; ++q)
    p->pages().add({reinterpret_cast<std::uintptr_t>(base) + static_cast<std::size_t>(q) * each, each, q}, own);
  p->begin();
  char const verdict = body({own, s.processes, base, *p}) ? 'y' : 'n';
  static_cast<void>(!write(to_parent, &verdict, 1));
  for (;;) pause();  // others may want pages from here
}

}  // namespace

std::string run(const shape& s, const std::function<bool(const node&)>& body) {
  int links[most][most] = {};
  for (int a = 0; a < s.processes; ++a)
    for (int b = a + 1; b < s.processes; ++b) {
      int pair[2];
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return "socketpair";
      links[a][b] = pair[0];
      links[b][a] = pair[1];
    }
  std::size_t const bytes = static_cast<std::size_t>(s.pages * s.processes) * page_size;
  // An address that is free in all of them.
  void* const base = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int verdicts[most][2];
  std::vector<pid_t> all;
  for (int own = 0; own < s.processes; ++own) {
    if (pipe(verdicts[own]) != 0) return "pipe";
    pid_t const child = fork();
    if (child == 0) be_process(s, own, links[own], static_cast<std::byte*>(base), verdicts[own][1], body);
    all.push_back(child);
    close(verdicts[own][1]);
  }
  std::string wrong;
  for (int own = 0; own < s.processes; ++own) {
    char verdict = 0;
    if (read(verdicts[own][0], &verdict, 1) != 1)
      wrong += "process " + std::to_string(own) + " has ended, or had no end; ";
    else if (verdict != 'y')
      wrong += "process " + std::to_string(own) + " has seen what can't be; ";
    close(verdicts[own][0]);
  }
  for (pid_t const child : all) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  for (auto& row : links)
    for (int const fd : row)
      if (fd != 0) close(fd);
  munmap(base, bytes);
  return wrong;
}

void meet(const node& n, std::atomic<int>& word, int round) {
  word.fetch_add(1);
  while (word.load() < (round + 1) * n.count) sched_yield();
}

}  // namespace amity::dsm::testing
