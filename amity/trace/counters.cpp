#include "amity/trace/counters.hpp"

namespace amity::trace {
namespace {

std::atomic<counters*> blocks{nullptr};

std::uint64_t read(const counter& c) noexcept { return c.load(std::memory_order_relaxed); }

}  // namespace

void register_counters(counters& block) noexcept {
  counters* first = blocks.load(std::memory_order_relaxed);
  do block.next = first;
  while (!blocks.compare_exchange_weak(first, &block, std::memory_order_release,  // pairs with sum_counters
                                       std::memory_order_relaxed));
}

totals sum_counters() noexcept {
  totals sum;
  for (const counters* b = blocks.load(std::memory_order_acquire); b != nullptr; b = b->next) {
    sum.regions += read(b->regions);
    sum.serial += read(b->serial);
    sum.tasks += read(b->tasks);
    sum.steals += read(b->steals);
    sum.switches += read(b->switches);
    sum.waits += read(b->waits);
    sum.sleeps += read(b->sleeps);
    sum.rescues += read(b->rescues);
    sum.asleep += read(b->asleep);
  }
  return sum;
}

}  // namespace amity::trace
