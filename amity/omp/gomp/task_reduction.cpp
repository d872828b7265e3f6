/// gcc's task reductions. The compiler lays out the descriptors and combines the private copies itself; the runtime
/// owns the copies' memory and finds them.
///
/// A descriptor, in words: [0] number of entries, [1] bytes of one thread's copies, [2] their alignment, and on output
/// the copies of all threads, [3] allocator, [4] next descriptor, and on output of the last the enclosing construct's,
/// [5] ours, [6] ours: end of the copies; from [7] on three words for each entry: address of the original, offset of
/// its copy, ours.

#include <stdlib.h>

#include <cstdint>
#include <cstring>

#include "amity/base/config.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/taskgroup.hpp"

namespace amity::omp::gomp {

namespace {

using word = std::uintptr_t;
enum field : unsigned { count = 0, size = 1, copies = 2, next = 4, is_last = 5, end = 6, entries = 7, entry_words = 3 };

word* next_of(const word* d) noexcept { return reinterpret_cast<word*>(d[next]); }

/// What the innermost construct with reductions around the current task registered.
word* visible(thread& t) noexcept {
  for (scope* s = t.current->inner; s != nullptr; s = s->outer.load(std::memory_order_relaxed)) {
    if (s->kind == scope::kind_of::group && static_cast<taskgroup*>(s)->gcc_reductions != nullptr)
      return static_cast<taskgroup*>(s)->gcc_reductions;
    if (s->kind == scope::kind_of::implicit)
      return static_cast<word*>(s->owner.load(std::memory_order_relaxed)->tasks.region_reductions);
  }
  return nullptr;
}

word alignment_of(const word* d) noexcept { return d[copies] < base::cache_line ? base::cache_line : d[copies]; }

/// Zeroed memory for the copies of all descriptors of the list.
void* make_copies(const word* list, int threads) noexcept {
  word align = 0, bytes = 0;
  for (const word* d = list; d != nullptr; d = next_of(d)) {
    word const a = alignment_of(d);
    if (a > align) align = a;
    bytes = (bytes + a - 1) / a * a + d[size] * static_cast<word>(threads);
  }
  bytes = (bytes + align - 1) / align * align;
  race::unseen const quiet;  // they are all threads'
  void* const memory = aligned_alloc(align, bytes);
  if (memory == nullptr) base::fatal("out of memory for a task reduction (%zu bytes)", bytes);
  std::memset(memory, 0, bytes);
  return memory;
}

/// The same in a team over several processes: those of the first process to come. Their numbers are apart from those of
/// loops, which are agreed on in the same way.
[[gnu::cold, gnu::noinline]] void* agreed_copies(const thread& t, const word* list, std::uint64_t number) noexcept {
  void* const ours = make_copies(list, t.team->size);
  void* const agreed = cluster::agree_on_memory(cluster::first_of_reductions | number, ours);
  if (agreed != ours)
    race::free_unseen(ours);
  else
    cluster::keep(ours);
  return agreed;
}

/// In that process alone.
void free_agreed_copies(void* memory) noexcept {
  if (cluster::has_kept(memory)) race::free_unseen(memory);
}

/// Gives every descriptor of the list its copies for `threads` threads: in new memory, or in `common`, which another
/// thread got for the same list. Returns the memory.
void* prepare(word* list, word* enclosing, void* common, int threads) noexcept {
  void* const memory = common != nullptr ? common : make_copies(list, threads);
  auto at = reinterpret_cast<word>(memory);  // the first copies are at its beginning: see free_copies
  for (word* d = list;; d = next_of(d)) {
    word const align = alignment_of(d);
    at = (at + align - 1) / align * align;
    d[copies] = at;
    at = d[end] = at + d[size] * static_cast<word>(threads);
    d[is_last] = d[next] == 0;
    if (d[is_last] != 0) {
      d[next] = reinterpret_cast<word>(enclosing);
      return memory;
    }
  }
}

void free_copies(const word* list) noexcept { race::free_unseen(reinterpret_cast<void*>(list[copies])); }

struct place {
  word* descriptor;
  word offset;
  word original;
};

/// Where `address`, an original or anybody's copy of one, is described.
place find(word* list, word address) noexcept {
  for (word* d = list; d != nullptr; d = next_of(d)) {
    bool const is_copy = address >= d[copies] && address < d[end];
    word const offset = is_copy ? (address - d[copies]) % d[size] : 0;
    for (word i = 0; i < d[count]; ++i) {
      const word* const e = d + entries + i * entry_words;
      if (is_copy ? e[1] == offset : e[0] == address) return {d, e[1], e[0]};
    }
    if (is_copy) return {d, offset, 0};
  }
  base::fatal("in_reduction: no enclosing construct reduces the variable at %p", reinterpret_cast<void*>(address));
}

void run_region_with_reductions(thread& t, const region_work& work) noexcept {
  t.tasks.region_reductions = *static_cast<void**>(work.data);
  if (race::is_on()) [[unlikely]]
    race::uses_reduction(t);
  if (cold::any()) [[unlikely]]
    ompt::set_exit_frame(t, __builtin_frame_address(0));
  reinterpret_cast<void (*)(void*)>(work.function)(work.data);
  if (cold::any()) [[unlikely]]
    ompt::set_exit_frame(t, nullptr);
}

unsigned run_parallel_with_reductions(void (*fn)(void*), void* data, unsigned num_threads, unsigned flags) noexcept {
  thread& t = this_thread();
  int const threads = choose_threads(t, static_cast<int>(num_threads), true);
  prepare(*static_cast<std::uintptr_t**>(data), nullptr, nullptr, threads);
  region_work work;
  work.run = run_region_with_reductions;
  work.function = reinterpret_cast<void (*)()>(fn);
  work.data = data;
  work.bind = work.policy = bind_clause(flags);
  thread& leader = open_region(t, threads, work);
  int const size = leader.team->size;
  leader.team->work.run(leader, leader.team->work);
  close_region(leader);
  return static_cast<unsigned>(size);
}

}  // namespace

void begin_construct_reductions(thread& t, word* list) noexcept {
  if (race::is_on()) [[unlikely]]
    race::uses_reduction(t);
  taskgroup& group = begin_taskgroup(t);
  group.of_construct = true;
  group.number = t.tasks.commons_met++;
  bool const across = t.team->outside != 0;
  t.team->tasks.commons.enter(
      group.number, list,
      [](void* mine, void* common) {
        thread& me = this_thread();
        if (common == nullptr && me.team->outside != 0)
          common = agreed_copies(me, static_cast<word*>(mine), me.tasks.commons_met - 1);
        return prepare(static_cast<word*>(mine), visible(me), common, me.team->size);
      },
      across ? free_agreed_copies : race::free_unseen);
  group.gcc_reductions = list;
}

}  // namespace amity::omp::gomp

using namespace amity::omp;
using namespace amity::omp::gomp;

extern "C" {

void GOMP_taskgroup_reduction_register(std::uintptr_t* data) {
  thread& t = this_thread();
  prepare(data, visible(t), nullptr, t.team->size);
  open_taskgroup(t).gcc_reductions = data;
}

void GOMP_taskgroup_reduction_unregister(std::uintptr_t* data) { free_copies(data); }

/// Turns each of `addresses` into that of the calling thread's copy; for the first `originals` of them the original's
/// goes behind the list.
void GOMP_task_reduction_remap(std::size_t number, std::size_t originals, void** addresses) {
  thread& t = this_thread();
  if (race::is_on()) [[unlikely]]
    race::uses_reduction(t);
  std::uintptr_t* const list = visible(t);
  for (std::size_t i = 0; i < number; ++i) {
    place const p = find(list, reinterpret_cast<std::uintptr_t>(addresses[i]));
    std::uintptr_t const mine = p.descriptor[copies] + static_cast<std::uintptr_t>(t.number) * p.descriptor[size];
    addresses[i] = reinterpret_cast<void*>(mine + p.offset);
    if (i < originals) addresses[number + i] = reinterpret_cast<void*>(p.original);
  }
}

void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  ompt::entered([=] {
    thread& t = this_thread();
    std::uintptr_t* const list = open_taskgroup(t).gcc_reductions;
    std::uint64_t const number = open_taskgroup(t).number;
    if (cold::any()) [[unlikely]]
      ompt::open_work_ends(t);  // a scope has no call for its own end
    end_taskgroup(t);
    // Thread 0 has combined the copies before it comes here. In a region that is cancelled nobody does.
    if (!cancelled) barrier(t);
    if (!t.team->tasks.commons.leave(number, t.team->here)) return;
    if (t.team->outside == 0)
      free_copies(list);
    else
      free_agreed_copies(reinterpret_cast<void*>(list[copies]));
  });
}

/// `parallel reduction(task, ...)`: the descriptor is the first word of the data.
unsigned GOMP_parallel_reductions(void (*fn)(void*), void* data, unsigned num_threads, unsigned flags) {
  return ompt::entered([=] { return run_parallel_with_reductions(fn, data, num_threads, flags); });
}

}  // extern "C"
