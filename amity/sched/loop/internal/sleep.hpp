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

/// Wakes the OS thread if it sleeps. `waker`: the calling carrier, which learns from it whether the two share a
/// core; or null. False: it did not sleep.
bool wake_carrier(carrier& c, carrier* waker) noexcept;

/// The loop has no identity of its own: installed is that of the fiber that ran last, which another carrier may run by
/// now. A handler of a signal to the process that began here would run with that fiber's TLS, and change its errno, for
/// one. So a loop that has nothing to do keeps signals out, asleep or not.
void close_ears(carrier& c) noexcept;
/// Signals may come again: the next fiber is `c`'s alone, and a handler may run with its TLS, which is installed.
void open_ears(carrier& c) noexcept;

/// Takes the identity of `next`, whose claim `c` holds: from here on what needs TLS may be called.
AMITY_NO_SANITIZE_THREAD inline void wear(carrier& c, const fiber& next) noexcept {
  if (c.installed == next.thread_pointer) return;
  sys::install_thread_pointer(identity_mode(), next.thread_pointer);
  c.installed = next.thread_pointer;
}

/// Of an idle loop, at each fruitless look and before it sleeps. A guest hears signals on, under its own identity,
/// which never goes elsewhere.
inline void keep_handlers_off(carrier& c) noexcept {
  if (c.kind == carrier_kind::guest)
    wear(c, *c.native);
  else
    close_ears(c);
}

}  // namespace amity::sched
