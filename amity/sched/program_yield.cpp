/// What a program's calls of sched_yield come to: code that waits for other threads of its team in a loop of them lets
/// those run that are at home on the same carrier. To the monitor it would look like code that never comes back.

#include <sys/syscall.h>

#include "amity/sched/carrier.hpp"
#include "amity/sched/park.hpp"
#include "amity/sched/pool.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/rebind.hpp"

namespace amity::sched {
namespace {

/// Another fiber could go on here, and the caller is one that can give way: not a kernel thread's loop, in which a
/// signal handler may call.
bool can_give_way() noexcept {
  const fiber* const f = current_fiber;
  if (f == nullptr || identity_mode() == sys::thread_pointer_mode::fixed) return false;
  const carrier& c = *f->on;
  return c.running.load(std::memory_order_relaxed) == f && others_ready(c);
}

/// As sched_yield(2): 0.
int yield_of_program() noexcept {
  if (!can_give_way()) return static_cast<int>(sys::raw_syscall(SYS_sched_yield));
  yield();
  return 0;
}

}  // namespace

void take_over_yields(bool (*concerns)(const char* needed)) noexcept {
  sys::rebind_calls("sched_yield", reinterpret_cast<void*>(yield_of_program), concerns);
}

}  // namespace amity::sched
