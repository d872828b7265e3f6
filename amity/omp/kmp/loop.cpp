/// clang's entries for worksharing loops. Bounds are inclusive. One template over the iteration type; the wrappers only
/// name it.

#include "amity/omp/rt/loop.hpp"

#include <type_traits>

#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/kmp/static_loop.hpp"
#include "amity/omp/rt/doacross.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/teams.hpp"

namespace amity::omp::kmp {

using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

namespace {

/// Takes flags and offsets off; tells whether the loop is ordered.
struct decoded {
  i32 code;
  bool ordered;
  bool nonmonotonic;
};
decoded decode(i32 schedule) noexcept {
  decoded d{};
  d.nonmonotonic = (schedule & schedule_nonmonotonic) != 0;
  i32 code = schedule & ~(schedule_monotonic | schedule_nonmonotonic);
  if (code > nomerge_first) code -= nomerge_offset;
  d.ordered = code >= ordered_first && code <= ordered_last;
  d.code = d.ordered ? code - ordered_offset : code;
  return d;
}

/// What schedule(runtime) means. Where nobody said, clang's programs know libomp's static, not libgomp's dynamic.
schedule run_schedule(thread& t) noexcept {
  const icv_set& icv = icvs(t);
  return icv.schedule_chosen ? icv.run_schedule : schedule{schedule_kind::static_, false, 0};
}

schedule schedule_of(thread& t, const decoded& d, i64 chunk) noexcept {
  schedule s;
  s.monotonic = !d.nonmonotonic;
  s.chunk = chunk < 1 ? 1 : chunk;
  switch (d.code) {
    case static_chunked:
    case static_balanced_chunked:
      s.kind = schedule_kind::static_;
      break;
    case static_block:
      s.kind = schedule_kind::static_;
      s.chunk = 0;
      break;
    case guided_chunked:
    case guided_simd:
      s.kind = schedule_kind::guided;
      break;
    case runtime_:
    case runtime_simd:
      s = run_schedule(t);
      s.monotonic = s.monotonic || !d.nonmonotonic;
      s.of_icv = true;
      break;
    case automatic_:
      s.kind = schedule_kind::automatic;
      break;
    default:
      s.kind = schedule_kind::dynamic;
      break;
  }
  return s;
}

/// schedule(simd: ...): all chunks, but for the last one, are multiples of the vector's length, which clang passes as
/// the chunk; one that the user gave for schedule(runtime) counts vectors.
void deal_in_vectors(thread& t, const decoded& d, i64 length, loop_request& loop) noexcept {
  if (length < 1) length = 1;
  schedule& how = loop.how;
  bool const block = how.kind == schedule_kind::automatic || (how.kind == schedule_kind::static_ && how.chunk == 0);
  if (block) {
    u64 const n = static_cast<u64>(t.team->size), unit = static_cast<u64>(length);
    u64 const share = loop.total / n + (loop.total % n != 0);
    how.kind = schedule_kind::static_;
    how.chunk = static_cast<i64>((share + unit - 1) / unit * unit);
    return;
  }
  if (d.code == runtime_simd) how.chunk *= length;
  loop.unit = how.chunk;
}

/// Statically dealt loops: the caller's part of [*lower, *upper], as number `me` of `n`.
template <class Int>
void deal_static(u64 me, u64 n, i32 code, i32* last, Int* lower, Int* upper, std::make_signed_t<Int>* stride,
                 std::make_signed_t<Int> increment, std::make_signed_t<Int> chunk) noexcept {
  u64 const total = trip_count(*lower, *upper, increment);
  *stride = increment;
  if (last != nullptr) *last = 0;
  if (total == 0) return;
  bool const is_last = code == static_chunked || code == static_balanced_chunked || code == distribute_chunked
                           ? deal_chunks(me, n, total, lower, upper, stride, increment, chunk)
                           : deal_blocks(me, n, total, lower, upper, stride, increment);
  if (last != nullptr) *last = is_last;
}

/// distribute: the part of the team that `t` belongs to.
template <class Int>
void deal_to_team(thread& t, i32 code, i32* last, Int* lower, Int* upper, std::make_signed_t<Int>* stride,
                  std::make_signed_t<Int> increment, std::make_signed_t<Int> chunk) noexcept {
  const thread& initial = root_of(t);
  deal_static(static_cast<u64>(initial.league_number), static_cast<u64>(initial.league_size), code, last, lower, upper,
              stride, increment, chunk);
}

/// For an OMPT tool: a construct that the compiler's code runs through by itself. `total` and `first` are those of the
/// whole, the bounds the caller's.
template <class Int>
[[gnu::cold, gnu::noinline]] void tell_static(thread& t, const ident* where, bool distributes, u64 total, Int first,
                                              Int lower, Int upper, std::make_signed_t<Int> increment) noexcept {
  constexpr i32 is_sections = 0x400;
  ompt::work_kind const kind = distributes                                             ? ompt::work_kind::distribute
                               : where != nullptr && (where->flags & is_sections) != 0 ? ompt::work_kind::sections
                                                                                       : ompt::work_kind::loop_static;
  u64 const start = total == 0 ? 0 : trip_count(first, lower, increment) - 1;
  u64 own = total == 0 ? 0 : trip_count(lower, upper, increment);
  if (start >= total)
    own = 0;
  else if (own > total - start)
    own = total - start;
  ompt::static_work_begins(t, kind, total, {start, own});
}

template <class Int>
void init_static(const ident* where, i32 schedule, i32* last, Int* lower, Int* upper, std::make_signed_t<Int>* stride,
                 std::make_signed_t<Int> increment, std::make_signed_t<Int> chunk) noexcept {
  thread& t = this_thread();
  i32 const code = decode(schedule).code;
  if (t.doacross.joined != nullptr) [[unlikely]] {
    u64 const total = trip_count(*lower, *upper, increment);
    u64 size = 0;
    if (code != static_block && total != 0)
      size = cut_static(*lower, increment, total, chunk, static_cast<u64>(t.team->size)).size;
    deal_doacross(t, {schedule_kind::static_, true, static_cast<i64>(size)}, total);
  }
  bool const distributes = code == distribute_chunked || code == distribute_block;
  Int const first = *lower, end = *upper;
  if (distributes)
    deal_to_team(t, code, last, lower, upper, stride, increment, chunk);
  else
    deal_static(static_cast<u64>(t.number), static_cast<u64>(t.team->size), code, last, lower, upper, stride, increment,
                chunk);
  if (cold::any()) [[unlikely]]
    tell_static(t, where, distributes, trip_count(first, end, increment), first, *lower, *upper, increment);
}

// The entries below are these; what is inlined there says where the program called them from.

template <class Int>
[[gnu::always_inline]] inline void static_init(const ident* where, i32 schedule, i32* last, Int* lower, Int* upper,
                                               std::make_signed_t<Int>* stride, std::make_signed_t<Int> increment,
                                               std::make_signed_t<Int> chunk) noexcept {
  ompt::entered([=] { init_static(where, schedule, last, lower, upper, stride, increment, chunk); });
}

/// distribute parallel for in one call: a block for each team, and of that the thread's part.
template <class Int>
[[gnu::always_inline]] inline void dist_static_init(i32 schedule, i32* last, Int* lower, Int* upper, Int* upper_of_team,
                                                    std::make_signed_t<Int>* stride, std::make_signed_t<Int> increment,
                                                    std::make_signed_t<Int> chunk) noexcept {
  ompt::entered([=] {
    i32 last_team = 0;
    deal_to_team(this_thread(), distribute_block, &last_team, lower, upper, stride, increment, chunk);
    *upper_of_team = *upper;
    init_static(nullptr, schedule, last, lower, upper, stride, increment, chunk);
    if (last != nullptr && last_team == 0) *last = 0;
  });
}

template <class Int>
void team_static_init(i32* last, Int* lower, Int* upper, std::make_signed_t<Int>* stride,
                      std::make_signed_t<Int> increment, std::make_signed_t<Int> chunk) noexcept {
  deal_to_team(this_thread(), distribute_chunked, last, lower, upper, stride, increment, chunk);
}

template <class Int>
void init_dispatch(i32 schedule, Int lower, Int upper, std::make_signed_t<Int> stride,
                   std::make_signed_t<Int> chunk) noexcept {
  thread& t = this_thread();
  decoded const d = decode(schedule);
  loop_request loop;
  loop.lower = static_cast<i64>(lower);
  loop.stride = stride;
  loop.total = trip_count(lower, upper, stride);
  loop.how = schedule_of(t, d, chunk);
  loop.ordered = d.ordered;
  if (d.code == guided_simd || d.code == runtime_simd) [[unlikely]]
    deal_in_vectors(t, d, chunk, loop);
  begin_loop(t, loop);
}

/// False ends the loop for this thread.
template <class Int>
i32 next_of_dispatch(i32* last, Int* lower, Int* upper, std::make_signed_t<Int>* stride) noexcept {
  thread& t = this_thread();
  loop_state& l = t.loop;
  u64 begin = 0, end = 0;
  bool is_last = false;
  if (!next_of_batch(l, &begin, &end)) {
    if (!next_chunk(t)) {
      end_loop(t);  // *last keeps what it said of the thread's last chunk
      return 0;
    }
    auto const first = static_cast<u64>(l.lower), step = static_cast<u64>(l.stride);
    begin = first + l.begin * step;
    end = first + l.end * step;
    is_last = l.end == l.total;
  }
  *lower = static_cast<Int>(begin);
  *upper = static_cast<Int>(end - static_cast<u64>(l.stride));
  if (stride != nullptr) *stride = static_cast<std::make_signed_t<Int>>(l.stride);
  if (last != nullptr) *last = is_last;
  return 1;
}

template <class Int>
[[gnu::always_inline]] inline void dispatch_init(i32 schedule, Int lower, Int upper, std::make_signed_t<Int> stride,
                                                 std::make_signed_t<Int> chunk) noexcept {
  ompt::entered([=] { init_dispatch(schedule, lower, upper, stride, chunk); });
}
/// The same for distribute parallel for: of the team's block. `last`: the team has the last iteration.
template <class Int>
[[gnu::always_inline]] inline void dist_dispatch_init(i32 schedule, i32* last, Int lower, Int upper,
                                                      std::make_signed_t<Int> stride,
                                                      std::make_signed_t<Int> chunk) noexcept {
  ompt::entered([=] {
    Int first = lower, end = upper;
    std::make_signed_t<Int> unused;
    deal_to_team(this_thread(), distribute_block, last, &first, &end, &unused, stride, chunk);
    init_dispatch(schedule, first, end, stride, chunk);
  });
}
template <class Int>
[[gnu::always_inline]] inline i32 dispatch_next(i32* last, Int* lower, Int* upper,
                                                std::make_signed_t<Int>* stride) noexcept {
  return ompt::entered_with<next_of_dispatch<Int>>(last, lower, upper, stride);
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

extern "C" {

void __kmpc_for_static_init_4(ident* where, i32, i32 schedule, i32* last, i32* lower, i32* upper, i32* stride,
                              i32 increment, i32 chunk) {
  static_init(where, schedule, last, lower, upper, stride, increment, chunk);
}
void __kmpc_dist_for_static_init_4(ident*, i32, i32 schedule, i32* last, i32* lower, i32* upper, i32* upper_of_team,
                                   i32* stride, i32 increment, i32 chunk) {
  dist_static_init(schedule, last, lower, upper, upper_of_team, stride, increment, chunk);
}
void __kmpc_team_static_init_4(ident*, i32, i32* last, i32* lower, i32* upper, i32* stride, i32 increment, i32 chunk) {
  team_static_init(last, lower, upper, stride, increment, chunk);
}
void __kmpc_dispatch_init_4(ident*, i32, i32 schedule, i32 lower, i32 upper, i32 stride, i32 chunk) {
  dispatch_init(schedule, lower, upper, stride, chunk);
}
void __kmpc_dist_dispatch_init_4(ident*, i32, i32 schedule, i32* last, i32 lower, i32 upper, i32 stride, i32 chunk) {
  dist_dispatch_init(schedule, last, lower, upper, stride, chunk);
}
i32 __kmpc_dispatch_next_4(ident*, i32, i32* last, i32* lower, i32* upper, i32* stride) {
  return dispatch_next(last, lower, upper, stride);
}
void __kmpc_dispatch_fini_4(ident*, i32) {}  // after each ordered iteration; the turn is passed on with the chunk

void __kmpc_for_static_init_4u(ident* where, i32, i32 schedule, i32* last, u32* lower, u32* upper, i32* stride,
                               i32 increment, i32 chunk) {
  static_init(where, schedule, last, lower, upper, stride, increment, chunk);
}
void __kmpc_dist_for_static_init_4u(ident*, i32, i32 schedule, i32* last, u32* lower, u32* upper, u32* upper_of_team,
                                    i32* stride, i32 increment, i32 chunk) {
  dist_static_init(schedule, last, lower, upper, upper_of_team, stride, increment, chunk);
}
void __kmpc_team_static_init_4u(ident*, i32, i32* last, u32* lower, u32* upper, i32* stride, i32 increment, i32 chunk) {
  team_static_init(last, lower, upper, stride, increment, chunk);
}
void __kmpc_dispatch_init_4u(ident*, i32, i32 schedule, u32 lower, u32 upper, i32 stride, i32 chunk) {
  dispatch_init(schedule, lower, upper, stride, chunk);
}
void __kmpc_dist_dispatch_init_4u(ident*, i32, i32 schedule, i32* last, u32 lower, u32 upper, i32 stride, i32 chunk) {
  dist_dispatch_init(schedule, last, lower, upper, stride, chunk);
}
i32 __kmpc_dispatch_next_4u(ident*, i32, i32* last, u32* lower, u32* upper, i32* stride) {
  return dispatch_next(last, lower, upper, stride);
}
void __kmpc_dispatch_fini_4u(ident*, i32) {}  // after each ordered iteration; the turn is passed on with the chunk

void __kmpc_for_static_init_8(ident* where, i32, i32 schedule, i32* last, i64* lower, i64* upper, i64* stride,
                              i64 increment, i64 chunk) {
  static_init(where, schedule, last, lower, upper, stride, increment, chunk);
}
void __kmpc_dist_for_static_init_8(ident*, i32, i32 schedule, i32* last, i64* lower, i64* upper, i64* upper_of_team,
                                   i64* stride, i64 increment, i64 chunk) {
  dist_static_init(schedule, last, lower, upper, upper_of_team, stride, increment, chunk);
}
void __kmpc_team_static_init_8(ident*, i32, i32* last, i64* lower, i64* upper, i64* stride, i64 increment, i64 chunk) {
  team_static_init(last, lower, upper, stride, increment, chunk);
}
void __kmpc_dispatch_init_8(ident*, i32, i32 schedule, i64 lower, i64 upper, i64 stride, i64 chunk) {
  dispatch_init(schedule, lower, upper, stride, chunk);
}
void __kmpc_dist_dispatch_init_8(ident*, i32, i32 schedule, i32* last, i64 lower, i64 upper, i64 stride, i64 chunk) {
  dist_dispatch_init(schedule, last, lower, upper, stride, chunk);
}
i32 __kmpc_dispatch_next_8(ident*, i32, i32* last, i64* lower, i64* upper, i64* stride) {
  return dispatch_next(last, lower, upper, stride);
}
void __kmpc_dispatch_fini_8(ident*, i32) {}  // after each ordered iteration; the turn is passed on with the chunk

void __kmpc_for_static_init_8u(ident* where, i32, i32 schedule, i32* last, u64* lower, u64* upper, i64* stride,
                               i64 increment, i64 chunk) {
  static_init(where, schedule, last, lower, upper, stride, increment, chunk);
}
void __kmpc_dist_for_static_init_8u(ident*, i32, i32 schedule, i32* last, u64* lower, u64* upper, u64* upper_of_team,
                                    i64* stride, i64 increment, i64 chunk) {
  dist_static_init(schedule, last, lower, upper, upper_of_team, stride, increment, chunk);
}
void __kmpc_team_static_init_8u(ident*, i32, i32* last, u64* lower, u64* upper, i64* stride, i64 increment, i64 chunk) {
  team_static_init(last, lower, upper, stride, increment, chunk);
}
void __kmpc_dispatch_init_8u(ident*, i32, i32 schedule, u64 lower, u64 upper, i64 stride, i64 chunk) {
  dispatch_init(schedule, lower, upper, stride, chunk);
}
void __kmpc_dist_dispatch_init_8u(ident*, i32, i32 schedule, i32* last, u64 lower, u64 upper, i64 stride, i64 chunk) {
  dist_dispatch_init(schedule, last, lower, upper, stride, chunk);
}
i32 __kmpc_dispatch_next_8u(ident*, i32, i32* last, u64* lower, u64* upper, i64* stride) {
  return dispatch_next(last, lower, upper, stride);
}
void __kmpc_dispatch_fini_8u(ident*, i32) {}  // after each ordered iteration; the turn is passed on with the chunk

void __kmpc_dispatch_deinit(ident*, i32) {}  // dispatch_next has ended the loop
void __kmpc_for_static_fini(ident*, i32) {
  ompt::entered([] {}, [] { ompt::static_work_ends(this_thread()); });
}

void __kmpc_ordered(ident*, i32) {
  ompt::entered([] { ordered_begin(this_thread()); },
                [] {
                  thread& t = this_thread();
                  ompt::mutex_wanted(ompt::mutex_kind::ordered, t.team);
                  ordered_begin(t);
                  race::ordered_begins(t);
                  ompt::mutex_held(ompt::mutex_kind::ordered, t.team);
                });
}
void __kmpc_end_ordered(ident*, i32) {
  ompt::entered([] { ordered_end(this_thread()); },
                [] {
                  thread& t = this_thread();
                  race::ordered_ends(t);
                  ordered_end(t);
                  ompt::mutex_free(ompt::mutex_kind::ordered, t.team);
                });
}

}  // extern "C"
