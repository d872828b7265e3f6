#include "amity/sys/thread_activity.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "amity/sys/raw_syscall.hpp"

namespace amity::sys {
namespace {

// Threads ask for this while they wait, in the midst of the program's tasks, on its stacks. So nothing of the C library
// is called here that a race detector watches, or that depends on the program's locale: what it wrote to a stack would
// be taken for the program's.

/// What is read of one of the kernel's files.
template <std::size_t N>
struct file_text {
  char text[N];  // left as it is: it is read into
  std::size_t length = 0;
  [[nodiscard]] const char* begin() const noexcept { return text; }
  [[nodiscard]] const char* end() const noexcept { return text + length; }
};

/// Appends it; there is room. The end of it.
char* append(char* end, const char* text) noexcept {
  while (*text != '\0') *end++ = *text++;
  return end;
}

/// The beginning of what the kernel's file `name` says of a thread; nothing, if it says nothing.
template <std::size_t N>
file_text<N> read_of_thread(int thread_id, const char* name) noexcept {
  char path[64];
  char* end = append(path, "/proc/self/task/");
  end = std::to_chars(end, path + sizeof path, thread_id).ptr;
  end = append(append(end, "/"), name);
  *end = '\0';
  file_text<N> found;
  long const file = raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return found;
  long const length = raw_syscall(SYS_read, static_cast<int>(file), reinterpret_cast<long>(found.text), N);
  raw_syscall(SYS_close, static_cast<int>(file));
  if (length > 0) found.length = static_cast<std::size_t>(length);
  return found;
}

/// A letter of proc(5)'s; 0: not known.
char state_of(int thread_id) noexcept {
  auto const stat = read_of_thread<256>(thread_id, "stat");
  // "number (name) state ...": the name may have anything in it, brackets too; behind it there are none.
  for (const char* at = stat.end(); at != stat.begin();)
    if (*--at == ')') return stat.end() - at > 2 && at[1] == ' ' ? at[2] : '\0';
  return '\0';
}

/// The kernel's three numbers are "time on a core, time in the queue for one, slices", in nanoseconds
/// (Documentation/scheduler/sched-stats.rst). The first is as of the last tick.
std::uint64_t scheduling_number(int thread_id, int index) noexcept {
  if (thread_id <= 0) return unknown_time;
  auto const stat = read_of_thread<96>(thread_id, "schedstat");
  const char* at = stat.begin();
  for (; index > 0; --index) {
    while (at != stat.end() && *at != ' ') ++at;
    if (at != stat.end()) ++at;
  }
  std::uint64_t number = unknown_time;
  return std::from_chars(at, stat.end(), number).ec == std::errc() ? number : unknown_time;
}

/// A number of proc(5)'s "status", where each has its name before it.
std::uint64_t status_number(int thread_id, std::string_view name, int base = 10) noexcept {
  if (thread_id <= 0) return unknown_time;
  auto const status = read_of_thread<4096>(thread_id, "status");
  std::string_view rest(status.begin(), status.length);
  std::size_t const found = rest.find(name);
  if (found == std::string_view::npos) return unknown_time;
  rest.remove_prefix(found + name.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::uint64_t number = unknown_time;
  return std::from_chars(rest.begin(), rest.end(), number, base).ec == std::errc() ? number : unknown_time;
}

/// Takes the next number off the front of a line of them; the kernel writes "0x" before those in base 16.
bool take_number(std::string_view& line, std::uint64_t& number) noexcept {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  int const base = line.substr(0, 2) == "0x" ? 16 : 10;
  if (base == 16) line.remove_prefix(2);
  auto const [end, error] = std::from_chars(line.begin(), line.end(), number, base);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.begin()));
  return true;
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

std::uint64_t involuntary_switches(int thread_id) noexcept {
  return status_number(thread_id, "\nnonvoluntary_ctxt_switches:");
}

bool reads_call(int thread_id, kernel_call& call) noexcept {
  if (thread_id <= 0) return false;
  auto const text = read_of_thread<256>(thread_id, "syscall");
  std::string_view line(text.begin(), text.length);
  std::uint64_t number = 0;
  if (!take_number(line, number)) return false;  // "running", or "-1": in the kernel, but for another reason
  kernel_call found;
  found.number = static_cast<long>(number);
  for (long& argument : found.arguments) {
    if (!take_number(line, number)) return false;
    argument = static_cast<long>(number);
  }
  if (!take_number(line, number)) return false;
  found.stack = number;
  if (!take_number(line, number)) return false;
  found.next = number;
  call = found;
  return true;
}

std::uint64_t blocked_signals(int thread_id) noexcept { return status_number(thread_id, "\nSigBlk:", 16); }

bool is_blocked(int thread_id) noexcept {
  char const state = state_of(thread_id);
  return state != 'R' && state != 'D' && state != '\0';
}

bool has_ended(int thread_id) noexcept {
  char const state = state_of(thread_id);
  return state == 'Z' || state == 'X';
}

}  // namespace amity::sys
