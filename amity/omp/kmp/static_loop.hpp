#pragma once

/// The numbers of statically dealt loops. Bounds are inclusive. clang's code runs through its part like this, where
/// `end` is the whole loop's last number:
///
///   while ((upper = min(upper, end)) >= lower) {
///     for (i = lower; i <= upper; i += increment) ...
///     lower += stride, upper += stride;  // only with a chunk
///   }
///
/// So the numbers behind a thread's last chunk have to fit the type, too: one that wraps is a chunk anew.

#include <cstdint>
#include <limits>
#include <type_traits>

namespace amity::omp::kmp {

/// Iterations of `for (i = lower; i <= upper; i += stride)`, or `>=` downwards; without overflow over the whole type.
template <class Int>
std::uint64_t trip_count(Int lower, Int upper, std::make_signed_t<Int> stride) noexcept {
  using wide = std::make_unsigned_t<Int>;
  if (stride > 0)
    return lower > upper ? 0
                         : std::uint64_t{static_cast<wide>(static_cast<wide>(upper) - static_cast<wide>(lower))} /
                                   static_cast<wide>(stride) +
                               1;
  if (stride == 0) return 0;
  return lower < upper ? 0
                       : std::uint64_t{static_cast<wide>(static_cast<wide>(lower) - static_cast<wide>(upper))} /
                                 static_cast<wide>(wide{0} - static_cast<wide>(stride)) +
                             1;
}

/// Logical iteration to the user's number, in wrapping arithmetic.
template <class Int>
Int at(Int lower, std::uint64_t iteration, std::int64_t stride) noexcept {
  return static_cast<Int>(static_cast<std::uint64_t>(lower) + iteration * static_cast<std::uint64_t>(stride));
}

/// How a loop with a chunk is cut.
struct static_cut {
  std::uint64_t size = 0;    ///< iterations of a chunk
  std::uint64_t chunks = 0;  ///< how many there are; the last one may be shorter
  bool once = false;         ///< nobody has more than one, and a common stride would leave the type
};

/// Requires: total > 0, the trip count from `first` by `increment`. Where a thread with several chunks could not step
/// past its last one, all get one block each: that is not the schedule asked for, but the loop ends.
template <class Int>
static_cut cut_static(Int first, std::make_signed_t<Int> increment, std::uint64_t total, std::make_signed_t<Int> chunk,
                      std::uint64_t n) noexcept {
  using wide = std::make_unsigned_t<Int>;
  auto const chunks_of = [total](std::uint64_t size) { return (total - 1) / size + 1; };
  static_cut cut;
  cut.size = chunk < 1 ? 1 : static_cast<std::uint64_t>(chunk);
  if (cut.size > total) cut.size = total;
  cut.chunks = chunks_of(cut.size);

  std::uint64_t room =
      increment > 0 ? static_cast<wide>(static_cast<wide>(std::numeric_limits<Int>::max()) - static_cast<wide>(first))
                    : static_cast<wide>(static_cast<wide>(first) - static_cast<wide>(std::numeric_limits<Int>::min()));
  if (increment != 1)
    room /= increment > 0 ? static_cast<wide>(increment) : static_cast<wide>(wide{0} - static_cast<wide>(increment));
  auto const most = (static_cast<unsigned __int128>(cut.chunks) + n) * cut.size - 1;  // upper, one step behind the end
  if (most <= room) [[likely]]
    return cut;

  cut.once = true;
  if (cut.chunks <= n) return cut;
  cut.size = (total - 1) / n + 1;
  cut.chunks = chunks_of(cut.size);
  return cut;
}

/// An empty range that the compiler's comparison sees as such, without leaving the type's range. `*upper` is the whole
/// loop's.
template <class Int>
void make_empty(Int* lower, Int* upper, bool upwards) noexcept {
  Int const end = *upper;
  *lower = upwards ? at(end, 1, 1) : at(end, 1, -1);
  if (upwards ? *lower < end : *lower > end) {  // wrapped
    *lower = end;
    *upper = upwards ? at(end, 1, -1) : at(end, 1, 1);
  }
}

/// The chunks of number `me` of `n`: [*lower, *upper], the whole loop, becomes the first one, and `*stride` leads to
/// the next. Requires: total > 0. Returns whether the loop's last iteration is among them.
template <class Int>
bool deal_chunks(std::uint64_t me, std::uint64_t n, std::uint64_t total, Int* lower, Int* upper,
                 std::make_signed_t<Int>* stride, std::make_signed_t<Int> increment,
                 std::make_signed_t<Int> chunk) noexcept {
  using step = std::make_signed_t<Int>;
  Int const first = *lower, end = *upper;
  static_cut const cut = cut_static(first, increment, total, chunk, n);
  std::uint64_t const begin = me * cut.size;
  if (!cut.once) [[likely]] {
    *stride = static_cast<step>(cut.size * n * static_cast<std::uint64_t>(std::int64_t{increment}));
    *lower = at(first, begin, increment);
    *upper = at(first, begin + cut.size - 1, increment);
    return me == (cut.chunks - 1) % n;
  }
  *stride = increment;
  if (me >= cut.chunks) {
    make_empty(lower, upper, increment > 0);
    return false;
  }
  bool const is_last = me == cut.chunks - 1;
  *lower = at(first, begin, increment);
  *upper = at(first, is_last ? total - 1 : begin + cut.size - 1, increment);
  // The very next number behind the loop, which is in the type's range unless the loop fills that to its end.
  *stride = static_cast<step>(static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(*lower) +
                              (increment > 0 ? 1 : ~std::uint64_t{0}));
  return is_last;
}

/// One block for each: the first ones may be one iteration longer. The rest as in deal_chunks.
template <class Int>
bool deal_blocks(std::uint64_t me, std::uint64_t n, std::uint64_t total, Int* lower, Int* upper,
                 std::make_signed_t<Int>* stride, std::make_signed_t<Int> increment) noexcept {
  Int const first = *lower;
  std::uint64_t const block = total / n, rest = total % n;
  std::uint64_t const begin = me * block + (me < rest ? me : rest), size = block + (me < rest ? 1 : 0);
  *stride = static_cast<std::make_signed_t<Int>>(total * static_cast<std::uint64_t>(std::int64_t{increment}));
  if (size == 0) {
    make_empty(lower, upper, increment > 0);
    return false;
  }
  *lower = at(first, begin, increment);
  *upper = at(first, begin + size - 1, increment);
  return begin + size == total;
}

}  // namespace amity::omp::kmp
