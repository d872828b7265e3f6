// omp_*: what schedule(runtime) means.
#include "amity/omp/api/fortran.hpp"
#include "amity/omp/rt/thread.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;

namespace {

constexpr unsigned monotonic_flag = 0x80000000u;  // omp_sched_monotonic

}  // namespace

extern "C" {

void omp_set_schedule(unsigned kind, int chunk) {
  const unsigned number = kind & ~monotonic_flag;
  if (number < 1 || number > 4) return;  // not one of ours: unchanged, as in both other runtimes
  schedule s;
  s.kind = static_cast<schedule_kind>(number);
  s.monotonic = (kind & monotonic_flag) != 0;
  const bool chunkless = s.kind == schedule_kind::static_ || s.kind == schedule_kind::automatic;
  s.chunk = chunk >= 1 && s.kind != schedule_kind::automatic ? chunk : chunkless ? 0 : 1;
  icvs(this_thread()).run_schedule = s;
}
void omp_set_schedule_(const int4* kind, const int4* chunk) { omp_set_schedule(static_cast<unsigned>(*kind), *chunk); }
void omp_set_schedule_8_(const int4* kind, const int8* chunk) {
  omp_set_schedule(static_cast<unsigned>(*kind), narrow(chunk));
}
void ompc_set_schedule(unsigned kind, int chunk) { omp_set_schedule(kind, chunk); }

void omp_get_schedule(unsigned* kind, int* chunk) {
  const schedule& s = icvs(this_thread()).run_schedule;
  *kind = static_cast<unsigned>(s.kind) | (s.monotonic ? monotonic_flag : 0);
  *chunk = static_cast<int>(s.chunk);
}
void omp_get_schedule_(int4* kind, int4* chunk) { omp_get_schedule(reinterpret_cast<unsigned*>(kind), chunk); }
void omp_get_schedule_8_(int4* kind, int8* chunk) {
  int narrow_chunk;
  omp_get_schedule(reinterpret_cast<unsigned*>(kind), &narrow_chunk);
  *chunk = narrow_chunk;
}

}  // extern "C"
