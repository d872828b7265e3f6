#pragma once

/// What the files of this library know of the start, and of each thread.

namespace amity::nodes {

/// Of the calling thread: what it asks malloc for is this process's own (libc's). Set in the threads of this library,
/// and while it makes something for itself.
extern thread_local bool keeps_memory_private;

/// For as long as it lives, the calling thread's memory is this process's own.
class in_private {
 public:
  in_private() noexcept : before_(keeps_memory_private) { keeps_memory_private = true; }
  ~in_private() { keeps_memory_private = before_; }
  in_private(const in_private&) = delete;
  in_private& operator=(const in_private&) = delete;

 private:
  bool const before_;
};

/// Process 0: exit(status) was called in another one. Has a thread of the program's kind call it here.
void exit_here(int status) noexcept;

}  // namespace amity::nodes
