#pragma once

#include <mutex>

namespace amity::sys {

// The variables of the environment are read by libraries at any time, on any thread. setenv of glibc before 2.41 frees
// the array that an earlier setenv has made when it needs a longer one, also while another thread's getenv reads it.

// Makes the array of the environment one that is never freed. A library that sets a variable afterwards takes nothing
// from under threads that read.
void keep_environment() noexcept;

// While a library is opened and begins, of those that change the environment: they do so one after the other, or one
// would overwrite what another has set. Keeps the environment, too.
class library_start {
 public:
  library_start();
  library_start(const library_start&) = delete;
  library_start& operator=(const library_start&) = delete;
  ~library_start() = default;

  // Sets the variable where it is not set. Threads may read the environment meanwhile.
  void set_default(const char* name, const char* value) const noexcept;

 private:
  std::lock_guard<std::mutex> held_;
};

}  // namespace amity::sys
