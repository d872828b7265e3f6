#include "amity/sched/profile/place.hpp"

#include <link.h>
#include <stdio.h>
#include <unistd.h>

namespace amity::sched::profile {

namespace {

struct question {
  std::uintptr_t code;
  char* path;
  std::size_t size;
  std::uintptr_t begin = 0;
};

bool holds(const dl_phdr_info& file, std::uintptr_t code) noexcept {
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = file.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && code - file.dlpi_addr - part.p_vaddr < part.p_memsz) return true;
  }
  return false;
}

int look(dl_phdr_info* file, std::size_t, void* asked) noexcept {
  auto& q = *static_cast<question*>(asked);
  if (!holds(*file, q.code)) return 0;
  q.begin = file->dlpi_addr;
  // The program itself has no name here.
  snprintf(q.path, q.size, "%s", file->dlpi_name != nullptr ? file->dlpi_name : "");
  return 1;
}

}  // namespace

bool find_place(const void* code, char* path, std::size_t size, std::uintptr_t& begin) noexcept {
  question q{reinterpret_cast<std::uintptr_t>(code), path, size};
  if (code == nullptr || dl_iterate_phdr(look, &q) == 0) return false;
  begin = q.begin;
  if (path[0] != '\0') return true;
  ssize_t const length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = '\0';
  return length > 0;
}

}  // namespace amity::sched::profile
