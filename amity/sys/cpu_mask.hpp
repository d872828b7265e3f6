// A set of CPUs of any size. The kernel of a large machine refuses the 1024-bit cpu_set_t, so the size is found out at
// run time. Memory comes from malloc and there are no exceptions: this code runs inside other people's processes, where
// a missing mask must end in "one CPU", never in a throw.
//
//   amity::sys::cpu_mask mask = amity::sys::cpu_mask::of_calling_thread();
//   for (int cpu = mask.first(); cpu >= 0; cpu = mask.next(cpu)) pin_a_worker_to(cpu);
#pragma once

#include <sched.h>

#include <cstddef>

namespace amity::sys {

class cpu_mask {
 public:
  cpu_mask() noexcept = default;
  ~cpu_mask() noexcept;
  cpu_mask(cpu_mask&& other) noexcept;
  cpu_mask& operator=(cpu_mask&& other) noexcept;
  cpu_mask(const cpu_mask&) = delete;
  cpu_mask& operator=(const cpu_mask&) = delete;

  // The affinity mask of the thread that calls; empty when the kernel does not tell.
  [[nodiscard]] static cpu_mask of_calling_thread() noexcept;
  [[nodiscard]] cpu_mask copy() const noexcept;

  // False when there is no memory for a mask of that size (the CPU is then not added).
  bool add(int cpu) noexcept;
  [[nodiscard]] bool contains(int cpu) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return first() < 0; }
  [[nodiscard]] int count() const noexcept;
  // The lowest CPU, and the lowest above `cpu`; -1 when there is none.
  [[nodiscard]] int first() const noexcept { return next(-1); }
  [[nodiscard]] int next(int cpu) const noexcept;
  void intersect(const cpu_mask& other) noexcept;
  [[nodiscard]] bool operator==(const cpu_mask& other) const noexcept;

  // For sched_setaffinity and pthread_setaffinity_np: never null, `bytes()` long.
  [[nodiscard]] const cpu_set_t* native() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

  // The call that fills a mask, as sched_getaffinity: 0, or -1 with errno EINVAL when `bytes` is too few.
  using reader = int (*)(std::size_t bytes, cpu_set_t* into);
  // of_calling_thread with another source, for the tests of large machines.
  [[nodiscard]] static cpu_mask read_with(reader read) noexcept;

 private:
  bool grow(std::size_t bytes) noexcept;

  cpu_set_t* set_ = nullptr;
  std::size_t bytes_ = 0;
};

// Writes "0-3,8" into `into`; a list that does not fit ends in "...". Returns `into`. Requires: size >= 4.
char* format_cpus(const cpu_mask& mask, char* into, std::size_t size) noexcept;

}  // namespace amity::sys
