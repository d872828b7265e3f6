#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "amity/base/report.hpp"
#include "amity/sys/machine_context.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/stack.hpp"

namespace amity::sys {
namespace {

// Stacks by address in a fixed table that a signal handler may read at any time. Stacks beyond it overflow in silence,
// as they would without Amity.
constexpr int table_size = 4096;
// AVX-512 and AMX frames need more than MINSIGSTKSZ. By the odd size a stack is known as one of these.
constexpr std::size_t alternate_size = 64 * 1024 + 192;
struct known_stack {
  std::atomic<std::byte*> mapping{nullptr};  // its guard comes first; release on store, acquire in the handler
  std::atomic<std::size_t> size{0};          // of the mapping; relaxed: a stack of another size is a rare sight
};
known_stack stacks[table_size];

/// Frames may be larger than the guard, and so end below it.
constexpr std::uintptr_t largest_frame = 16u << 20;

enum class relation : std::uint8_t { elsewhere, in_guard, in_stack };

relation relation_of(const known_stack& s, std::uintptr_t address) noexcept {
  auto const start = reinterpret_cast<std::uintptr_t>(s.mapping.load(std::memory_order_acquire));  // register_guard
  if (start == 0 || address < start || address - start >= s.size.load(std::memory_order_relaxed))
    return relation::elsewhere;
  return address - start < guard_size ? relation::in_guard : relation::in_stack;
}

const known_stack* stack_around(std::uintptr_t address) noexcept {
  for (auto& each : stacks)
    if (relation_of(each, address) != relation::elsewhere) return &each;
  return nullptr;
}

/// The thread whose stack pointer is `sp` has come to the end of its stack at `address`. Not if it only looks at
/// memory there, as a collector may that goes through all stacks, or by a wild pointer.
bool is_overflow(std::uintptr_t address, std::uintptr_t sp) noexcept {
  const known_stack* const its = stack_around(address);
  if (its == nullptr || relation_of(*its, address) != relation::in_guard) return false;
  const known_stack* const own = stack_around(sp);
  constexpr std::uintptr_t red_zone = 256;  // below the stack pointer, and what a call pushes there
  if (own == its) return address + red_zone >= sp;
  return own == nullptr && sp < address && address - sp < largest_frame;
}

void on_fault(int signal_number, siginfo_t* info, void* context) {
  if (is_overflow(reinterpret_cast<std::uintptr_t>(info->si_addr),
                  interrupted_stack(*static_cast<const ucontext_t*>(context))))
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
  for (auto& each : stacks) {
    std::byte* empty = nullptr;
    if (each.mapping.load(std::memory_order_relaxed) == nullptr &&
        each.mapping.compare_exchange_strong(empty, s.mapping, std::memory_order_release, std::memory_order_relaxed))
      return each.size.store(s.mapping_size, std::memory_order_relaxed);
  }
}

void unregister_guard(const stack& s) noexcept {
  for (auto& each : stacks) {
    std::byte* expected = s.mapping;
    if (each.mapping.compare_exchange_strong(expected, nullptr, std::memory_order_release, std::memory_order_relaxed))
      return;
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
