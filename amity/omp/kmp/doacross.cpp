/// clang's entries for doacross loops. They come around those of the plain loop, which tells how the iterations are
/// dealt out: doacross_init, for_static_init or dispatch_init, ..., for_static_fini or dispatch_deinit, doacross_fini.

#include "amity/omp/rt/doacross.hpp"

#include "amity/base/report.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/kmp/kmp.hpp"

namespace amity::omp::kmp {

struct bounds {
  std::int64_t lower;
  std::int64_t upper;
  std::int64_t stride;
};

namespace {

/// Bounds are inclusive. But clang normalises its loops to 0, 1, ... and passes the number of iterations for the upper
/// bound, so in that form it is taken for the count; deal_doacross() corrects that if the schedule's total says
/// otherwise.
doacross_dimension dimension_of(const bounds& b, bool normalised) noexcept {
  auto const lower = static_cast<std::uint64_t>(b.lower), upper = static_cast<std::uint64_t>(b.upper);
  auto const stride = static_cast<std::uint64_t>(b.stride);
  if (normalised) return {upper, 0, 1};
  if (b.stride > 0) return {b.lower > b.upper ? 0 : (upper - lower) / stride + 1, b.lower, b.stride};
  if (b.stride < 0) return {b.lower < b.upper ? 0 : (lower - upper) / (0 - stride) + 1, b.lower, b.stride};
  return {0, b.lower, 1};
}

}  // namespace
}  // namespace amity::omp::kmp

using namespace amity::omp;
using namespace amity::omp::kmp;

extern "C" {

void __kmpc_doacross_init(ident*, std::int32_t, std::int32_t n, const bounds* loops) {
  if (n < 1 || static_cast<std::size_t>(n) > most_doacross_dimensions)
    amity::base::fatal("ordered(%d): between 1 and %zu loops are possible", n, most_doacross_dimensions);
  bool normalised = true;
  for (std::int32_t i = 0; i < n; ++i) normalised = normalised && loops[i].lower == 0 && loops[i].stride == 1;
  doacross_dimension dimensions[most_doacross_dimensions];
  for (std::int32_t i = 0; i < n; ++i) dimensions[i] = dimension_of(loops[i], normalised);
  begin_doacross(this_thread(), static_cast<std::size_t>(n), dimensions);
}
void __kmpc_doacross_wait(ident*, std::int32_t, const std::int64_t* vector) {
  ompt::entered([=] { wait_doacross(this_thread(), vector); });
}
void __kmpc_doacross_post(ident*, std::int32_t, const std::int64_t* vector) {
  ompt::entered([=] { post_doacross(this_thread(), vector); });
}
void __kmpc_doacross_fini(ident*, std::int32_t) { end_doacross(this_thread()); }

}  // extern "C"
