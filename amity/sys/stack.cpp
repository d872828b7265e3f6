#include "amity/sys/stack.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "amity/base/config.hpp"

namespace amity::sys {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t colours = 64;

std::size_t next_colour() noexcept {
  // Relaxed: any spread will do.
  static std::atomic<unsigned> count{0};
  return (count.fetch_add(1, std::memory_order_relaxed) * 5 % colours) * base::cache_line;
}

// Whether an object of the process wants stacks that hold code, as the C library gives its own threads then: gcc puts
// trampolines there for nested functions whose address is taken. Asked for each stack, because a library that is opened
// later may want it; they are looked through when some have come since.
bool stacks_hold_code() noexcept {
  // What was found when so many had been opened.
  static std::atomic<unsigned long long> opened_then{0};
  static std::atomic<bool> wanted_then{false};
  struct {
    bool wanted = false;
    bool known = false;
    unsigned long long opened = 0;
  } look;
  using look_type = decltype(look);
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        auto& now = *static_cast<look_type*>(found);
        now.opened = object->dlpi_adds;
        if (opened_then.load(std::memory_order_acquire) == now.opened) {  // pairs with the store below
          now.known = true;
          return 1;
        }
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          auto const& header = object->dlpi_phdr[i];
          if (header.p_type == PT_GNU_STACK && (header.p_flags & PF_X) != 0) {
            now.wanted = true;
            return 1;
          }
        }
        return 0;
      },
      &look);
  if (look.known) return wanted_then.load(std::memory_order_relaxed);
  wanted_then.store(look.wanted, std::memory_order_relaxed);
  opened_then.store(look.opened, std::memory_order_release);
  return look.wanted;
}

#if defined(__x86_64__)

constexpr std::uintptr_t register_stack = 0x1501, deregister_stack = 0x1502;  // valgrind's numbers

// Instructions that change nothing, and that valgrind takes for a question, with its number and arguments in memory.
std::uintptr_t ask_valgrind(std::uintptr_t request, const void* from, const void* to) noexcept {
  std::uintptr_t const question[6] = {request, reinterpret_cast<std::uintptr_t>(from),
                                      reinterpret_cast<std::uintptr_t>(to)};
  std::uintptr_t answer = 0;
  asm volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
      "xchgq %%rbx, %%rbx"
      : "+d"(answer)
      : "a"(question)
      : "cc", "memory");
  return answer;
}

// To valgrind a leap of the stack pointer within 2 MB is a frame that grew or went, and what lies between is not to be
// read any more, unless it knows that another stack begins there. Its number for the stack, 0 outside of valgrind.
std::uintptr_t tell_valgrind(const stack& s) noexcept { return ask_valgrind(register_stack, s.base, s.top() - 1); }
void tell_valgrind_of_its_end(std::uintptr_t number) noexcept {
  if (number != 0) ask_valgrind(deregister_stack, reinterpret_cast<const void*>(number), nullptr);
}

#else

std::uintptr_t tell_valgrind(const stack&) noexcept { return 0; }
void tell_valgrind_of_its_end(std::uintptr_t) noexcept {}

#endif

}  // namespace

stack map_stack(std::size_t bytes) noexcept {
  std::size_t const usable = (bytes + page - 1) / page * page + colours * base::cache_line;
  std::size_t const total = guard_size + usable;
  int const access = PROT_READ | PROT_WRITE | (stacks_hold_code() ? PROT_EXEC : 0);
  void* memory = mmap(nullptr, total, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return {};
  if (mprotect(memory, guard_size, PROT_NONE) != 0) {
    munmap(memory, total);
    return {};
  }
  // Of most stacks some pages are used. Where the kernel may give huge pages to whoever does not ask (`always`), one
  // touch could cost 2 MiB; Linux spares what is MAP_STACK only from 6.7 on. Refused: it has none to give.
  constexpr std::size_t huge_page = 2u << 20;
  if (total >= huge_page) madvise(memory, total, MADV_NOHUGEPAGE);
  stack s;
  s.mapping = static_cast<std::byte*>(memory);
  s.mapping_size = total;
  s.base = s.mapping + guard_size;
  s.size = usable - next_colour();
  s.valgrind_number = tell_valgrind(s);
  return s;
}

void unmap_stack(const stack& s) noexcept {
  if (s.mapping == nullptr) return;
  tell_valgrind_of_its_end(s.valgrind_number);
  munmap(s.mapping, s.mapping_size);
}

}  // namespace amity::sys
