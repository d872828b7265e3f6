#include "amity/nodes/modules.hpp"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include <array>
#include <utility>

#include "amity/base/hash.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/memory.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::nodes {
namespace {

constexpr std::uintptr_t page = 4096;

constexpr int most_modules = 512;
struct module_info {
  std::uintptr_t address;
  const char* name;  // "": the program
  const ElfW(Phdr) * headers;
  int header_count;
  bool is_private;
};
module_info modules[most_modules];
int count = 0;
std::uint64_t mark = hash_of_nothing;

void mix(const void* data, std::size_t bytes) noexcept { mark = hash_of(data, bytes, mark); }
void mix(std::uintptr_t value) noexcept { mix(&value, sizeof value); }

bool stays_private(const char* name) noexcept {
  const char* const slash = strrchr(name, '/');
  const char* const file = slash != nullptr ? slash + 1 : name;
  // A thread must be able to use these while it waits for memory of others; and the runtime's own state is each
  // process's. The kernel's has no file.
  for (const char* const own :
       {"ld-linux", "libc.so", "libm.so", "libgcc_s.so", "libpthread.so", "libdl.so", "librt.so", "libmvec.so",
        "libamity", "libomp_amity", "libgomp.so", "libomp.so", "libiomp5.so", "linux-vdso", "libhwloc", "libnuma"})
    if (strncmp(file, own, strlen(own)) == 0) return true;
  return false;
}

const ElfW(Dyn) * dynamic_of(const module_info& m) noexcept {
  for (int i = 0; i < m.header_count; ++i)
    if (m.headers[i].p_type == PT_DYNAMIC) return reinterpret_cast<const ElfW(Dyn)*>(m.address + m.headers[i].p_vaddr);
  return nullptr;
}

const ElfW(Dyn) * entry_of(const module_info& m, ElfW(Sxword) tag) noexcept {
  const ElfW(Dyn)* d = dynamic_of(m);
  for (; d != nullptr && d->d_tag != DT_NULL; ++d)
    if (d->d_tag == tag) return d;
  return nullptr;
}

constructor_list constructors_of(const module_info& m) noexcept {
  const ElfW(Dyn)* const array = entry_of(m, DT_INIT_ARRAY);
  const ElfW(Dyn)* const bytes = entry_of(m, DT_INIT_ARRAYSZ);
  if (array == nullptr || bytes == nullptr) return {nullptr, 0};
  return {reinterpret_cast<const constructor*>(m.address + array->d_un.d_ptr),
          static_cast<int>(bytes->d_un.d_val / sizeof(constructor))};
}

bool is_this_library(const module_info& m) noexcept {
  auto const here = reinterpret_cast<std::uintptr_t>(&stays_private);
  for (int i = 0; i < m.header_count; ++i) {
    const ElfW(Phdr)& h = m.headers[i];
    if (h.p_type == PT_LOAD && here - (m.address + h.p_vaddr) < h.p_memsz) return true;
  }
  return false;
}

// --- constructors that are handed over: the loader calls functions of ours in their place

constexpr int most_handed_over = 256;
constructor_list handed_over[most_handed_over];
int handed_over_count = 0;
void (*run_handed_over)(const constructor_list&) = nullptr;

template <int K>
void in_place_of(int, char**, char**) {
  run_handed_over(handed_over[K]);
}
template <int... K>
constexpr std::array<constructor, sizeof...(K)> stand_ins(std::integer_sequence<int, K...>) noexcept {
  return {in_place_of<K>...};
}
const std::array<constructor, most_handed_over> in_their_places =
    stand_ins(std::make_integer_sequence<int, most_handed_over>());

// The loader has made that page read-only, as a rule.
void change(const ElfW(Dyn) * entry, std::uintptr_t value) noexcept {
  auto* const at = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(entry) & ~(page - 1));
  std::uintptr_t const end = reinterpret_cast<std::uintptr_t>(entry + 1);
  std::size_t const bytes = (end - reinterpret_cast<std::uintptr_t>(at) + page - 1) & ~(page - 1);
  if (mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0)
    refuse("the constructors of a library can't be led elsewhere: %s", strerror(errno));
  const_cast<ElfW(Dyn)*>(entry)->d_un.d_ptr = value;
}

// --- the overlay

void overlay(const module_info& m) noexcept {
  std::uintptr_t after_relro = 0;
  for (int i = 0; i < m.header_count; ++i)
    if (m.headers[i].p_type == PT_GNU_RELRO) after_relro = m.address + m.headers[i].p_vaddr + m.headers[i].p_memsz;
  for (int i = 0; i < m.header_count; ++i) {
    const ElfW(Phdr)& h = m.headers[i];
    if (h.p_type != PT_LOAD || (h.p_flags & PF_W) == 0) continue;
    std::uintptr_t from = (m.address + h.p_vaddr) & ~(page - 1);
    std::uintptr_t const to = (m.address + h.p_vaddr + h.p_memsz + page - 1) & ~(page - 1);
    // What the loader has made read-only is each process's own, and the same. It protects whole pages before that end.
    if (after_relro > from && after_relro <= to) from = after_relro & ~(page - 1);
    if (from < to) share_in_place(from, to);
  }
}

const module_info* module_with(const void* code) noexcept {
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < modules[k].header_count; ++i) {
      const ElfW(Phdr)& h = modules[k].headers[i];
      bool const is_code = h.p_type == PT_LOAD && (h.p_flags & PF_X) != 0;
      if (is_code && reinterpret_cast<std::uintptr_t>(code) - (modules[k].address + h.p_vaddr) < h.p_memsz)
        return &modules[k];
    }
  return nullptr;
}

}  // namespace

void list_modules() noexcept {
  dl_iterate_phdr(
      [](dl_phdr_info* m, std::size_t, void*) {
        if (count == most_modules) refuse("more than %d libraries", most_modules);
        module_info& info =
            modules[count++] = {m->dlpi_addr, m->dlpi_name, m->dlpi_phdr, m->dlpi_phnum, stays_private(m->dlpi_name)};
        mix(info.name, strlen(info.name));
        mix(info.address);
        for (int i = 0; i < info.header_count; ++i) {
          const ElfW(Phdr)& h = info.headers[i];
          mix(h.p_vaddr);
          mix(h.p_memsz);
          if (h.p_type == PT_NOTE) mix(reinterpret_cast<const void*>(info.address + h.p_vaddr), h.p_filesz);
        }
        return 0;
      },
      nullptr);
}

void refuse_unsuitable_modules() noexcept {
  for (int i = 0; i < count; ++i) {
    const module_info& m = modules[i];
    const ElfW(Dyn)* const flags = entry_of(m, DT_FLAGS_1);
    if (flags != nullptr && (flags->d_un.d_val & DF_1_INITFIRST) != 0 && !is_this_library(m))
      refuse(
          "%s wants to be the first to run (it was linked with -z initfirst), and so does Amity's library for several "
          "nodes. Only one can be",
          m.name);
    for (const char* const sanitizer : {"libasan.", "libtsan.", "liblsan.", "libubsan.", "libclang_rt."})
      if (strstr(m.name, sanitizer) != nullptr)
        refuse("a program with a sanitizer (%s) can't run over several nodes: both take malloc's place", m.name);
  }
}

std::uint64_t hash_of_modules() noexcept { return mark; }

void overlay_modules() noexcept {
  for (int i = 0; i < count; ++i)
    if (!modules[i].is_private) overlay(modules[i]);
}

bool is_in_module(const void* code) noexcept { return module_with(code) != nullptr; }

bool is_of_runtime(const void* code) noexcept {
  const module_info* const m = module_with(code);
  return m != nullptr && m->is_private;
}

bool is_main_program(const void* code) noexcept { return module_with(code) == &modules[0]; }

bool threads_have_variables() noexcept {
  for (int k = 0; k < count; ++k) {
    // The C++ library's are of exceptions under way, and of call_once.
    if (modules[k].is_private || strstr(modules[k].name, "/libstdc++.so") != nullptr) continue;
    for (int i = 0; i < modules[k].header_count; ++i)
      if (modules[k].headers[i].p_type == PT_TLS && modules[k].headers[i].p_memsz != 0) return true;
  }
  return false;
}

bool stacks_hold_code() noexcept {
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < modules[k].header_count; ++i)
      if (modules[k].headers[i].p_type == PT_GNU_STACK && (modules[k].headers[i].p_flags & PF_X) != 0) return true;
  return false;
}

void run_private_constructors(int argc, char** argv, char** environment) noexcept {
  auto const run = [&](const module_info& m) {
    constructor_list const list = constructors_of(m);
    for (int i = 0; i < list.count; ++i) list.first[i](argc, argv, environment);
  };
  auto const is_libc = [](const module_info& m) { return strstr(m.name, "/libc.so") != nullptr; };
  for (int i = 0; i < count; ++i)
    if (is_libc(modules[i])) run(modules[i]);
  for (int i = count; i-- > 0;)  // those that others need come later in the loader's list
    if (modules[i].is_private && !is_libc(modules[i]) && !is_this_library(modules[i])) run(modules[i]);
}

void hand_over_constructors(void (*run)(const constructor_list& of_library)) noexcept {
  run_handed_over = run;
  for (int i = 0; i < count; ++i) {
    const module_info& m = modules[i];
    if (*m.name == '\0' || m.is_private) continue;  // the program's own are libc's to call
    constructor_list const list = constructors_of(m);
    if (list.count == 0) continue;
    if (handed_over_count == most_handed_over) refuse("more than %d libraries with constructors", most_handed_over);
    handed_over[handed_over_count] = list;
    auto const place =
        reinterpret_cast<std::uintptr_t>(&in_their_places[static_cast<std::size_t>(handed_over_count++)]);
    change(entry_of(m, DT_INIT_ARRAY), place - m.address);
    change(entry_of(m, DT_INIT_ARRAYSZ), sizeof(constructor));
  }
}

}  // namespace amity::nodes
