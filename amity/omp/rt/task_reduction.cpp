#include "amity/omp/rt/task_reduction.hpp"

#include <stdlib.h>

#include <mutex>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/hooks/race_detector.hpp"

namespace amity::omp {

common_reductions::construct** common_reductions::find(std::uint64_t number) noexcept {
  construct** at = &constructs_;
  while (*at != nullptr && (*at)->number != number) at = &(*at)->next;
  return at;
}

void* common_reductions::enter(std::uint64_t number, void* mine, preparation prepare, disposal dispose) noexcept {
  std::lock_guard const guard(lock_);
  construct** const at = find(number);
  if (construct* const c = *at) return prepare(mine, c->common);
  auto* const c = static_cast<construct*>(base::take_private(sizeof(construct)));
  if (c == nullptr) base::fatal("out of memory for a task reduction");
  *c = {number, prepare(mine, nullptr), dispose, 0, nullptr};
  *at = c;
  return c->common;
}

bool common_reductions::leave(std::uint64_t number, int members) noexcept {
  if (race::is_on()) [[unlikely]]
    race::release(this);  // each member's copies, for the last one
  std::lock_guard const guard(lock_);
  construct** const at = find(number);
  construct* const c = *at;
  if (++c->left != members) return false;
  if (race::is_on()) [[unlikely]]
    race::acquire(this);
  *at = c->next;
  race::free_unseen(c);
  return true;
}

void common_reductions::abandon() noexcept {
  while (construct* const c = constructs_) {  // nobody else is in the region any more
    constructs_ = c->next;
    c->dispose(c->common);
    race::free_unseen(c);
  }
}

}  // namespace amity::omp
