#include "amity/sched/cores/guest_load.hpp"

#include <mutex>
#include <new>
#include <utility>

#include "amity/sched/cores/contention.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/spin_lock.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

using std::memory_order_relaxed;
using std::memory_order_seq_cst;

constexpr std::uint64_t never = ~std::uint64_t{0};
constexpr std::uint64_t weigh_every_us = 10'000;  // some slices of the kernel's scheduler
/// Asking costs at most this part of the time.
constexpr std::uint64_t share_of_time = 100;
/// What was before says nothing of the present.
constexpr std::uint64_t longest_window_us = 100'000;

std::atomic<int> guests{0};
sys::spin_lock weighing;  // only ever tried; guards the guests' wanted_ns, and:
std::uint64_t last_weighing = 0;

/// The time for which the guest has been on a core, or waited for one.
std::uint64_t wanted_ns(const carrier& guest) noexcept {
  int const thread = guest.thread_id.load(memory_order_relaxed);
  std::uint64_t const on_core = sys::cpu_time_ns(thread);
  std::uint64_t const in_queue = sys::queue_time_ns(thread);
  return on_core == sys::unknown_time || in_queue == sys::unknown_time ? sys::unknown_time : on_core + in_queue;
}

/// What all guests wanted since the last weighing, in ticks.
std::uint64_t wanted_since() noexcept {
  std::uint64_t sum = 0;
  for (carrier* c = first_scheduler(); c != nullptr; c = c->next_scheduler) {
    if (c->kind != carrier_kind::guest || has_gone(*c)) continue;
    std::uint64_t const before = std::exchange(c->core.wanted_ns, wanted_ns(*c));
    // Less than before: another thread has become this guest.
    if (before != sys::unknown_time && c->core.wanted_ns != sys::unknown_time && c->core.wanted_ns > before)
      sum += sys::ticks_of_microseconds((c->core.wanted_ns - before) / 1000);
  }
  return sum;
}

/// One that is confined has CPUs of its own, whatever the others do. True: some are spare.
bool spare_helpers_above(int slot) noexcept {
  bool some = false;
  for (carrier* c = first_scheduler(); c != nullptr; c = c->next_scheduler) {
    if (c->kind != carrier_kind::helper || is_reserved(*c)) continue;
    bool const spare = c->slot > slot && c->core.locality.load(memory_order_relaxed) == 0;
    if (c->core.is_spare.load(memory_order_relaxed) != spare) c->core.is_spare.store(spare, memory_order_relaxed);
    some = some || spare;
  }
  return some;
}

}  // namespace

constinit std::atomic<std::uint64_t> next_weighing{never};

void weigh_guests(std::uint64_t now) noexcept {
  std::unique_lock const alone(weighing, std::try_to_lock);
  if (!alone.owns_lock() || now < next_weighing.load(memory_order_relaxed)) return;
  std::uint64_t const window = now - last_weighing;
  last_weighing = now;
  std::uint64_t const wanted = wanted_since();
  int const cores = wanted_carriers();
  bool const is_old = window > sys::ticks_of_microseconds(longest_window_us);
  bool const some_spare = spare_helpers_above(is_old ? cores - 1 : helpers_with_a_core(cores, wanted, window));
  std::uint64_t const after = sys::ticks();
  std::uint64_t const pause =
      std::max(sys::ticks_of_microseconds(weigh_every_us), (after > now ? after - now : 0) * share_of_time);
  if (some_spare) some_are_shared_until(now + 2 * pause);
  // Dekker with guest_came: either that one's `never` is overwritten by a time to come, or we see its guest here.
  bool const rests = !some_spare && guests.load(memory_order_relaxed) < 2;
  next_weighing.store(rests ? never : now + pause, memory_order_seq_cst);
  if (rests && guests.load(memory_order_seq_cst) >= 2) next_weighing.store(now + pause, memory_order_relaxed);
}

void guest_came() noexcept {
  if (guests.fetch_add(1, memory_order_seq_cst) >= 1) next_weighing.store(0, memory_order_seq_cst);
}

int guest_went() noexcept { return guests.fetch_sub(1, memory_order_relaxed) - 1; }

int guests_there() noexcept { return guests.load(memory_order_relaxed); }

void forget_guests() noexcept {
  new (&weighing) sys::spin_lock;  // somebody may have held it
  guests.store(0, memory_order_relaxed);
  next_weighing.store(never, memory_order_relaxed);
}

}  // namespace amity::sched
