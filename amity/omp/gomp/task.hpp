#pragma once

/// What the task files of gcc's ABI share.

#include <cstddef>
#include <cstdlib>

#include "amity/base/private_memory.hpp"
#include "amity/omp/rt/depend.hpp"

namespace amity::omp::gomp {

/// Bits of the `flags` argument of GOMP_task and GOMP_taskloop.
enum task_flags : unsigned {
  task_untied = 1u << 0,
  task_final = 1u << 1,
  task_mergeable = 1u << 2,
  task_depend = 1u << 3,
  task_priority = 1u << 4,
  task_up = 1u << 8,         ///< taskloop, unsigned: counts upwards
  task_grainsize = 1u << 9,  ///< taskloop: the number is a grain size, else a number of tasks
  task_if = 1u << 10,
  task_nogroup = 1u << 11,
  task_reduction = 1u << 12,
  task_detach = 1u << 13,
  task_strict = 1u << 14,
};

/// A dependence list as gcc lays it out. Old form: count, number of out and inout, addresses (those first). New form:
/// 0, count, numbers of out, of mutexinoutset and of in, addresses in that order, then pointers to depend objects
/// {address, kind}.
class depend_list {
 public:
  explicit depend_list(void** list) noexcept;
  ~depend_list() {
    if (all_ != few_) base::give_back(all_);
  }
  depend_list(const depend_list&) = delete;
  depend_list& operator=(const depend_list&) = delete;

  [[nodiscard]] const dependence* data() const noexcept { return all_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  static constexpr std::size_t few = 16;
  std::size_t count_ = 0;
  dependence few_[few];
  dependence* all_ = few_;
};

}  // namespace amity::omp::gomp
