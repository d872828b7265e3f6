#include "amity/omp/cluster/waits.hpp"

#include <atomic>
#include <cstddef>

#include "amity/omp/cluster/job.hpp"

namespace amity::omp::cluster::waits {
namespace {

std::atomic<std::uint64_t> counts[static_cast<std::size_t>(during::last) + 1];  // relaxed: numbers that order nothing

struct {
  std::uint64_t seen = 0;
  during now = during::regions;  // other threads than main()'s are in regions alone
} thread_local mine;

}  // namespace

during does(during next) noexcept {
  during const before = mine.now;
  if (others->waits_of_thread == nullptr) return before;
  std::uint64_t const all = others->waits_of_thread();
  counts[static_cast<std::size_t>(before)].fetch_add(all - mine.seen, std::memory_order_relaxed);
  mine.seen = all;
  mine.now = next;
  return before;
}

void enters() noexcept { does(mine.now == during::singles ? during::regions : mine.now); }

std::uint64_t counted(during what) noexcept {
  return counts[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
}

}  // namespace amity::omp::cluster::waits
