#pragma once

/// Identity mode `fixed` alone: no more fibers run at the same time than the pool has carriers.
///
/// In the other modes that follows from who carries whom. Here every fiber runs on its own OS thread, and the
/// kernel would let as many of them run at once as are ready. So an OS thread takes a core before it goes on with a
/// fiber, in the order of asking, and gives it back when the fiber waits.
///
/// With a core in hand, user code may sleep in the kernel, or spin until another fiber has done something. An OS
/// thread that finds no core free takes one from OS threads that sleep, after a moment. One that is not given any
/// for long goes on without, and for some time nobody waits for a core: there the limit would be a hang.
///
/// Called in the scheduling loop. What the fibers did is not ordered by it (all its operations are relaxed): a race
/// detector is to see what the program's own synchronisation is.

namespace amity::sched {

struct carrier;

/// When the pool starts, and in a child after fork: nobody has any.
void set_up_cores(int cores) noexcept;

/// Blocks the OS thread until it has a core, or may go on without.
void take_core(carrier& c) noexcept;

/// The same for one that had a core, and may have lost it in a system call that took long.
void regain_core(carrier& c) noexcept;

/// For a thread of the program's that has come as a guest: it runs already. Others have one core less.
void take_core_at_once(carrier& c) noexcept;

/// Nothing if it has none.
void give_core(carrier& c) noexcept;

}  // namespace amity::sched
