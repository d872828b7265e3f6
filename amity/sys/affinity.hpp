#pragma once

/// The CPUs on which an OS thread may run, in a fixed size and without errno or the C library: for code that may run
/// with another thread's TLS. (cpu_mask.hpp is for everybody else, and knows machines of any size.)
///
///     affinity before;
///     if (get_affinity(before) && set_affinity(affinity::of(3))) ...

#include <sys/syscall.h>

#include <cstdint>

#include "amity/sys/raw_syscall.hpp"

namespace amity::sys {

inline constexpr int most_affinity_cpus = 1024;

/// As the kernel reads and writes it.
struct affinity {
  static constexpr int bits = 64;
  std::uint64_t words[most_affinity_cpus / bits] = {};

  static affinity of(int cpu) noexcept {
    affinity a;
    a.words[cpu / bits] = std::uint64_t{1} << (cpu % bits);
    return a;
  }
  bool operator==(const affinity&) const = default;
  [[nodiscard]] bool has(int cpu) const noexcept { return (words[cpu / bits] >> (cpu % bits) & 1) != 0; }
};

/// `thread`: the kernel's number; 0: the calling one. False: the kernel refuses, or the machine is larger than that.
[[nodiscard]] inline bool get_affinity(affinity& a, int thread = 0) noexcept {
  return raw_syscall(SYS_sched_getaffinity, thread, sizeof a, reinterpret_cast<long>(&a)) > 0;
}
/// Returns when the calling thread runs on one of them.
inline bool set_affinity(const affinity& a, int thread = 0) noexcept {
  return raw_syscall(SYS_sched_setaffinity, thread, sizeof a, reinterpret_cast<long>(&a)) == 0;
}

}  // namespace amity::sys
