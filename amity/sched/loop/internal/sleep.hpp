#pragma once

/// A carrier's sleep: on its futex, or, if it is the attendant, on the events of sources of progress; until somebody
/// wakes it, or a deadline. And what goes with it: the signals that it keeps out meanwhile, and the identity that it
/// takes before it runs a fiber.

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/fiber/identity.hpp"
#include "amity/sched/loop/timer.hpp"

namespace amity::sched {

/// Sleeps until wake_carrier, unless there is something to do after all (README.md, S2).
void sleep(carrier& c) noexcept;

/// The part of it in which nothing is done: until somebody has taken `asleep` back, or until `due`. May end without
/// cause.
void wait_until(carrier& c, instant due) noexcept;

/// Wakes the kernel thread if it sleeps. `waker`: the calling carrier, which learns from it whether the two share a
/// core; or null. False: it did not sleep.
bool wake_carrier(carrier& c, carrier* waker) noexcept;

/// A carrier that sees a helper asleep may take its native fiber at once. A signal handler that ran on the helper
/// meanwhile would do so with that fiber's TLS: its errno, for one.
void close_ears(carrier& c) noexcept;
/// Signals may come again: the next fiber is `c`'s alone, and a handler may run with its TLS, which is installed.
void open_ears(carrier& c) noexcept;

/// Takes the identity of `next`, whose claim `c` holds: from here on what needs TLS may be called.
AMITY_NO_SANITIZE_THREAD inline void wear(carrier& c, const fiber& next) noexcept {
  if (c.installed == next.thread_pointer) return;
  sys::install_thread_pointer(identity_mode(), next.thread_pointer);
  c.installed = next.thread_pointer;
}

}  // namespace amity::sched
