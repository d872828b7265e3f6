/// clang's entries for single, master, masked, critical and copyprivate.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/kmp/cancel.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/kmp/place.hpp"
#include "amity/omp/rt/critical.hpp"
#include "amity/omp/rt/mutual_exclusion.hpp"
#include "amity/omp/rt/single.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::kmp {

using i32 = std::int32_t;

namespace {

/// A barrier that the construct doesn't show.
void inner_barrier(thread& t) noexcept {
  if (cold::any()) [[unlikely]]
    ompt::next_barrier_is(ompt::sync_kind::barrier_implementation);
  barrier(t);
}

i32 start_masked(bool mine) noexcept {
  if (mine) ompt::masked(*current_thread, ompt::endpoint::begin);
  return mine;
}

i32 start_traced_single() noexcept {
  thread& t = this_thread();
  if (!is_single_anywhere(t)) {
    ompt::work_is_elsewhere(t);
    return 0;
  }
  ompt::work_begins(t, ompt::work_kind::single_executor, 1);
  return 1;
}

void copy_private(void* data, void (*copy)(void*, void*), i32 has_run) noexcept {
  thread& t = this_thread();
  if (has_run != 0)
    hand_over_copy(t, data);
  else
    copy(data, await_copy(t));
  inner_barrier(t);  // the data lives on the stack of the thread that ran the block
}

/// In libomp's words, which programs and their tests know.
void report_error(const ident* where, i32 severity, const char* message) noexcept {
  constexpr i32 warning = 1;
  const char* const text = message != nullptr ? message : "the error directive has no message";
  source_place const place(where);
  if (cold::any()) [[unlikely]]
    ompt::error(severity == warning ? ompt::severity::warning : ompt::severity::fatal, text, strlen(text));
  fflush(stdout);
  if (severity == warning) {
    fprintf(stderr, "OMP: Warning #283: %s: Encountered user-directed warning: %s.\n", place.text, text);
    return;
  }
  fprintf(stderr, "OMP: Error #282: %s: Encountered user-directed error: %s.\n", place.text, text);
  abort();
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

extern "C" {

void __kmpc_flush(ident*) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  ompt::entered([] {}, [] { ompt::flush(this_thread()); });
}

/// A barrier in which thread 0 runs a block before the others go on.
i32 __kmpc_barrier_master(ident*, i32) {
  return ompt::entered([]() -> i32 {
    thread& t = this_thread();
    barrier(t);
    if (t.number == 0) return 1;
    barrier(t);
    return 0;
  });
}
void __kmpc_end_barrier_master(ident*, i32) {
  ompt::entered([] { barrier(this_thread()); });
}
i32 __kmpc_barrier_master_nowait(ident*, i32) {
  return ompt::entered([]() -> i32 {
    thread& t = this_thread();
    barrier(t);
    return t.number == 0;
  });
}

i32 __kmpc_master(ident*, i32) {
  return ompt::entered([]() -> i32 { return this_thread().number == 0; },
                       [] { return start_masked(this_thread().number == 0); });
}
void __kmpc_end_master(ident*, i32) {
  ompt::entered([] {}, [] { ompt::masked(this_thread(), ompt::endpoint::end); });
}
i32 __kmpc_masked(ident*, i32, i32 filter) {
  return ompt::entered([=]() -> i32 { return this_thread().number == filter; },
                       [=] { return start_masked(this_thread().number == filter); });
}
void __kmpc_end_masked(ident*, i32) {
  ompt::entered([] {}, [] { ompt::masked(this_thread(), ompt::endpoint::end); });
}
i32 __kmpc_single(ident*, i32) {
  return ompt::entered([]() -> i32 { return is_single(this_thread()); }, [] { return start_traced_single(); });
}
void __kmpc_end_single(ident*, i32) {
  ompt::entered([] {}, [] { ompt::work_ends(this_thread(), ompt::work_kind::single_executor, 1); });
}
void __kmpc_scope(ident*, i32, void*) {
  ompt::entered([] {}, [] { ompt::work_begins(this_thread(), ompt::work_kind::scope, 1); });
}
void __kmpc_end_scope(ident*, i32, void*) {
  ompt::entered([] {}, [] { ompt::work_ends(this_thread(), ompt::work_kind::scope, 1); });
}

void __kmpc_critical(ident*, i32, void* name) { take(critical_of(name), ompt::mutex_kind::critical); }
void __kmpc_critical_with_hint(ident*, i32, void* name, std::uint32_t hint) {
  take(critical_of(name), ompt::mutex_kind::critical, hint);
}
void __kmpc_end_critical(ident*, i32, void* name) { give_up(critical_of(name), ompt::mutex_kind::critical); }

void __kmpc_copyprivate(ident*, i32, std::size_t, void* data, void (*copy)(void*, void*), i32 has_run) {
  ompt::entered([=] { copy_private(data, copy, has_run); });
}
void* __kmpc_copyprivate_light(ident*, i32, void* data) {
  return ompt::entered([=]() -> void* {
    thread& t = this_thread();
    if (data == nullptr) return await_copy(t);
    hand_over_copy(t, data);
    return data;
  });
}

void __kmpc_error(ident* where, i32 severity, const char* message) {
  ompt::entered([=] { report_error(where, severity, message); });
}

}  // extern "C"
