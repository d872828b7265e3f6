/// Calls of the program, and of whatever libraries it has loaded, that are led to functions of ours.
///
/// * Sleeps and waits with a time limit note when they began. The runtime's own signal may cut them short; the handler
///   then goes on with them for the time that is left (internal/interrupted_call.hpp). The kernel does not say when a
///   call began.
/// * syscall(2) notes which call it makes. Other code says so just before it enters the kernel, where the handler finds
///   it; here the number is in a register that has given way to the result by then.
/// * pthread_kill finds the OS thread that carries the thread which is meant (internal/program_signals.hpp).
///
/// Calls that are not in the list, and those of libraries that are loaded later, work as well: such a wait may last
/// longer if it is interrupted, and such a pthread_kill goes to the fiber's own OS thread.

#include <dlfcn.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "amity/base/config.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/host/internal/interrupted_call.hpp"
#include "amity/sched/host/internal/program_signals.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/rebind.hpp"

extern "C" int __poll_chk(pollfd*, nfds_t, int, std::size_t);  // poll, where _FORTIFY_SOURCE is defined

namespace amity::sched {
namespace {

/// While it lives, the calling fiber is in a wait with a time limit. Inside one another: a handler of the program's may
/// wait, too.
class timed_call {
 public:
  timed_call() noexcept : fiber_(current_fiber) {
    if (fiber_ == nullptr) return;
    before_ = fiber_->timed_call_since.load(std::memory_order_relaxed);  // its own thread's handler reads it
    fiber_->timed_call_since.store(sys::monotonic_ns(), std::memory_order_relaxed);
  }
  timed_call(const timed_call&) = delete;
  timed_call& operator=(const timed_call&) = delete;
  ~timed_call() {
    if (fiber_ != nullptr) fiber_->timed_call_since.store(before_, std::memory_order_relaxed);
  }

 private:
  fiber* const fiber_;
  std::uint64_t before_ = 0;
};

/// FUTEX_WAIT and its like, for setting.longest_futex_wait_ns at most. An early end is one by a wake-up.
long wait_a_little(long word, long operation, long expected, long, long word2, long bits) {
  long const command = operation & FUTEX_CMD_MASK;
  timespec until{0, setting.longest_futex_wait_ns};
  if (command == FUTEX_WAIT_BITSET) {
    clock_gettime((operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &until);
    until.tv_nsec += setting.longest_futex_wait_ns;
    if (until.tv_nsec >= 1'000'000'000) until = {until.tv_sec + 1, until.tv_nsec - 1'000'000'000};
  }
  long const result = (*sys::not_rebound<&syscall>)(SYS_futex, word, operation, expected, &until, word2, bits);
  return result == -1 && errno == ETIMEDOUT ? 0 : result;
}

/// Whether the program's own limit, if any, ends later than ours.
bool waits_longer(long operation, const timespec* until) noexcept {
  if (until == nullptr) return true;
  timespec now{};
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
    clock_gettime((operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
  return (until->tv_sec - now.tv_sec) * 1'000'000'000 + (until->tv_nsec - now.tv_nsec) > setting.longest_futex_wait_ns;
}

/// As syscall(2).
long call_by_number(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_futex && setting.futexes_are_shared) b &= ~static_cast<long>(FUTEX_PRIVATE_FLAG);
  if (number == SYS_futex && setting.longest_futex_wait_ns != 0) [[unlikely]] {
    bool const is_wait = (b & FUTEX_CMD_MASK) == FUTEX_WAIT || (b & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    if (is_wait && waits_longer(b, reinterpret_cast<const timespec*>(d))) {
      timed_call const note;
      return wait_a_little(a, b, c, d, e, f);
    }
  }
  fiber* const self = current_fiber;
  auto* const call = sys::not_rebound<&syscall>;
  if (self == nullptr) return call(number, a, b, c, d, e, f);
  timed_call const note;
  long const before = self->bare_call.load(std::memory_order_relaxed);  // its own thread's handler reads it
  self->bare_call.store(number, std::memory_order_relaxed);
  long const result = call(number, a, b, c, d, e, f);
  self->bare_call.store(before, std::memory_order_relaxed);
  return result;
}

template <auto* Function, class Result, class... Arguments>
Result call_with_time(Arguments... arguments) {
  timed_call const note;
  return (*sys::not_rebound<Function>)(arguments...);
}

// Written when the library is loaded, before calls lead here.
int (*volatile glibcs_epoll_pwait2)(int, epoll_event*, int, const timespec*, const sigset_t*) = nullptr;

/// Calls of `name`, which is `Function`, note when they begin.
template <auto* Function, class Result, class... Arguments>
sys::rebinding with_time(const char* name, Result (*)(Arguments...)) noexcept {
  return {name, reinterpret_cast<void*>(&call_with_time<Function, Result, Arguments...>)};
}

/// glibc has it since 2.35. With an older one, what a program calls by this name is its own, and is left alone.
int epoll_pwait2_with_time(int epoll, epoll_event* events, int most, const timespec* timeout, const sigset_t* mask) {
  timed_call const note;
  return glibcs_epoll_pwait2(epoll, events, most, timeout, mask);
}

/// When the library is loaded, so that no call is in flight as a rule.
[[gnu::constructor]] void lead_calls() noexcept {
  if (base::thread_sanitizer) return;  // in the mode that is used there, nothing is interrupted
  glibcs_epoll_pwait2 =
      reinterpret_cast<decltype(&epoll_pwait2_with_time)>(dlvsym(RTLD_DEFAULT, "epoll_pwait2", "GLIBC_2.35"));
  sys::rebinding const calls[] = {
      with_time<nanosleep>("nanosleep", nanosleep),
      with_time<clock_nanosleep>("clock_nanosleep", clock_nanosleep),
      with_time<usleep>("usleep", usleep),
      with_time<sleep>("sleep", sleep),
      with_time<thrd_sleep>("thrd_sleep", thrd_sleep),
      with_time<poll>("poll", poll),
      with_time<__poll_chk>("__poll_chk", __poll_chk),
      with_time<epoll_wait>("epoll_wait", epoll_wait),
      with_time<epoll_pwait>("epoll_pwait", epoll_pwait),
      with_time<semtimedop>("semtimedop", semtimedop),
      with_time<sigtimedwait>("sigtimedwait", sigtimedwait),
      {"syscall", reinterpret_cast<void*>(&call_by_number)},
      {"pthread_kill", reinterpret_cast<void*>(&kill_of_program)},
  };
  sys::rebind_calls(calls, nullptr);
  if (glibcs_epoll_pwait2 != nullptr)
    sys::rebind_calls("epoll_pwait2", reinterpret_cast<void*>(&epoll_pwait2_with_time), nullptr);
}

}  // namespace
}  // namespace amity::sched
