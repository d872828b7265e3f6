/// clang's entries for single, master, masked, critical, reductions and copyprivate.

#include <stdio.h>
#include <stdlib.h>

#include "amity/base/report.hpp"
#include "amity/omp/kmp/cancel.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/rt/critical.hpp"
#include "amity/omp/rt/single.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::kmp {

using i32 = std::int32_t;

namespace {

/// How the threads of a reduction combine their parts: each by atomic operations that the compiler emitted, if it did,
/// else one after another under a lock.
enum reduction_method : i32 { by_lock = 1, by_atomics = 2 };

i32 begin_reduction(const ident* where, void* name) noexcept {
  thread& t = this_thread();
  if (t.team->size == 1) return by_lock;
  if ((where->flags & ident_atomic_reduce) != 0) {
    t.reduction_by_atomics = true;
    return by_atomics;
  }
  t.reduction_by_atomics = false;
  critical_of(name).lock();
  return by_lock;
}

void end_reduction(void* name) noexcept {
  const thread& t = this_thread();
  if (t.team->size > 1 && !t.reduction_by_atomics) critical_of(name).unlock();
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

extern "C" {

void __kmpc_flush(ident*) { std::atomic_thread_fence(std::memory_order_seq_cst); }

/// A barrier in which thread 0 runs a block before the others go on.
i32 __kmpc_barrier_master(ident*, i32) {
  thread& t = this_thread();
  barrier(t);
  if (t.number == 0) return 1;
  barrier(t);
  return 0;
}
void __kmpc_end_barrier_master(ident*, i32) { barrier(this_thread()); }
i32 __kmpc_barrier_master_nowait(ident*, i32) {
  thread& t = this_thread();
  barrier(t);
  return t.number == 0;
}

i32 __kmpc_master(ident*, i32) { return this_thread().number == 0; }
void __kmpc_end_master(ident*, i32) {}
i32 __kmpc_masked(ident*, i32, i32 filter) { return this_thread().number == filter; }
void __kmpc_end_masked(ident*, i32) {}
i32 __kmpc_single(ident*, i32) { return is_single(this_thread()); }
void __kmpc_end_single(ident*, i32) {}
void __kmpc_scope(ident*, i32, void*) {}
void __kmpc_end_scope(ident*, i32, void*) {}

void __kmpc_critical(ident*, i32, void* name) { critical_of(name).lock(); }
void __kmpc_critical_with_hint(ident*, i32, void* name, std::uint32_t) { critical_of(name).lock(); }
void __kmpc_end_critical(ident*, i32, void* name) { critical_of(name).unlock(); }

i32 __kmpc_reduce_nowait(ident* where, i32, i32, std::size_t, void*, void (*)(void*, void*), void* name) {
  return begin_reduction(where, name);
}
void __kmpc_end_reduce_nowait(ident*, i32, void* name) { end_reduction(name); }
i32 __kmpc_reduce(ident* where, i32, i32, std::size_t, void*, void (*)(void*, void*), void* name) {
  return begin_reduction(where, name);
}
void __kmpc_end_reduce(ident*, i32, void* name) {
  end_reduction(name);
  reduction_barrier(this_thread());
}

void __kmpc_copyprivate(ident*, i32, std::size_t, void* data, void (*copy)(void*, void*), i32 has_run) {
  thread& t = this_thread();
  if (has_run != 0)
    hand_over_copy(t, data);
  else
    copy(data, await_copy(t));
  barrier(t);  // the data lives on the stack of the thread that ran the block
}
void* __kmpc_copyprivate_light(ident*, i32, void* data) {
  thread& t = this_thread();
  if (data == nullptr) return await_copy(t);
  hand_over_copy(t, data);
  return data;
}

void __kmpc_error(ident* where, i32 severity, const char* message) {
  constexpr i32 warning = 1;
  const char* const source = where != nullptr && where->source != nullptr ? where->source : "unknown";
  const char* const text = message != nullptr ? message : "error directive";
  if (severity == warning)
    amity::base::warn("%s: OpenMP error directive: %s", source, text);
  else
    amity::base::fatal("%s: OpenMP error directive: %s", source, text);
}

}  // extern "C"
