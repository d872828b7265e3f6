// omp_*: what schedule(runtime) means.
#include "amity/omp/api/fortran.hpp"
#include "amity/omp/rt/thread.hpp"

using namespace amity::omp;
using namespace amity::omp::fortran;

namespace {

constexpr unsigned monotonic_flag = 0x80000000u;  // omp_sched_monotonic

void show(const schedule& s, unsigned* kind, int* chunk) noexcept {
  *kind = static_cast<unsigned>(s.kind) | (s.monotonic ? monotonic_flag : 0);
  *chunk = static_cast<int>(s.chunk);
}

}  // namespace

extern "C" {

void omp_set_schedule(unsigned kind, int chunk) {
  const unsigned number = kind & ~monotonic_flag;
  const bool libomps = number == static_cast<unsigned>(schedule_kind::trapezoidal) ||
                       number == static_cast<unsigned>(schedule_kind::static_steal);
  if ((number < 1 || number > 4) && !libomps) return;  // not one of ours: unchanged, as in both other runtimes
  schedule s;
  s.kind = static_cast<schedule_kind>(number);
  s.monotonic = (kind & monotonic_flag) != 0;
  s.chunk = chunk >= 1 && s.kind != schedule_kind::automatic ? chunk : s.kind == schedule_kind::static_ ? 0 : 1;
  icv_set& icv = own_icvs(this_thread());
  icv.run_schedule = s;
  icv.schedule_chosen = true;
}
void omp_set_schedule_(const int4* kind, const int4* chunk) { omp_set_schedule(static_cast<unsigned>(*kind), *chunk); }
void omp_set_schedule_8_(const int4* kind, const int8* chunk) {
  omp_set_schedule(static_cast<unsigned>(*kind), narrow(chunk));
}
void ompc_set_schedule(unsigned kind, int chunk) { omp_set_schedule(kind, chunk); }

void omp_get_schedule(unsigned* kind, int* chunk) { show(icvs(this_thread()).run_schedule, kind, chunk); }
// clang's programs: where nobody has chosen, schedule(runtime) is static there (kmp/loop.cpp).
void omp_get_schedule_at_VERSION(unsigned* kind, int* chunk) {
  const icv_set& icv = icvs(this_thread());
  show(icv.schedule_chosen ? icv.run_schedule : schedule{schedule_kind::static_, false, 0}, kind, chunk);
}
void omp_get_schedule_(int4* kind, int4* chunk) { omp_get_schedule(reinterpret_cast<unsigned*>(kind), chunk); }
void omp_get_schedule__at_VERSION(int4* kind, int4* chunk) {
  omp_get_schedule_at_VERSION(reinterpret_cast<unsigned*>(kind), chunk);
}
void omp_get_schedule_8_(int4* kind, int8* chunk) {
  int narrow_chunk;
  omp_get_schedule(reinterpret_cast<unsigned*>(kind), &narrow_chunk);
  *chunk = narrow_chunk;
}

}  // extern "C"
