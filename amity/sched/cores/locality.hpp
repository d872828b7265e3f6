#pragma once

/// Where an OS thread may run, for layers that bind their threads to CPUs.
///
/// A carrier is free, or confined to the CPUs of one locality, a number > 0 that the layer above gives to a set of
/// CPUs. Fibers at home on a confined carrier are run by carriers of the same locality only: a carrier that helps out
/// runs on the same CPUs. Fibers of a free carrier are run by anybody.

#include "amity/base/config.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sys/cpu_mask.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched {

/// Confines `c` to `cpus`, which `locality` names. None of the fibers at home on `c` runs elsewhere at this time. False
/// if the kernel refuses those CPUs; `c` then is of that locality, and runs where it ran before.
AMITY_API bool confine(carrier& c, int locality, const sys::cpu_mask& cpus) noexcept;

/// The way back: `c` may run everywhere again. As with confine, none of the fibers at home on it runs elsewhere.
AMITY_API void release(carrier& c) noexcept;

/// An OS thread that the scheduler just made goes where the process may run, not only where its maker was confined
/// to. `everywhere` is what remember_cpus() saw.
void set_free(pthread_t thread) noexcept;

/// Where the carrier's OS thread may run; and a new OS thread of the same carrier may run there as well.
[[nodiscard]] sys::cpu_mask cpus_of(const carrier& c) noexcept;
void stay_confined(carrier& c, const sys::cpu_mask& cpus) noexcept;

/// Held by whoever changes or asks for the CPUs of an OS thread, and by a helper that moves (contention.hpp): for
/// some microseconds that is on a single CPU.
extern sys::spin_lock affinity_lock;

/// Notes where the process may run, before anybody is confined.
void remember_cpus() noexcept;
/// Those.
[[nodiscard]] const sys::cpu_mask& process_cpus() noexcept;

/// The rule above. Relaxed: a carrier's locality changes only while its fibers rest.
[[nodiscard]] inline bool may_run_fibers_of(const carrier& c, const carrier& home) noexcept {
  int const locality = home.core.locality.load(std::memory_order_relaxed);
  return locality == 0 || locality == c.core.locality.load(std::memory_order_relaxed);
}

}  // namespace amity::sched
