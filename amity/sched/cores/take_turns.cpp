#include "amity/sched/cores/take_turns.hpp"

#include <sys/syscall.h>
#include <time.h>

#include "amity/sched/cores/contention.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/thread_activity.hpp"

namespace amity::sched {
namespace {

using std::memory_order_relaxed;

/// Linux lets a thread be for 3 ms (0.75 to 4 ms, by version and settings; a tick of its clock is 1 to 4 ms). With
/// turns of 1 ms one of a hundred was stopped before its end and the thread had 48 % of the core, with 2 ms every other
/// was stopped; with 0.5 ms it had 46 %.
constexpr std::uint64_t turn_us = 1'000;
/// What the kernel says of a longer time says nothing of the present.
constexpr std::uint64_t fresh_us = 20'000;
/// A rest that nobody used: the shortest sleep takes 55 us, by the slack of the kernel's timers.
constexpr std::uint64_t quick_us = 200;
/// A helper that rests often has credit with the kernel, which gives the core back at once some three times before
/// the other one gets a slice.
constexpr std::uint32_t enough_quick_rests = 8;
constexpr std::uint32_t too_often_stopped = 3;
/// Such code needs one rescue after the other, some milliseconds apart.
constexpr std::uint64_t own_threads_us = 50'000;

kernel_account ask_the_kernel(const carrier& c, std::uint64_t now) noexcept {
  return {now, preemptions(), sys::queue_time_ns(c.thread_id.load(memory_order_relaxed))};
}

/// Back to an ordinary helper.
void end_turns(carrier& c) noexcept {
  c.core.turn.end.store(turns::none, memory_order_relaxed);
  c.core.turn.quick_rests = 0;
  c.core.turn.stopped = 0;
}

}  // namespace

std::atomic<std::uint64_t> own_threads_until{0};

void note_own_threads(std::uint64_t now) noexcept {
  own_threads_until.store(now + sys::ticks_of_microseconds(own_threads_us), memory_order_relaxed);
}

void begin_turn(carrier& c, std::uint64_t now) noexcept {
  c.core.turn.asked = ask_the_kernel(c, now);
  c.core.turn.events = c.events.load(memory_order_relaxed);
  std::uint64_t const end = now + sys::ticks_of_microseconds(turn_us);
  c.core.turn.end.store(end, memory_order_relaxed);
  some_are_shared_until(end + sys::ticks_of_microseconds(turns::longest_rest_us));
}

bool was_stopped(carrier& c, std::uint64_t now) noexcept {
  kernel_account const before = c.core.turn.asked;
  long const times = preemptions() - before.preemptions;
  if (times == 0) return false;
  c.core.turn.asked = ask_the_kernel(c, now);
  bool const is_fresh = before.at != 0 && now - before.at < sys::ticks_of_microseconds(fresh_us);
  if (now < own_threads_until.load(memory_order_relaxed)) return false;
  if (!is_fresh || before.queued_ns == sys::unknown_time || c.core.turn.asked.queued_ns == sys::unknown_time)
    return false;
  return c.core.turn.asked.queued_ns - before.queued_ns > static_cast<std::uint64_t>(times) * away_limit_us * 1000;
}

void rest(carrier& c) noexcept {
  std::uint64_t const before = sys::ticks();
  if (before < own_threads_until.load(memory_order_relaxed)) return end_turns(c);
  if (was_stopped(c, before))
    ++c.core.turn.stopped;
  else if (c.core.turn.stopped > 0)
    --c.core.turn.stopped;
  if (c.core.turn.stopped >= too_often_stopped) {
    end_turns(c);
    mark_shared(c, before);
    return;
  }
  timespec const shortest{0, 1};  // not sched_yield(): Linux 6.18 takes the rest of the slice from a thread that yields
  sys::raw_syscall(SYS_nanosleep, reinterpret_cast<long>(&shortest), 0);
  std::uint64_t const now = sys::ticks();
  c.core.turn.quick_rests = now - before < sys::ticks_of_microseconds(quick_us) ? c.core.turn.quick_rests + 1 : 0;
  if (c.core.turn.quick_rests >= enough_quick_rests)
    end_turns(c);
  else
    begin_turn(c, now);
}

void end_turns_if_vain(carrier& c, std::uint64_t now) noexcept {
  if (c.events.load(memory_order_relaxed) != c.core.turn.events) return;
  end_turns(c);
  mark_shared(c, now);
}

}  // namespace amity::sched
