// Words to the user: warnings about settings, and the last message before the process ends.
//
//   base::warn("OMP_NUM_THREADS='%s' is not a positive number; using %d", value, fallback);
//   base::fatal("cannot map a stack of %zu bytes: %s; lower OMP_STACKSIZE or AMITY_STACKSIZE", size,
//   std::strerror(error));
//
// A message says which setting or call it is about, the value seen, what is allowed, and what happens instead. Each is
// one line on stderr, begins with "amity: " and is one write(2), so that lines of several threads don't mix. No memory
// is allocated. A message longer than report_limit is cut and ends in "...".
#pragma once

#include <cstddef>

#include "amity/base/config.hpp"

namespace amity::base {

inline constexpr std::size_t report_limit = 1024;

// Prints the message; errno is kept.
AMITY_API [[gnu::format(printf, 1, 2)]] void warn(const char* format, ...) noexcept;

// Prints the message and aborts.
AMITY_API [[noreturn, gnu::cold, gnu::format(printf, 1, 2)]] void fatal(const char* format, ...) noexcept;

/// Text from outside, fit to be quoted in a message: whatever is not printable ASCII as \\xHH, and no more than a line
/// of it, with "..." where it was cut.
///
///     base::warn("OMP_DYNAMIC='%s' is not 'true' or 'false'", base::quoted(value).text);
struct quoted {
  AMITY_API explicit quoted(const char* from) noexcept;
  char text[128];
};

}  // namespace amity::base
