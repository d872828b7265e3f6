#include "amity/sched/fiber/registry.hpp"

namespace amity::sched {

std::atomic<fiber*> known_fibers{nullptr};

namespace {

std::atomic<carrier*> schedulers{nullptr};
/// Relaxed: it is set before there are carriers, and never changes.
std::atomic<int> wanted{1};

}  // namespace

void note_fiber(fiber& f) noexcept {
  fiber* first = known_fibers.load(std::memory_order_relaxed);
  do f.next_known = first;
  while (!known_fibers.compare_exchange_weak(first, &f, std::memory_order_release, std::memory_order_relaxed));
}

void link_scheduler(carrier& c) noexcept {
  c.next_scheduler = schedulers.load(std::memory_order_relaxed);
  schedulers.store(&c, std::memory_order_release);  // pairs with first_scheduler; under the pool's lock
}

carrier* first_scheduler() noexcept { return schedulers.load(std::memory_order_acquire); }

int wanted_carriers() noexcept { return wanted.load(std::memory_order_relaxed); }
void want_carriers(int number) noexcept { wanted.store(number, std::memory_order_relaxed); }

void forget_fibers() noexcept {
  known_fibers.store(nullptr, std::memory_order_relaxed);
  schedulers.store(nullptr, std::memory_order_relaxed);
}

}  // namespace amity::sched
