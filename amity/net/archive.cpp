#include "amity/net/archive.hpp"

#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/stack_bounds.hpp"

namespace amity::net::detail {

const std::byte* deepest_nesting() noexcept {
  thread_local sched::stack_bounds own;  // of the fiber: identity goes with the stack
  if (own.low == nullptr) own = sched::stack_of(*sched::self());
  constexpr std::ptrdiff_t left_for_one = 48 * 1024;  // for the object's own functions, and an exception's way
  return own.low != nullptr ? own.low + left_for_one : nullptr;
}

}  // namespace amity::net::detail
