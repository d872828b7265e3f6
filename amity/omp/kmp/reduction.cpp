/// clang's entries for reductions of parallel regions and worksharing constructs.

#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/kmp/cancel.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/kmp/place.hpp"
#include "amity/omp/kmp/short_reductions.hpp"
#include "amity/omp/rt/critical.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/sys/clock.hpp"

namespace amity::omp::kmp {

constinit short_reductions known_short_reductions;

namespace {

using i32 = std::int32_t;

/// How the threads of a reduction combine their parts: each by atomic operations that the compiler emitted, if it did
/// and they are few, else one after another under a lock.
enum reduction_method : i32 { by_lock = 1, by_atomics = 2 };

/// Under the lock. The atomic operations of a few variables would take about as long.
constexpr std::uint64_t short_ns = 250;

/// Nobody else takes part. At the root of a league's team that is the other teams.
bool reduces_alone(const thread& t) noexcept {
  return t.team->size == 1 && (t.league_size == 1 || t.team->leader_outside != nullptr);
}

/// The same in all threads that take part. Sets what end_reduction wants to know.
reduction_method choose_method(thread& t, const ident* where, combiner combine) noexcept {
  t.measured_reduction = nullptr;
  // A tool is told of a reduction's end, which the form with atomic operations doesn't always have.
  if ((where->flags & ident_atomic_reduce) == 0 || ompt::is_running()) return by_lock;
  if (t.team->size == 1) return by_atomics;  // of a league
  using answer = short_reductions::answer;
  answer const found = known_short_reductions.contain(combine, t.team->work.short_reductions);
  if (found == answer::yes) return by_atomics;
  if (found == answer::no) t.measured_reduction = combine;
  return by_lock;
}

i32 begin_reduction(const ident* where, combiner combine, void* name) noexcept {
  thread& t = this_thread();
  if (cold::any()) [[unlikely]]
    ompt::reduction_begins(t);
  if (reduces_alone(t)) return by_lock;
  reduction_method const method = choose_method(t, where, combine);
  t.reduction_by_atomics = method == by_atomics;
  if (method == by_atomics) return method;
  critical_of(name).lock();
  if (t.measured_reduction != nullptr) t.reduction_began = sys::ticks();
  return method;
}

/// Among threads of several processes: never by atomic operations, as the processes know different reductions to be
/// short.
i32 begin_reduction_everywhere(void* name) noexcept {
  thread& t = this_thread();
  if (reduces_alone(t)) return by_lock;
  t.reduction_by_atomics = false;
  cluster::lock_everywhere(name);
  return by_lock;
}

/// The same, and what a race detector wants to know.
i32 begin_observed_reduction(const ident* where, combiner combine, void* name) noexcept {
  if (cluster::spans_processes()) return begin_reduction_everywhere(name);
  i32 const method = begin_reduction(where, combine, name);
  if (method == by_lock) race::acquire(name);
  return method;
}

void end_reduction(void* name) noexcept {
  thread& t = this_thread();
  if (!reduces_alone(t) && !t.reduction_by_atomics) {
    if (t.measured_reduction != nullptr &&
        (sys::ticks() - t.reduction_began) * 1000 < sys::ticks_of_microseconds(short_ns))
      known_short_reductions.add(t.measured_reduction);
    critical_of(name).unlock();
  }
  if (cold::any()) [[unlikely]]
    ompt::reduction_ends(t);
}
void end_observed_reduction(void* name) noexcept {
  if (cluster::spans_processes()) {
    if (!reduces_alone(this_thread())) cluster::unlock_everywhere(name);
    return;
  }
  if (!this_thread().reduction_by_atomics) race::release(name);
  end_reduction(name);
}

/// The end of a reduction with the construct's barrier.
void end_reduction_with_barrier(void* name) noexcept {
  if (cold::any()) [[unlikely]]
    end_observed_reduction(name);
  else
    end_reduction(name);
  if (cold::any()) [[unlikely]]
    ompt::next_barrier_is(ompt::sync_kind::barrier_implicit_workshare);
  reduction_barrier(this_thread());
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

extern "C" {

std::int32_t __kmpc_reduce_nowait(ident* where, std::int32_t, std::int32_t, std::size_t, void*, combiner combine,
                                  void* name) {
  return ompt::entered([=] { return begin_reduction(where, combine, name); },
                       [=] { return begin_observed_reduction(where, combine, name); });
}
void __kmpc_end_reduce_nowait(ident*, std::int32_t, void* name) {
  ompt::entered([=] { end_reduction(name); }, [=] { end_observed_reduction(name); });
}
std::int32_t __kmpc_reduce(ident* where, std::int32_t, std::int32_t, std::size_t, void*, combiner combine, void* name) {
  return ompt::entered([=] { return begin_reduction(where, combine, name); },
                       [=] { return begin_observed_reduction(where, combine, name); });
}
void __kmpc_end_reduce(ident*, std::int32_t, void* name) {
  ompt::entered([=] { end_reduction_with_barrier(name); });
}

}  // extern "C"
