/// gcc's entries for doacross loops. The iterations come normalised: each dimension counts from 0 up, the first one is
/// the loop (or the collapsed loops) that is dealt out. *_next and *_end are the plain loops' own.

#include "amity/omp/rt/doacross.hpp"

#include <cstdarg>

#include "amity/base/report.hpp"
#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/hooks/tool.hpp"

namespace amity::omp::gomp {

using ull = unsigned long long;

namespace {

template <class Int>
bool first_chunk(thread& t, Int* istart, Int* iend) noexcept {
  if (!next_chunk(t)) return false;
  *istart = static_cast<Int>(t.loop.begin);
  *iend = static_cast<Int>(t.loop.end);
  return true;
}

template <class Int>
bool start(unsigned n, const Int* counts, const schedule& how, Int* istart, Int* iend,
           void** memory = nullptr) noexcept {
  thread& t = this_thread();
  if (n > most_doacross_dimensions)
    base::fatal("ordered(%u): at most %zu loops are possible", n, most_doacross_dimensions);
  doacross_dimension dimensions[most_doacross_dimensions];
  for (unsigned i = 0; i < n; ++i) dimensions[i] = {static_cast<std::uint64_t>(counts[i]), 0, 1};
  begin_doacross(t, n, dimensions);
  std::size_t const bytes = memory == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(*memory);
  begin_loop(t, {0, 1, dimensions[0].count, how, false, true, bytes});
  if (memory != nullptr) *memory = loop_memory(t);
  return first_chunk(t, istart, iend);
}

template <class Int>
bool start_runtime(unsigned n, const Int* counts, Int* istart, Int* iend) noexcept {
  return start(n, counts, schedule_from(this_thread(), 0, 0), istart, iend);
}

template <class Int>
bool start_general(unsigned n, const Int* counts, long sched, Int chunk, Int* istart, Int* iend,
                   std::uintptr_t* reductions, void** memory) noexcept {
  thread& t = this_thread();
  if (reductions != nullptr) begin_construct_reductions(t, reductions);
  return start(n, counts, schedule_from(t, sched, static_cast<std::int64_t>(chunk)), istart, iend, memory);
}

template <class Int>
void wait(Int first, va_list rest) noexcept {
  thread& t = this_thread();
  std::size_t const n = doacross_dimensions(t);
  if (n == 0) return;
  std::int64_t vector[most_doacross_dimensions];
  vector[0] = static_cast<std::int64_t>(first);
  for (std::size_t i = 1; i < n; ++i) vector[i] = static_cast<std::int64_t>(va_arg(rest, Int));
  wait_doacross(t, vector);
}

}  // namespace
}  // namespace amity::omp::gomp

using namespace amity::omp;
using namespace amity::omp::gomp;

extern "C" {

bool GOMP_loop_doacross_static_start(unsigned n, long* counts, long chunk, long* is, long* ie) {
  return ompt::entered([=] { return start(n, counts, {schedule_kind::static_, true, chunk}, is, ie); });
}
bool GOMP_loop_doacross_dynamic_start(unsigned n, long* counts, long chunk, long* is, long* ie) {
  return ompt::entered([=] { return start(n, counts, {schedule_kind::dynamic, true, chunk}, is, ie); });
}
bool GOMP_loop_doacross_guided_start(unsigned n, long* counts, long chunk, long* is, long* ie) {
  return ompt::entered([=] { return start(n, counts, {schedule_kind::guided, true, chunk}, is, ie); });
}
bool GOMP_loop_doacross_runtime_start(unsigned n, long* counts, long* is, long* ie) {
  return ompt::entered([=] { return start_runtime(n, counts, is, ie); });
}
bool GOMP_loop_doacross_start(unsigned n, long* counts, long sched, long chunk, long* is, long* ie,
                              std::uintptr_t* reductions, void** memory) {
  return ompt::entered([=] { return start_general(n, counts, sched, chunk, is, ie, reductions, memory); });
}

bool GOMP_loop_ull_doacross_static_start(unsigned n, ull* counts, ull chunk, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(n, counts, {schedule_kind::static_, true, static_cast<std::int64_t>(chunk)}, is, ie);
  });
}
bool GOMP_loop_ull_doacross_dynamic_start(unsigned n, ull* counts, ull chunk, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(n, counts, {schedule_kind::dynamic, true, static_cast<std::int64_t>(chunk)}, is, ie);
  });
}
bool GOMP_loop_ull_doacross_guided_start(unsigned n, ull* counts, ull chunk, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(n, counts, {schedule_kind::guided, true, static_cast<std::int64_t>(chunk)}, is, ie);
  });
}
bool GOMP_loop_ull_doacross_runtime_start(unsigned n, ull* counts, ull* is, ull* ie) {
  return ompt::entered([=] { return start_runtime(n, counts, is, ie); });
}
bool GOMP_loop_ull_doacross_start(unsigned n, ull* counts, long sched, ull chunk, ull* is, ull* ie,
                                  std::uintptr_t* reductions, void** memory) {
  return ompt::entered([=] { return start_general(n, counts, sched, chunk, is, ie, reductions, memory); });
}

void GOMP_doacross_post(long* vector) {
  ompt::entered([=] { post_doacross(this_thread(), vector); });
}
void GOMP_doacross_ull_post(ull* vector) {
  ompt::entered([=] { post_doacross(this_thread(), reinterpret_cast<std::int64_t*>(vector)); });
}

void GOMP_doacross_wait(long first, ...) {
  va_list rest;
  va_start(rest, first);
  wait(first, rest);
  va_end(rest);
}
void GOMP_doacross_ull_wait(ull first, ...) {
  va_list rest;
  va_start(rest, first);
  wait(first, rest);
  va_end(rest);
}

}  // extern "C"
