#include <dlfcn.h>

#include "amity/base/config.hpp"
#include "amity/omp/hooks/race_detector.hpp"

namespace amity::omp::race {

bool found = false;

namespace {

/// ThreadSanitizer's interface, as gcc's and clang's run-time libraries export it.
struct interface {
  void (*acquire)(void* address);
  void (*release)(void* address);
  strand_id (*get_current_fiber)();
  strand_id (*create_fiber)(unsigned flags);
  void (*switch_to_fiber)(strand_id fiber, unsigned flags);
  void (*set_fiber_name)(strand_id fiber, const char* name);
  void (*ignore_reads_begin)(const char* file, int line);
  void (*ignore_reads_end)(const char* file, int line);
  void (*ignore_writes_begin)(const char* file, int line);
  void (*ignore_writes_end)(const char* file, int line);
};
constexpr unsigned no_synchronisation = 1;  // flag of switch_to_fiber

// Written once, by the constructor below.
interface detector = {};
bool has_strands = false;

// What new strands are made by: they know what their maker knows, and this one never learns anything after it was made.
strand_id ignorant = nullptr;

template <class Function>
bool look_up(Function*& f, const char* name) noexcept {
  return (f = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name))) != nullptr;
}

/// When the library is loaded: before any OpenMP call, the program's own constructors' too, if they come by linking.
[[gnu::constructor]] void find_detector() noexcept {
  // With all of Amity instrumented its own atomics say what is ordered, and they are what is to be checked.
  if (base::thread_sanitizer) return;
  found = look_up(detector.acquire, "__tsan_acquire") && look_up(detector.release, "__tsan_release") &&
          look_up(detector.ignore_reads_begin, "AnnotateIgnoreReadsBegin") &&
          look_up(detector.ignore_reads_end, "AnnotateIgnoreReadsEnd") &&
          look_up(detector.ignore_writes_begin, "AnnotateIgnoreWritesBegin") &&
          look_up(detector.ignore_writes_end, "AnnotateIgnoreWritesEnd");
  has_strands = found && look_up(detector.get_current_fiber, "__tsan_get_current_fiber") &&
                look_up(detector.create_fiber, "__tsan_create_fiber") &&
                look_up(detector.switch_to_fiber, "__tsan_switch_to_fiber") &&
                look_up(detector.set_fiber_name, "__tsan_set_fiber_name");
}

}  // namespace

void start() noexcept {
  if (has_strands) ignorant = detector.create_fiber(0);
}

void acquire(const volatile void* word) noexcept {
  if (found) detector.acquire(const_cast<void*>(word));
}

void release(const volatile void* word) noexcept {
  if (found) detector.release(const_cast<void*>(word));
}

void unseen::begin() noexcept {
  detector.ignore_reads_begin(__FILE__, __LINE__);
  detector.ignore_writes_begin(__FILE__, __LINE__);
}

void unseen::end() noexcept {
  detector.ignore_writes_end(__FILE__, __LINE__);
  detector.ignore_reads_end(__FILE__, __LINE__);
}

strand_id current_strand() noexcept { return has_strands ? detector.get_current_fiber() : nullptr; }

void switch_to(strand_id strand) noexcept { detector.switch_to_fiber(strand, no_synchronisation); }

strand_id make_strand() noexcept {
  if (ignorant == nullptr) return nullptr;
  strand_id const mine = detector.get_current_fiber();
  switch_to(ignorant);
  strand_id const made = detector.create_fiber(0);
  switch_to(mine);
  if (made != nullptr) detector.set_fiber_name(made, "OpenMP task");
  return made;
}

}  // namespace amity::omp::race
