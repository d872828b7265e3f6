#include "amity/pgas/closure.hpp"

#include <string.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "amity/base/report.hpp"
#include "amity/base/stack_pointer.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/stack_bounds.hpp"

namespace amity::pgas::detail {
namespace {

sched::stack_bounds own_stack() noexcept {
  thread_local sched::stack_bounds own;  // of the fiber: identity goes with the stack
  if (own.low == nullptr) own = sched::stack_of(*sched::self());
  return own;
}

}  // namespace

stack_words look_for_own_stack(const void* bytes, std::size_t size) noexcept {
  sched::stack_bounds const own = own_stack();
  if (own.low == nullptr) return stack_words::none;
  // What lies below is of calls that are over: no variable that a closure may refer to.
  const std::byte* const low = base::stack_pointer();
  std::size_t found = 0, words = 0;
  for (std::size_t at = 0; at + sizeof(void*) <= size; at += sizeof(void*), ++words) {
    const std::byte* word;
    memcpy(&word, static_cast<const std::byte*>(bytes) + at, sizeof word);
    found += word >= low && word < own.high ? 1 : 0;
  }
  if (found == 0) return stack_words::none;
  return found == words && size % sizeof(void*) == 0 ? stack_words::all : stack_words::some;
}

void warn_of_stack_words() noexcept {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true, std::memory_order_relaxed)) return;
  base::warn(
      "a remote call whose closure may hold the address of a variable of the caller ([&], or a captured pointer): "
      "there "
      "is no such variable in another process; capture values, or pass arguments. (Said once. All is well where it is "
      "an unwritten part of a record, or an address that is only handed back.)");
}

std::exception_ptr refusal_of_stack_words() noexcept {
  return std::make_exception_ptr(std::invalid_argument(
      "a remote call whose closure holds the address of a variable of the caller ([&], or a captured pointer): "
      "there is no such variable in another process; capture values, or pass arguments"));
}

std::exception_ptr why_no_room_for_parameters(const char* what, std::size_t bytes) noexcept {
  sched::stack_bounds const own = own_stack();
  if (own.low == nullptr) return nullptr;
  auto const left = static_cast<std::size_t>(base::stack_pointer() - own.low);
  constexpr std::size_t for_the_rest = 64 * 1024;
  // Twice: a parameter is often moved on.
  if (left > for_the_rest && (left - for_the_rest) / 2 >= bytes) return nullptr;
  return std::make_exception_ptr(std::length_error(
      std::string(what) + " whose parameters take " + std::to_string(bytes / 1024) + " KiB by value, and a stack of " +
      std::to_string((own.high - own.low) / 1024) + " KiB of which " + std::to_string(left / 1024) +
      " KiB are left: take them by const reference, or raise AMITY_STACKSIZE"));
}

}  // namespace amity::pgas::detail
