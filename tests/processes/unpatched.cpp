// The engine that a process has joined its job with leaves the code of the C library alone: threads run by then, and
// one that executes what is being overwritten crashes.
#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "check.hpp"

namespace {

struct library {
  std::string path;
  ElfW(Addr) base = 0;
  std::vector<ElfW(Phdr)> parts;
};

library c_library() {
  library found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        if (std::strstr(info->dlpi_name, "/libc.so.6") == nullptr) return 0;
        *static_cast<library*>(to) = {
            info->dlpi_name, info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum}};
        return 1;
      },
      &found);
  return found;
}

// Its first bytes, as the file has them.
std::string as_in_file(const library& of, ElfW(Addr) address, std::size_t bytes) {
  std::string text(bytes, '\0');
  for (const ElfW(Phdr) & part : of.parts) {
    ElfW(Addr) const at = address - of.base - part.p_vaddr;
    if (part.p_type != PT_LOAD || at >= part.p_filesz) continue;
    std::ifstream file(of.path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(part.p_offset + at));
    file.read(text.data(), static_cast<std::streamsize>(bytes));
    return file ? text : std::string();
  }
  return {};
}

}  // namespace

int main() {
  int const me = amity::rank_me();
  amity::rpc((me + 1) % amity::rank_n(), [] {}).get();  // connects
  library const libc = c_library();
  void* const handle = dlopen(libc.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  test::check(handle != nullptr, "the C library is found");
  constexpr std::size_t bytes = 16;
  for (const char* name : {"mmap", "munmap", "mremap", "madvise", "shmat", "shmdt", "brk", "sbrk"}) {
    void* const function = dlsym(handle, name);
    test::check(function != nullptr, name);
    if (function == nullptr) continue;
    std::string const due = as_in_file(libc, reinterpret_cast<ElfW(Addr)>(function), bytes);
    test::check(due.size() == bytes, std::string(name) + " is in the file");
    test::check(due == std::string(static_cast<const char*>(function), bytes), std::string(name) + " is overwritten");
  }
  return test::end();
}
