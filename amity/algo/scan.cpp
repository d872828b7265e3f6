#include "amity/algo/scan.hpp"

#include "amity/sync/brief_spin.hpp"

namespace amity::algo {

void await_neighbour(const sync::latch& known) noexcept {
  for (sync::brief_spin spin; !known.try_wait() && spin.once();) {
  }
  known.wait();
}

}  // namespace amity::algo
