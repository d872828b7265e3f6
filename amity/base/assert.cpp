#include "amity/base/assert.hpp"

#include "amity/base/report.hpp"

namespace amity::base {

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  fatal("assertion failed at %s:%d: %s; this is a bug in Amity", file, line, condition);
}

}  // namespace amity::base
