/// What a program's sleeps and waits with a time limit come to. The signal that takes a fiber off a guest (preempt.cpp)
/// ends them before their time, and the kernel does not restart them by itself (signal(7)). No signal of the program's
/// has come, so the program shall not see one: the rest of the time is waited for, on whichever kernel thread the fiber
/// is by then.

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "amity/sched/carrier.hpp"
#include "amity/sched/park.hpp"
#include "amity/sys/rebind.hpp"

namespace amity::sched {
namespace {

constexpr long second = 1'000'000'000, millisecond = 1'000'000;

/// How often the runtime has interrupted the caller.
unsigned own_interruptions() noexcept {
  const fiber* const f = current_fiber;
  return f == nullptr ? 0 : f->interruptions.load(std::memory_order_relaxed);  // its own thread's handler counts
}

/// Makes the call, and again for as long as the runtime has interrupted it: `call(again)` says whether it was
/// interrupted. A signal of the program's that comes at the same time is taken for ours.
template <class Call>
void despite_us(Call call) {
  unsigned before = own_interruptions();
  for (bool again = false; call(again); again = true) {
    unsigned const now = own_interruptions();
    if (now == before) return;
    before = now;
  }
}

bool was_interrupted(int result) noexcept { return result < 0 && errno == EINTR; }

timespec at_clock(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return now;
}

timespec later(timespec from, timespec by) noexcept {
  timespec sum{};
  if (__builtin_add_overflow(from.tv_sec, by.tv_sec, &sum.tv_sec)) sum.tv_sec = std::numeric_limits<time_t>::max() - 1;
  sum.tv_nsec = from.tv_nsec + by.tv_nsec;
  if (sum.tv_nsec >= second) {
    sum.tv_nsec -= second;
    sum.tv_sec += sum.tv_sec < std::numeric_limits<time_t>::max() ? 1 : 0;
  }
  return sum;
}

/// From now on; none if it is over.
timespec left_until(timespec end, clockid_t clock) noexcept {
  timespec const now = at_clock(clock);
  timespec left{end.tv_sec - now.tv_sec, end.tv_nsec - now.tv_nsec};
  if (left.tv_nsec < 0) {
    left.tv_nsec += second;
    --left.tv_sec;
  }
  return left.tv_sec < 0 ? timespec{} : left;
}

bool is_time(const timespec* time) noexcept {
  return time != nullptr && time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < second;
}

// Each is the C library's function of that name.

int clock_sleep_of_program(clockid_t clock, int flags, const timespec* time, timespec* rest) {
  if (!is_time(time)) return clock_nanosleep(clock, flags, time, rest);
  bool const is_absolute = (flags & TIMER_ABSTIME) != 0;
  // A sleep of some length lasts as long though the clock is set meanwhile.
  clockid_t const steady = clock == CLOCK_REALTIME && !is_absolute ? CLOCK_MONOTONIC : clock;
  timespec const end = is_absolute ? *time : later(at_clock(steady), *time);
  int error = 0;
  despite_us([&](bool again) {
    error = again ? clock_nanosleep(steady, TIMER_ABSTIME, &end, nullptr) : clock_nanosleep(clock, flags, time, rest);
    if (error == EINTR && again && !is_absolute && rest != nullptr) *rest = left_until(end, steady);
    return error == EINTR;
  });
  return error;
}

int nanosleep_of_program(const timespec* time, timespec* rest) {
  if (!is_time(time)) return nanosleep(time, rest);
  int const error = clock_sleep_of_program(CLOCK_REALTIME, 0, time, rest);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int usleep_of_program(useconds_t us) {
  timespec const time{static_cast<time_t>(us / 1'000'000), static_cast<long>(us % 1'000'000) * 1000};
  return nanosleep_of_program(&time, nullptr);
}

unsigned sleep_of_program(unsigned seconds) {
  timespec time{static_cast<time_t>(seconds), 0};
  int const before = errno;
  if (nanosleep_of_program(&time, &time) == 0) {
    errno = before;
    return 0;
  }
  return static_cast<unsigned>(time.tv_sec) + (time.tv_nsec >= second / 2 ? 1 : 0);
}

/// `call(ms)` waits so many milliseconds at most; without end, if they are below 0.
template <class Call>
int wait_milliseconds(int ms, Call call) {
  timespec const end = later(at_clock(CLOCK_MONOTONIC), {std::max(ms, 0) / 1000, std::max(ms, 0) % 1000 * millisecond});
  int result = 0;
  despite_us([&](bool again) {
    if (again && ms > 0) {
      timespec const left = left_until(end, CLOCK_MONOTONIC);
      ms = static_cast<int>(left.tv_sec * 1000 + (left.tv_nsec + millisecond - 1) / millisecond);
    }
    result = call(ms);
    return was_interrupted(result);
  });
  return result;
}

int poll_of_program(pollfd* files, nfds_t count, int ms) {
  return wait_milliseconds(ms, [=](int left) { return poll(files, count, left); });
}
int epoll_wait_of_program(int epoll, epoll_event* events, int most, int ms) {
  return wait_milliseconds(ms, [=](int left) { return epoll_wait(epoll, events, most, left); });
}

int select_of_program(int end, fd_set* in, fd_set* out, fd_set* other, timeval* time) {
  int result = 0;
  despite_us(
      [&](bool) { return was_interrupted(result = select(end, in, out, other, time)); });  // Linux counts `time` down
  return result;
}

int sem_timedwait_of_program(sem_t* semaphore, const timespec* end) {
  int result = 0;
  despite_us([&](bool) { return was_interrupted(result = sem_timedwait(semaphore, end)); });
  return result;
}

}  // namespace

void take_over_timed_waits(bool (*concerns)(const char* needed)) noexcept {
  auto const lead = [=](const char* name, auto* function) {
    sys::rebind_calls(name, reinterpret_cast<void*>(function), concerns);
  };
  lead("clock_nanosleep", clock_sleep_of_program);
  lead("nanosleep", nanosleep_of_program);
  lead("usleep", usleep_of_program);
  lead("sleep", sleep_of_program);
  lead("poll", poll_of_program);
  lead("epoll_wait", epoll_wait_of_program);
  lead("select", select_of_program);
  lead("sem_timedwait", sem_timedwait_of_program);
}

}  // namespace amity::sched
