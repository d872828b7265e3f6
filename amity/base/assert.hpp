// AMITY_ASSERT(condition): states what can't be otherwise unless Amity has a bug. Never for a user's mistake (see
// report.hpp).
//
//   AMITY_ASSERT(worker != nullptr);
//
// Active unless NDEBUG is defined; active all the same where AMITY_CHECKED is. An inactive assertion is compiled but
// not evaluated.
#pragma once

#include "amity/base/config.hpp"

#if !defined(NDEBUG) || defined(AMITY_CHECKED)
#define AMITY_ASSERT_ACTIVE 1
#define AMITY_ASSERT(...) \
  (static_cast<bool>(__VA_ARGS__) ? void(0) : ::amity::base::assertion_failed(#__VA_ARGS__, __FILE__, __LINE__))
#else
#define AMITY_ASSERT_ACTIVE 0
#define AMITY_ASSERT(...) static_cast<void>(sizeof(static_cast<bool>(__VA_ARGS__)))
#endif

namespace amity::base {

AMITY_API [[noreturn, gnu::cold]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace amity::base
