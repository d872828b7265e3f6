#include "amity/omp/race/strands.hpp"

#include <sys/mman.h>
#include <sys/single_threaded.h>

#include <mutex>

#include "amity/base/private_memory.hpp"
#include "amity/omp/hooks/race_detector.hpp"
#include "amity/omp/race/words.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/context.hpp"
#include "amity/sys/spin_lock.hpp"
#include "amity/sys/stack.hpp"

namespace amity::omp::race {

struct strand {
  strand_id id = nullptr;
  sys::stack stack;
  strand* next = nullptr;
  void* caller = nullptr;  ///< its context, while the body runs
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
};

namespace {

constexpr std::size_t page = 4096;
// A strand that was used knows what its last task knew, and so do the tasks that it serves later: races between them
// are missed. To make one for each task would take a quarter of a millisecond with gcc 12's detector. So there are
// some, and the one that has rested longest is next.
constexpr int wanted = 256;
constexpr int most = 4096;  // the detector has room for some 8000 threads

sys::spin_lock lock;  // guards what follows, and make_strand
int made = 0;
strand* oldest = nullptr;
strand* newest = nullptr;

strand* make_one() noexcept {
  strand_id const id = make_strand();
  if (id == nullptr) return nullptr;
  // While there is one thread, libstdc++ counts references without atomic operations; that is no race, but looks like
  // one.
  __libc_single_threaded = 0;
  auto* const s = make<strand>();
  s->id = id;
  ++made;
  return s;
}

strand* take_oldest() noexcept {
  strand* const s = oldest;
  if (s != nullptr && (oldest = s->next) == nullptr) newest = nullptr;
  return s;
}

/// What is mapped once more counts as never used: the detector forgets who wrote there. As the strand itself, because
/// mapping counts as writing.
bool clean(sys::stack& stack) noexcept {
  if (!stack) {
    stack = sys::map_stack(sched::setting.stack_size);
    return static_cast<bool>(stack);
  }
  std::byte* const end = stack.mapping + stack.mapping_size;
  std::size_t const pages = static_cast<std::size_t>(end - stack.base) / page;
  auto* const present = static_cast<unsigned char*>(base::take_private(pages));
  if (present == nullptr) return false;
  std::size_t first = 0;
  if (mincore(stack.base, pages * page, present) == 0)
    while (first < pages && (present[first] & 1) == 0) ++first;
  free_unseen(present);
  if (first == pages) return true;
  std::byte* const from = stack.base + first * page;
  return mmap(from, static_cast<std::size_t>(end - from), PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED, -1, 0) != MAP_FAILED;
}

[[noreturn]] void enter(void* argument) {
  auto& s = *static_cast<strand*>(argument);
  s.body(s.argument);
  void* over;  // nobody comes back to it
  amity_switch(&over, s.caller);
  __builtin_unreachable();
}

}  // namespace

strand* take_strand() noexcept {
  std::lock_guard const guard(lock);
  strand* s = made < wanted ? make_one() : nullptr;
  if (s == nullptr) s = take_oldest();
  if (s == nullptr && made < most) s = make_one();
  return s;
}

void give_strand(strand* s) noexcept {
  std::lock_guard const guard(lock);
  s->next = nullptr;
  (newest != nullptr ? newest->next : oldest) = s;
  newest = s;
}

void run_on(strand& s, void (*body)(void*), void* argument) noexcept {
  strand_id const before = current_strand();
  switch_to(s.id);
  if (clean(s.stack)) {
    s.body = body;
    s.argument = argument;
    amity_switch(&s.caller, sys::make_context(s.stack.top(), enter, &s));
  } else {
    body(argument);  // on the caller's stack
  }
  switch_to(before);
}

}  // namespace amity::omp::race
