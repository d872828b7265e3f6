#include "amity/omp/rt/single.hpp"

namespace amity::omp {

// The compiler puts a barrier behind the construct, after which nobody reads the data any more.
void hand_over_copy(thread& t, void* data) noexcept {
  t.team->copyprivate = data;
  barrier(t);
}

void* await_copy(thread& t) noexcept {
  barrier(t);
  return t.team->copyprivate;
}

}  // namespace amity::omp
