/// Nests of loops as one iteration space, for compilers that leave the arithmetic to the runtime (clang does it
/// itself).
///
/// Each level is `for (iv = lower; iv <= upper; iv += step)`, or `>=` downwards, with bounds `a + b * outer` of one
/// level outside. All is done in 64 bits and cut to the level's type at the end: every type fits, but for unsigned
/// 64-bit ones, which wrap the same way.

#include "amity/base/report.hpp"
#include "amity/omp/kmp/kmp.hpp"
#include "amity/omp/rt/team.hpp"

namespace amity::omp::kmp {

using i32 = std::int32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

enum comparison : i32 { less_or_equal = 0, greater_or_equal = 1, not_equal = 2, less = 3, greater = 4 };

/// The types are numbered from 8 to 64 bits, the unsigned one of each width first.
struct loop_bounds {
  i32 type;     ///< of the bounds
  i32 iv_type;  ///< of the user's variable
  i32 compare;
  i32 outer;  ///< the level that the bounds depend on
  u64 lower, lower_factor;
  u64 upper, upper_factor;
  i64 step;
  u64 trips;
};
static_assert(sizeof(loop_bounds) == 64);

namespace {

constexpr i32 most_levels = 64;

constexpr bool is_signed_type(i32 type) noexcept { return (type & 1) != 0; }

/// A number as the type holds it, extended to 64 bits.
u64 in_type(u64 value, i32 type) noexcept {
  int const unused = 64 - (8 << (type >> 1));
  if (is_signed_type(type)) return static_cast<u64>(static_cast<i64>(value << unused) >> unused);
  return value << unused >> unused;
}

bool is_below(u64 a, u64 b, i32 type) noexcept {
  return is_signed_type(type) ? static_cast<i64>(a) < static_cast<i64>(b) : a < b;
}

/// What `!=` means, which the step says.
i32 direction(const loop_bounds& l) noexcept {
  if (l.compare == not_equal) return l.step > 0 ? less : greater;
  return l.compare;
}

/// `<`, `>` and `!=` become `<=` and `>=`, as the callers want it. (`i < 0` of an unsigned type has no such form: trips
/// are counted before.)
void make_inclusive(loop_bounds& l) noexcept {
  l.compare = direction(l);
  if (l.compare == less) {
    l.upper = in_type(l.upper - 1, l.type);
    l.compare = less_or_equal;
  } else if (l.compare == greater) {
    l.upper = in_type(l.upper + 1, l.type);
    l.compare = greater_or_equal;
  }
}

struct range {
  u64 lower;
  u64 trips;
};

/// Level `i` where the loops outside stand at `ivs`.
range range_at(const loop_bounds& l, const u64* ivs, i32 i) noexcept {
  u64 const outer = l.outer >= 0 && l.outer < i ? ivs[l.outer] : 0;
  u64 const lower = in_type(l.lower + l.lower_factor * outer, l.type);
  u64 const upper = in_type(l.upper + l.upper_factor * outer, l.type);
  i32 const compare = direction(l);
  bool const up = compare == less || compare == less_or_equal;
  bool const inclusive = compare == less_or_equal || compare == greater_or_equal;
  bool const some =
      (up ? is_below(lower, upper, l.type) : is_below(upper, lower, l.type)) || (inclusive && lower == upper);
  if (!some) return {lower, 0};
  u64 const distance = in_type(up ? upper - lower : lower - upper, l.type & ~1);  // at least 1 if not inclusive
  u64 const step = up ? static_cast<u64>(l.step) : u64{0} - static_cast<u64>(l.step);
  return {lower, (inclusive ? distance : distance - 1) / step + 1};
}

bool depends_on_another(const loop_bounds& l) noexcept { return l.lower_factor != 0 || l.upper_factor != 0; }

/// Iterations below levels 0 .. i-1 at `ivs`. Loops that depend on no other are one product.
u64 count_below(const loop_bounds* nest, i32 n, i32 i, u64* ivs, const i32 last_dependent) noexcept {
  if (i == n) return 1;
  range const r = range_at(nest[i], ivs, i);
  if (i >= last_dependent) return r.trips == 0 ? 0 : r.trips * count_below(nest, n, i + 1, ivs, last_dependent);
  u64 total = 0;
  u64 iv = r.lower;
  for (u64 k = 0; k < r.trips; ++k, iv = in_type(iv + static_cast<u64>(nest[i].step), nest[i].type)) {
    ivs[i] = iv;
    total += count_below(nest, n, i + 1, ivs, last_dependent);
  }
  return total;
}

/// The variables of iteration `number` of the nest.
void locate(const loop_bounds* nest, i32 n, u64 number, u64* ivs, const i32 last_dependent) noexcept {
  for (i32 i = 0; i < n; ++i) {
    range const r = range_at(nest[i], ivs, i);
    u64 const step = static_cast<u64>(nest[i].step);
    ivs[i] = r.lower;
    if (i >= last_dependent) {
      u64 const below = count_below(nest, n, i + 1, ivs, last_dependent);
      ivs[i] = in_type(r.lower + number / below * step, nest[i].type);
      number %= below;
      continue;
    }
    for (;;) {
      u64 const below = count_below(nest, n, i + 1, ivs, last_dependent);
      if (number < below) break;
      number -= below;
      ivs[i] = in_type(ivs[i] + step, nest[i].type);
    }
  }
}

/// The last level that another depends on, plus one: from there on, the levels below one run the same number of times
/// in each of its iterations.
i32 last_dependence(const loop_bounds* nest, i32 n) noexcept {
  i32 last = 0;
  for (i32 i = 0; i < n; ++i)
    if (depends_on_another(nest[i]) && nest[i].outer < i && nest[i].outer + 1 > last) last = nest[i].outer + 1;
  return last;
}

void check_depth(i32 n) noexcept {
  if (n < 1 || n > most_levels) base::fatal("a nest of %d collapsed loops; there may be up to %d", n, most_levels);
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

extern "C" {

/// Bounds made inclusive, trips counted; returns the iterations of the whole. Requires: no level depends on another.
u64 __kmpc_process_loop_nest_rectang(ident*, i32, loop_bounds* nest, i32 n) {
  u64 total = 1;
  for (i32 i = 0; i < n; ++i) {
    nest[i].trips = range_at(nest[i], nullptr, 0).trips;
    make_inclusive(nest[i]);
    total *= nest[i].trips;
  }
  return total;
}

/// The variables of iteration `number` of a nest that the function above has prepared.
void __kmpc_calc_original_ivs_rectang(ident*, u64 number, const loop_bounds* nest, u64* ivs, i32 n) {
  for (i32 i = n - 1; i >= 0; --i) {
    u64 const trips = nest[i].trips != 0 ? nest[i].trips : 1;
    ivs[i] = in_type(nest[i].lower + number % trips * static_cast<u64>(nest[i].step), nest[i].type);
    number /= trips;
  }
}

/// A static schedule without chunks for a nest whose inner bounds may depend on outer variables: from which iteration
/// (chunk[i].lower) to which (chunk[i].upper) the calling thread goes. The iterations are counted as they are, so that
/// a triangle is dealt out evenly. Returns 0 if there is none for this thread.
i32 __kmpc_for_collapsed_init(ident*, i32, loop_bounds* nest, loop_bounds* chunk, i32 n, i32* last) {
  check_depth(n);
  thread& t = this_thread();
  u64 ivs[most_levels];
  loop_bounds given[most_levels];
  for (i32 i = 0; i < n; ++i) {
    given[i] = nest[i];
    make_inclusive(nest[i]);
  }
  i32 const dependent = last_dependence(given, n);
  u64 const total = count_below(given, n, 0, ivs, dependent);
  if (last != nullptr) *last = 0;
  u64 const threads = static_cast<u64>(t.team->size), me = static_cast<u64>(t.number);
  u64 const share = total / threads, rest = total % threads;
  u64 const begin = me * share + (me < rest ? me : rest), size = share + (me < rest ? 1 : 0);
  if (size == 0) return 0;
  for (i32 i = 0; i < n; ++i) {
    chunk[i] = nest[i];
    chunk[i].lower_factor = chunk[i].upper_factor = 0;
  }
  locate(given, n, begin, ivs, dependent);
  for (i32 i = 0; i < n; ++i) chunk[i].lower = ivs[i];
  locate(given, n, begin + size - 1, ivs, dependent);
  for (i32 i = 0; i < n; ++i) chunk[i].upper = ivs[i];
  if (last != nullptr) *last = begin + size == total;
  return 1;
}

}  // extern "C"
