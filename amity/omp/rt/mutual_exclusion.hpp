#pragma once

/// What the program's entries to take and to give up a mutex do: critical, locks, and atomics without an instruction.
///
/// These are a few nanoseconds long, so even the look whether a tool listens shows. On the way in it comes behind the
/// atomic operation, where the processor has it for nothing: if there is a tool, the mutex is given back and taken once
/// more, with the reports in their order. On the way out it is not asked at all, unless the mutex is marked
/// (sync/mutex.hpp), which it is when there is a tool, or somebody waits.

#include "amity/omp/hooks/tool.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::omp {

/// The rest of take(): `taken` without a word to the tool that there may be, or not taken yet. `code` and `frame` are
/// the entry's, as ompt::enter wants them.
[[gnu::cold]] void take_slowly(sync::mutex& m, bool taken, ompt::mutex_kind kind, unsigned hint, const void* code,
                               void* frame) noexcept;
[[gnu::cold]] void give_up_watched(sync::mutex& m, ompt::mutex_kind kind) noexcept;

/// The thread has taken such a mutex since weigh_tasks (queue_limit.cpp) looked last, so it may hold one.
extern __thread bool has_taken_mutex;

// Not a counter of those that it holds: the look costs nothing beside the atomic operation, a store each time 10 ns
// where two threads compete.
[[gnu::always_inline]] inline void note_mutex() noexcept {
  if (!has_taken_mutex) [[unlikely]]
    has_taken_mutex = true;
}

[[gnu::always_inline]] inline void take(sync::mutex& m, ompt::mutex_kind kind, unsigned hint = 0) noexcept {
  note_mutex();
  bool const taken = m.try_lock();
  // One way out of line, so that only that one has a frame to set up.
  if (!taken || cold::any()) [[unlikely]]
    take_slowly(m, taken, kind, hint, __builtin_return_address(0), __builtin_dwarf_cfa());
}

[[gnu::always_inline]] inline void give_up(sync::mutex& m, ompt::mutex_kind kind) noexcept {
  if (m.unlock_unless_marked()) [[likely]]
    return;
  sync::mutex* const which = &m;
  ompt::entered([=] { which->unlock_marked(); }, [=] { give_up_watched(*which, kind); });
}

/// Only if it is free; whether it was.
[[nodiscard, gnu::cold]] bool try_take_watched(sync::mutex& m, ompt::mutex_kind kind) noexcept;

[[nodiscard, gnu::always_inline]] inline bool try_take(sync::mutex& m, ompt::mutex_kind kind) noexcept {
  note_mutex();
  sync::mutex* const which = &m;
  return ompt::entered([=] { return which->try_lock(); }, [=] { return try_take_watched(*which, kind); });
}

}  // namespace amity::omp
