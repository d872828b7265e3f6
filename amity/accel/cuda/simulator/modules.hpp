#pragma once

/// Images of programs: shared libraries that the simulated compiler has made, or text with such a library's digits.

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "amity/accel/cuda/simulator/memory.hpp"
#include "amity/accel/cuda/simulator/run_kernel.hpp"
#include "amity/accel/cuda/simulator/state.hpp"

namespace amity::accel::cuda {

struct module_record {
  int device = 0;
  void* library = nullptr;
  std::mutex lock;
  std::map<std::string, function_record*> functions;
};

namespace simulator {

/// What PTX has as digits.
inline std::string code_of_ptx(std::string_view ptx) {
  std::size_t const words = ptx.find(words_before_code);
  std::string code;
  if (words == std::string_view::npos) return code;
  for (ptx.remove_prefix(words + strlen(words_before_code)); ptx.size() >= 2; ptx.remove_prefix(2)) {
    unsigned char byte = 0;
    if (std::from_chars(ptx.data(), ptx.data() + 2, byte, 16).ptr != ptx.data() + 2) break;
    code += static_cast<char>(byte);
  }
  return code;
}

/// A library from its bytes; null: they are none.
inline void* library_of(std::string_view code) {
  int const file = memfd_create("kernels", 0);
  if (file < 0) return nullptr;
  bool const is_written = write(file, code.data(), code.size()) == static_cast<ssize_t>(code.size());
  // The loader knows libraries by their names, and numbers of files come again.
  static std::atomic<int> next{0};
  std::string path = "/proc/self/";
  for (int i = next.fetch_add(1); i > 0; --i) path += "./";
  path += "fd/" + std::to_string(file);
  void* const library = is_written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  close(file);
  return library;
}

/// The end of an ELF file of g++'s is the end of its table of sections.
inline std::string_view elf_at(const char* bytes) {
  std::uint64_t sections = 0;
  std::uint16_t entry = 0, entries = 0;
  memcpy(&sections, bytes + 0x28, sizeof sections);
  memcpy(&entry, bytes + 0x3a, sizeof entry);
  memcpy(&entries, bytes + 0x3c, sizeof entries);
  return {bytes, sections + std::size_t{entry} * entries};
}

/// Whether a device of `capability` runs it, and a driver of `version` takes it.
inline int is_fit(const target& t, bool is_ptx, int capability, int version) {
  if (is_ptx) {
    if (t.version > version) return unsupported_ptx_version;
    return unless(t.architecture <= capability, invalid_ptx);
  }
  if (lacks("machine code")) return no_binary_for_gpu;
  if (t.version / 1000 > version / 1000) return invalid_image;
  return unless(t.architecture / 10 == capability / 10 && t.architecture <= capability, no_binary_for_gpu);
}

inline int load(module_record** made, const char* image, int device) {
  bool const is_ptx = memcmp(image, "//", 2) == 0;
  if (!is_ptx && memcmp(image, "\177ELF", 4) != 0) return invalid_image;
  std::string const code = is_ptx ? code_of_ptx(image) : std::string(elf_at(image));
  void* const library = library_of(code);
  if (library == nullptr) return is_ptx ? invalid_ptx : invalid_image;
  const auto all = reinterpret_cast<table>(dlsym(library, "amity_kernels"));
  const auto* const made_for = static_cast<const target*>(dlsym(library, name_of_target));
  const auto* its_needs = static_cast<const needs*>(dlsym(library, name_of_needs));
  if (all == nullptr || made_for == nullptr || its_needs == nullptr) return invalid_image;
  if (int const no = is_fit(*made_for, is_ptx, capability_of(device), driver_version()); no != good) return no;
  *reinterpret_cast<barrier_hook>(dlsym(library, "amity_barrier")) = block_of_items::barrier;
  auto* const m = new module_record;  // never destroyed: keep_unloaded
  m->device = device;
  m->library = library;
  for (const kernel* k = all(); k->run != nullptr; ++k, ++its_needs) {
    auto* const f = new function_record;
    f->kernel = k;
    f->library = library;
    f->lock = &m->lock;
    f->device = device;
    f->own_shared = static_cast<std::size_t>(its_needs->shared_end - its_needs->shared);
    f->most_dynamic = f->own_shared < shared_always ? shared_always - f->own_shared : 0;
    if (its_needs->most_threads != 0) f->most_threads = its_needs->most_threads;
    m->functions[k->name] = handles<function_record>::of().add(f);
  }
  *made = handles<module_record>::of().add(m);
  return good;
}

/// Kernels of a program that has been unloaded may still run, so its record stays; reachable, for LeakSanitizer.
inline void keep_unloaded(module_record* m) {
  static std::mutex lock;
  static auto* const all = new std::vector<module_record*>;
  std::lock_guard const held(lock);
  all->push_back(m);
}

/// Bytes that are addresses of another device's memory, which `device` may not use.
inline bool names_foreign_memory(const function_record& f, void** arguments, int device) {
  for (unsigned i = 0; i < f.kernel->parameters; ++i) {
    device_address a = 0;
    if (strcmp(f.kernel->types[i], "u64") != 0) continue;
    memcpy(&a, arguments[i], sizeof a);
    if (allocation const its = memory().of_device(a); its.bytes != 0 && !may_use(device, its)) return true;
  }
  return false;
}

/// What cuda.h asks of a launch.
inline int is_launch(const function_record& f, const three& grid, const three& block, unsigned shared, void** arguments,
                     void** extra) {
  constexpr unsigned most_x = 0x7fffffff, most_yz = 0xffff, most_threads = 1024, most_z = 64;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) return invalid_value;
  if (grid.x > most_x || grid.y > most_yz || grid.z > most_yz) return invalid_value;
  if (block.x > most_threads || block.y > most_threads || block.z > most_z) return invalid_value;
  std::uint64_t const threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads > most_threads) return invalid_value;
  if (threads > f.most_threads) return launch_out_of_resources;
  if (shared > f.most_dynamic.load()) return invalid_value;
  if (extra != nullptr || (arguments == nullptr && f.kernel->parameters != 0)) return invalid_value;
  for (unsigned i = 0; i < f.kernel->parameters; ++i)
    if (arguments[i] == nullptr) return invalid_value;
  return good;
}

}  // namespace simulator
}  // namespace amity::accel::cuda
