// How the machine's CPUs are built together: hardware threads in cores, cores beneath caches, NUMA domains and sockets.
//
//   const amity::sys::cpu_mask mine = amity::sys::cpu_mask::of_calling_thread();
//   for (const amity::sys::cpu_mask& core : amity::sys::object_sets(amity::sys::object_kind::cores, mine)) ...
//
// hwloc knows it, and is opened only when one of these functions is called: opening it and reading the machine takes
// some milliseconds, more than the whole start-up may. Without hwloc the machine is a flat list of CPUs: each its own
// core, and all of them in one cache, domain and socket. Nothing is kept between calls; callers keep what they need.
#pragma once

#include <cstddef>

#include "amity/sys/cpu_mask.hpp"

namespace amity::sys {

enum class object_kind { threads, cores, ll_caches, numa_domains, sockets };  // as OMP_PLACES names them

struct cache_summary {
  int level = 0;
  int count = 0;
  long long bytes = 0;  // of one of them
};

struct topology_summary {
  bool from_hwloc = false;
  int sockets = 1;
  int numa_domains = 1;
  int cores = 1;
  int threads = 1;
  int cache_levels = 0;
  cache_summary caches[5] = {};  // the first `cache_levels`, from the core outwards
};

// A list that owns its masks, without the C++ library.
class cpu_mask_list {
 public:
  cpu_mask_list() noexcept = default;
  ~cpu_mask_list() noexcept;
  cpu_mask_list(cpu_mask_list&& other) noexcept;
  cpu_mask_list& operator=(cpu_mask_list&& other) noexcept;
  cpu_mask_list(const cpu_mask_list&) = delete;
  cpu_mask_list& operator=(const cpu_mask_list&) = delete;

  // False, with the list as it was, when there is no memory.
  bool add(cpu_mask&& mask) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const cpu_mask& operator[](std::size_t i) const noexcept { return masks_[i]; }
  [[nodiscard]] const cpu_mask* begin() const noexcept { return masks_; }
  [[nodiscard]] const cpu_mask* end() const noexcept { return masks_ + size_; }

 private:
  cpu_mask* masks_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

inline constexpr const char* hwloc_library = "libhwloc.so.15";

// The whole machine, as far as this process' cpuset shows it. `library` is another for tests of its absence.
[[nodiscard]] topology_summary describe(const char* library = hwloc_library) noexcept;

// The CPUs of every object of a kind, in the machine's order, cut to `within`; objects that have none there are left
// out. Empty only when `within` is.
[[nodiscard]] cpu_mask_list object_sets(object_kind kind, const cpu_mask& within,
                                        const char* library = hwloc_library) noexcept;

}  // namespace amity::sys
