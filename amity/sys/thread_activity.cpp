#include "amity/sys/thread_activity.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "amity/sys/raw_syscall.hpp"

namespace amity::sys {
namespace {

/// The beginning of what the kernel's file `name` says of a thread. False: nothing.
template <std::size_t N>
bool read_of_thread(int thread_id, const char* name, char (&text)[N]) noexcept {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/%s", thread_id, name);
  long const file = raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  long const length = raw_syscall(SYS_read, static_cast<int>(file), reinterpret_cast<long>(text), N - 1);
  raw_syscall(SYS_close, static_cast<int>(file));
  if (length <= 0) return false;
  text[length] = '\0';
  return true;
}

/// A letter of proc(5)'s; 0: not known.
char state_of(int thread_id) noexcept {
  char text[256];
  if (!read_of_thread(thread_id, "stat", text)) return '\0';
  // "number (name) state ...": the name may have anything in it, brackets too.
  const char* const end_of_name = strrchr(text, ')');
  return end_of_name == nullptr || end_of_name[1] != ' ' ? '\0' : end_of_name[2];
}

/// The kernel's three numbers are "time on a core, time in the queue for one, slices", in nanoseconds
/// (Documentation/scheduler/sched-stats.rst). The first is as of the last tick.
std::uint64_t scheduling_number(int thread_id, int index) noexcept {
  char text[96];
  if (thread_id <= 0 || !read_of_thread(thread_id, "schedstat", text)) return unknown_time;
  const char* number = text;
  for (; index > 0 && number != nullptr; --index) {
    number = strchr(number, ' ');
    if (number != nullptr) ++number;
  }
  return number == nullptr ? unknown_time : strtoull(number, nullptr, 10);
}

}  // namespace

std::uint64_t cpu_time_ns(int thread_id) noexcept {
  // The kernel's number for the clock of a thread (linux/posix-timers.h): the complement of its number above three
  // bits, 4 for "of a thread", 2 for the scheduler's own account.
  auto const clock = static_cast<long>(~static_cast<unsigned>(thread_id) << 3 | 6u);
  timespec t{};
  if (thread_id <= 0 || raw_syscall(SYS_clock_gettime, static_cast<int>(clock), reinterpret_cast<long>(&t)) != 0)
    return unknown_time;
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

std::uint64_t queue_time_ns(int thread_id) noexcept { return scheduling_number(thread_id, 1); }

std::uint64_t slices(int thread_id) noexcept { return scheduling_number(thread_id, 2); }

bool is_blocked(int thread_id) noexcept {
  char const state = state_of(thread_id);
  return state != 'R' && state != 'D' && state != '\0';
}

bool has_ended(int thread_id) noexcept {
  char const state = state_of(thread_id);
  return state == 'Z' || state == 'X';
}

}  // namespace amity::sys
