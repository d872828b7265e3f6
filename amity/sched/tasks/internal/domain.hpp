#pragma once

/// A domain: a policy, the numbers of its workers, and fibers of the pool that run what the policy has.
///
/// A number is a token: one fiber holds it while it runs tasks, and gives it up before it waits; then a spare fiber of
/// the domain takes it. README-policies.md has the rules.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/tasks/internal/spare_fibers.hpp"
#include "amity/sched/tasks/internal/task_queue.hpp"
#include "amity/sched/tasks/policy.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/cpu_mask.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched {

struct carrier;
struct place_table;
struct worker;

/// What belongs to one number.
struct alignas(base::cache_line) worker_slot {
  std::atomic<bool> held{false};
  std::atomic<long> queued{0};  ///< tasks that only this worker may take; below 0 for a moment
  task_queue bound;             ///< of them, those of priority `bound`
  carrier* home = nullptr;      ///< where workers are bound: the carrier that runs this one
  sys::cpu_mask cpus;           ///< likewise: where
  spare_fibers spares;          ///< likewise: fibers for this number
  seats_at_home seats;          ///< for those; where workers are not bound, for fibers at home on one helper
};

struct domain {
  static constexpr int most_workers = 1024;
  /// As kept_task::assigned: below, places.
  static constexpr int anybody = -1, first_place = -2;

  std::atomic<scheduling_policy*> policy{nullptr};
  policy_factory make = nullptr;
  policy_options options;
  std::uint16_t id = 0;
  int workers = 0;
  bool bound = false;                ///< worker n runs on a carrier of its own
  int first_slot = 0;                ///< bound: the slot of worker 0's carrier
  std::uint32_t users = 0;           ///< executors, or the process; under domains_lock
  std::atomic<bool> started{false};  ///< it has a policy and fibers
  worker_slot* slots = nullptr;
  const place_table* places = nullptr;  ///< of the domain of places

  alignas(base::cache_line) std::atomic<long> shared{0};  ///< tasks that all workers may take
  std::atomic<unsigned> next_worker{0};                   ///< for bound tasks that ask for none

  alignas(base::cache_line) sys::spin_lock lock;  // guards the lists of spare fibers
  spare_fibers spares;                            ///< where workers are not bound
  sys::spin_lock making;                          // guards the making of fibers
  domain* next = nullptr;                         ///< all domains, for ever
};

/// What is said of a task while a policy keeps it, in the word that is free meanwhile (task::next).
struct kept_task {
  std::int16_t assigned;  ///< the worker or the place that runs it, or anybody
  std::uint16_t in;       ///< the number of the domain

  static void write(task& t, int assigned, std::uint16_t in) noexcept {
    t.next = reinterpret_cast<frame*>(std::uintptr_t{in} << 16 | static_cast<std::uint16_t>(assigned));
  }
  static kept_task of(const task& t) noexcept {
    auto const word = reinterpret_cast<std::uintptr_t>(t.next);
    return {static_cast<std::int16_t>(static_cast<std::uint16_t>(word)), static_cast<std::uint16_t>(word >> 16)};
  }
};

/// What the domain of places knows beyond its policy.
struct place_table {
  int count = 0;                        ///< each place after the one that it is part of
  std::atomic<long>* queued = nullptr;  ///< tasks at each place
  const bool* serves = nullptr;         ///< [worker * count + place]: that worker runs tasks of that place
  const int* leaf = nullptr;            ///< of each worker: its smallest place
};

/// Takes `policy`, the first that `make` has made. Null: out of numbers. `places`, and the `cpus` of each worker, if it
/// is the domain of places.
[[nodiscard]] domain* new_domain(scheduling_policy* policy, policy_factory make, const policy_options& options,
                                 const place_table* places, const sys::cpu_mask* cpus) noexcept;

}  // namespace amity::sched
