#include "amity/nodes/memory.hpp"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <mutex>

#include "amity/base/config.hpp"
#include "amity/dsm/pager.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/links.hpp"
#include "amity/nodes/modules.hpp"
#include "amity/nodes/page_trace.hpp"
#include "amity/omp/cluster/processes.hpp"
#include "amity/sched/profile/beside.hpp"
#include "amity/sched/tasks/observed.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::nodes {
namespace {

constexpr std::size_t gibibyte = std::size_t{1} << 30;
constexpr std::uintptr_t usual_base = 0x1000'0000'0000;  // far from where programs, libraries and stacks are put
constexpr std::size_t page = 4096;

range heaps, heap_here;
std::size_t stacks_size = 0;  // of each process

// --- shared: one file

std::size_t next_in_file = 0;

// Not by mmap() of ours or of the program's.
void* map_file(std::uintptr_t at, std::size_t bytes, std::size_t offset, int access, int how) noexcept {
  long const got = sys::raw_syscall(SYS_mmap, static_cast<long>(at), static_cast<long>(bytes), access,
                                    MAP_SHARED | MAP_NORESERVE | how, us.memory, static_cast<long>(offset));
  if (got < 0 && got > -4096) {
    errno = static_cast<int>(-got);
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(got);
}

void map_one_file(const memory_plan& plan, std::size_t length) noexcept {
  constexpr std::size_t room_for_modules = 64 * gibibyte;
  if (us.own == 0 && ftruncate(us.memory, static_cast<off_t>(length + room_for_modules)) != 0)
    refuse("the memory that the nodes share can't have %zu GiB of address space: %s", length >> 30, strerror(errno));
  void* const at = map_file(plan.base, length, 0, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE);
  if (at != reinterpret_cast<void*>(plan.base))
    refuse(
        "%zu GiB of address space at %#lx, for what the nodes share, can't be had: %s. A limit (ulimit -v) must leave "
        "so much",
        length >> 30, static_cast<unsigned long>(plan.base), at == MAP_FAILED ? strerror(errno) : "it is in use");
  // A core file would have all of it, and to write it would touch it all.
  madvise(at, length, MADV_DONTDUMP);
  next_in_file = length;
}

range put_over[4096];
int put_over_count = 0;

bool is_put_over(std::uintptr_t address) noexcept {
  for (int i = 0; i < put_over_count; ++i)
    if (put_over[i].contains(reinterpret_cast<const void*>(address))) return true;
  return false;
}

void put_file_over(std::uintptr_t from, std::size_t bytes) noexcept {
  if (put_over_count == static_cast<int>(std::size(put_over))) refuse("too many pieces of data to share");
  put_over[put_over_count++] = {from, from + bytes};
  std::size_t const offset = next_in_file;
  next_in_file += bytes;
  if (us.own == 0) {
    void* const copy = map_file(0, bytes, offset, PROT_READ | PROT_WRITE, 0);
    if (copy == MAP_FAILED) refuse("%zu bytes of the program's data can't be mapped: %s", bytes, strerror(errno));
    memcpy(copy, reinterpret_cast<void*>(from), bytes);
    sys::raw_syscall(SYS_munmap, reinterpret_cast<long>(copy), static_cast<long>(bytes));
  }
  if (map_file(from, bytes, offset, PROT_READ | PROT_WRITE, MAP_FIXED) == MAP_FAILED)
    refuse("%zu bytes of the program's data can't be mapped: %s", bytes, strerror(errno));
}

// --- pages

dsm::pager the_pager;

[[nodiscard]] bool by_pages() noexcept { return us.memory < 0; }

void map_pages(const memory_plan& plan, std::size_t length) noexcept {
  constexpr std::size_t room_for_modules = 4 * gibibyte;
  the_pager.pages().make(length + room_for_modules);
  std::uintptr_t next = plan.base;
  for (std::size_t const each : {plan.heap, plan.stacks})
    for (int p = 0; p < us.count; ++p, next += each)
      the_pager.pages().add({.from = next, .bytes = each, .home = p}, us.own);
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

static void note_wait_in_profile(std::int64_t nanoseconds) noexcept {
  if (!sched::tasks_are_observed()) return;  // it has not begun
  std::uint64_t const end = sys::ticks();
  std::uint64_t const passed = static_cast<std::uint64_t>(nanoseconds) * sys::ticks_per_microsecond / 1000;
  sched::profile::note_wait_for_page(end - passed, end, dsm::page_size);
}

void prepare_memory() noexcept {
  if (!by_pages()) return;
  dsm::pager::setting how{.own = us.own, .count = us.count, .lost = end_with};
  if (page_trace::is_on()) how.note_fault = page_trace::note_fault;
  how.note_wait = note_wait_in_profile;  // whether there is a profile is not known yet
  for (int p = 0; p < us.count; ++p) how.links[p] = us.pagers[p];
  the_pager.start(how);
}

void map_memory(const memory_plan& plan) noexcept {
  auto const count = static_cast<std::size_t>(us.count), own = static_cast<std::size_t>(us.own);
  std::size_t const length = count * (plan.heap + plan.stacks);
  if (by_pages())
    map_pages(plan, length);
  else
    map_one_file(plan, length);
  heaps = {plan.base, plan.base + count * plan.heap};
  heap_here = {plan.base + own * plan.heap, plan.base + (own + 1) * plan.heap};
  // What lies on a stack is called in other processes, too.
  if (stacks_hold_code() &&
      mprotect(reinterpret_cast<void*>(heaps.to), count * plan.stacks, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    refuse("stacks that hold code, as the program wants them, can't be had: %s", strerror(errno));
  stacks_size = plan.stacks;
  stacks.next = heaps.to + own * plan.stacks;
  stacks.end = stacks.next + plan.stacks;
}

void share_in_place(std::uintptr_t from, std::uintptr_t to) noexcept {
  if (by_pages())
    the_pager.pages().add({.from = from, .bytes = to - from, .home = 0, .replaces = true}, us.own);
  else
    put_file_over(from, to - from);
}

void begin_pages() noexcept {
  if (by_pages()) the_pager.begin();
}

bool forget(std::uintptr_t from, std::size_t bytes) noexcept {
  if (by_pages()) return the_pager.forget(from, bytes);
  return madvise(reinterpret_cast<void*>(from), bytes, MADV_REMOVE) == 0;  // not where it is locked in memory
}

void will_use(std::uintptr_t from, std::size_t bytes, bool writes) noexcept {
  if (by_pages()) the_pager.will_use({from, bytes, writes ? dsm::access::write : dsm::access::read});
}

bool waits_for_pages() noexcept { return by_pages() && the_pager.expects_pages(); }

bool all_have(const void* p) noexcept {
  auto const address = reinterpret_cast<std::uintptr_t>(p);
  if (by_pages()) return the_pager.pages().find(address).is_there;
  return address - heaps.from < static_cast<std::uintptr_t>(us.count) * (heap_here.to - heap_here.from + stacks_size) ||
         is_put_over(address);
}

bool kernel_knows_it_as_one() noexcept { return !by_pages(); }

std::uint64_t waits_of_thread() noexcept {
  static thread_local int thread = 0;
  if (thread == 0) thread = gettid();
  return the_pager.waits_of(thread);
}

std::uint64_t waited_by_process() noexcept { return the_pager.counted().waited_ns.load(std::memory_order_relaxed); }

page_traffic traffic_of_pages() noexcept {
  const dsm::figures& f = the_pager.counted();
  constexpr auto relaxed = std::memory_order_relaxed;
  return {f.fetched.load(relaxed) + f.promoted.load(relaxed), f.messages.load(relaxed), f.contents.load(relaxed)};
}

void print_page_figures() noexcept {
  if (!by_pages()) return;
  const dsm::figures& f = the_pager.counted();
  auto const number = [](const std::atomic<std::uint64_t>& n) {
    return static_cast<unsigned long long>(n.load(std::memory_order_relaxed));
  };
  char line[700];
  int length = snprintf(line, sizeof line,
                        "amity: node %d of %d had %llu faults for pages elsewhere, %llu to write to pages that "
                        "others read, %llu of its own; "
                        "%llu pages were taken from it; it sent %llu pages in %llu messages",
                        us.own, us.count, number(f.fetched), number(f.promoted), number(f.local), number(f.taken_away),
                        number(f.contents), number(f.messages));
  const char* before = "; waits by construct: ";
  for (auto d = std::uint32_t{0}; d <= static_cast<std::uint32_t>(omp::cluster::during::last); ++d) {
    auto const what = static_cast<omp::cluster::during>(d);
    std::uint64_t const waits = amity_omp_over_processes()->waited(what);
    if (waits == 0) continue;
    length += snprintf(line + length, sizeof line - static_cast<std::size_t>(length), "%s%s: %llu", before,
                       omp::cluster::words_of(what), static_cast<unsigned long long>(waits));
    before = "; ";
  }
  line[length++] = '\n';
  static_cast<void>(!write(STDERR_FILENO, line, static_cast<std::size_t>(length)));
}

range heap_of(int process) noexcept {
  auto const each = heap_here.to - heap_here.from, before = static_cast<std::uintptr_t>(process) * each;
  return {heaps.from + before, heaps.from + before + each};
}
range stacks_of(int process) noexcept {
  std::uintptr_t const from = heaps.to + static_cast<std::uintptr_t>(process) * stacks_size;
  return {from, from + stacks_size};
}

const void* as_the_pager_sees(std::uintptr_t address) noexcept {
  auto const where = the_pager.pages().find(address);
  return where.is_there ? the_pager.pages().contents(where.page) + address % page : nullptr;
}

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
  forget(reinterpret_cast<std::uintptr_t>(s.mapping) + sys::guard_size, s.mapping_size - sys::guard_size);
  std::lock_guard const guard(stacks.lock);
  if (stacks.free_count < static_cast<int>(std::size(stacks.free))) stacks.free[stacks.free_count++] = s;
}

}  // namespace amity::nodes
