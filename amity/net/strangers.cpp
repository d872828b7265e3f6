#include "amity/net/internal/strangers.hpp"

#include <stdio.h>
#include <unistd.h>

#include <utility>

#include "amity/base/report.hpp"
#include "amity/net/job.hpp"
#include "amity/sys/clock.hpp"

namespace amity::net {

void say_stranger(const char* who, const char* why) noexcept {
  constexpr std::uint64_t between_words_ns = 10'000'000'000;
  static std::uint64_t last = 0;
  static unsigned long unsaid = 0;
  std::uint64_t const now = sys::monotonic_ns();
  if (last != 0 && now - last < between_words_ns) {
    ++unsaid;
    return;
  }
  last = now;
  char more[80] = "";
  if (unsaid != 0) snprintf(more, sizeof more, "; so were %lu more since this was said last", std::exchange(unsaid, 0));
  char host[128] = "?";
  gethostname(host, sizeof host - 1);
  base::warn("rank %d of %d (process %d on %s): a stranger was turned away, %s: %s%s; the job goes on", job().rank,
             job().size, static_cast<int>(getpid()), host, who, why, more);
}

}  // namespace amity::net
