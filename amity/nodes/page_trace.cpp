#include "amity/nodes/page_trace.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>

#include "amity/nodes/job.hpp"
#include "amity/nodes/memory.hpp"
#include "amity/nodes/modules.hpp"
#include "amity/nodes/start.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::nodes::page_trace {
namespace {

constexpr std::size_t page = 4096;

// What was counted: one place in the program, one in memory. Written by the pager alone; read when it is over.
struct place {
  std::uintptr_t address;
  std::uintptr_t code;    // of the program, or of a library of its
  std::uintptr_t within;  // the code of libc or the runtime that `code` has called, or is about to return to; or 0
  std::uint32_t reads, writes;
};
constexpr std::size_t places_room = std::size_t{1} << 16;  // a power of two

struct block {
  std::uintptr_t from;
  std::size_t bytes;
  std::uintptr_t code;
};
constexpr std::size_t blocks_room = std::size_t{1} << 16;  // the last ones

const char* folder = nullptr;
place* places = nullptr;
std::size_t places_count = 0;
block* blocks = nullptr;
std::atomic<std::size_t> blocks_count{0};  // relaxed: each writes into a place of its own

template <class T>
T* room_for(std::size_t count) noexcept {
  long const at = sys::raw_syscall(SYS_mmap, 0, static_cast<long>(count * sizeof(T)), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (at < 0) refuse("no memory to trace pages (%zu bytes)", count * sizeof(T));
  return reinterpret_cast<T*>(at);
}

bool is_programs(std::uintptr_t code) noexcept {
  auto const* const at = reinterpret_cast<const void*>(code);
  return is_in_module(at) && !is_of_runtime(at);
}

// Where a thread is that waits for a page: "-1 0x7ffe... 0x5555..." is its stack and its code (proc(5), of `syscall`).
// The same two stand at the end where it is in a system call. False: it is not known.
bool where_is(int thread, std::uintptr_t& stack, std::uintptr_t& code) noexcept {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
  long const fd = sys::raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  long const n = sys::raw_syscall(SYS_read, fd, reinterpret_cast<long>(text), sizeof text - 1);
  sys::raw_syscall(SYS_close, fd);
  if (n <= 0) return false;
  text[n] = '\0';
  char* const last = strrchr(text, ' ');
  if (last == nullptr) return false;
  *last = '\0';
  char* const before = strrchr(text, ' ');
  if (before == nullptr) return false;
  code = strtoul(last + 1, nullptr, 16);
  stack = strtoul(before + 1, nullptr, 16);
  return code != 0;
}

// The first word of the stack that leads into the program: as a rule, who has called libc or the runtime.
std::uintptr_t caller_by_stack(std::uintptr_t stack) noexcept {
  constexpr int words = 256;
  std::uintptr_t const end = std::min((stack | (page - 1)) + 1, stack + words * sizeof(std::uintptr_t));
  for (std::uintptr_t at = stack & ~std::uintptr_t{7}; at < end; at += sizeof at) {
    auto const* const here = static_cast<const std::uintptr_t*>(as_the_pager_sees(at));
    if (here == nullptr) return 0;
    if (is_programs(*here)) return *here;
  }
  return 0;
}

place& place_of(std::uintptr_t address, std::uintptr_t code, std::uintptr_t within) noexcept {
  // When it is almost full, pages are told apart, and no more their words.
  if (places_count > places_room / 4 * 3) address &= ~(page - 1), code = within = 0;
  std::size_t at = (address * 0x9E3779B97F4A7C15u ^ code * 0xC2B2AE3D27D4EB4Fu) >> 40;
  for (;; ++at) {
    place& p = places[at % places_room];
    bool const is_it = p.address == address && p.code == code && p.within == within;
    if (is_it) return p;
    if (p.address != 0) {
      if (places_count >= places_room - 1) return p;  // more pages than there is room for
      continue;
    }
    ++places_count;
    p.address = address;
    p.code = code;
    p.within = within;
    return p;
  }
}

void write_line(int fd, const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));

struct {
  char text[1 << 14];
  std::size_t length = 0;
  bool failed = false;
} out;

void write_out(int fd) noexcept {
  for (std::size_t at = 0; at < out.length && !out.failed;) {
    ssize_t const n = ::write(fd, out.text + at, out.length - at);
    if (n < 0 && errno == EINTR) continue;
    out.failed = n <= 0;
    at += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  out.length = 0;
}

void write_line(int fd, const char* format, ...) noexcept {
  if (sizeof out.text - out.length < 5000) write_out(fd);
  va_list arguments;
  va_start(arguments, format);
  int const n = vsnprintf(out.text + out.length, sizeof out.text - out.length, format, arguments);
  va_end(arguments);
  out.length += std::min(static_cast<std::size_t>(n), sizeof out.text - out.length - 1);
}

// Of /proc/self/maps, what is a file: "555555554000-555555558000 r-xp 00001000 00:1f 4711   /usr/bin/program"
void write_modules(int fd) noexcept {
  FILE* const maps = fopen("/proc/self/maps", "re");
  if (maps == nullptr) return;
  char line[4600];
  while (fgets(line, sizeof line, maps) != nullptr) {
    unsigned long from, to, offset;
    int path = 0;
    if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &from, &to, &offset, &path) < 3 || line[path] != '/') continue;
    if (strncmp(line + path, "/memfd:", 7) == 0) continue;
    write_line(fd, "module %#lx %#lx %#lx %s", from, to, offset, line + path);
  }
  fclose(maps);
}

}  // namespace

void begin(const char* where) noexcept {
  folder = where;
  places = room_for<place>(places_room);
  blocks = room_for<block>(blocks_room);
}

bool is_on() noexcept { return folder != nullptr; }

void note_fault(std::uintptr_t address, bool writes, int thread) noexcept {
  std::uintptr_t stack = 0, code = 0, within = 0;
  if (where_is(thread, stack, code) && !is_programs(code)) {
    within = code;
    code = caller_by_stack(stack);
  }
  place& p = place_of(address, code, within);
  ++(writes ? p.writes : p.reads);
}

void note_block(const void* block_of_program, std::size_t bytes) noexcept {
  if (folder == nullptr || block_of_program == nullptr || bytes < page / 2) return;
  std::size_t const at = blocks_count.fetch_add(1, std::memory_order_relaxed);
  in_private const own;
  std::uintptr_t code = 0;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* found) {
        auto const here = static_cast<std::uintptr_t>(_Unwind_GetIP(frame));
        if (!is_programs(here)) return _URC_NO_REASON;
        *static_cast<std::uintptr_t*>(found) = here;
        // A library of C++ that asks on the program's behalf is skipped.
        return is_main_program(reinterpret_cast<const void*>(here)) ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &code);
  blocks[at % blocks_room] = {reinterpret_cast<std::uintptr_t>(block_of_program), bytes, code};
}

void write() noexcept {
  if (folder == nullptr) return;
  in_private const own;
  char path[4200];
  snprintf(path, sizeof path, "%s/node.%d", folder, us.own);
  int const fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    out.failed = true;
  } else {
    write_line(fd, "node %d of %d\n", us.own, us.count);
    write_modules(fd);
    for (int p = 0; p < us.count; ++p) {
      write_line(fd, "heap %#zx %#zx %d\n", heap_of(p).from, heap_of(p).to, p);
      write_line(fd, "stacks %#zx %#zx %d\n", stacks_of(p).from, stacks_of(p).to, p);
    }
    std::size_t const noted = blocks_count.load(std::memory_order_relaxed);
    for (std::size_t i = noted > blocks_room ? noted - blocks_room : 0; i < noted; ++i) {
      const block& b = blocks[i % blocks_room];
      write_line(fd, "block %#zx %zu %#zx\n", b.from, b.bytes, b.code);
    }
    for (std::size_t i = 0; i < places_room; ++i)
      if (const place& p = places[i]; p.address != 0)
        write_line(fd, "fault %#zx %#zx %#zx %u %u\n", p.address, p.code, p.within, p.reads, p.writes);
    write_out(fd);
    out.failed = ::close(fd) != 0 || out.failed;
  }
  if (!out.failed) return;
  char words[4400];
  int const n =
      snprintf(words, sizeof words, "amity: node %d: %s can't be written: %s\n", us.own, path, strerror(errno));
  static_cast<void>(!::write(STDERR_FILENO, words, static_cast<std::size_t>(n)));
}

}  // namespace amity::nodes::page_trace
