// What a program does with its process, where that is one of several: exit, fork, memory that it maps itself.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "amity/base/report.hpp"
#include "amity/nodes/heap.hpp"
#include "amity/nodes/interpose/public.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/links.hpp"
#include "amity/nodes/memory.hpp"
#include "amity/nodes/modules.hpp"
#include "amity/nodes/start.hpp"
#include "amity/sys/raw_syscall.hpp"

using namespace amity::nodes;

namespace {

constexpr std::size_t page = 4096;

void* map_really(void* at, std::size_t bytes, int access, int flags, int fd, off_t offset) noexcept {
  long const got = amity::sys::raw_syscall(SYS_mmap, reinterpret_cast<long>(at), static_cast<long>(bytes), access,
                                           flags, fd, offset);
  if (got < 0 && got > -4096) {
    errno = static_cast<int>(-got);
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(got);
}

/// A private mapping of a file: what it has now.
void* read_file(std::size_t bytes, int fd, off_t offset) noexcept {
  auto* const block = static_cast<char*>(heap::take(bytes, page));
  if (block == nullptr) return MAP_FAILED;
  std::size_t have = 0;
  while (have < bytes) {
    ssize_t const n = pread(fd, block + have, bytes - have, offset + static_cast<off_t>(have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      heap::give_back(block);
      return MAP_FAILED;
    }
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  __builtin_memset(block + have, 0, bytes - have);
  return block;
}

/// Memory for all processes instead of a mapping in one. False: it has to be one.
bool is_for_all(const void* at, int access, int flags, const void* caller) noexcept {
  if (!is_on || keeps_memory_private || at != nullptr || is_of_runtime(caller)) return false;
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_STACK | MAP_GROWSDOWN)) != 0) return false;
  bool const anonymous = (flags & MAP_ANONYMOUS) != 0;
  return (access & PROT_EXEC) == 0 && (anonymous || (flags & MAP_PRIVATE) != 0);
}

void* map(void* at, std::size_t bytes, int access, int flags, int fd, off_t offset, const void* caller) noexcept {
  if (bytes == 0 || !is_for_all(at, access, flags, caller)) return map_really(at, bytes, access, flags, fd, offset);
  std::size_t const whole = (bytes + page - 1) & ~(page - 1);
  if ((flags & MAP_ANONYMOUS) == 0) return read_file(whole, fd, offset);
  void* const block = heap::take_zeroed_pages(whole);
  return block == nullptr ? MAP_FAILED : block;
}

}  // namespace

extern "C" {

AMITY_PUBLIC void* mmap(void* at, std::size_t bytes, int access, int flags, int fd, off_t offset) {
  return map(at, bytes, access, flags, fd, offset, __builtin_return_address(0));
}
AMITY_PUBLIC void* mmap64(void* at, std::size_t bytes, int access, int flags, int fd, off_t offset) {
  return map(at, bytes, access, flags, fd, offset, __builtin_return_address(0));
}

AMITY_PUBLIC int munmap(void* at, std::size_t bytes) {
  if (is_on && all_heaps().contains(at)) {
    if (heap::begins_with_pages(at, bytes))
      heap::give_back(at);
    else
      madvise(at, bytes, MADV_REMOVE);  // a part of it: the rest is in use
    return 0;
  }
  long const result = amity::sys::raw_syscall(SYS_munmap, reinterpret_cast<long>(at), static_cast<long>(bytes));
  if (result == 0) return 0;
  errno = static_cast<int>(-result);
  return -1;
}

AMITY_PUBLIC void* mremap(void* at, std::size_t old_bytes, std::size_t bytes, int flags, ...) {
  __builtin_va_list more;
  __builtin_va_start(more, flags);
  void* const to = (flags & MREMAP_FIXED) != 0 ? __builtin_va_arg(more, void*) : nullptr;
  __builtin_va_end(more);
  if (is_on && all_heaps().contains(at)) {
    if (heap::size_of(at) >= bytes) return at;
    if ((flags & MREMAP_MAYMOVE) == 0 || to != nullptr) {
      errno = ENOMEM;
      return MAP_FAILED;
    }
    void* const moved = heap::take_zeroed_pages((bytes + page - 1) & ~(page - 1));
    if (moved == nullptr) return MAP_FAILED;
    __builtin_memcpy(moved, at, old_bytes);
    heap::give_back(at);
    return moved;
  }
  long const got = amity::sys::raw_syscall(SYS_mremap, reinterpret_cast<long>(at), static_cast<long>(old_bytes),
                                           static_cast<long>(bytes), flags, reinterpret_cast<long>(to));
  if (got < 0 && got > -4096) {
    errno = static_cast<int>(-got);
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(got);
}

/// Both would go on with one stack. What starts a program at once (posix_spawn, system, popen, vfork) is right.
AMITY_PUBLIC pid_t fork() {
  if (!is_on) {
    static auto* const real = reinterpret_cast<pid_t (*)()>(dlsym(RTLD_NEXT, "fork"));
    return real();
  }
  amity::base::warn(
      "fork() in a program over several nodes can't be: memory that processes share has no second copy. It has failed "
      "(ENOSYS). posix_spawn(), system() and popen() can be used");
  errno = ENOSYS;
  return -1;
}
AMITY_PUBLIC pid_t __fork() { return fork(); }

/// In a process other than main()'s: the program ends where main() runs, with its handlers and its output.
AMITY_PUBLIC void exit(int status) {
  if (is_on && us.own != 0) {
    fflush(nullptr);
    send_message(0, {.about = exits, .a = static_cast<std::uint64_t>(static_cast<unsigned>(status))}, nullptr, 0);
    for (;;) pause();
  }
  auto* const real = reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "exit"));
  real(status);
  __builtin_unreachable();
}

}  // extern "C"
