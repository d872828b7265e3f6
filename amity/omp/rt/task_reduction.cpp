#include "amity/omp/rt/task_reduction.hpp"

#include <stdlib.h>

#include <mutex>

#include "amity/base/report.hpp"

namespace amity::omp {

common_reductions::construct** common_reductions::find(std::uint64_t number) noexcept {
  construct** at = &constructs_;
  while (*at != nullptr && (*at)->number != number) at = &(*at)->next;
  return at;
}

void* common_reductions::enter(std::uint64_t number, void* mine, int members, bool leaves,
                               void (*prepare)(void* mine, void* first)) noexcept {
  std::lock_guard const guard(lock_);
  construct** const at = find(number);
  construct* c = *at;
  prepare(mine, c == nullptr ? nullptr : c->first);
  if (c == nullptr) {
    c = static_cast<construct*>(malloc(sizeof(construct)));
    if (c == nullptr) base::fatal("out of memory for a task reduction");
    *c = {number, mine, 0, 0, nullptr};
    *at = c;
  }
  void* const first = c->first;
  if (++c->entered == members && !leaves) {
    *at = c->next;
    free(c);
  }
  return first;
}

bool common_reductions::leave(std::uint64_t number, int members) noexcept {
  std::lock_guard const guard(lock_);
  construct** const at = find(number);
  construct* const c = *at;
  if (++c->left != members) return false;
  *at = c->next;
  free(c);
  return true;
}

}  // namespace amity::omp
