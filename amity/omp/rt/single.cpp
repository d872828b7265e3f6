#include "amity/omp/rt/single.hpp"

#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/tool.hpp"

namespace amity::omp {

bool is_single_anywhere(thread& t) noexcept { return t.team->outside == 0 ? is_single(t) : cluster::is_first(t); }

// The compiler puts a barrier behind the construct, after which nobody reads the data any more.
void hand_over_copy(thread& t, void* data) noexcept {
  t.team->copyprivate = data;
  if (cold::any()) [[unlikely]] {
    if (t.team->outside != 0) cluster::hands_over(data);
    ompt::next_barrier_is(ompt::sync_kind::barrier_implementation);
  }
  barrier(t);
}

void* await_copy(thread& t) noexcept {
  if (cold::any()) [[unlikely]]
    ompt::next_barrier_is(ompt::sync_kind::barrier_implementation);
  barrier(t);
  return t.team->copyprivate;
}

}  // namespace amity::omp
