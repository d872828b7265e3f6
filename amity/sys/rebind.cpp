#include "amity/sys/rebind.hpp"

#include <elf.h>
#include <link.h>
#include <string.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace amity::sys {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t call_slot = R_X86_64_JUMP_SLOT;
#else
constexpr std::uint64_t call_slot = R_AARCH64_JUMP_SLOT;
#endif

/// What an object's dynamic section says (System V ABI, "Dynamic Linking").
struct object {
  std::uintptr_t base;
  const ElfW(Dyn) * dynamic = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * calls = nullptr;
  std::size_t calls_bytes = 0;

  /// The loader has added the base already, but where the section can't be written.
  template <class T>
  void point(const T*& to, std::uintptr_t at) const noexcept {
    to = reinterpret_cast<const T*>(at < base ? at + base : at);
  }

  explicit object(const dl_phdr_info& info) noexcept : base(info.dlpi_addr) {
    for (int i = 0; i < info.dlpi_phnum; ++i)
      if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
        dynamic = reinterpret_cast<const ElfW(Dyn)*>(base + info.dlpi_phdr[i].p_vaddr);
    bool with_addends = false;
    for (const auto* entry = dynamic; entry != nullptr && entry->d_tag != DT_NULL; ++entry) switch (entry->d_tag) {
        case DT_SYMTAB:
          point(symbols, entry->d_un.d_ptr);
          break;
        case DT_STRTAB:
          point(strings, entry->d_un.d_ptr);
          break;
        case DT_JMPREL:
          point(calls, entry->d_un.d_ptr);
          break;
        case DT_PLTRELSZ:
          calls_bytes = entry->d_un.d_val;
          break;
        case DT_PLTREL:
          with_addends = entry->d_un.d_val == DT_RELA;
          break;
        default:
          break;
      }
    if (!with_addends || symbols == nullptr || strings == nullptr || calls == nullptr) calls_bytes = 0;
  }

  [[nodiscard]] bool needs(bool (*concerns)(const char*)) const noexcept {
    for (const auto* entry = dynamic; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_NEEDED && concerns(strings + entry->d_un.d_val)) return true;
    return false;
  }
};

bool covers(const dl_phdr_info& info, unsigned kind, std::uintptr_t address) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& part = info.dlpi_phdr[i];
    if (part.p_type == kind && address - (info.dlpi_addr + part.p_vaddr) < part.p_memsz) return true;
  }
  return false;
}

struct order {
  const char* name;
  void* function;
  bool (*concerns)(const char*);
  int changed = 0;
};

int rebind_in(dl_phdr_info* info, std::size_t, void* pointer) noexcept {
  auto& o = *static_cast<order*>(pointer);
  if (covers(*info, PT_LOAD, reinterpret_cast<std::uintptr_t>(o.function))) return 0;
  object const x(*info);
  if (x.calls_bytes == 0 || !x.needs(o.concerns)) return 0;
  for (const auto *call = x.calls, *end = call + x.calls_bytes / sizeof *call; call != end; ++call) {
    if (ELF64_R_TYPE(call->r_info) != call_slot) continue;
    if (strcmp(x.strings + x.symbols[ELF64_R_SYM(call->r_info)].st_name, o.name) != 0) continue;
    std::uintptr_t const slot = x.base + call->r_offset;
    if (covers(*info, PT_GNU_RELRO, slot)) continue;  // made read-only when it was bound
    // Relaxed: the code is there; another thread that binds the call just now may undo it, which does no harm.
    std::atomic_ref(*reinterpret_cast<void**>(slot)).store(o.function, std::memory_order_relaxed);
    ++o.changed;
  }
  return 0;
}

}  // namespace

int rebind_calls(const char* name, void* function, bool (*concerns)(const char* needed)) noexcept {
  order o{name, function, concerns};
  dl_iterate_phdr(rebind_in, &o);
  return o.changed;
}

}  // namespace amity::sys
