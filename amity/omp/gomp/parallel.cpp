/// gcc's entries for parallel regions, alone and combined with a loop or sections.

#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::gomp {

void run_region(thread& t, const region_work& work) noexcept {
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
  work.bind = bind_clause(flags);
  fork(t, threads_for(t, num_threads), work);
}

void start_parallel(void (*fn)(void*), void* data, unsigned num_threads, const loop_request& loop) noexcept {
  thread& t = this_thread();
  thread& leader = open_region(t, threads_for(t, num_threads), work_of(fn, data, loop));
  if (loop.given) begin_loop(leader, loop);
}

}  // namespace amity::omp::gomp

using namespace amity::omp;

extern "C" {

void GOMP_parallel(void (*fn)(void*), void* data, unsigned num_threads, unsigned flags) {
  gomp::run_parallel(fn, data, num_threads, flags, {});
}

// Before gcc 4.9 the compiler called the outlined function for thread 0 itself, between these two.
void GOMP_parallel_start(void (*fn)(void*), void* data, unsigned num_threads) {
  gomp::start_parallel(fn, data, num_threads, {});
}
void GOMP_parallel_end() { close_region(this_thread()); }

}  // extern "C"
