/// clang's entries for parallel regions and what tells a thread who it is.

#include <alloca.h>
#include <stdarg.h>

#include "amity/omp/api/teams.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/kmp/task_reduction.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::kmp {
namespace {

void run_region(thread& t, const region_work& work) noexcept {
  auto global_number = static_cast<std::int32_t>(t.gtid);
  std::int32_t number = t.number;
  amity_invoke_microtask(reinterpret_cast<microtask>(work.function), &global_number, &number, work.argc, work.argv);
  if (t.team->cancellable) [[unlikely]]
    leave_reductions_of_region(t);
}

/// What clauses pushed for the next region, taken away.
int take_threads(thread& t) noexcept {
  int const requested = t.pushed_num_threads;
  t.pushed_num_threads = 0;
  t.pushed_proc_bind = -1;
  return choose_threads(t, requested, true);
}

void run_parallel(microtask code, int argc, void** argv) noexcept {
  thread& t = this_thread();
  region_work work;
  work.run = run_region;
  work.function = reinterpret_cast<void (*)()>(code);
  work.argc = argc;
  work.argv = argv;
  fork(t, take_threads(t), work);
}

struct teams_region {
  microtask code;
  int argc;
  void** argv;
};

void run_team(void* context) noexcept {
  auto const& region = *static_cast<teams_region*>(context);
  auto global_number = static_cast<std::int32_t>(this_thread().gtid);
  std::int32_t number = 0;
  amity_invoke_microtask(region.code, &global_number, &number, region.argc, region.argv);
}

void collect(void** argv, int argc, va_list list) noexcept {
  for (int i = 0; i < argc; ++i) argv[i] = va_arg(list, void*);
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp;
using amity::omp::kmp::ident;
using amity::omp::kmp::microtask;

extern "C" {

void __kmpc_begin(ident*, std::int32_t) {}
void __kmpc_end(ident*) {}

std::int32_t __kmpc_global_thread_num(ident*) { return static_cast<std::int32_t>(this_thread().gtid); }
std::int32_t __kmpc_global_num_threads(ident*) { return this_thread().team->size; }
std::int32_t __kmpc_bound_thread_num(ident*) { return this_thread().number; }
std::int32_t __kmpc_bound_num_threads(ident*) { return this_thread().team->size; }
std::int32_t __kmpc_in_parallel(ident*) { return this_thread().team->active_level > 0; }
std::int32_t __kmpc_ok_to_fork(ident*) { return 1; }

void __kmpc_push_num_threads(ident*, std::int32_t, std::int32_t threads) { this_thread().pushed_num_threads = threads; }
void __kmpc_push_num_threads_strict(ident*, std::int32_t, std::int32_t threads, int, const char*) {
  this_thread().pushed_num_threads = threads;
}
void __kmpc_push_num_threads_list(ident*, std::int32_t, std::uint32_t length, std::int32_t* list) {
  if (length > 0) this_thread().pushed_num_threads = list[0];
}
void __kmpc_push_num_threads_list_strict(ident*, std::int32_t, std::uint32_t length, std::int32_t* list, int,
                                         const char*) {
  if (length > 0) this_thread().pushed_num_threads = list[0];
}
void __kmpc_push_proc_bind(ident*, std::int32_t, std::int32_t bind) { this_thread().pushed_proc_bind = bind; }

void __kmpc_fork_call(ident*, std::int32_t argc, microtask code, ...) {
  auto** argv = static_cast<void**>(alloca(sizeof(void*) * static_cast<std::size_t>(argc + 1)));
  va_list list;
  va_start(list, code);
  kmp::collect(argv, argc, list);
  va_end(list);
  kmp::run_parallel(code, argc, argv);
}

void __kmpc_serialized_parallel(ident*, std::int32_t) {
  thread& t = this_thread();
  t.pushed_num_threads = 0;
  t.pushed_proc_bind = -1;
  begin_serial(t);
}
void __kmpc_end_serialized_parallel(ident*, std::int32_t) {
  thread& t = this_thread();
  if (t.team->cancellable) [[unlikely]]
    kmp::leave_reductions_of_region(t);
  end_serial(t);
}

void __kmpc_fork_call_if(ident* where, std::int32_t argc, microtask code, std::int32_t condition, void* argument) {
  void* argv[1] = {argument};
  int const count = argument != nullptr ? 1 : 0;
  static_cast<void>(argc);
  if (condition != 0) {
    kmp::run_parallel(code, count, argv);
    return;
  }
  __kmpc_serialized_parallel(where, 0);
  std::int32_t global_number = __kmpc_global_thread_num(where), number = 0;
  amity_invoke_microtask(code, &global_number, &number, count, argv);
  __kmpc_end_serialized_parallel(where, 0);
}

// --- teams on the host: a league of one
void __kmpc_push_num_teams(ident*, std::int32_t, std::int32_t, std::int32_t threads) {
  if (threads > 0) this_thread().pushed_teams_limit = threads;
}
void __kmpc_push_num_teams_51(ident* where, std::int32_t number, std::int32_t, std::int32_t most,
                              std::int32_t threads) {
  __kmpc_push_num_teams(where, number, most, threads);
}
void __kmpc_set_thread_limit(ident*, std::int32_t, std::int32_t limit) {
  if (limit > 0) icvs(this_thread()).thread_limit = limit;
}
void __kmpc_fork_teams(ident*, std::int32_t argc, microtask code, ...) {
  auto** argv = static_cast<void**>(alloca(sizeof(void*) * static_cast<std::size_t>(argc + 1)));
  va_list list;
  va_start(list, code);
  kmp::collect(argv, argc, list);
  va_end(list);
  thread& t = this_thread();
  int const limit = t.pushed_teams_limit != 0 ? t.pushed_teams_limit : default_teams_thread_limit();
  t.pushed_teams_limit = 0;
  kmp::teams_region region{code, argc, argv};
  run_league(1, limit, kmp::run_team, &region);
}

}  // extern "C"
