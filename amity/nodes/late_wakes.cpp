#include "amity/nodes/late_wakes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <cstdint>

#include "amity/nodes/memory.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::nodes {
namespace {

// Where each thread slept when it was looked at last; a table by its number, in which one may push out another.
struct {
  long thread = 0;
  std::uintptr_t word = 0;
} seen[256];

// "202 0x10000001d010 0x80 0x2 ..." of a thread that sleeps in futex(2); 0: it does something else.
std::uintptr_t futex_of(long tasks, const char* thread) noexcept {
  char path[300], text[64];
  snprintf(path, sizeof path, "%s/syscall", thread);
  long const fd = sys::raw_syscall(SYS_openat, tasks, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  long const n = sys::raw_syscall(SYS_read, fd, reinterpret_cast<long>(text), sizeof text - 1);
  sys::raw_syscall(SYS_close, fd);
  if (n <= 0) return 0;
  text[n] = '\0';
  char* arguments;
  return strtol(text, &arguments, 10) == SYS_futex ? strtoul(arguments, nullptr, 16) : 0;
}

void look_at(long tasks, const char* name) noexcept {
  long const thread = strtol(name, nullptr, 10);
  if (thread == 0) return;  // "." and ".."
  auto& before = seen[static_cast<unsigned long>(thread) % (sizeof seen / sizeof *seen)];
  std::uintptr_t const word = futex_of(tasks, name);
  bool const is_late = word != 0 && before.thread == thread && before.word == word;
  before = {thread, word};
  if (!is_late || !all_have(reinterpret_cast<const void*>(word))) return;
  constexpr long all = 0x7fffffff;
  sys::raw_syscall(SYS_futex, static_cast<long>(word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, all);
}

}  // namespace

// Raw calls: the thread that takes messages takes no memory from malloc.
void wake_late_ones() noexcept {
  static long const tasks = sys::raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/task"),
                                             O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (tasks < 0) return;
  sys::raw_syscall(SYS_lseek, tasks, 0, 0);
  alignas(dirent64) static char names[8192];
  for (;;) {
    long const n = sys::raw_syscall(SYS_getdents64, tasks, reinterpret_cast<long>(names), sizeof names);
    if (n <= 0) return;
    for (long at = 0; at < n;) {
      auto const* const one = reinterpret_cast<const dirent64*>(names + at);
      look_at(tasks, one->d_name);
      at += one->d_reclen;
    }
  }
}

}  // namespace amity::nodes
