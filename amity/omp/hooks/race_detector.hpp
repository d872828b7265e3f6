#pragma once

/// ThreadSanitizer, when the program was built with it: its functions are looked up in the process when the library is
/// loaded. Nothing here is called on a usual path; rt does so where `cold::any()` has sent it aside.
///
///     race::release(&word);    // what this thread did so far happens before ...
///     race::acquire(&word);    // ... what another one does after this, if it came later

#include <stdlib.h>

#include "amity/base/private_memory.hpp"

namespace amity::omp::race {

/// The program has a race detector. Written once, when the library is loaded.
[[gnu::visibility("hidden")]] extern bool found;
[[nodiscard]] inline bool is_on() noexcept { return found; }

/// Before the first region and the first task.
[[gnu::cold]] void start() noexcept;

/// Two halves of an edge. `word` is only a name: nothing is read or written there. What is known by it ends with the
/// memory that it stands in (free, munmap).
[[gnu::cold]] void release(const volatile void* word) noexcept;
[[gnu::cold]] void acquire(const volatile void* word) noexcept;

/// For its lifetime, what the C library does to memory on the calling thread's behalf is not looked at. For memory that
/// the runtime makes, clears and frees and the program uses: what orders those uses is the program's, and the runtime
/// comes before and after all of them.
class unseen {
 public:
  unseen() noexcept {
    if (is_on()) [[unlikely]]
      begin();
  }
  ~unseen() {
    if (is_on()) [[unlikely]]
      end();
  }
  unseen(const unseen&) = delete;
  unseen& operator=(const unseen&) = delete;

 private:
  [[gnu::cold]] static void begin() noexcept;
  [[gnu::cold]] static void end() noexcept;
};

/// base::give_back, by whoever comes last.
inline void free_unseen(void* memory) noexcept {
  unseen const quiet;
  base::give_back(memory);
}

/// A strand of execution as the detector sees it, whatever OS thread it runs on.
using strand_id = void*;
[[nodiscard, gnu::cold]] strand_id current_strand() noexcept;
/// A new one that knows of nothing but the start of OpenMP. Null: there can't be one. One thread at a time.
[[nodiscard, gnu::cold]] strand_id make_strand() noexcept;
/// From here on the calling thread's work is that strand's. Orders nothing.
[[gnu::cold]] void switch_to(strand_id strand) noexcept;

}  // namespace amity::omp::race
