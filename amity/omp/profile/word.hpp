#pragma once

/// What a profile knows of a task: which construct it is in, in the one word that OMPT keeps for it.
///
///     task_word w(data->value);
///     w.enter(loop_row);                    // a loop of the region
///     w.wait(loop_row);  w.go_on();         // at its end
///     w.leave();
///     data->value = w.bits();
///
/// Three rows, from the outside in: the task's own (a region, a task), the construct in it, and what it waits at. The
/// innermost that there is counts.

#include <cstdint>

#include "amity/sched/profile/rows.hpp"

namespace amity::omp::profile {

using namespace sched::profile;  // rows, columns and turns

class task_word {
 public:
  task_word() = default;
  explicit task_word(std::uint64_t bits) noexcept : bits_(bits) {}
  /// Of a new task whose own row that is.
  [[nodiscard]] static task_word of(unsigned row) noexcept { return task_word(row + 1); }
  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }

  void enter(unsigned row) noexcept { put(construct_at, row + 1), bits_ &= ~has_left; }
  /// The construct is over. It stays known until the next begins or a barrier has been passed: who waits then waits for
  /// others that are still in it.
  void leave() noexcept { bits_ |= has_left; }
  /// The task's last construct if it has left that one, or its own row: what a barrier that comes now is the end of.
  [[nodiscard]] unsigned last() const noexcept { return at(construct_at) != 0 ? at(construct_at) - 1 : own(); }
  void forget_last() noexcept {
    if ((bits_ & has_left) != 0) put(construct_at, 0), bits_ &= ~has_left;
  }
  void wait(unsigned row) noexcept { put(wait_at, row + 1); }
  void go_on() noexcept { put(wait_at, 0); }

  [[nodiscard]] bool waits() const noexcept { return at(wait_at) != 0; }
  [[nodiscard]] bool has_construct() const noexcept { return at(construct_at) != 0; }
  [[nodiscard]] unsigned own() const noexcept { return at(own_at) == 0 ? serial_row : at(own_at) - 1; }
  /// Where its carrier's time is counted.
  [[nodiscard]] unsigned row() const noexcept {
    if (waits()) return at(wait_at) - 1;
    return has_construct() && (bits_ & has_left) == 0 ? at(construct_at) - 1 : own();
  }

 private:
  static constexpr int own_at = 0, construct_at = 20, wait_at = 40;
  static constexpr std::uint64_t mask = (1 << 20) - 1, has_left = std::uint64_t{1} << 60;
  static_assert(most_rows < mask);

  [[nodiscard]] unsigned at(int place) const noexcept { return static_cast<unsigned>((bits_ >> place) & mask); }
  void put(int place, unsigned value) noexcept { bits_ = (bits_ & ~(mask << place)) | std::uint64_t{value} << place; }

  std::uint64_t bits_ = 0;
};

}  // namespace amity::omp::profile
