#include "amity/net/internal/watch.hpp"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "amity/launch/host.hpp"
#include "amity/net/internal/transport.hpp"
#include "amity/sched/loop/progress.hpp"
#include "amity/sys/clock.hpp"

namespace amity::net {
namespace {

using std::memory_order_relaxed;

constexpr std::uint32_t the_launcher = ~std::uint32_t{0};

struct process_watch : sched::progress_source {
  pid_t launcher = 0;
  void (*launcher_ended)(pid_t) noexcept = nullptr;
  std::uint64_t last_look = 0;       ///< of those who poll, who are one at a time
  std::vector<bool> watched;         ///< by rank; complete before the first message
  std::atomic<bool> is_over{false};  ///< relaxed: a hint; what ends late is told to nobody who listens
};
process_watch& watch() noexcept {
  static process_watch one;
  return one;
}

int descriptor_of(pid_t process) noexcept { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

bool add(pid_t process, std::uint32_t what) noexcept {
  int const fd = descriptor_of(process);
  if (fd < 0) return false;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = std::uint64_t{what} << 32 | static_cast<std::uint32_t>(fd);
  if (epoll_ctl(watch().fd, EPOLL_CTL_ADD, fd, &event) == 0) return true;
  ::close(fd);
  return false;
}

int look(sched::progress_source& s) noexcept {
  auto& w = static_cast<process_watch&>(s);
  // As long as it is armed, a carrier that sleeps is told. But where messages come and come, none sleeps.
  constexpr std::uint64_t now_and_then_us = 10'000;
  std::uint64_t const now = sys::ticks();
  if (s.armed.load(memory_order_relaxed) && now - w.last_look < sys::ticks_of_microseconds(now_and_then_us)) return 0;
  w.last_look = now;
  constexpr int most = 8;
  epoll_event events[most];
  int const n = epoll_wait(w.fd, events, most, 0);
  for (int i = 0; i < n; ++i) {
    if (w.is_over.load(memory_order_relaxed)) return 0;
    ::close(static_cast<int>(events[i].data.u64 & 0xffffffff));  // that is told once
    auto const who = static_cast<std::uint32_t>(events[i].data.u64 >> 32);
    if (who == the_launcher)
      w.launcher_ended(w.launcher);
    else
      see_end(static_cast<int>(who), "its process has ended");
  }
  return n > 0 ? n : 0;
}

/// When a process began, in the kernel's ticks: its number may be another's later. 0: nobody tells.
unsigned long long beginning_of(pid_t process) noexcept {
  char path[40], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(process));
  FILE* const f = fopen(path, "re");
  if (f == nullptr) return 0;
  std::size_t const n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = 0;
  const char* at = strrchr(text, ')');  // a name may have blanks and parentheses
  constexpr int fields_from_state_to_beginning = 20;
  for (int i = 0; at != nullptr && i < fields_from_state_to_beginning; ++i) at = strchr(at + 1, ' ');
  return at != nullptr ? strtoull(at, nullptr, 10) : 0;
}

}  // namespace

std::string own_life() {
  pid_t const me = getpid();
  return std::to_string(me) + ":" + std::to_string(beginning_of(me)) + ":" + launching::process_host();
}

void watch_launcher(int ranks, void (*launcher_ended)(pid_t) noexcept) noexcept {
  process_watch& w = watch();
  w.watched.resize(static_cast<std::size_t>(ranks));
  w.launcher = getppid();
  w.launcher_ended = launcher_ended;
  w.wanted = [](const sched::progress_source& s) noexcept {
    return !static_cast<const process_watch&>(s).is_over.load(memory_order_relaxed);
  };
  w.poll = look;
  w.is_of_job = true;
  w.fd = epoll_create1(EPOLL_CLOEXEC);
  // On an old kernel, or without a descriptor more: the kernel ends this process with the launcher, without words.
  if (w.fd < 0 || !add(w.launcher, the_launcher) || sched::attend(w) != 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != w.launcher) launcher_ended(w.launcher);  // in between
}

void watch_rank(int rank, const char* life) noexcept {
  int process = 0, numbering = 0;
  unsigned long long beginning = 0;
  if (watch().fd < 0 || sscanf(life, "%d:%llu:%n", &process, &beginning, &numbering) != 2 || process <= 0) return;
  static const std::string mine = launching::process_host();
  if (mine != life + numbering) return;  // another machine, or a container with numbers of its own
  // Also where it can't be watched: each of the two must say the same of the other, which chooses how they connect.
  watch().watched[static_cast<std::size_t>(rank)] = true;
  bool const is_there = add(process, static_cast<std::uint32_t>(rank)) || errno != ESRCH;
  unsigned long long const found = beginning_of(process);  // its number may be another's by now
  bool const is_another = beginning != 0 && found != 0 && found != beginning;
  if (!is_there || is_another) see_end(rank, "its process has ended");
}

bool is_watched(int rank) noexcept { return watch().watched[static_cast<std::size_t>(rank)]; }

void end_watch() noexcept { watch().is_over.store(true, memory_order_relaxed); }

}  // namespace amity::net
