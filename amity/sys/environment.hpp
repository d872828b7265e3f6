#pragma once

#include <mutex>

namespace amity::sys {

// The variables of the environment are read by libraries at any time, on any thread. setenv of glibc before 2.41 frees
// the array that an earlier setenv has made when it needs a longer one, also while another thread's getenv reads it.

// Puts a copy that is never freed in the place of the environment's array. The next setenv, of a library for example,
// takes nothing from under threads that read the copy.
void keep_environment() noexcept;

// Lives while a library that needs variables, or sets some itself, is opened and begins. Only one lives at a time: of
// two libraries that change the environment at once, one might undo what the other has set. Keeps the environment.
// Blocks the OS thread until the library before has begun.
class library_start {
 public:
  library_start();
  library_start(const library_start&) = delete;
  library_start& operator=(const library_start&) = delete;
  ~library_start() = default;

  // Sets the variable unless it is set, or memory is out. Threads may read the environment meanwhile.
  void set_default(const char* name, const char* value) const noexcept;

 private:
  std::lock_guard<std::mutex> held_;
};

}  // namespace amity::sys
