#pragma once

/// taskloop: its tasks are made as they are run. What is queued are *ranges* of chunks; a thread that runs one splits
/// off the upper half whenever its own queue is empty, so that thieves get large shares and nobody makes all the tasks
/// for the others.

#include <cstddef>
#include <cstdint>

#include "amity/omp/rt/task_run.hpp"

namespace amity::omp {

/// How iterations 0 .. total-1 are cut into chunks.
struct chunking {
  std::uint64_t chunks = 0;
  std::uint64_t size = 0;    ///< of every chunk
  std::uint64_t longer = 0;  ///< the first so many chunks have one more
  std::uint64_t total = 0;   ///< no chunk goes further

  [[nodiscard]] std::uint64_t begin(std::uint64_t chunk) const noexcept {
    return chunk * size + (chunk < longer ? chunk : longer);
  }
  [[nodiscard]] std::uint64_t end(std::uint64_t chunk) const noexcept {
    std::uint64_t const e = begin(chunk) + size + (chunk < longer ? 1 : 0);
    return e < total ? e : total;
  }
};

enum class loop_grain : std::uint8_t { unspecified, grainsize, num_tasks };

/// `amount` is what the clause says. Strict: exactly so many iterations, the last chunk excepted, or so many tasks.
[[nodiscard]] chunking cut(std::uint64_t total, loop_grain grain, std::uint64_t amount, bool strict,
                           int threads) noexcept;

/// A taskloop under way: where its tasks are made, and from what. Lives until the last range is used up.
struct loop_pattern {
  std::atomic<std::uint32_t> references{1};
  birthplace where;  ///< `icv` points at the copy below
  icv_set icv;
  chunking chunks;
  /// Makes a task whose arguments are not set yet.
  explicit_task* (*make)(thread& t, loop_pattern& p) = nullptr;
  /// Sets the arguments for a chunk. `again`: the task was filled before and has run since.
  void (*fill)(loop_pattern& p, explicit_task& x, std::uint64_t chunk, bool again) = nullptr;
  /// Frees the pattern.
  void (*dispose)(thread& t, loop_pattern& p) = nullptr;
};

/// Fills in where the tasks belong: below the current task.
void place_here(thread& t, loop_pattern& p) noexcept;

/// Runs all chunks in place, in order.
void run_loop_undeferred(thread& t, loop_pattern& p) noexcept;

/// Queues them all. The pattern is disposed of later, by any thread. `awaited`: the caller is going to wait for them,
/// so it may as well begin at once.
void spawn_loop(thread& t, loop_pattern& p, std::int32_t priority, bool awaited) noexcept;

/// For execute().
void run_range(thread& t, explicit_task& range) noexcept;

}  // namespace amity::omp
