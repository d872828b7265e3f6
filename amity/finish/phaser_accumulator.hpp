#pragma once

/// What the tasks of a phaser give in each phase, put together at its end: a sum that is there when they go on.
///
///     amity::phaser p;
///     amity::phaser_accumulator<double, amity::accumulate::max> error(p);
///     ...                                              // in each of the tasks
///     error.put(my_error);  p.next();
///     if (error.get() < 1e-6) break;                   // the same in all of them
///
/// Copies of it are the same accumulator, as copies of a phaser are the same phaser.

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/finish/accumulator.hpp"
#include "amity/finish/phaser.hpp"
#include "amity/sync/mutex.hpp"

namespace amity {

/// Requires: the operation is associative and commutative, does not throw, and uses nothing of the phaser's: it is
/// called while that is between two phases.
template <class T, class Operation = accumulate::plus>
class phaser_accumulator {
 public:
  /// `neutral`: what a phase comes to in which nothing is put. `how`: as with accumulators; lazy ones are put together
  /// at the end of the phase.
  explicit phaser_accumulator(const phaser& of, T neutral = accumulate::neutral<T, Operation>(),
                              Operation operation = Operation(), accumulate::mode how = accumulate::mode::lazy)
      : phaser_(of),
        shared_(std::make_shared<shared>(of.core(), std::move(neutral), std::move(operation),
                                         detail::bits_of_parts(how))) {}

  /// For the phase that the calling task is in: that of its next signal, also if it is ahead of others. Throws
  /// phaser_error if the task is not registered with the phaser (async_phased), or only waits.
  void put(T value) { put(phaser_, std::move(value)); }
  /// The same for the task that has made the phaser and takes part by that: `p` is the phaser that it made, no copy.
  void put(const phaser& p, T value) {
    const detail::registration& r = p.mine();
    if ((static_cast<unsigned>(r.mode) & static_cast<unsigned>(phaser_mode::signal_only)) == 0)
      throw phaser_error("amity: phaser_accumulator::put: the task is registered to wait only");
    shared_->put(r.signalled, std::move(value));
  }

  /// What was put in the phase that ended last. For a task that signals and waits, that is the one it has just passed.
  /// A task that only waits may be overtaken, and see a later one.
  [[nodiscard]] T get() const { return shared_->get(); }

 private:
  class shared final : public detail::phase_listener {
   public:
    shared(std::shared_ptr<detail::phaser_core> core, T neutral, Operation operation, unsigned bits)
        : core_(std::move(core)),
          neutral_(std::move(neutral)),
          operation_(std::move(operation)),
          result_(neutral_),
          bits_(bits),
          parts_(std::make_unique<part[]>(std::size_t{1} << bits)) {
      std::uint64_t const phase = detail::phase_of(*core_);
      for (std::size_t i = 0; i >> bits_ == 0; ++i) parts_[i].first = phase;
      detail::listen(*core_, *this);
    }
    shared(const shared&) = delete;
    shared& operator=(const shared&) = delete;
    ~shared() { detail::stop_listening(*core_, *this); }

    void put(std::uint64_t phase, T value) {
      part& p = parts_[detail::own_part(bits_)];
      std::lock_guard const hold(p.lock);
      // No phase that somebody still puts to has ended, so it is not before p.first.
      while (p.sums.size() <= phase - p.first) p.sums.push_back(neutral_);
      T& sum = p.sums[static_cast<std::size_t>(phase - p.first)];
      sum = operation_(std::move(sum), std::move(value));
    }
    [[nodiscard]] T get() const {
      std::lock_guard const hold(result_lock_);
      return result_;
    }

   private:
    void phase_ends(std::uint64_t phase) noexcept override {
      T all = neutral_;
      for (std::size_t i = 0; i >> bits_ == 0; ++i) {
        part& p = parts_[i];
        std::lock_guard const hold(p.lock);
        while (p.first <= phase) {  // one, or some that ended while this was made
          if (!p.sums.empty()) {
            if (p.first == phase) all = operation_(std::move(all), std::move(p.sums.front()));
            p.sums.pop_front();
          }
          ++p.first;
        }
      }
      std::lock_guard const hold(result_lock_);
      result_ = std::move(all);
    }

    struct alignas(base::cache_line) part {
      sync::mutex lock;
      std::uint64_t first = 0;  ///< the phase of sums[0]
      std::deque<T> sums;
    };

    std::shared_ptr<detail::phaser_core> core_;
    T const neutral_;
    Operation operation_;
    mutable sync::mutex result_lock_;
    T result_;
    unsigned const bits_;
    std::unique_ptr<part[]> parts_;
  };

  phaser phaser_;
  std::shared_ptr<shared> shared_;
};

}  // namespace amity
