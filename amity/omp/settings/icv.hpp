#pragma once

/// The internal control variables of one data environment (OpenMP 5.2, section 2.4). An implicit or explicit task
/// starts with a copy of its parent's; omp_set_* changes the current task's.

#include <cstdint>

namespace amity::omp {

/// Values of omp_sched_t and of run-sched-var; `monotonic` is a flag beside the kind. The last two are libomp's: chunks
/// that become smaller, and chunks that are dealt out first and then stolen. Here they are as `guided` and `dynamic`.
enum class schedule_kind : std::uint8_t {
  static_ = 1,
  dynamic = 2,
  guided = 3,
  automatic = 4,
  trapezoidal = 101,
  static_steal = 102,
  across = 255,  ///< of a loop_state alone: chunks come from another process
};

struct schedule {
  schedule_kind kind = schedule_kind::dynamic;
  bool monotonic = false;  ///< asked for by name
  bool of_icv = false;     ///< schedule(runtime): the thread's own, and another member's may differ
  std::int64_t chunk = 1;  ///< 0 with static: one block per thread

  schedule() = default;
  constexpr schedule(schedule_kind k, bool by_name, std::int64_t size) : kind(k), monotonic(by_name), chunk(size) {}
  [[nodiscard]] bool operator==(const schedule&) const noexcept = default;
};

/// Values of omp_proc_bind_t.
enum class proc_bind : std::uint8_t { false_ = 0, true_ = 1, primary = 2, close = 3, spread = 4 };

inline constexpr int unlimited_threads = 0x7fffffff;

/// Numbers of devices that have names: omp_initial_device, omp_invalid_device, and gcc's omp_default_device.
namespace device_number {
inline constexpr int initial = -1, invalid = -4, by_default = -5;
}

struct icv_set {
  int num_threads = 1;  ///< for the next parallel region
  int thread_limit = unlimited_threads;
  int max_active_levels = 1;
  schedule run_schedule;
  bool dynamic = false;
  bool schedule_chosen = false;  ///< false: run_schedule is gcc's default; clang has another
  proc_bind bind = proc_bind::false_;
  int default_device = 0;
  std::uintptr_t default_allocator = 1;  ///< omp_default_mem_alloc; 0: the one that OMP_ALLOCATOR describes
  [[nodiscard]] bool operator==(const icv_set&) const noexcept = default;
};

}  // namespace amity::omp
