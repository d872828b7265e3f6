#include "amity/sys/rebind.hpp"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace amity::sys {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t call_slot = R_X86_64_JUMP_SLOT, address_slot = R_X86_64_GLOB_DAT;
#else
constexpr std::uint64_t call_slot = R_AARCH64_JUMP_SLOT, address_slot = R_AARCH64_GLOB_DAT;
#endif

using relocation = ElfW(Rela);
using relocations = std::span<const relocation>;

/// What an object's dynamic section says (System V ABI, "Dynamic Linking").
struct object {
  std::uintptr_t base;
  const ElfW(Dyn) * dynamic = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  relocations calls;   ///< those of the procedure linkage table
  relocations others;  ///< without the relative ones, which come first and name nothing

  /// The loader has added the base already, but where the section can't be written.
  template <class T>
  void point(const T*& to, std::uintptr_t at) const noexcept {
    to = reinterpret_cast<const T*>(at < base ? at + base : at);
  }

  explicit object(const dl_phdr_info& info) noexcept : base(info.dlpi_addr) {
    for (int i = 0; i < info.dlpi_phnum; ++i)
      if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
        dynamic = reinterpret_cast<const ElfW(Dyn)*>(base + info.dlpi_phdr[i].p_vaddr);
    const relocation *first_call = nullptr, *first_other = nullptr;
    std::size_t calls_bytes = 0, others_bytes = 0, relative = 0;
    bool with_addends = false;
    for (const auto* entry = dynamic; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      std::uint64_t const value = entry->d_un.d_val;
      switch (entry->d_tag) {
        case DT_SYMTAB:
          point(symbols, value);
          break;
        case DT_STRTAB:
          point(strings, value);
          break;
        case DT_JMPREL:
          point(first_call, value);
          break;
        case DT_PLTRELSZ:
          calls_bytes = value;
          break;
        case DT_PLTREL:
          with_addends = value == DT_RELA;
          break;
        case DT_RELA:
          point(first_other, value);
          break;
        case DT_RELASZ:
          others_bytes = value;
          break;
        case DT_RELACOUNT:
          relative = value;
          break;
        default:
          break;
      }
    }
    if (symbols == nullptr || strings == nullptr) return;
    if (with_addends && first_call != nullptr) calls = {first_call, calls_bytes / sizeof(relocation)};
    std::size_t const count = others_bytes / sizeof(relocation);
    if (first_other != nullptr && relative < count) others = {first_other + relative, count - relative};
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

/// The page of a slot that the loader has made read-only when it had bound it; it does so with whole pages. 0: none.
std::uintptr_t read_only_page(const dl_phdr_info& info, std::uintptr_t slot) noexcept {
  auto const size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::uintptr_t const page = slot / size * size;
  return covers(info, PT_GNU_RELRO, slot) && covers(info, PT_GNU_RELRO, page + size - 1) ? page : 0;
}

bool write_slot(const dl_phdr_info& info, std::uintptr_t slot, void* function) noexcept {
  auto const size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const page = reinterpret_cast<void*>(read_only_page(info, slot));
  if (page != nullptr && mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return false;
  // Relaxed: the code is there; another thread that binds the call just now may undo it, which does no harm.
  std::atomic_ref(*reinterpret_cast<void**>(slot)).store(function, std::memory_order_relaxed);
  if (page != nullptr) mprotect(page, size, PROT_READ);
  return true;
}

struct order {
  std::span<const rebinding> calls;
  bool (*concerns)(const char*);
  int changed = 0;

  [[nodiscard]] void* function_for(const char* name) const noexcept {
    for (const rebinding& each : calls)
      if (each.name[0] == name[0] && strcmp(each.name, name) == 0) return each.function;
    return nullptr;
  }
};

int rebind_in(dl_phdr_info* info, std::size_t, void* pointer) noexcept {
  auto& o = *static_cast<order*>(pointer);
  if (covers(*info, PT_LOAD, reinterpret_cast<std::uintptr_t>(o.calls.front().function))) return 0;
  object const x(*info);
  if ((x.calls.empty() && x.others.empty()) || (o.concerns != nullptr && !x.needs(o.concerns))) return 0;
  auto const lead_away = [&](relocations table, std::uint64_t kind) {
    for (const relocation& each : table) {
      if (ELF64_R_TYPE(each.r_info) != kind) continue;
      void* const function = o.function_for(x.strings + x.symbols[ELF64_R_SYM(each.r_info)].st_name);
      if (function != nullptr && write_slot(*info, x.base + each.r_offset, function)) ++o.changed;
    }
  };
  lead_away(x.calls, call_slot);
  lead_away(x.others, address_slot);  // code without a procedure linkage table
  return 0;
}

}  // namespace

int rebind_calls(std::span<const rebinding> calls, bool (*concerns)(const char* needed)) noexcept {
  if (calls.empty()) return 0;
  order o{calls, concerns};
  dl_iterate_phdr(rebind_in, &o);
  return o.changed;
}

int rebind_calls(const char* name, void* function, bool (*concerns)(const char* needed)) noexcept {
  rebinding const only{name, function};
  return rebind_calls({&only, 1}, concerns);
}

}  // namespace amity::sys
