#pragma once

/// depend clauses. Dependences hold among siblings, so each task that makes dependent children keeps a table: for every
/// address that they named, the latest *generation* of accesses and the one before.
///
///     dependence d[] = {{&x, depend_kind::out}};
///     spawn_depending(t, *task, d, 1);
///
/// A generation is one `out`, or any number of `in`, `mutexinoutset` or `inoutset` of the same kind in a row: its
/// members do not wait for one another, and each waits for the whole generation before.

#include <cstddef>
#include <cstdint>

#include "amity/omp/rt/task.hpp"

namespace amity::omp {

enum class depend_kind : std::uint8_t { in, out, mutexinoutset, inoutset, everything };

struct dependence {
  void* address = nullptr;
  depend_kind kind = depend_kind::in;  ///< everything: omp_all_memory, whatever the address
};

/// Hands a task over that waits for its predecessors first. Its mutexinoutset names are held while it runs.
void spawn_depending(thread& t, explicit_task& x, const dependence* d, std::size_t count) noexcept;

/// Waits for the siblings that a task with these dependences would wait for: taskwait depend, or an undeferred task.
/// Nobody needs to know of such a task later: its parent makes no sibling before it is over.
void wait_dependences(thread& t, const dependence* d, std::size_t count) noexcept;

/// The graph as clang's interface shows it: a node is a structure whose first word leads to the list of its successors,
/// each entry of which is a node and the next entry. Null: the task has no dependences, or has finished.
[[nodiscard]] void* graph_node(const explicit_task& x) noexcept;
[[nodiscard]] void* graph_successors(const explicit_task& x) noexcept;

// --- for task.cpp

/// False: the task waits for another's mutexinoutset, and will be queued again when it may go on. The caller must not
/// touch it.
[[nodiscard]] bool take_exclusives(explicit_task& x) noexcept;

/// The task is complete: its successors may run. `t` as for report().
void finish_depending(thread* t, explicit_task& x) noexcept;

/// All children are complete, or no more will be made.
void forget_dependences(task& parent) noexcept;
/// All children are complete: forgets them if that is worth it.
void trim_dependences(task& parent) noexcept;

}  // namespace amity::omp
