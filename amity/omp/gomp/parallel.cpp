/// gcc's entries for parallel regions, alone and combined with a loop or sections.

#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::gomp {

/// For an OMPT tool, which wants to know the frame that calls the program's code.
[[gnu::cold, gnu::noinline]] void run_traced_region(thread& t, const region_work& work) noexcept {
  ompt::set_exit_frame(t, __builtin_frame_address(0));
  if (work.loop.given) begin_loop(t, work.loop);
  reinterpret_cast<void (*)(void*)>(work.function)(work.data);
  ompt::set_exit_frame(t, nullptr);
}

void run_region(thread& t, const region_work& work) noexcept {
  if (cold::any()) [[unlikely]]
    return run_traced_region(t, work);
  if (work.loop.given) begin_loop(t, work.loop);
  reinterpret_cast<void (*)(void*)>(work.function)(work.data);
  // The compiler's code left the loop by GOMP_loop_end_nowait; a thread that got no chunk did so too.
}

region_work work_of(void (*fn)(void*), void* data, const loop_request& loop) noexcept {
  region_work work;
  work.run = run_region;
  work.function = reinterpret_cast<void (*)()>(fn);
  work.data = data;
  work.loop = loop;
  return work;
}

int threads_for(thread& t, unsigned num_threads) noexcept {
  // 0: no clause; 1 also stands for if(false).
  return choose_threads(t, static_cast<int>(num_threads), true);
}

void run_parallel(void (*fn)(void*), void* data, unsigned num_threads, unsigned flags,
                  const loop_request& loop) noexcept {
  thread& t = this_thread();
  region_work work = work_of(fn, data, loop);
  work.bind = work.policy = bind_clause(flags);
  fork(t, threads_for(t, num_threads), work);
}

[[gnu::always_inline]] inline void run_plain_parallel(void (*fn)(void*), void* data, unsigned num_threads,
                                                      unsigned flags) noexcept {
  run_parallel(fn, data, num_threads, flags, {});
}

void start_parallel(void (*fn)(void*), void* data, unsigned num_threads, const loop_request& loop) noexcept {
  thread& t = this_thread();
  if (cold::any()) [[unlikely]]
    ompt::program_runs_region(t);
  thread& leader = open_region(t, threads_for(t, num_threads), work_of(fn, data, loop));
  if (cold::any()) [[unlikely]]
    ompt::set_inlined_exit_frame(leader);
  if (loop.given) begin_loop(leader, loop);
}

}  // namespace amity::omp::gomp

using namespace amity::omp;

extern "C" {

void GOMP_parallel(void (*fn)(void*), void* data, unsigned num_threads, unsigned flags) {
  ompt::entered_with<gomp::run_plain_parallel>(fn, data, num_threads, flags);
}

// Before gcc 4.9 the compiler called the outlined function for thread 0 itself, between these two.
void GOMP_parallel_start(void (*fn)(void*), void* data, unsigned num_threads) {
  ompt::entered([=] { gomp::start_parallel(fn, data, num_threads, {}); });
}
void GOMP_parallel_end() {
  ompt::entered([] { close_region(this_thread()); });
}

}  // extern "C"
