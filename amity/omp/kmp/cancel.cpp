/// clang's entries for cancellation, and for barriers, which are different in its code where something is cancelled.
///
/// Where a loop is cancelled, clang's code goes straight to the barrier that closes it, past whatever else ends the
/// construct: the runtime's end of a dynamic loop, of task reductions, and the combining of reductions, which has a
/// barrier of its own (__kmpc_end_reduce). So the members of a team would meet different numbers of barriers.

#include "amity/omp/rt/cancel.hpp"

#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/kmp/cancel.hpp"
#include "amity/omp/kmp/task_reduction.hpp"

namespace amity::omp::kmp {

namespace {

using i32 = std::int32_t;

cancel_kind kind_of(i32 what) noexcept {
  switch (what) {
    case 1:
      return cancel_kind::region;
    case 2:
      return cancel_kind::loop;
    case 3:
      return cancel_kind::sections;
    default:
      return cancel_kind::taskgroup;
  }
}

/// The current task goes on at the end of a loop or of sections: does what the code that it jumps over would have done.
[[gnu::cold]] void leave_construct(thread& t) noexcept {
  if (t.loop.shared != nullptr) end_loop(t);
  leave_reductions(t);
}

i32 leave_if(bool cancelled, thread& t, cancel_kind what) noexcept {
  if (cancelled && (what == cancel_kind::loop || what == cancel_kind::sections)) [[unlikely]]
    leave_construct(t);
  if (cancelled && what != cancel_kind::taskgroup && cold::any()) [[unlikely]]
    ompt::loop_is_left(t, t.loop);
  return cancelled;
}

bool skips_barrier(thread& t) noexcept {
  bool const skips = t.skips_barrier;
  t.skips_barrier = false;
  return skips;
}

/// What the compiler says of a barrier.
ompt::sync_kind barrier_kind(const ident* where) noexcept {
  constexpr i32 is_explicit = 0x20, is_implicit = 0x40;
  if (where == nullptr || (where->flags & is_explicit) != 0) return ompt::sync_kind::barrier_explicit;
  return (where->flags & is_implicit) != 0 ? ompt::sync_kind::barrier_implicit_workshare
                                           : ompt::sync_kind::barrier_implementation;
}

[[gnu::cold]] void reduction_barrier_if_cancellable(thread& t) noexcept {
  // Somebody has gone to the closing barrier already: it serves for both.
  const team& tm = *t.team;
  std::uint32_t const round = t.barriers_met;
  if (construct_cancelled_in(tm, round)) return;
  barrier(t);
  // Somebody did so since, and was counted in at this one in its stead: it was the closing barrier.
  t.skips_barrier = tm.size > 1 && construct_cancelled_in(tm, round);
}

}  // namespace

void reduction_barrier(thread& t) noexcept {
  if (t.team->cancellable) [[unlikely]]
    return reduction_barrier_if_cancellable(t);
  barrier(t);
}

}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

namespace {

i32 cancel_construct(i32 what) noexcept {
  thread& t = this_thread();
  return leave_if(cancel(t, kind_of(what)), t, kind_of(what));
}

i32 is_cancelled_here(i32 what) noexcept {
  thread& t = this_thread();
  return leave_if(cancellation_point(t, kind_of(what)), t, kind_of(what));
}

void meet_barrier() noexcept {
  thread& t = this_thread();
  if (t.team->cancellable) [[unlikely]]
    if (skips_barrier(t)) return;
  barrier(t);
}

i32 meet_cancel_barrier() noexcept {
  thread& t = this_thread();
  if (t.team->cancellable) [[unlikely]]
    if (skips_barrier(t)) return cancellation_point(t, cancel_kind::region);
  return cancel_barrier(t);
}

}  // namespace

extern "C" {

i32 __kmpc_cancel(ident*, i32, i32 what) {
  return ompt::entered([=] { return cancel_construct(what); });
}

i32 __kmpc_cancellationpoint(ident*, i32, i32 what) {
  return ompt::entered([=] { return is_cancelled_here(what); });
}

void __kmpc_barrier(ident* where, i32) {
  ompt::entered([] { meet_barrier(); },
                [=] {
                  ompt::next_barrier_is(barrier_kind(where));
                  meet_barrier();
                });
}

/// Where the region can be cancelled. Also comes behind __kmpc_cancel for the region.
i32 __kmpc_cancel_barrier(ident* where, i32) {
  return ompt::entered([] { return meet_cancel_barrier(); },
                       [=] {
                         ompt::next_barrier_is(barrier_kind(where));
                         return meet_cancel_barrier();
                       });
}

int kmp_get_cancellation_status(int what) {
  thread& t = this_thread();
  cancel_kind const kind = kind_of(what);
  return kind == cancel_kind::region ? is_region_cancelled(*t.team) : cancellation_point(t, kind);
}
int kmp_get_cancellation_status_(const int* what) { return kmp_get_cancellation_status(*what); }

}  // extern "C"
