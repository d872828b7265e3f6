/// gcc's entries for worksharing loops. Every *_start joins the loop and takes the first chunk, every *_next takes
/// another; the chunk is
/// [*istart, *iend) in the user's numbers. One template for all; the wrappers below only name the schedule.

#include "amity/omp/rt/loop.hpp"

#include "amity/base/report.hpp"
#include "amity/omp/gomp/gomp.hpp"
#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::gomp {

using ull = unsigned long long;

schedule schedule_from(thread& t, long sched, std::int64_t chunk) noexcept {
  constexpr long monotonic = static_cast<long>(0x80000000u);
  schedule how;
  how.monotonic = (sched & monotonic) != 0;
  how.chunk = chunk;
  switch (sched & 7) {
    case 0: {  // schedule(runtime)
      bool const named = how.monotonic;
      how = icvs(t).run_schedule;
      how.monotonic = how.monotonic || named;
      how.of_icv = true;
      return how;
    }
    case 1:
      how.kind = schedule_kind::static_;
      return how;
    case 2:
      how.kind = schedule_kind::dynamic;
      return how;
    case 3:
      how.kind = schedule_kind::guided;
      return how;
    default:
      how.kind = schedule_kind::automatic;
      return how;
  }
}

namespace {

constexpr schedule how(schedule_kind kind, std::int64_t chunk, bool monotonic) noexcept {
  return {kind, monotonic, chunk};
}

/// The chunk in hand, translated. Unsigned arithmetic wraps as the compiler's own does.
template <class Int>
bool next(Int* istart, Int* iend) noexcept {
  thread& t = this_thread();
  loop_state& l = t.loop;
  std::uint64_t begin = 0, end = 0;
  if (next_of_batch(l, &begin, &end)) {
    *istart = static_cast<Int>(begin);
    *iend = static_cast<Int>(end);
    return true;
  }
  if (!next_chunk(t)) return false;
  auto const lower = static_cast<std::uint64_t>(l.lower), stride = static_cast<std::uint64_t>(l.stride);
  *istart = static_cast<Int>(lower + l.begin * stride);
  *iend = static_cast<Int>(lower + l.end * stride);
  return true;
}

loop_request request(const schedule& s, bool ordered, long first, long end, long incr) noexcept {
  return {first, incr, trip_count(first, end, incr), s, ordered, true, 0};
}
loop_request request(const schedule& s, bool ordered, bool up, ull first, ull end, ull incr) noexcept {
  return {static_cast<std::int64_t>(first),
          static_cast<std::int64_t>(incr),
          trip_count_ull(up, first, end, incr),
          s,
          ordered,
          true,
          0};
}

template <class Int>
bool start(const loop_request& loop, Int* istart, Int* iend) noexcept {
  begin_loop(this_thread(), loop);
  return next(istart, iend);
}

constexpr long monotonic_flag = static_cast<long>(0x80000000u);
schedule runtime(bool monotonic) noexcept { return schedule_from(this_thread(), monotonic ? monotonic_flag : 0, 0); }

/// gcc 9 and later: any schedule, task reductions, and memory that lives as long as the loop. Without `istart` the
/// compiler deals out the (static) iterations itself and only wants the rest.
template <class Int>
bool general_start(loop_request loop, Int* istart, Int* iend, std::uintptr_t* reductions, void** memory) noexcept {
  if (reductions != nullptr) begin_construct_reductions(this_thread(), reductions);
  if (memory != nullptr) loop.memory = reinterpret_cast<std::uintptr_t>(*memory);
  begin_loop(this_thread(), loop);
  if (memory != nullptr) *memory = loop_memory(this_thread());
  return istart == nullptr || next(istart, iend);
}

void end_with_barrier() noexcept {
  thread& t = this_thread();
  end_loop(t);
  if (cold::any()) [[unlikely]]
    ompt::next_barrier_is(ompt::sync_kind::barrier_implicit_workshare);
  barrier(t);
}

}  // namespace
}  // namespace amity::omp::gomp

using namespace amity::omp;
using namespace amity::omp::gomp;

extern "C" {

// Without "nonmonotonic" in its name, a dynamic or guided loop is monotonic: each thread gets its chunks in increasing
// order.

bool GOMP_loop_static_start(long s, long e, long i, long c, long* is, long* ie) {
  return ompt::entered([=] { return start(request(how(schedule_kind::static_, c, true), false, s, e, i), is, ie); });
}
bool GOMP_loop_static_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_static_start(bool up, ull s, ull e, ull i, ull c, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(request(how(schedule_kind::static_, static_cast<std::int64_t>(c), true), false, up, s, e, i), is, ie);
  });
}
bool GOMP_loop_ull_static_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_dynamic_start(long s, long e, long i, long c, long* is, long* ie) {
  return ompt::entered([=] { return start(request(how(schedule_kind::dynamic, c, true), false, s, e, i), is, ie); });
}
bool GOMP_loop_dynamic_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_dynamic_start(bool up, ull s, ull e, ull i, ull c, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(request(how(schedule_kind::dynamic, static_cast<std::int64_t>(c), true), false, up, s, e, i), is, ie);
  });
}
bool GOMP_loop_ull_dynamic_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_guided_start(long s, long e, long i, long c, long* is, long* ie) {
  return ompt::entered([=] { return start(request(how(schedule_kind::guided, c, true), false, s, e, i), is, ie); });
}
bool GOMP_loop_guided_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_guided_start(bool up, ull s, ull e, ull i, ull c, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(request(how(schedule_kind::guided, static_cast<std::int64_t>(c), true), false, up, s, e, i), is, ie);
  });
}
bool GOMP_loop_ull_guided_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_nonmonotonic_dynamic_start(long s, long e, long i, long c, long* is, long* ie) {
  return ompt::entered([=] { return start(request(how(schedule_kind::dynamic, c, false), false, s, e, i), is, ie); });
}
bool GOMP_loop_nonmonotonic_dynamic_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, ull s, ull e, ull i, ull c, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(request(how(schedule_kind::dynamic, static_cast<std::int64_t>(c), false), false, up, s, e, i), is, ie);
  });
}
bool GOMP_loop_ull_nonmonotonic_dynamic_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_nonmonotonic_guided_start(long s, long e, long i, long c, long* is, long* ie) {
  return ompt::entered([=] { return start(request(how(schedule_kind::guided, c, false), false, s, e, i), is, ie); });
}
bool GOMP_loop_nonmonotonic_guided_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_nonmonotonic_guided_start(bool up, ull s, ull e, ull i, ull c, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(request(how(schedule_kind::guided, static_cast<std::int64_t>(c), false), false, up, s, e, i), is, ie);
  });
}
bool GOMP_loop_ull_nonmonotonic_guided_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_ordered_static_start(long s, long e, long i, long c, long* is, long* ie) {
  return ompt::entered([=] { return start(request(how(schedule_kind::static_, c, true), true, s, e, i), is, ie); });
}
bool GOMP_loop_ordered_static_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_ordered_static_start(bool up, ull s, ull e, ull i, ull c, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(request(how(schedule_kind::static_, static_cast<std::int64_t>(c), true), true, up, s, e, i), is, ie);
  });
}
bool GOMP_loop_ull_ordered_static_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_ordered_dynamic_start(long s, long e, long i, long c, long* is, long* ie) {
  return ompt::entered([=] { return start(request(how(schedule_kind::dynamic, c, true), true, s, e, i), is, ie); });
}
bool GOMP_loop_ordered_dynamic_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_ordered_dynamic_start(bool up, ull s, ull e, ull i, ull c, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(request(how(schedule_kind::dynamic, static_cast<std::int64_t>(c), true), true, up, s, e, i), is, ie);
  });
}
bool GOMP_loop_ull_ordered_dynamic_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_ordered_guided_start(long s, long e, long i, long c, long* is, long* ie) {
  return ompt::entered([=] { return start(request(how(schedule_kind::guided, c, true), true, s, e, i), is, ie); });
}
bool GOMP_loop_ordered_guided_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_ordered_guided_start(bool up, ull s, ull e, ull i, ull c, ull* is, ull* ie) {
  return ompt::entered([=] {
    return start(request(how(schedule_kind::guided, static_cast<std::int64_t>(c), true), true, up, s, e, i), is, ie);
  });
}
bool GOMP_loop_ull_ordered_guided_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_runtime_start(long s, long e, long i, long* is, long* ie) {
  return ompt::entered([=] { return start(request(runtime(true), false, s, e, i), is, ie); });
}
bool GOMP_loop_runtime_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_runtime_start(bool up, ull s, ull e, ull i, ull* is, ull* ie) {
  return ompt::entered([=] { return start(request(runtime(true), false, up, s, e, i), is, ie); });
}
bool GOMP_loop_ull_runtime_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_nonmonotonic_runtime_start(long s, long e, long i, long* is, long* ie) {
  return ompt::entered([=] { return start(request(runtime(false), false, s, e, i), is, ie); });
}
bool GOMP_loop_nonmonotonic_runtime_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_nonmonotonic_runtime_start(bool up, ull s, ull e, ull i, ull* is, ull* ie) {
  return ompt::entered([=] { return start(request(runtime(false), false, up, s, e, i), is, ie); });
}
bool GOMP_loop_ull_nonmonotonic_runtime_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_maybe_nonmonotonic_runtime_start(long s, long e, long i, long* is, long* ie) {
  return ompt::entered([=] { return start(request(runtime(false), false, s, e, i), is, ie); });
}
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool up, ull s, ull e, ull i, ull* is, ull* ie) {
  return ompt::entered([=] { return start(request(runtime(false), false, up, s, e, i), is, ie); });
}
bool GOMP_loop_ull_maybe_nonmonotonic_runtime_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_ordered_runtime_start(long s, long e, long i, long* is, long* ie) {
  return ompt::entered([=] { return start(request(runtime(true), true, s, e, i), is, ie); });
}
bool GOMP_loop_ordered_runtime_next(long* is, long* ie) { return next(is, ie); }
bool GOMP_loop_ull_ordered_runtime_start(bool up, ull s, ull e, ull i, ull* is, ull* ie) {
  return ompt::entered([=] { return start(request(runtime(true), true, up, s, e, i), is, ie); });
}
bool GOMP_loop_ull_ordered_runtime_next(ull* is, ull* ie) { return next(is, ie); }

bool GOMP_loop_start(long s, long e, long i, long sched, long chunk, long* is, long* ie, std::uintptr_t* reductions,
                     void** memory) {
  return ompt::entered([=] {
    return general_start(request(schedule_from(this_thread(), sched, chunk), false, s, e, i), is, ie, reductions,
                         memory);
  });
}
bool GOMP_loop_ordered_start(long s, long e, long i, long sched, long chunk, long* is, long* ie,
                             std::uintptr_t* reductions, void** memory) {
  return ompt::entered([=] {
    return general_start(request(schedule_from(this_thread(), sched, chunk), true, s, e, i), is, ie, reductions,
                         memory);
  });
}
bool GOMP_loop_ull_start(bool up, ull s, ull e, ull i, long sched, ull chunk, ull* is, ull* ie,
                         std::uintptr_t* reductions, void** memory) {
  return ompt::entered([=] {
    return general_start(
        request(schedule_from(this_thread(), sched, static_cast<std::int64_t>(chunk)), false, up, s, e, i), is, ie,
        reductions, memory);
  });
}
bool GOMP_loop_ull_ordered_start(bool up, ull s, ull e, ull i, long sched, ull chunk, ull* is, ull* ie,
                                 std::uintptr_t* reductions, void** memory) {
  return ompt::entered([=] {
    return general_start(
        request(schedule_from(this_thread(), sched, static_cast<std::int64_t>(chunk)), true, up, s, e, i), is, ie,
        reductions, memory);
  });
}

void GOMP_loop_end() {
  ompt::entered([] { end_with_barrier(); });
}
void GOMP_loop_end_nowait() {
  ompt::entered([] { end_loop(this_thread()); });
}

// --- combined with the region: every thread of the team finds the loop begun.

void GOMP_parallel_loop_static(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i, long c,
                               unsigned flags) {
  ompt::entered(
      [=] { run_parallel(fn, data, threads, flags, request(how(schedule_kind::static_, c, true), false, s, e, i)); });
}

void GOMP_parallel_loop_dynamic(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i, long c,
                                unsigned flags) {
  ompt::entered(
      [=] { run_parallel(fn, data, threads, flags, request(how(schedule_kind::dynamic, c, true), false, s, e, i)); });
}

void GOMP_parallel_loop_guided(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i, long c,
                               unsigned flags) {
  ompt::entered(
      [=] { run_parallel(fn, data, threads, flags, request(how(schedule_kind::guided, c, true), false, s, e, i)); });
}

void GOMP_parallel_loop_nonmonotonic_dynamic(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i,
                                             long c, unsigned flags) {
  ompt::entered(
      [=] { run_parallel(fn, data, threads, flags, request(how(schedule_kind::dynamic, c, false), false, s, e, i)); });
}

void GOMP_parallel_loop_nonmonotonic_guided(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i,
                                            long c, unsigned flags) {
  ompt::entered(
      [=] { run_parallel(fn, data, threads, flags, request(how(schedule_kind::guided, c, false), false, s, e, i)); });
}

void GOMP_parallel_loop_runtime(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i,
                                unsigned flags) {
  ompt::entered([=] { run_parallel(fn, data, threads, flags, request(runtime(true), false, s, e, i)); });
}

void GOMP_parallel_loop_nonmonotonic_runtime(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i,
                                             unsigned flags) {
  ompt::entered([=] { run_parallel(fn, data, threads, flags, request(runtime(false), false, s, e, i)); });
}

void GOMP_parallel_loop_maybe_nonmonotonic_runtime(void (*fn)(void*), void* data, unsigned threads, long s, long e,
                                                   long i, unsigned flags) {
  ompt::entered([=] { run_parallel(fn, data, threads, flags, request(runtime(false), false, s, e, i)); });
}

// --- the same before gcc 4.9

void GOMP_parallel_loop_static_start(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i, long c) {
  ompt::entered(
      [=] { start_parallel(fn, data, threads, request(how(schedule_kind::static_, c, true), false, s, e, i)); });
}

void GOMP_parallel_loop_dynamic_start(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i, long c) {
  ompt::entered(
      [=] { start_parallel(fn, data, threads, request(how(schedule_kind::dynamic, c, true), false, s, e, i)); });
}

void GOMP_parallel_loop_guided_start(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i, long c) {
  ompt::entered(
      [=] { start_parallel(fn, data, threads, request(how(schedule_kind::guided, c, true), false, s, e, i)); });
}

void GOMP_parallel_loop_runtime_start(void (*fn)(void*), void* data, unsigned threads, long s, long e, long i) {
  ompt::entered([=] { start_parallel(fn, data, threads, request(runtime(true), false, s, e, i)); });
}

void GOMP_ordered_start() {
  ompt::entered([] { ordered_begin(this_thread()); },
                [] {
                  thread& t = this_thread();
                  ompt::mutex_wanted(ompt::mutex_kind::ordered, t.team);
                  ordered_begin(t);
                  race::ordered_begins(t);
                  ompt::mutex_held(ompt::mutex_kind::ordered, t.team);
                });
}
void GOMP_ordered_end() {
  ompt::entered([] { ordered_end(this_thread()); },
                [] {
                  thread& t = this_thread();
                  race::ordered_ends(t);
                  ordered_end(t);
                  ompt::mutex_free(ompt::mutex_kind::ordered, t.team);
                });
}

}  // extern "C"
