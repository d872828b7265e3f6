#include "amity/sys/thread_pointer.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <initializer_list>

#include "amity/base/config.hpp"
#include "amity/base/report.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::sys {
namespace {

#if defined(__x86_64__)

constexpr long arch_set_fs = 0x1002;
constexpr unsigned long hwcap2_fsgsbase = 2;

inline void install_by_instruction(std::uintptr_t value) noexcept {
  asm volatile("wrfsbase %0" ::"r"(value) : "memory");
}
inline void install_by_system_call(std::uintptr_t value) noexcept {
  raw_syscall(SYS_arch_prctl, arch_set_fs, static_cast<long>(value));
}
inline std::uintptr_t read_by_instruction() noexcept {
  std::uintptr_t value;
  asm volatile("rdfsbase %0" : "=r"(value));
  return value;
}

/// Lives on a copy of the control block for a moment; a system call and a reschedule must not bring the old one back.
/// Nothing between the two installs may use TLS.
[[gnu::noinline]] bool instruction_keeps_value(std::uintptr_t copy) noexcept {
  std::uintptr_t const own = thread_pointer();
  install_by_instruction(copy);
  bool good = read_by_instruction() == copy && thread_pointer() == copy;
  raw_syscall(SYS_sched_yield);
  raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), 0);
  good = good && read_by_instruction() == copy && thread_pointer() == copy;
  install_by_instruction(own);
  return good;
}

[[gnu::noinline]] bool system_call_keeps_value(std::uintptr_t copy) noexcept {
  std::uintptr_t const own = thread_pointer();
  install_by_system_call(copy);
  raw_syscall(SYS_sched_yield);
  bool const good = thread_pointer() == copy;
  install_by_system_call(own);
  return good;
}

bool kernel_has_fsgsbase() noexcept { return (getauxval(AT_HWCAP2) & hwcap2_fsgsbase) != 0; }

bool works(thread_pointer_mode mode) noexcept {
  // A control block of our own: the self pointer is all that the probe reads; the rest are the canary and the pointer
  // guard, copied so that an unexpected signal handler finds them.
  alignas(64) static unsigned char block[256];
  auto const own = thread_pointer();
  memcpy(block, reinterpret_cast<const void*>(own), 64);
  auto const copy = reinterpret_cast<std::uintptr_t>(&block);
  memcpy(block, &copy, sizeof copy);

  // No handler may run on the copy.
  std::uint64_t const all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&all), reinterpret_cast<long>(&before), 8);
  bool const good = mode == thread_pointer_mode::instruction ? kernel_has_fsgsbase() && instruction_keeps_value(copy)
                                                             : system_call_keeps_value(copy);
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&before), 0, 8);
  return good;
}

#else

bool works(thread_pointer_mode mode) noexcept { return mode == thread_pointer_mode::instruction; }

#endif

/// Tools that keep their own state by thread, and follow neither the stack nor the register.
bool under_emulating_tool() noexcept {
  const char* preload = getenv("LD_PRELOAD");
  if (preload != nullptr && (strstr(preload, "vgpreload") != nullptr)) return true;
  return dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;  // the program's own ThreadSanitizer
}

}  // namespace

void install_thread_pointer(thread_pointer_mode mode, std::uintptr_t value) noexcept {
#if defined(__x86_64__)
  if (mode == thread_pointer_mode::instruction) {
    install_by_instruction(value);
    return;
  }
  install_by_system_call(value);
#else
  static_cast<void>(mode);
  asm volatile("msr tpidr_el0, %0" ::"r"(value) : "memory");
#endif
}

namespace {

/// What AMITY_IDENTITY asks for, if it is possible.
bool take_wanted(thread_pointer_mode& mode) noexcept {
  const char* wanted = getenv("AMITY_IDENTITY");
  if (wanted == nullptr) return false;
  for (auto const known :
       {thread_pointer_mode::instruction, thread_pointer_mode::system_call, thread_pointer_mode::fixed}) {
    if (strcmp(wanted, name_of(known)) != 0) continue;
    mode = known;
    if (known == thread_pointer_mode::fixed || works(known)) return true;
    base::warn("AMITY_IDENTITY='%s' does not work on this machine; the best that works is used", wanted);
    return false;
  }
  base::warn("AMITY_IDENTITY='%s' is not one of instruction, system_call, fixed; the best that works is used",
             base::quoted(wanted).text);
  return false;
}

}  // namespace

thread_pointer_mode probe_thread_pointer() noexcept {
  if (thread_pointer_mode mode; take_wanted(mode)) return mode;
  // ThreadSanitizer orders what one thread does by its identity; a carrier's own data would seem to race between the
  // identities that it carries. On OS threads of their own all protocols but the switch itself are checked.
  if (base::thread_sanitizer || under_emulating_tool()) return thread_pointer_mode::fixed;
  for (auto const mode : {thread_pointer_mode::instruction, thread_pointer_mode::system_call})
    if (works(mode)) return mode;
  return thread_pointer_mode::fixed;
}

const char* name_of(thread_pointer_mode mode) noexcept {
  switch (mode) {
    case thread_pointer_mode::instruction:
      return "instruction";
    case thread_pointer_mode::system_call:
      return "system_call";
    case thread_pointer_mode::fixed:
      break;
  }
  return "fixed";
}

}  // namespace amity::sys
