#pragma once

/// Which carrier runs a ready fiber next: permits and claims (README.md, C1 and C2), and where a carrier looks for
/// them. Called in the scheduling loop, too: nothing here touches TLS.

#include <bit>
#include <cstdint>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/fiber/ready_group.hpp"

namespace amity::sched {

struct worker;

/// `f` holds a permit at its present seat.
[[gnu::always_inline]] inline bool own_permit(const fiber& f) noexcept {
  std::uintptr_t const seat = f.seat.load(std::memory_order_relaxed);
  return seat != 0 && (group_of(seat)->ready.load(std::memory_order_seq_cst) & mask_of(seat)) != 0;
}

/// Gives a permit back that was taken from a seat which is another's by now.
[[gnu::cold, gnu::noinline]] void return_permit(carrier& c, ready_group& g, std::uint64_t mask) noexcept;

/// Takes the permit of `f`, which runs and is the caller's own.
[[gnu::always_inline]] inline bool consume_permit(fiber& f) noexcept {
  std::uintptr_t const seat = f.seat.load(std::memory_order_acquire);
  if (seat == 0) return false;
  ready_group& g = *group_of(seat);
  std::uint64_t const mask = mask_of(seat);
  if ((g.ready.load(std::memory_order_relaxed) & mask) == 0) return false;
  if ((g.ready.fetch_and(~mask, std::memory_order_acquire) & mask) == 0) return false;  // pairs with unpark
  // A member on its way to the dock may have been taken out of its seat meanwhile, and that be another's. Whose permit
  // it is was assigned there before it got one: the acquire above shows it.
  if (f.seat.load(std::memory_order_relaxed) == seat) [[likely]]
    return true;
  return_permit(*f.on, g, mask);
  return false;
}

/// True if some group of the chain still has a permit, claimable or not.
inline bool chain_ready(const carrier& owner, unsigned index) noexcept {
  for (ready_group* g = owner.chain[index].load(std::memory_order_seq_cst); g != nullptr; g = g->next)
    if (g->ready.load(std::memory_order_seq_cst) != 0) return true;
  return false;
}

/// Some fiber at home on `c` holds a permit.
inline bool has_permits(const carrier& c) noexcept {
  for (std::uint64_t rest = c.summary.load(std::memory_order_seq_cst); rest != 0; rest &= rest - 1)
    if (chain_ready(c, static_cast<unsigned>(__builtin_ctzll(rest)))) return true;
  return false;
}

/// `g` has a permit whose fiber nobody runs.
inline bool claimable(const ready_group& g) noexcept {
  for (std::uint64_t rest = g.ready.load(std::memory_order_seq_cst); rest != 0; rest &= rest - 1) {
    const fiber* f = g.members[__builtin_ctzll(rest)].load(std::memory_order_acquire);
    if (f != nullptr && f->claimed.load(std::memory_order_seq_cst) == 0) return true;
  }
  return false;
}

/// Gives up the claim of `f`, which did not run. It may have got a permit meanwhile that nobody saw to, since it was
/// claimed.
[[gnu::cold, gnu::noinline]] void unclaim(carrier& c, fiber& f) noexcept;

/// Gives up a claim that turned out to be for another than the permit's fiber, and the permit back to the seat it came
/// from.
[[gnu::cold, gnu::noinline]] void return_claim(carrier& c, ready_group& g, std::uint64_t mask, fiber* claimed) noexcept;

/// Takes the permit `bit` of `g` and the exclusive right to run its fiber. Null if another was faster, or if the
/// fiber's context is not saved yet.
[[gnu::always_inline]] inline fiber* try_claim(carrier& c, ready_group& g, int bit) noexcept {
  std::uint64_t const mask = std::uint64_t{1} << bit;
  fiber* f = g.members[bit].load(std::memory_order_acquire);  // pairs with assign
  if (f != nullptr && f->claimed.load(std::memory_order_relaxed) != 0) return nullptr;
  if (f != nullptr && signals_are_due(*f) && c.kind == carrier_kind::guest) [[unlikely]]
    return nullptr;  // its handlers would keep the guest's OS thread (host/internal/program_signals.hpp)
  // Acquire: what happened before the unpark. README, step C1.
  if ((g.ready.fetch_and(~mask, std::memory_order_acquire) & mask) == 0) return nullptr;
  if (f == nullptr) {
    // A late permit of a seat that was given up, unless the seat has been given to somebody meanwhile.
    if (g.members[bit].load(std::memory_order_seq_cst) != nullptr) return_claim(c, g, mask, nullptr);
    return nullptr;
  }
  std::uint32_t free = 0;
  // Acquire pairs with land: the saved context. README, step C2.
  if (!f->claimed.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed)) {
    return_claim(c, g, mask, nullptr);  // it runs again already; the permit is still its own
    return nullptr;
  }
  if (g.members[bit].load(std::memory_order_seq_cst) != f) [[unlikely]] {
    return_claim(c, g, mask, f);  // the seat changed hands between the two steps
    return nullptr;
  }
  f->on = &c;
  return f;
}

/// Takes the next ready fiber after the one taken last, round and round: no member starves while others yield to one
/// another.
[[gnu::always_inline]] inline fiber* claim_from(carrier& c, ready_group& g) noexcept {
  std::uint64_t const ready = g.ready.load(std::memory_order_relaxed);
  if (ready == 0 || (g.exclusive && g.home != &c)) return nullptr;
  unsigned const start = g.cursor.load(std::memory_order_relaxed) + 1u;
  for (std::uint64_t rest = std::rotr(ready, static_cast<int>(start % 64)); rest != 0; rest &= rest - 1) {
    unsigned const bit = (start + static_cast<unsigned>(__builtin_ctzll(rest))) % 64;
    if (fiber* f = try_claim(c, g, static_cast<int>(bit))) {
      g.cursor.store(static_cast<std::uint8_t>(bit), std::memory_order_relaxed);
      return f;
    }
  }
  return nullptr;
}

/// Looks through the groups at home on `owner` for a fiber that `c` may run, round and round: it begins behind the
/// group that it took one of last.
[[gnu::noinline]] fiber* claim_at(carrier& c, carrier& owner) noexcept;

/// A ready fiber that is at home on `c`. Most often of the group that it took one of last; but fibers that yield to one
/// another are always ready, and those of other groups may be what they wait for.
[[gnu::always_inline]] inline fiber* claim_own(carrier& c) noexcept {
  constexpr unsigned most_in_a_row = 64;
  if (ready_group* g = c.recent; g != nullptr && g->home == &c && ++c.in_a_row < most_in_a_row)
    if (fiber* f = claim_from(c, *g)) {
      c.vain_looks = 0;
      return f;
    }
  c.in_a_row = 0;
  return claim_at(c, c);
}

/// Takes a ready fiber from another carrier: at once if that one sleeps or its core is shared, else only after `c` has
/// been idle for a moment, because a fiber is cheapest where it ran last.
fiber* claim_elsewhere(carrier& c, std::uint64_t idle_since, std::uint64_t now) noexcept;

/// A fiber that runs tasks, for a carrier that has no other to run; null: there are no tasks, or no such fiber.
fiber* claim_for_tasks(carrier& c) noexcept;

/// The same for the fiber of `w`, which runs on `c` and yields.
fiber* claim_stand_in(carrier& c, worker& w) noexcept;

/// A shell's OS thread runs its own fiber, where fibers are bound to their threads, and the fiber that is sent to it
/// (`wanted`).
fiber* claim_as_shell(carrier& c) noexcept;

/// There is something for it to claim so.
bool shell_has_work(const carrier& c) noexcept;

/// The OS thread's native fiber, if it is to go to its end. Its claim is held by the thread that called for that.
fiber* claim_to_end(carrier& c) noexcept;

/// A fiber that is to take its signals on `c` (carrier::signalled). Its claim is held by the thread that wants that.
fiber* claim_signalled(carrier& c) noexcept;

/// A fiber that `c` could run: a carrier that sees one must not go to sleep. One that is ready but still claimed does
/// not count: the carrier that runs it publishes it again when its context is saved (land).
bool work_in_sight(carrier& c) noexcept;

}  // namespace amity::sched
