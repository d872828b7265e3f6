#include "amity/algo/scan.hpp"

#include "amity/sync/brief_spin.hpp"

namespace amity::algo {

bool spin_for_neighbour(const sync::latch& known) noexcept {
  for (sync::brief_spin spin; !known.try_wait();)
    if (!spin.once()) return false;
  return true;
}

}  // namespace amity::algo
