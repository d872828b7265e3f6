#include "amity/sched/host/internal/credentials.hpp"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <ucontext.h>

#include <atomic>
#include <cstddef>
#include <cstring>

#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/registry.hpp"
#include "amity/sched/loop/internal/signals.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sys/futex.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/thread_pointer.hpp"

// To the kernel, user and groups belong to an OS thread. The C library makes them the process's: the thread that
// calls setuid marks all other threads in their control blocks, sends each OS thread a signal, and goes on when all
// have taken the new ids and cleared their marks; calls come one after the other, under a lock. It takes the thread
// pointer for the OS thread's name, and so errs twice where one carries another's identity: the handler clears the
// wrong mark, for whose owner setuid may then wait for ever; and the caller's own OS thread gets no signal, because
// its identity is the one that calls. So this handler comes before the C library's: it runs that one under the OS
// thread's own pointer, and on the OS thread that carries the caller it then has the caller's own take the same
// ids. The caller stands beneath that handler and can't go on before.
//
// All of it may run at any instruction, in the scheduling loop, too: no TLS, no errno, and the system calls are raw.

namespace amity::sched {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

/// As the kernel has it.
struct signal_action {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};

void (*of_the_c_library)(int, siginfo_t*, void*) = nullptr;

constexpr long any_id = -1;  // to the kernel: leave it

struct ids {
  uid_t user[3];  // real, effective, saved
  gid_t group[3];
  long groups;
};

template <class T>
long address(T* of) noexcept {
  return reinterpret_cast<long>(of);
}

ids own_ids() noexcept {
  ids now{};
  sys::raw_syscall(SYS_getresuid, address(&now.user[0]), address(&now.user[1]), address(&now.user[2]));
  sys::raw_syscall(SYS_getresgid, address(&now.group[0]), address(&now.group[1]), address(&now.group[2]));
  now.groups = sys::raw_syscall(SYS_getgroups);
  return now;
}

/// The calling OS thread's list of groups, in memory that is mapped for it: there may be 65536, and the stack may
/// be small.
class group_list {
 public:
  explicit group_list(long most) noexcept : bytes_(static_cast<std::size_t>(most) * sizeof(gid_t)) {
    if (most <= 0) return;
    long const at = sys::raw_syscall(SYS_mmap, 0, static_cast<long>(bytes_), PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (at < 0 && at > -4096) return;
    list_ = reinterpret_cast<gid_t*>(at);
    count_ = sys::raw_syscall(SYS_getgroups, most, at);
  }
  group_list(const group_list&) = delete;
  group_list& operator=(const group_list&) = delete;
  ~group_list() {
    if (list_ != nullptr) sys::raw_syscall(SYS_munmap, address(list_), static_cast<long>(bytes_));
  }

  [[nodiscard]] long count() const noexcept { return count_; }
  [[nodiscard]] const gid_t* list() const noexcept { return list_; }
  [[nodiscard]] bool operator==(const group_list& other) const noexcept {
    if (count_ != other.count_) return false;
    for (long i = 0; i < count_; ++i)
      if (list_[i] != other.list_[i]) return false;
    return true;
  }

 private:
  std::size_t bytes_;
  gid_t* list_ = nullptr;
  long count_ = 0;
};

/// What one OS thread tells another to become; lies on the stack of the one that tells.
struct example {
  ids all;
  const group_list* groups;
  std::atomic<std::uint32_t> followed{0};  ///< futex word
};

/// What was allowed to the thread that called is allowed here: both had the same ids. Groups first, and users last,
/// because the right to change the others may go with the user.
void follow(example& e) noexcept {
  ids const now = own_ids();
  if (const group_list mine(now.groups); !(mine == *e.groups))
    sys::raw_syscall(SYS_setgroups, e.groups->count(), address(e.groups->list()));
  auto change = [](long number, const auto(&from)[3], const auto(&to)[3]) {
    if (from[0] == to[0] && from[1] == to[1] && from[2] == to[2]) return;
    sys::raw_syscall(number, to[0], to[1], to[2]);
  };
  change(SYS_setresgid, now.group, e.all.group);
  change(SYS_setresuid, now.user, e.all.user);
  // Release: nothing but that it is done. After the store only the address is used, for a wake that may be for nobody.
  e.followed.store(1, memory_order_release);
  sys::futex_wake(e.followed, 1);
}

const fiber* native_of(int thread) noexcept {
  for (const fiber* f = first_known(); f != nullptr; f = f->next_known)
    if (f->native->thread_id.load(memory_order_acquire) == thread) return f;  // pairs with shell_main, become_guest
  return nullptr;
}

const fiber* fiber_of(std::uintptr_t thread_pointer) noexcept {
  for (const fiber* f = first_known(); f != nullptr; f = f->next_known)
    if (f->native->thread_id.load(memory_order_acquire) != 0 && f->thread_pointer == thread_pointer)
      return f;  // likewise
  return nullptr;
}

/// Has `thread` take the caller's ids, and waits for that. One OS thread at a time is here, so the other one does
/// not wait for anybody.
void take_along(int thread) noexcept {
  ids const now = own_ids();
  group_list const groups(now.groups);
  example e{now, &groups};
  siginfo_t note{};
  long const process = sys::raw_syscall(SYS_getpid);
  note.si_signo = set_id_signal;
  note.si_code = SI_QUEUE;
  note.si_pid = static_cast<pid_t>(process);
  note.si_value.sival_ptr = &e;
  if (sys::raw_syscall(SYS_rt_tgsigqueueinfo, process, thread, set_id_signal, address(&note)) != 0) return;
  while (e.followed.load(memory_order_acquire) == 0) sys::futex_wait(e.followed, 0);  // pairs with follow
}

/// What tgkill was called with, if the interrupted code has just come back from it with success.
struct told {
  int process, thread, signal;
};

told just_told(const void* context) noexcept {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto& r = registers.gregs;
  constexpr unsigned char instruction[] = {0x0f, 0x05};  // syscall, which keeps its arguments
  if (r[REG_RAX] != 0) return {};
  if (std::memcmp(reinterpret_cast<const void*>(r[REG_RIP] - 2), instruction, 2) != 0) return {};
  return {static_cast<int>(r[REG_RDI]), static_cast<int>(r[REG_RSI]), static_cast<int>(r[REG_RDX])};
#elif defined(__aarch64__)
  // The number and all arguments but the first are kept.
  if (registers.regs[0] != 0 || registers.regs[8] != SYS_tgkill) return {};
  return {static_cast<int>(sys::raw_syscall(SYS_getpid)), static_cast<int>(registers.regs[1]),
          static_cast<int>(registers.regs[2])};
#endif
}

void on_set_id(int signal, siginfo_t* note, void* context) {
  if (note->si_code == SI_QUEUE && note->si_pid == sys::raw_syscall(SYS_getpid)) {
    follow(*static_cast<example*>(note->si_value.sival_ptr));
    return;
  }
  std::uintptr_t const carried = sys::thread_pointer();
  int const thread = static_cast<int>(sys::raw_syscall(SYS_gettid));
  const fiber* const native = native_of(thread);
  if (native == nullptr || native->thread_pointer == carried) return of_the_c_library(signal, note, context);
  // A signal that a thread sends to itself comes before the call returns: the one carried here has called setuid.
  bool const carries_caller = is_telling_all(context) && just_told(context).thread == thread;
  auto const mode = identity_mode();
  sys::install_thread_pointer(mode, native->thread_pointer);
  of_the_c_library(signal, note, context);
  sys::install_thread_pointer(mode, carried);
  if (!carries_caller) return;
  if (const fiber* const caller = fiber_of(carried)) take_along(caller->native->thread_id.load(memory_order_relaxed));
}

}  // namespace

bool is_telling_all(const void* context) noexcept {
  told const last = just_told(context);
  return last.signal == set_id_signal && last.process == sys::raw_syscall(SYS_getpid);
}

void follow_credentials() noexcept {
  if (of_the_c_library != nullptr || identity_mode() == sys::thread_pointer_mode::fixed) return;
  signal_action present{};
  // The C library, which lets nobody have this signal by sigaction, has taken it with the process's first thread.
  if (sys::raw_syscall(SYS_rt_sigaction, set_id_signal, 0, address(&present), sizeof present.mask) != 0) return;
  constexpr unsigned long with_information = SA_SIGINFO;
  if ((present.flags & with_information) == 0 || reinterpret_cast<std::uintptr_t>(present.handler) <= 1) return;
  of_the_c_library = present.handler;
  present.handler = on_set_id;
  sys::raw_syscall(SYS_rt_sigaction, set_id_signal, address(&present), 0, sizeof present.mask);
}

}  // namespace amity::sched
