#include "amity/sched/host/internal/interrupted_call.hpp"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include "amity/sched/host/internal/preempt.hpp"
#include "amity/sys/machine_context.hpp"
#include "amity/sys/program_call.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::sched {
namespace {

/// The smallest there is: what lies in one with a mapped byte is mapped.
constexpr std::uintptr_t page_size = 4096;
constexpr std::uint64_t second_ns = 1'000'000'000, millisecond_ns = 1'000'000;
constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();

std::uint64_t nanoseconds(const timespec& t) noexcept {
  std::uint64_t whole = 0;
  if (t.tv_sec < 0 || __builtin_mul_overflow(static_cast<std::uint64_t>(t.tv_sec), second_ns, &whole)) return for_ever;
  return whole + static_cast<std::uint64_t>(t.tv_nsec);
}

timespec time_of(std::uint64_t ns) noexcept {
  return {static_cast<time_t>(ns / second_ns), static_cast<long>(ns % second_ns)};
}

std::uint64_t later(std::uint64_t begin, std::uint64_t length) noexcept {
  return length > for_ever - begin ? for_ever : begin + length;
}

std::uint64_t left_until(std::uint64_t end) noexcept {
  std::uint64_t const now = sys::monotonic_ns();
  return end > now ? end - now : 0;
}

/// What stands in the registers of a context behind a call.
struct behind_call {
  std::uintptr_t next;
  long result;
  long number;  ///< -1: not known
  long arguments[6];
  bool first_argument_known;
};

#if defined(__x86_64__)
// The call keeps its arguments. Its number has given way to the result. Compilers load it by an instruction of its own
// (b8 and four bytes) just before the call, with a few moves of arguments in between at most.
constexpr std::uintptr_t call_length = 2, loads_number_length = 5, most_in_between = 16;
constexpr std::int32_t most_numbers = 1024;

bool is_behind_call_at(std::uintptr_t next) noexcept {
  constexpr unsigned char syscall_instruction[] = {0x0f, 0x05};
  return std::memcmp(reinterpret_cast<const void*>(next - call_length), syscall_instruction, call_length) == 0;
}

bool is_behind_call(std::uintptr_t next) noexcept {
  return next % page_size >= call_length && is_behind_call_at(next);  // else the bytes before may not be mapped
}

/// The kernel leaves the address behind the call in %rcx. The handler takes it away when it is done with a call: its
/// next signal may come before the program's next instruction, and must not take that call for a new one.
bool is_fresh(const ucontext_t& u) noexcept { return u.uc_mcontext.gregs[REG_RCX] == u.uc_mcontext.gregs[REG_RIP]; }
void note_as_done(ucontext_t& u) noexcept {
  if (is_fresh(u)) u.uc_mcontext.gregs[REG_RCX] = 0;
}

bool is_before_call(std::uintptr_t next) noexcept {
  return next % page_size <= page_size - call_length && is_behind_call_at(next + call_length);
}

long number_before_call(const ucontext_t& u) noexcept { return static_cast<long>(u.uc_mcontext.gregs[REG_RAX]); }

long number_in_code(std::uintptr_t next) noexcept {
  std::uintptr_t const nearest = call_length + loads_number_length;
  for (std::uintptr_t before = nearest; before <= nearest + most_in_between && next % page_size >= before; ++before) {
    const auto* const code = reinterpret_cast<const unsigned char*>(next - before);
    std::int32_t number = -1;
    if (code[0] == 0xb8) std::memcpy(&number, code + 1, sizeof number);
    if (number >= 0 && number < most_numbers) return number;
  }
  return -1;
}

behind_call registers_of(const ucontext_t& u) noexcept {
  const auto& r = u.uc_mcontext.gregs;
  return {static_cast<std::uintptr_t>(r[REG_RIP]),
          r[REG_RAX],
          -1,
          {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]},
          true};
}
#elif defined(__aarch64__)
constexpr std::uintptr_t call_length = 4;

bool is_behind_call(std::uintptr_t next) noexcept {
  constexpr std::uint32_t svc_0 = 0xd4000001;
  return next % page_size >= call_length && *reinterpret_cast<const std::uint32_t*>(next - call_length) == svc_0;
}

// No register is free to say so.
bool is_fresh(const ucontext_t&) noexcept { return true; }
void note_as_done(ucontext_t&) noexcept {}

bool is_before_call(std::uintptr_t next) noexcept { return is_behind_call(next + call_length); }

long number_before_call(const ucontext_t& u) noexcept { return static_cast<long>(u.uc_mcontext.regs[8]); }

long number_in_code(std::uintptr_t) noexcept { return -1; }

behind_call registers_of(const ucontext_t& u) noexcept {
  const auto& r = u.uc_mcontext.regs;
  auto const at = [&](int i) { return static_cast<long>(r[i]); };
  return {static_cast<std::uintptr_t>(u.uc_mcontext.pc), at(0), at(8), {0, at(1), at(2), at(3), at(4), at(5)}, false};
}
#endif

void go_on_at(ucontext_t& u, std::uintptr_t address) noexcept {
#if defined(__x86_64__)
  u.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(address);
#elif defined(__aarch64__)
  u.uc_mcontext.pc = address;
#endif
}

/// Calls whose time limit is a length of time that the kernel does not count down.
struct limited {
  long number;
  int at;  ///< the argument
};
constexpr limited with_duration[] = {
    {SYS_nanosleep, 0},    {SYS_clock_nanosleep, 2}, {SYS_semtimedop, 3},   {SYS_rt_sigtimedwait, 2},
    {SYS_io_getevents, 4}, {SYS_io_pgetevents, 4},   {SYS_epoll_pwait2, 3}, {SYS_futex, 3}};
constexpr limited with_milliseconds[] = {
#ifdef SYS_poll
    {SYS_poll, 2},
    {SYS_epoll_wait, 3},
#endif
    {SYS_epoll_pwait, 3}};

/// A handler on the calling thread moves it.
unsigned interruptions_of(const signal_counts& counts) noexcept {
  return *const_cast<const volatile unsigned*>(&counts.interruptions);
}

template <std::size_t N>
int argument_of(const limited (&calls)[N], long number) noexcept {
  const auto* const found =
      std::find_if(std::begin(calls), std::end(calls), [=](const limited& each) { return each.number == number; });
  return found == std::end(calls) ? -1 : found->at;
}

/// What a call on a socket waits for; 0: it is none.
short readiness_for(long number) noexcept {
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_accept:
    case SYS_accept4:
      return POLLIN;
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_connect:
      return POLLOUT;
    default:
      return 0;
  }
}

/// SO_RCVTIMEO or SO_SNDTIMEO of the file; for_ever: none, or it is no socket.
std::uint64_t socket_limit(long file, short readiness) noexcept {
  timeval time{};
  socklen_t size = sizeof time;
  int const option = readiness == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO;
  if (sys::raw_syscall(SYS_getsockopt, file, SOL_SOCKET, option, reinterpret_cast<long>(&time),
                       reinterpret_cast<long>(&size)) != 0)
    return for_ever;
  std::uint64_t const ns = nanoseconds({time.tv_sec, time.tv_usec * 1000});
  return ns == 0 ? for_ever : ns;
}

/// It transfers all of its bytes unless a signal comes: how many that are; 0: it is no such call.
long whole_transfer(const sys::kernel_call& c) noexcept {
  switch (c.number) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_sendto:
      return c.arguments[2];
    case SYS_recvfrom:
      return (c.arguments[3] & MSG_WAITALL) != 0 ? c.arguments[2] : 0;
    default:
      return 0;
  }
}

/// A call that may wait for long, and that the kernel begins again by itself where the handler allows that.
bool may_wait(long number) noexcept {
  if (readiness_for(number) != 0) return true;
  constexpr long others[] = {SYS_wait4,  SYS_waitid, SYS_futex,           SYS_flock,        SYS_fcntl,
                             SYS_openat, SYS_ioctl,  SYS_mq_timedreceive, SYS_mq_timedsend, SYS_getrandom};
  return std::find(std::begin(others), std::end(others), number) != std::end(others);
}

/// A sleep by a clock that does not go on while nothing runs.
bool is_cpu_clock(long clock) noexcept {
  return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

/// Where a sleep has written what was left of it; null: nowhere.
const timespec* rest_of(const sys::kernel_call& c) noexcept {
  if (c.number == SYS_nanosleep) return reinterpret_cast<const timespec*>(c.arguments[1]);
  if (c.number == SYS_clock_nanosleep) return reinterpret_cast<const timespec*>(c.arguments[3]);
  return nullptr;
}

/// Its limit is a point in time, which is the same when it goes on.
bool ends_at_a_time(const sys::kernel_call& c) noexcept {
  if (c.number == SYS_clock_nanosleep)
    return (c.arguments[1] & TIMER_ABSTIME) != 0 || (is_cpu_clock(c.arguments[0]) && rest_of(c) == nullptr);
  return c.number == SYS_futex && (c.arguments[1] & FUTEX_CMD_MASK) != FUTEX_WAIT;
}

}  // namespace

interrupted_call::interrupted_call(const ucontext_t& context, const sys::call_note::content& note,
                                   std::uint64_t since_ns, long bare_call) noexcept {
  behind_call const r = registers_of(context);
  if (!is_fresh(context)) return;
  if (sys::in_program_call(r.next)) return;  // the caller of the program call goes on itself
  bool const noted = note.call.number >= 0 && note.call.next == r.next;
  sys::kernel_call cut;
  cut.number = noted ? note.call.number : r.number;
  std::copy(std::begin(r.arguments), std::end(r.arguments), std::begin(cut.arguments));
  if (!r.first_argument_known) {
    if (!noted) return;
    cut.arguments[0] = note.call.arguments[0];
  }
  bool const may_be_short = r.result == -EINTR || r.result > 0;
  if (!may_be_short || !(noted || is_behind_call(r.next))) return;
  if (cut.number < 0) cut.number = number_in_code(r.next);
  if (cut.number < 0) cut.number = bare_call;
  if (cut.number < 0) return;
  // A transfer that came short for another reason comes to the same when it goes on: to nothing more, or to an error,
  // and then the program sees what was transferred.
  bool const came_short = r.result > 0 && r.result < whole_transfer(cut);
  if (r.result != -EINTR && !came_short) return;
  call_ = cut;
  if (came_short) skip(r.result);
  since_ns_ = since_ns != 0 ? since_ns : noted ? note.since_ns : sys::monotonic_ns();
  find_limit();
}

void interrupted_call::skip(long bytes) noexcept {
  done_ += bytes;
  call_.arguments[1] += bytes;
  call_.arguments[2] -= bytes;
  if (call_.number == SYS_pwrite64) call_.arguments[3] += bytes;
}

void interrupted_call::find_limit() noexcept {
  if (int const at = argument_of(with_duration, call_.number); at >= 0) {
    const auto* const length = reinterpret_cast<const timespec*>(call_.arguments[at]);
    if (length == nullptr || ends_at_a_time(call_)) return;
    limit_ = limit::duration;
    limit_at_ = at;
    const timespec* const rest = rest_of(call_);
    end_ns_ = rest != nullptr ? later(sys::monotonic_ns(), nanoseconds(*rest)) : later(since_ns_, nanoseconds(*length));
  } else if (int const ms_at = argument_of(with_milliseconds, call_.number); ms_at >= 0) {
    int const ms = static_cast<int>(call_.arguments[ms_at]);
    if (ms < 0) return;
    limit_ = limit::milliseconds;
    limit_at_ = ms_at;
    end_ns_ = later(since_ns_, static_cast<std::uint64_t>(ms) * millisecond_ns);
  } else if (short const readiness = readiness_for(call_.number); readiness != 0) {
    std::uint64_t const length = socket_limit(call_.arguments[0], readiness);
    if (length == for_ever) return;
    limit_ = limit::of_socket;
    end_ns_ = later(since_ns_, length);
  }
}

/// Waits until the socket is ready or its time is over: 1, or what the call then comes to.
long interrupted_call::wait_for_socket(const signal_counts& counts, unsigned taken) noexcept {
  pollfd file{static_cast<int>(call_.arguments[0]), readiness_for(call_.number), 0};
  for (;;) {
    timespec left = time_of(left_until(end_ns_));
    sys::kernel_call wait;
    wait.number = SYS_ppoll;
    wait.arguments[0] = reinterpret_cast<long>(&file);
    wait.arguments[1] = 1;
    wait.arguments[2] = reinterpret_cast<long>(&left);
    unsigned const before = interruptions_of(counts);
    long const result = amity_program_call(&wait, &counts.taken, taken);
    if (result == 0) return call_.number == SYS_connect ? -EINPROGRESS : -EAGAIN;
    if (result != -EINTR) return 1;  // ready, or the call itself says what is wrong
    if (interruptions_of(counts) == before) return -EINTR;
  }
}

long interrupted_call::once_more(const signal_counts& counts, unsigned taken) noexcept {
  sys::kernel_call call = call_;
  timespec left{};
  switch (limit_) {
    case limit::none:
      break;
    case limit::milliseconds: {
      std::uint64_t const ms = (left_until(end_ns_) + millisecond_ns - 1) / millisecond_ns;
      call.arguments[limit_at_] = static_cast<long>(ms);
      break;
    }
    case limit::duration:
      left = time_of(left_until(end_ns_));
      call.arguments[limit_at_] = reinterpret_cast<long>(&left);
      break;
    case limit::of_socket:
      if (long const ended = wait_for_socket(counts, taken); ended != 1) return ended;
      break;
  }
  return amity_program_call(&call, &counts.taken, taken);
}

long interrupted_call::finish(const signal_counts& counts, unsigned taken) noexcept {
  for (;;) {
    unsigned const before = interruptions_of(counts);
    long const result = once_more(counts, taken);
    bool const ours = interruptions_of(counts) != before;
    if (result == -EINTR && ours) continue;
    if (result > 0 && ours && result < whole_transfer(call_)) {
      skip(result);
      continue;
    }
    return done_ == 0 ? result : done_ + std::max(result, 0L);
  }
}

void interrupted_call::set_result(ucontext_t& context, long result) noexcept {
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RAX] = result;
#elif defined(__aarch64__)
  context.uc_mcontext.regs[0] = static_cast<unsigned long>(result);
#endif
}

void leave_call(ucontext_t& context) noexcept { note_as_done(context); }

void abandon_call(ucontext_t& context, bool restarts) noexcept {
  std::uintptr_t const next = sys::interrupted_at(context);
  if (sys::before_program_call(next)) {
    go_on_at(context, reinterpret_cast<std::uintptr_t>(amity_program_call_made));
    interrupted_call::set_result(context, -EINTR);
  } else if (!restarts && is_before_call(next) && may_wait(number_before_call(context))) {
    go_on_at(context, next + call_length);
    interrupted_call::set_result(context, -EINTR);
  }
}

handler_kind handler_of(int signal) noexcept {
  struct {
    void* handler;
    unsigned long flags;
    void* restorer;
    std::uint64_t mask;
  } action{};  // as the kernel has it
  sys::raw_syscall(SYS_rt_sigaction, signal, 0, reinterpret_cast<long>(&action), sizeof action.mask);
  if (action.handler == reinterpret_cast<void*>(SIG_DFL) || action.handler == reinterpret_cast<void*>(SIG_IGN))
    return handler_kind::none;
  return (action.flags & SA_RESTART) != 0 ? handler_kind::restarts_calls : handler_kind::ends_calls;
}

bool program_signal_is_due(const ucontext_t& context) noexcept {
  std::uint64_t pending = 0, blocked_there = 0;
  std::memcpy(&blocked_there, &context.uc_sigmask, sizeof blocked_there);
  sys::raw_syscall(SYS_rt_sigpending, reinterpret_cast<long>(&pending), sizeof pending);
  pending &= ~(std::uint64_t{1} << (preemption_signal - 1));  // the runtime's own once more ends no call
  for (std::uint64_t rest = pending & ~blocked_there; rest != 0; rest &= rest - 1)
    if (handler_of(__builtin_ctzll(rest) + 1) != handler_kind::none) return true;
  return false;
}

}  // namespace amity::sched
