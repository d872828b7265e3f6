/// What gcc 12's libgcc and libstdc++ take from glibc 2.35 and 2.36, for systems with 2.34. Each product carries these
/// two libraries, and a copy of this file; its functions are hidden, and stand before glibc's for them alone.

#include "amity/sys/older_glibc.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace amity::sys {
namespace {

struct search {
  std::uintptr_t address;
  dl_find_object* found;
};

int look_at(dl_phdr_info* object, std::size_t, void* of) noexcept {
  const search& s = *static_cast<const search*>(of);
  std::uintptr_t lowest = UINTPTR_MAX, end = 0, unwind_table = 0;
  bool is_in = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    std::uintptr_t const begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) unwind_table = begin;
    if (part.p_type != PT_LOAD) continue;
    lowest = std::min(lowest, begin);
    end = std::max(end, begin + part.p_memsz);
    is_in = is_in || s.address - begin < part.p_memsz;
  }
  if (!is_in) return 0;
  s.found->dlfo_map_start = reinterpret_cast<void*>(lowest);
  s.found->dlfo_map_end = reinterpret_cast<void*>(end);
  s.found->dlfo_eh_frame = reinterpret_cast<void*>(unwind_table);
  return unwind_table != 0 ? 1 : -1;
}

// Release, by the constructor; null before it and where glibc has none.
std::atomic<decltype(&_dl_find_object)> glibcs_own{nullptr};

/// Not at the first exception: dlvsym takes the loader's lock, and allocates where it finds nothing.
[[gnu::constructor]] void look_for_glibcs_own() noexcept {
  void* const found = dlvsym(RTLD_DEFAULT, "_dl_find_object", "GLIBC_2.35");
  glibcs_own.store(reinterpret_cast<decltype(&_dl_find_object)>(found), std::memory_order_release);
}

}  // namespace

int find_object_by_headers(void* address, dl_find_object* found) noexcept {
  *found = {};
  search s{reinterpret_cast<std::uintptr_t>(address), found};
  return dl_iterate_phdr(look_at, &s) == 1 ? 0 : -1;
}

}  // namespace amity::sys

// Of libgcc: where an address's table for unwinding is. Debian's gcc 12 was built with a glibc that has it.
extern "C" int _dl_find_object(void* address, dl_find_object* found) noexcept {
  auto* const its = amity::sys::glibcs_own.load(std::memory_order_acquire);  // pairs with look_for_glibcs_own
  return its != nullptr ? its(address, found) : amity::sys::find_object_by_headers(address, found);
}

// Of libstdc++'s std::random_device.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) abort();  // nothing of Amity's asks for it without this system call
  return number;
}
