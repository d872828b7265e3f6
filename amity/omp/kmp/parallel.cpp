/// clang's entries for parallel regions and what tells a thread who it is.

#include <alloca.h>
#include <stdarg.h>
#include <stdlib.h>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/kmp/place.hpp"
#include "amity/omp/kmp/short_reductions.hpp"
#include "amity/omp/kmp/task_reduction.hpp"
#include "amity/omp/rt/league.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/teams.hpp"
#include "amity/sys/float_control.hpp"

namespace amity::omp::kmp {
namespace {

/// Where the frame is wanted that the program's code is called from; null without an OMPT tool.
void** exit_frame(thread& t) noexcept {
  if (cold::any()) [[unlikely]]
    return ompt::exit_frame_slot(t);
  return nullptr;
}

void run_region(thread& t, const region_work& work) noexcept {
  if (work.float_control && t.number != 0) sys::set_float_control(*work.float_control);
  auto global_number = static_cast<std::int32_t>(t.gtid);
  std::int32_t number = t.number;
  amity_invoke_microtask(reinterpret_cast<microtask>(work.function), &global_number, &number, work.argc, work.argv,
                         exit_frame(t));
  if (t.team->cancellable) [[unlikely]]
    leave_reductions_of_region(t);
}

/// What clauses pushed for the next region, taken away.
int take_threads(thread& t) noexcept {
  int const requested = t.pushed_num_threads;
  t.pushed_num_threads = 0;
  return choose_threads(t, requested, true);
}

/// For a region that is serial by its if clause: its clauses have no effect on the number, and none on the next region.
void drop_pushed(thread& t) noexcept {
  t.pushed_num_threads = 0;
  t.pushed_proc_bind = -1;
  t.pushed_severity = 0;
}

void push_list(const std::int32_t* list, std::uint32_t length) noexcept {
  thread& t = this_thread();
  if (length == 0) return;
  t.pushed_num_threads = list[0];
  base::give_back(t.pushed_inner.owned);  // of a region that never came
  t.pushed_inner = {};
  if (length == 1) return;
  std::uint32_t const more = length - 1;
  auto* copy = static_cast<int*>(base::take_private(more * sizeof(int)));
  if (copy == nullptr) base::fatal("out of memory for num_threads with a list of %u numbers", length);
  for (std::uint32_t i = 0; i < more; ++i) copy[i] = list[i + 1];
  t.pushed_inner = {copy, static_cast<int>(more), copy};
}

void push_strict(int severity, const char* message) noexcept {
  thread& t = this_thread();
  t.pushed_severity = severity;
  t.pushed_message = message;
}

/// num_threads(strict: wanted), and it is another number: the clauses severity and message say what follows.
[[gnu::cold]] void complain(const ident* where, int wanted, int threads, int severity, const char* message) noexcept {
  constexpr int warning = 1;
  source_place const source(where);
  const char* const text = message != nullptr ? message : "there are limits on threads";
  if (severity == warning)
    base::warn("%s: num_threads(strict: %d) cannot be; the region has %d: %s", source.text, wanted, threads, text);
  else
    base::fatal("%s: num_threads(strict: %d) cannot be; the region would have %d: %s", source.text, wanted, threads,
                text);
}

[[gnu::cold, gnu::noinline]] void fork_strictly(thread& t, const ident* where, const region_work& work) noexcept {
  int const wanted = t.pushed_num_threads, severity = t.pushed_severity;
  const char* const message = t.pushed_message;
  t.pushed_severity = 0;
  icv_set& icv = own_icvs(t);
  bool const dynamic = icv.dynamic;
  icv.dynamic = false;  // a strict number is not the runtime's to adjust
  int const threads = take_threads(t);
  icv.dynamic = dynamic;
  if (threads != wanted) complain(where, wanted, threads, severity, message);
  thread& leader = open_region(t, threads, work);
  if (leader.team->size != threads) complain(where, wanted, leader.team->size, severity, message);
  run_region(leader, leader.team->work);
  close_region(leader);
}

void run_parallel(const ident* where, microtask code, int argc, void** argv, bool condition) noexcept {
  thread& t = this_thread();
  if (!condition) drop_pushed(t);
  region_work work;
  work.run = run_region;
  work.function = reinterpret_cast<void (*)()>(code);
  work.argc = argc;
  work.argv = argv;
  work.policy = t.pushed_proc_bind;
  work.short_reductions = known_short_reductions.count();
  if (inherit_float_control) work.float_control = sys::float_control();
  t.pushed_proc_bind = -1;
  if (t.pushed_severity != 0) [[unlikely]] {
    fork_strictly(t, where, work);
    return;
  }
  fork(t, condition ? take_threads(t) : choose_threads(t, 1, false), work);
}

void end_serialized() noexcept {
  thread& t = this_thread();
  if (t.team->cancellable) [[unlikely]]
    leave_reductions_of_region(t);
  end_serial(t);
}

/// The compiler's code runs the region itself.
void begin_serialized() noexcept {
  thread& t = this_thread();
  drop_pushed(t);
  begin_serial(t);
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
  amity_invoke_microtask(region.code, &global_number, &number, region.argc, region.argv, exit_frame(this_thread()));
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
void __kmpc_push_num_threads_strict(ident*, std::int32_t, std::int32_t threads, int severity, const char* message) {
  this_thread().pushed_num_threads = threads;
  kmp::push_strict(severity, message);
}
void __kmpc_push_num_threads_list(ident*, std::int32_t, std::uint32_t length, std::int32_t* list) {
  kmp::push_list(list, length);
}
void __kmpc_push_num_threads_list_strict(ident*, std::int32_t, std::uint32_t length, std::int32_t* list, int severity,
                                         const char* message) {
  kmp::push_list(list, length);
  kmp::push_strict(severity, message);
}
void __kmpc_pop_num_threads(ident*, std::int32_t) {}  // the region has taken it
void __kmpc_push_proc_bind(ident*, std::int32_t, std::int32_t bind) { this_thread().pushed_proc_bind = bind; }

void __kmpc_fork_call(ident* where, std::int32_t argc, microtask code, ...) {
  auto** argv = static_cast<void**>(alloca(sizeof(void*) * static_cast<std::size_t>(argc + 1)));
  va_list list;
  va_start(list, code);
  kmp::collect(argv, argc, list);
  va_end(list);
  ompt::entered_with<kmp::run_parallel>(where, code, argc, argv, true);
}

/// The region's code once more, on the calling thread of the team.
std::int32_t __kmpc_invoke_task_func(std::int32_t) {
  thread& t = this_thread();
  const team& tm = *t.team;
  if ((tm.outside_joins ? tm.run_of_abi : tm.work.run) != kmp::run_region) return 0;  // not inside a region of clang's
  kmp::run_region(t, t.team->work);
  return 1;
}

void __kmpc_serialized_parallel(ident*, std::int32_t) {
  ompt::entered([] { kmp::begin_serialized(); },
                [] {
                  ompt::asks_for(this_thread(), 1);
                  ompt::program_runs_region(this_thread());
                  kmp::begin_serialized();
                  ompt::set_inlined_exit_frame(*current_thread);
                });
}
void __kmpc_end_serialized_parallel(ident*, std::int32_t) {
  ompt::entered([] { kmp::end_serialized(); });
}

void __kmpc_fork_call_if(ident* where, std::int32_t, microtask code, std::int32_t condition, void* argument) {
  ompt::entered([=] {
    void* argv[1] = {argument};
    kmp::run_parallel(where, code, argument != nullptr ? 1 : 0, argv, condition != 0);
  });
}

// --- teams on the host
void __kmpc_push_num_teams(ident*, std::int32_t, std::int32_t teams, std::int32_t threads) {
  thread& t = this_thread();
  t.pushed_teams = teams > 0 ? teams : 0;
  t.pushed_teams_limit = threads > 0 ? threads : 0;
}
/// num_teams(least : most)
void __kmpc_push_num_teams_51(ident* where, std::int32_t number, std::int32_t least, std::int32_t most,
                              std::int32_t threads) {
  __kmpc_push_num_teams(where, number, least > 0 ? choose_teams(this_thread(), least, most) : most, threads);
}
void __kmpc_set_thread_limit(ident*, std::int32_t, std::int32_t limit) {
  if (limit > 0) own_icvs(this_thread()).thread_limit = limit;
}
void __kmpc_fork_teams(ident*, std::int32_t argc, microtask code, ...) {
  auto** argv = static_cast<void**>(alloca(sizeof(void*) * static_cast<std::size_t>(argc + 1)));
  va_list list;
  va_start(list, code);
  kmp::collect(argv, argc, list);
  va_end(list);
  ompt::entered([=] {
    thread& t = this_thread();
    int const teams = t.pushed_teams != 0 ? t.pushed_teams : default_num_teams();
    int const limit = t.pushed_teams_limit != 0 ? t.pushed_teams_limit : default_teams_thread_limit();
    t.pushed_teams = t.pushed_teams_limit = 0;
    kmp::teams_region region{code, argc, argv};
    run_league(teams, limit, kmp::run_team, &region);
  });
}

}  // extern "C"
