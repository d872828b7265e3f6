/// gcc's entries for taskloop. The arguments begin with the two bounds, which are different for each task.

#include "amity/omp/rt/taskloop.hpp"

#include <stdlib.h>

#include <cstdint>
#include <new>

#include "amity/base/report.hpp"
#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/gomp/task.hpp"
#include "amity/omp/hooks/race_detector.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/cancel.hpp"
#include "amity/omp/rt/task_arguments.hpp"
#include "amity/omp/rt/taskgroup.hpp"

extern "C" void GOMP_taskgroup_reduction_register(std::uintptr_t* data);

namespace amity::omp::gomp {

namespace {

using copy_function = void (*)(void*, void*);

/// A taskloop as the compiler passes it; the template of the arguments stands behind.
struct alignas(base::cache_line) gcc_loop : loop_pattern {
  void (*fn)(void*) = nullptr;
  void* data = nullptr;  ///< the template, or gcc's own data where `copy` is called on it
  copy_function copy = nullptr;
  std::size_t bytes = 0;
  std::size_t align = 0;
  std::uint64_t start = 0;
  std::uint64_t step = 0;
};

explicit_task* make(thread& t, loop_pattern& p) noexcept {
  auto& l = static_cast<gcc_loop&>(p);
  explicit_task& x = new_task_at(t, l.where, l.bytes, l.align);
  x.code.plain = l.fn;
  return &x;
}

void fill(loop_pattern& p, explicit_task& x, std::uint64_t chunk, bool) noexcept {
  auto& l = static_cast<gcc_loop&>(p);
  auto* const bounds = static_cast<std::uint64_t*>(x.arguments);
  constexpr std::size_t bounds_size = 2 * sizeof(std::uint64_t);
  if (l.copy != nullptr) {
    l.copy(x.arguments, l.data);
    x.started = true;  // the copies' destructors are called by the body alone
  } else {
    copy_arguments(bounds + 2, static_cast<char*>(l.data) + bounds_size, l.bytes - bounds_size);
  }
  bounds[0] = l.start + l.chunks.begin(chunk) * l.step;
  bounds[1] = l.start + l.chunks.end(chunk) * l.step;
  if (cold::any()) [[unlikely]]
    ompt::next_task_has(l.chunks.begin(chunk), l.chunks.end(chunk) - l.chunks.begin(chunk));
}

void dispose(thread&, loop_pattern& p) noexcept { race::free_unseen(&static_cast<gcc_loop&>(p)); }

gcc_loop& make_loop(std::size_t bytes, std::size_t align) noexcept {
  std::size_t const a = align > base::cache_line ? align : base::cache_line;
  std::size_t const front = (sizeof(gcc_loop) + a - 1) / a * a;
  void* const memory = aligned_alloc(a, front + (bytes + a - 1) / a * a);
  if (memory == nullptr) base::fatal("out of memory for a taskloop with %zu bytes of arguments", bytes);
  auto& l = *new (memory) gcc_loop;
  l.data = static_cast<char*>(memory) + front;
  l.bytes = bytes;
  l.align = align;
  return l;
}

/// With a copy function, copies are made by the encountering thread, before it goes on: the originals are its
/// variables.
void spawn_each(thread& t, gcc_loop& l, std::int32_t priority) noexcept {
  for (std::uint64_t chunk = 0; chunk < l.chunks.chunks && !drops_new_tasks(t); ++chunk) {
    explicit_task& x = *make(t, l);
    fill(l, x, chunk, false);
    x.priority = priority;
    if (cold::any()) [[unlikely]]
      start_observed(t, x);
    else if (runs_at_once(t))
      run_undeferred(t, x);
    else
      spawn(t, x);
  }
  dispose(t, l);
}

struct loop_arguments {
  void (*fn)(void*);
  void* data;
  copy_function copy;
  long bytes, align;
  unsigned flags;
  unsigned long amount;
  int priority;
};

void run(const loop_arguments& a, std::uint64_t start, std::uint64_t step, std::uint64_t total) noexcept {
  thread& t = this_thread();
  auto* const reductions = (a.flags & (task_nogroup | task_reduction)) == task_reduction
                               ? static_cast<std::uintptr_t**>(a.data)[2]
                               : nullptr;
  if (total == 0 || drops_new_tasks(t)) {
    if (reductions != nullptr) reductions[2] = 0;  // tells the compiler's code that nothing was registered
    return;
  }
  bool const grouped = (a.flags & task_nogroup) == 0;
  if (grouped) begin_taskgroup(t);
  if (reductions != nullptr) GOMP_taskgroup_reduction_register(reductions);
  if (cold::any()) [[unlikely]]
    ompt::work_begins(t, ompt::work_kind::taskloop, total);
  gcc_loop& l = make_loop(static_cast<std::size_t>(a.bytes), static_cast<std::size_t>(a.align));
  place_here(t, l);
  if ((a.flags & task_final) != 0) l.where.is_final = true;
  loop_grain const grain = (a.flags & task_grainsize) != 0 ? loop_grain::grainsize
                           : a.amount == 0                 ? loop_grain::unspecified
                                                           : loop_grain::num_tasks;
  l.chunks = cut(total, grain, a.amount, (a.flags & task_strict) != 0, t.team->size);
  l.fn = a.fn;
  l.start = start;
  l.step = step;
  l.make = make;
  l.fill = fill;
  l.dispose = dispose;
  if (a.copy != nullptr) {
    l.copy = a.copy;
    l.data = a.data;
  } else {
    std::memcpy(l.data, a.data, l.bytes);
  }
  int const most = max_task_priority();
  std::int32_t const priority = (a.flags & task_priority) == 0 ? 0 : a.priority < most ? a.priority : most;
  if ((a.flags & task_if) == 0 || t.current->is_final || (t.team->size == 1 && !cold::any()))
    run_loop_undeferred(t, l);
  else if (a.copy != nullptr)
    spawn_each(t, l, priority);
  else
    spawn_loop(t, l, priority, grouped);
  if (cold::any()) [[unlikely]]
    ompt::work_ends(t, ompt::work_kind::taskloop, total);
  if (grouped) end_taskgroup(t);
}

}  // namespace
}  // namespace amity::omp::gomp

using namespace amity::omp;
using namespace amity::omp::gomp;

extern "C" {

void GOMP_taskloop(void (*fn)(void*), void* data, void (*copy)(void*, void*), long bytes, long align, unsigned flags,
                   unsigned long amount, int priority, long start, long end, long step) {
  ompt::entered([=] {
    run({fn, data, copy, bytes, align, flags, amount, priority}, static_cast<std::uint64_t>(start),
        static_cast<std::uint64_t>(step), trip_count(start, end, step));
  });
}

void GOMP_taskloop_ull(void (*fn)(void*), void* data, void (*copy)(void*, void*), long bytes, long align,
                       unsigned flags, unsigned long amount, int priority, unsigned long long start,
                       unsigned long long end, unsigned long long step) {
  ompt::entered([=] {
    run({fn, data, copy, bytes, align, flags, amount, priority}, start, step,
        trip_count_ull((flags & task_up) != 0, start, end, step));
  });
}

}  // extern "C"
