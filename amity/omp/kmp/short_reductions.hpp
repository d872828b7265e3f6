#pragma once

/// Which reductions are of a few variables, so that each thread may combine its part by the atomic operations that the
/// compiler emitted. The compiler doesn't say how many elements an array has, and an atomic operation for each takes
/// fifty times as long as sums under a lock. So a reduction begins under the lock, where it is measured; one that was
/// short is short from then on, for the teams that form after that.
///
/// Threads that combine by atomic operations exclude none that sums under the lock: all members of a team must choose
/// alike. So the table only grows, each entry has the number of entries before it, and a team is told at its fork how
/// many there are (`region_work::short_reductions`). To its members, later ones are not there.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::omp::kmp {

/// Combines two parts of a reduction. Each reduction has its own: it is known by that function.
using combiner = void (*)(void*, void*);

class short_reductions {
 public:
  /// How many there are: for the team that forms now.
  [[nodiscard]] std::uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }  // with add

  enum class answer { no, later, yes };
  /// `later`: it is short, but was not known when the team formed that was told of `known` ones.
  [[nodiscard]] answer contain(combiner function, std::uint32_t known) const noexcept {
    for (unsigned i = 0; i < probes; ++i) {
      entry const& e = table_[place(function, i)];
      combiner const there = e.function.load(std::memory_order_acquire);  // with add: `number` is its own
      if (there == function) return e.number < known ? answer::yes : answer::later;
      if (there == nullptr) break;
    }
    return answer::no;
  }

  /// Where there is no room, it is combined under the lock for good.
  void add(combiner function) noexcept {
    // A reduction that comes meanwhile will be measured again; a child of fork may never learn more.
    if (adding_.test_and_set(std::memory_order_acquire)) return;
    insert(function);
    adding_.clear(std::memory_order_release);  // pairs with test_and_set
  }

 private:
  struct entry {
    std::atomic<combiner> function{nullptr};
    std::uint32_t number = 0;  ///< written before `function`, which is written once
  };

  void insert(combiner function) noexcept {
    std::uint32_t const number = count_.load(std::memory_order_relaxed);  // all writers: here, one after another
    for (unsigned i = 0; i < probes; ++i) {
      entry& e = table_[place(function, i)];
      combiner const there = e.function.load(std::memory_order_relaxed);  // as count_
      if (there == function) return;
      if (there != nullptr) continue;
      e.number = number;
      e.function.store(function, std::memory_order_release);  // pairs with contain
      count_.store(number + 1, std::memory_order_release);    // pairs with count: a reader of it finds the entry
      return;
    }
  }

  static constexpr unsigned bits = 8, probes = 8;
  [[nodiscard]] static unsigned place(combiner function, unsigned probe) noexcept {
    auto const hash = reinterpret_cast<std::uintptr_t>(function) * std::uintptr_t{0x9e3779b97f4a7c15u};
    return (static_cast<unsigned>(hash >> (64 - bits)) + probe) & ((1u << bits) - 1);
  }

  std::atomic_flag adding_;
  std::atomic<std::uint32_t> count_{0};
  entry table_[1u << bits];
};

extern short_reductions known_short_reductions;

}  // namespace amity::omp::kmp
