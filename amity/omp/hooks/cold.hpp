#pragma once

/// The word that sends entries to their cold halves. In a usual program nobody has asked for that, and each place costs
/// a load of one word that nobody writes, and a branch not taken; all else is out of line.
///
///     if (cold::any()) [[unlikely]] ompt::region_begins(t);                   // in rt
///     void GOMP_barrier() {                                                   // in an entry
///       ompt::entered([] { barrier(this_thread()); },                         // its hot half
///                     [] { ompt::barrier_may_close_work(this_thread());       // its cold half
///                          barrier(this_thread()); });
///     }
///
/// A tool (tool.hpp), a race detector (race.hpp) and a team over several processes ask for it. A cold half does what
/// its hot half does, and asks each of them whether there is more to do.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::omp::cold {

/// Bits of `word`.
///
/// * tool: one is running.
/// * undecided: nobody has looked for a tool yet, so that the very first entry is seen, too.
/// * finished: there was a tool; its bits never go back to none, because tasks made before keep their records.
/// * races: there is no tool, but a race detector, which has to be told of much the same events in the same places.
/// * distributed: threads of a team may be in other processes.
inline constexpr std::uint32_t tool = 1, undecided = 2, finished = 4, races = 8, distributed = 16;

/// Relaxed throughout: it changes at the runtime's start, before there are other threads, and at the tool's end, when
/// an event more or less is all that depends on it.
struct alignas(base::cache_line) lonely_word {  // nobody writes near it
  std::atomic<std::uint32_t> bits;
};
[[gnu::visibility("hidden")]] extern lonely_word word;

/// Somebody may have asked for the cold halves.
[[nodiscard]] inline bool any() noexcept { return word.bits.load(std::memory_order_relaxed) != 0; }
/// Somebody may be there to be told what happens. Not where threads are in other processes, and that is all.
[[nodiscard]] inline bool observed() noexcept {
  return (word.bits.load(std::memory_order_relaxed) & ~distributed) != 0;
}

/// There may be threads in other processes.
[[nodiscard]] inline bool spread() noexcept { return (word.bits.load(std::memory_order_relaxed) & distributed) != 0; }

/// What is known now of tools and detectors; other bits stay.
[[gnu::cold]] inline void observers_are(std::uint32_t bits) noexcept {
  std::uint32_t before = word.bits.load(std::memory_order_relaxed);
  while (!word.bits.compare_exchange_weak(before, (before & distributed) | bits, std::memory_order_relaxed)) {
  }
}

}  // namespace amity::omp::cold
