#pragma once

/// The part of a profile that is of C++: tasks, and waits of fibers. README.md says what is counted where.

#include "amity/base/config.hpp"
#include "amity/sched/profile/rows.hpp"

namespace amity::sched::profile {

/// From here on tasks and waits are seen. When the pool starts, before there are workers.
void watch_tasks() noexcept;

/// As long as it lives, what the calling fiber does is the work of that construct, for example a parallel algorithm's
/// chunk; `code` is the function that is called. Requires: tasks_are_observed().
class AMITY_API in_function {
 public:
  in_function(const void* code, construct what) noexcept;
  in_function(const in_function&) = delete;
  in_function& operator=(const in_function&) = delete;
  ~in_function();

 private:
  unsigned row_, column_, around_;
};

}  // namespace amity::sched::profile
