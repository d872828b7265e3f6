#include "amity/sync/misuse.hpp"

#include "amity/base/report.hpp"

namespace amity::sync::detail {

void misused(const char* call, std::ptrdiff_t value, std::ptrdiff_t least, std::ptrdiff_t most) noexcept {
  if (most < least) base::fatal("%s(%td): nothing is allowed there any more", call, value);
  base::fatal("%s(%td): allowed are %td to %td", call, value, least, most);
}

}  // namespace amity::sync::detail
