#pragma once

/// What the loop and the pool call in the rooms after this one: declared here, defined there. Nothing else in this room
/// knows that those exist; tasks are known by task_source alone.

#include "amity/base/config.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/fiber.hpp"

namespace amity::sched {

// --- tasks/engine.cpp

/// Sees to it that there is a fiber of the pool which can poll sources of progress. Makes the caller one that has
/// tasks.
void have_fiber_for_progress() noexcept;

// --- host/program_signals.cpp

enum class delivery : std::uint8_t { done, left_pending };

/// Raises the signals that wait for `f`, which the calling OS thread carries. Their handlers have run when it
/// returns, but of those that the thread blocks: these are left pending with it.
[[gnu::cold, gnu::noinline]] delivery deliver_signals(fiber& f) noexcept;

/// `f` has just left `c`, or is about to, and signals wait for it: sees that somebody runs it. Touches no TLS.
[[gnu::cold, gnu::noinline]] void come_back_for_signals(carrier& c, fiber& f) noexcept;

/// The child of a fork has one thread, and no signals that wait.
void forget_signals() noexcept;

// --- host/last_thread.cpp

/// A guest ends, on its own thread, under the pool's lock.
void note_leaving_guest() noexcept;

/// The last guest has ended, on its own thread, and so have the destructors of the program that were to run with its
/// own. Calls exit(0) if the initial thread has left and the program has no other threads. If it has, or if the initial
/// thread may just be leaving, the monitor looks again.
void end_with_the_last() noexcept;

/// In the child of a fork: its one thread is its initial thread.
void forget_last_thread() noexcept;

// --- host/credentials.cpp

/// Has setuid, setgroups and their like change all OS threads where those carry others' identities. After a thread
/// has been made and before it carries another's; under the pool's lock.
void follow_credentials() noexcept;

// --- host/unknown_names.cpp

/// Of AMITY_* variables that are no settings. When the pool starts; KMP_WARNINGS=0 silences it.
void warn_of_unknown_names() noexcept;

// --- monitor/

/// AMITY_STALL, AMITY_COUNTERS, AMITY_STATS. When the pool starts: later the program may be changing its environment.
void read_report_setting() noexcept;
void read_counters_setting() noexcept;
void read_stats_setting() noexcept;

/// The child of a fork tells what it did itself.
void restart_stats() noexcept;

/// Makes the monitor's OS thread; `monitor` says `watching` already. False: the system refuses it, which is noted
/// (last_refusal), and `monitor` says `absent` again.
bool start_monitor() noexcept;

// --- profile/

/// AMITY_PROFILE, AMITY_TRACE: if one is asked for, it begins. When the pool starts, before there are workers.
void begin_profile() noexcept;

/// The child of a fork has a profile of its own.
void restart_profile() noexcept;

/// A guest ends, on its own thread, while its fiber is still whole.
void note_end_of_guest() noexcept;

}  // namespace amity::sched
