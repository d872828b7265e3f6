/// gfortran's entries for allocatable variables with an allocate directive. Only the runtime knows whether one that is
/// freed, or changes its size, got its memory from an allocator or from malloc.

#include <mutex>
#include <unordered_set>

#include "amity/sync/mutex.hpp"

namespace amity::omp::gomp {
namespace {

struct allocated_variables {
  sync::mutex mutex;  ///< of `addresses`
  std::unordered_set<void*> addresses;
};

/// Never destroyed: programs free variables until their very end.
allocated_variables& variables() {
  static auto& all = *new allocated_variables;
  return all;
}

}  // namespace
}  // namespace amity::omp::gomp

using namespace amity::omp::gomp;

extern "C" {

/// The variable's memory, which may be null, came from GOMP_alloc.
void GOMP_add_alloc(void* memory) {
  if (memory == nullptr) return;
  allocated_variables& all = variables();
  std::lock_guard const lock(all.mutex);
  all.addresses.insert(memory);
}

/// Whether it did; it is forgotten then, because the caller frees it.
bool GOMP_is_alloc(void* memory) {
  allocated_variables& all = variables();
  std::lock_guard const lock(all.mutex);
  return all.addresses.erase(memory) != 0;
}

}  // extern "C"
