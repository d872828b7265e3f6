#include "amity/sched/cores/internal/core_limit.hpp"

#include <atomic>
#include <cstdint>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/futex.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

// Only numbers, and every wait looks again by itself: no order is needed.
using std::memory_order_relaxed;

constexpr long look_ns = 5'000'000;               ///< between two looks for cores of threads that sleep
constexpr std::uint64_t patience_us = 100'000;    ///< then somebody spins, waiting for us
constexpr std::uint64_t without_us = 10'000'000;  ///< how long nobody waits after that

// Tickets: an OS thread that asks draws the next, and has a core once it was `granted`. Both wrap.
std::atomic<std::uint32_t> next_ticket{0};
std::atomic<std::uint32_t> granted{0};
std::atomic<std::uint64_t> unlimited_until{0};  ///< ticks
std::atomic<bool> looking{false};               ///< somebody looks for threads that sleep
std::atomic<std::uint64_t> last_look{0};        ///< ticks; when the last one began

/// Where the holders of tickets sleep: only few on the same word.
constexpr std::uint32_t words = 64;
std::atomic<std::uint32_t> word[words];
std::atomic<int> sleepers{0};

bool has_come(std::uint32_t ticket) noexcept {
  return static_cast<std::int32_t>(ticket - granted.load(memory_order_relaxed)) < 0;
}

void grant_one() noexcept {
  std::uint32_t const ticket = granted.fetch_add(1, memory_order_relaxed);
  if (sleepers.load(memory_order_relaxed) == 0) return;
  word[ticket % words].fetch_add(1, memory_order_relaxed);
  sys::futex_wake(word[ticket % words], sys::wake_all);
}

/// Those that have slept in the kernel since the last look don't need theirs. When they go on, they do so without until
/// they wait. One that sleeps for less, as for an answer of a thread that it has just made, keeps its core.
void take_from_sleepers() noexcept {
  std::uint64_t const now = sys::ticks();
  if (looking.exchange(true, memory_order_relaxed)) return;
  if (now - last_look.load(memory_order_relaxed) > sys::ticks_of_microseconds(look_ns / 1000) / 2) {
    last_look.store(now, memory_order_relaxed);
    for (const fiber* f = first_known(); f != nullptr; f = f->next_known) {
      carrier* const c = f->native;
      if (c == nullptr || !c->core.has_core.load(memory_order_relaxed)) continue;
      int const id = c->thread_id.load(memory_order_relaxed);
      std::uint64_t const ran = sys::is_blocked(id) ? sys::cpu_time_ns(id) : sys::unknown_time;
      bool const still = ran != sys::unknown_time && c->core.ran_at_look.load(memory_order_relaxed) == ran;
      c->core.ran_at_look.store(ran, memory_order_relaxed);
      if (still) give_core(*c);
    }
  }
  looking.store(false, memory_order_relaxed);
}

}  // namespace

void set_up_cores(int cores) noexcept {
  next_ticket.store(0, memory_order_relaxed);
  granted.store(static_cast<std::uint32_t>(cores), memory_order_relaxed);
  unlimited_until.store(0, memory_order_relaxed);
  looking.store(false, memory_order_relaxed);
  sleepers.store(0, memory_order_relaxed);
}

void take_core_at_once(carrier& c) noexcept {
  next_ticket.fetch_add(1, memory_order_relaxed);  // whenever its turn comes, it is had
  c.core.has_core.store(true, memory_order_relaxed);
}

void take_core(carrier& c) noexcept {
  std::uint32_t const ticket = next_ticket.fetch_add(1, memory_order_relaxed);
  std::uint64_t since = 0;
  while (!has_come(ticket)) {
    std::uint64_t const now = sys::ticks();
    if (since == 0) since = now;
    bool const too_long = now - since > sys::ticks_of_microseconds(patience_us);
    if (too_long) unlimited_until.store(now + sys::ticks_of_microseconds(without_us), memory_order_relaxed);
    if (now < unlimited_until.load(memory_order_relaxed)) {
      grant_one();  // to whose turn it is; ours will be had when it comes
      c.core.has_core.store(false, memory_order_relaxed);
      return;
    }
    std::atomic<std::uint32_t>& bed = word[ticket % words];
    sleepers.fetch_add(1, memory_order_relaxed);
    std::uint32_t const before = bed.load(memory_order_relaxed);
    if (!has_come(ticket)) sys::futex_wait_for(bed, before, look_ns);  // for a moment: the granter may not have seen us
    sleepers.fetch_sub(1, memory_order_relaxed);
    if (!has_come(ticket)) take_from_sleepers();
  }
  c.core.has_core.store(true, memory_order_relaxed);
}

void regain_core(carrier& c) noexcept {
  if (!c.core.has_core.load(memory_order_relaxed)) take_core(c);
}

void give_core(carrier& c) noexcept {
  if (c.core.has_core.exchange(false, memory_order_relaxed)) grant_one();
}

}  // namespace amity::sched
