#include "amity/nodes/memory.hpp"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <bit>
#include <mutex>

#include "amity/base/config.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/modules.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::nodes {
namespace {

constexpr std::size_t gibibyte = std::size_t{1} << 30;
constexpr std::uintptr_t usual_base = 0x1000'0000'0000;  // far from where programs, libraries and stacks are put
constexpr std::size_t page = 4096;

memory_plan the_plan;
range heaps, heap_here;

std::size_t length_of(const memory_plan& plan) noexcept {
  return static_cast<std::size_t>(us.count) * (plan.heap + plan.stacks);
}

// Not by mmap() of ours or of the program's.
void* map_fixed(std::uintptr_t at, std::size_t bytes, std::size_t offset, int how) noexcept {
  long const got = sys::raw_syscall(SYS_mmap, static_cast<long>(at), static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_NORESERVE | how, us.memory, static_cast<long>(offset));
  if (got < 0) {
    errno = static_cast<int>(-got);
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(got);
}

// --- stacks

struct {
  sys::spin_lock lock;
  std::uintptr_t next = 0, end = 0;
  sys::stack free[1024];
  int free_count = 0;
} stacks;

constexpr std::size_t colours = 64;  // as sys::map_stack

}  // namespace

memory_plan plan_memory() noexcept {
  struct sysinfo machine {};
  sysinfo(&machine);
  std::size_t const memory = (machine.totalram + machine.totalswap) * machine.mem_unit;
  memory_plan plan;
  plan.base = usual_base;
  // Blocks come in sizes of which some stay unused, and only what is touched takes memory.
  plan.heap = std::bit_ceil(4 * memory < 64 * gibibyte ? 64 * gibibyte : 4 * memory);
  plan.stacks = 64 * gibibyte;
  return plan;
}

void map_memory(const memory_plan& plan) noexcept {
  the_plan = plan;
  std::size_t const length = length_of(plan);
  constexpr std::size_t room_for_modules = 64 * gibibyte;
  if (us.own == 0 && ftruncate(us.memory, static_cast<off_t>(length + room_for_modules)) != 0)
    refuse("the memory that the nodes share can't have %zu GiB of address space: %s", length >> 30, strerror(errno));
  void* const at = map_fixed(plan.base, length, 0, MAP_FIXED_NOREPLACE);
  if (at != reinterpret_cast<void*>(plan.base))
    refuse(
        "%zu GiB of address space at %#lx, for what the nodes share, can't be had: %s. A limit (ulimit -v) must leave "
        "so much",
        length >> 30, static_cast<unsigned long>(plan.base), at == MAP_FAILED ? strerror(errno) : "it is in use");
  // A core file would have all of it, and to write it would touch it all.
  madvise(at, length, MADV_DONTDUMP);
  auto const count = static_cast<std::size_t>(us.count), own = static_cast<std::size_t>(us.own);
  heaps = {plan.base, plan.base + count * plan.heap};
  heap_here = {plan.base + own * plan.heap, plan.base + (own + 1) * plan.heap};
  // What lies on a stack is called in other processes, too.
  if (stacks_hold_code() &&
      mprotect(reinterpret_cast<void*>(heaps.to), count * plan.stacks, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    refuse("stacks that hold code, as the program wants them, can't be had: %s", strerror(errno));
  stacks.next = heaps.to + own * plan.stacks;
  stacks.end = stacks.next + plan.stacks;
}

std::size_t modules_offset() noexcept { return length_of(the_plan); }
const range& all_heaps() noexcept { return heaps; }
const range& own_heap() noexcept { return heap_here; }

sys::stack take_stack(std::size_t bytes) noexcept {
  std::size_t const size = (bytes + page - 1) / page * page + page;  // a page for the colour
  std::size_t const mapping = size + sys::guard_size;
  std::lock_guard const guard(stacks.lock);
  for (int i = stacks.free_count; i-- > 0;)
    if (stacks.free[i].mapping_size == mapping) {
      sys::stack const s = stacks.free[i];
      stacks.free[i] = stacks.free[--stacks.free_count];
      return s;
    }
  if (stacks.end - stacks.next < mapping) {
    errno = ENOMEM;
    return {};
  }
  static unsigned made = 0;
  auto* const at = reinterpret_cast<std::byte*>(stacks.next);
  if (mprotect(at, sys::guard_size, PROT_NONE) != 0) return {};
  stacks.next += mapping;
  std::size_t const colour = made++ * 5 % colours * base::cache_line;
  return {.base = at + sys::guard_size, .size = size - colour, .mapping = at, .mapping_size = mapping};
}

void give_stack_back(const sys::stack& s) noexcept {
  // Its pages go back to the system; the next thread there finds zeros, as in any new stack.
  madvise(s.base, s.mapping_size - sys::guard_size, MADV_REMOVE);
  std::lock_guard const guard(stacks.lock);
  if (stacks.free_count < static_cast<int>(std::size(stacks.free))) stacks.free[stacks.free_count++] = s;
}

}  // namespace amity::nodes
