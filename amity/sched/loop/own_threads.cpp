#include "amity/sched/loop/internal/own_threads.hpp"

#include "amity/sched/cores/take_turns.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched {

// There are as many OS threads as fibers, so the chain ends at one that sleeps, or at one that is on its way to
// look for work.
carrier* free_carrier(const fiber& f) noexcept {
  carrier* c = f.native;
  for (int hops = 0; hops < 4096; ++hops) {
    if (c->asleep.load(std::memory_order_relaxed) != 0) return c;
    fiber* occupant = c->running.load(std::memory_order_relaxed);
    if (occupant == nullptr) return c;  // it is in its loop, and looks before it sleeps
    if (occupant->native == c) return nullptr;
    c = occupant->native;
  }
  return nullptr;
}

unsigned send_to_own_threads(ready_group& g, std::uint64_t members, carrier* waker) noexcept {
  unsigned sent = 0;
  for (std::uint64_t rest = members; rest != 0; rest &= rest - 1) {
    int const bit = __builtin_ctzll(rest);
    fiber* f = g.members[bit].load(std::memory_order_acquire);
    if (f == nullptr || f->claimed.load(std::memory_order_relaxed) != 0) continue;
    carrier* c = free_carrier(*f);
    if (c == nullptr) continue;
    if (f->native == g.home)
      g.cursor.store(static_cast<std::uint8_t>((bit + 63) % 64), std::memory_order_relaxed);  // it goes first
    // Pairs with claim_as_shell; seq_cst for the shell that is about to sleep: Dekker with `sleep`, as S2.
    if (c->kind == carrier_kind::shell) c->wanted.store(f, std::memory_order_seq_cst);
    wake_carrier(*c, waker);
    ++sent;
  }
  if (sent != 0) note_own_threads(sys::ticks());
  return sent;
}

}  // namespace amity::sched
