#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "amity/base/report.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/stack.hpp"

namespace amity::sys {
namespace {

// Guards by address in a fixed table that a signal handler may read at any time. Stacks beyond it overflow in silence,
// as they would without Amity.
constexpr int table_size = 4096;
// AVX-512 and AMX frames need more than MINSIGSTKSZ. By the odd size a stack is known as one of these.
constexpr std::size_t alternate_size = 64 * 1024 + 192;
std::atomic<std::byte*> guards[table_size];  // start of the mapping; release on store, acquire in the handler

bool is_guard(const std::byte* address) noexcept {
  for (auto& entry : guards) {
    const std::byte* start = entry.load(std::memory_order_acquire);  // pairs with register_guard
    if (start != nullptr && address >= start && address < start + guard_size) return true;
  }
  return false;
}

void on_fault(int signal_number, siginfo_t* info, void*) {
  if (is_guard(static_cast<const std::byte*>(info->si_addr)))
    base::fatal(
        "stack overflow in an OpenMP or Amity thread; raise OMP_STACKSIZE (or AMITY_STACKSIZE), for example "
        "OMP_STACKSIZE=64M");
  // Not ours: the default action takes the fault when the instruction runs again.
  struct sigaction fallback {};
  fallback.sa_handler = SIG_DFL;
  sigaction(signal_number, &fallback, nullptr);
}

}  // namespace

void register_guard(const stack& s) noexcept {
  for (auto& entry : guards) {
    std::byte* empty = nullptr;
    if (entry.load(std::memory_order_relaxed) == nullptr &&
        entry.compare_exchange_strong(empty, s.mapping, std::memory_order_release, std::memory_order_relaxed))
      return;
  }
}

void unregister_guard(const stack& s) noexcept {
  for (auto& entry : guards) {
    std::byte* expected = s.mapping;
    if (entry.compare_exchange_strong(expected, nullptr, std::memory_order_release, std::memory_order_relaxed)) return;
  }
}

void arm_stack_overflow_handler() noexcept {
  stack_t present{};
  raw_syscall(SYS_sigaltstack, 0, reinterpret_cast<long>(&present));
  if ((present.ss_flags & SS_DISABLE) == 0) return;
  void* memory =
      mmap(nullptr, alternate_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t alternate{};
  alternate.ss_sp = memory;
  alternate.ss_size = alternate_size;
  raw_syscall(SYS_sigaltstack, reinterpret_cast<long>(&alternate), 0);
}

void disarm_stack_overflow_handler() noexcept {
  stack_t none{}, present{};
  none.ss_flags = SS_DISABLE;
  none.ss_size = alternate_size;
  raw_syscall(SYS_sigaltstack, 0, reinterpret_cast<long>(&present));
  if ((present.ss_flags & SS_DISABLE) != 0 || present.ss_size != alternate_size) return;
  if (raw_syscall(SYS_sigaltstack, reinterpret_cast<long>(&none), 0) == 0) munmap(present.ss_sp, alternate_size);
}

void install_stack_overflow_handler() noexcept {
  struct sigaction present {};
  if (sigaction(SIGSEGV, nullptr, &present) != 0) return;
  if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &ours, nullptr);
}

}  // namespace amity::sys
