/// What a program's calls of sched_yield come to: code that waits for other threads of its team in a loop of them lets
/// those run that are at home on the same carrier. To the monitor it would look like code that never comes back.

#include <sys/syscall.h>

#include "amity/sched/cores/contention.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/idle/turns.hpp"
#include "amity/sched/loop/internal/switch.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/rebind.hpp"

namespace amity::sched {
namespace {

/// The caller's fiber, if it is one that can give way: not an OS thread's loop, in which a signal handler may call.
fiber* own_fiber() noexcept {
  fiber* const f = current_fiber;
  if (f == nullptr || identity_mode() == sys::thread_pointer_mode::fixed) return nullptr;
  return f->on->running.load(std::memory_order_relaxed) == f && !f->keeps_carrier ? f : nullptr;
}

int yield_core() noexcept { return static_cast<int>(sys::raw_syscall(SYS_sched_yield)); }

/// Nobody at home on the caller's carrier wants to run.
int yield_without_neighbours(fiber& f) noexcept {
  carrier& c = *f.on;
  std::uint64_t const before = sys::ticks();
  if (any_shared(before) && yield_to_shared(f, before)) return 0;
  if (c.kind != carrier_kind::helper) return yield_core();
  if (takes_turns(c.core.turn)) {
    // Another process would use up its slice now, while the thread that we wait for, or that waits for us, has a core.
    // So the helper rests at once, and others may run the fiber meanwhile.
    c.core.turn.end.store(before, std::memory_order_relaxed);
    yield(f, wake::unless_shared);
    return 0;
  }
  int const result = yield_core();
  std::uint64_t const now = sys::ticks();
  if (now - before > sys::ticks_of_microseconds(away_limit_us)) note_absence(c, now);
  return result;
}

/// As sched_yield(2): 0.
int yield_of_program() noexcept {
  fiber* const f = own_fiber();
  if (f == nullptr) return yield_core();
  if (!others_ready(*f->on)) return yield_without_neighbours(*f);
  yield(*f, wake::unless_shared);
  return 0;
}

}  // namespace

void take_over_yields(bool (*concerns)(const char* needed)) noexcept {
  sys::rebind_calls("sched_yield", reinterpret_cast<void*>(yield_of_program), concerns);
}

}  // namespace amity::sched
