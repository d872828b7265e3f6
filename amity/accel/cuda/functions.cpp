#include "amity/accel/cuda/functions.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace amity::accel::cuda {
namespace {

driver_functions opened_driver;
compiler_functions opened_compiler;
/// Never destroyed, as all here: tasks may build programs while the process ends.
std::string& folder_of_compiler = *new std::string;

bool find_in(void* library, const char* of, compiler_functions& to, std::string& why) {
#define AMITY_NVRTC_FIND(member, symbol, required, ...)                                   \
  to.member = reinterpret_cast<std::add_pointer_t<__VA_ARGS__>>(dlsym(library, #symbol)); \
  if (to.member == nullptr && (required)) {                                               \
    why = std::string(of) + " has no " #symbol;                                           \
    return false;                                                                         \
  }
  AMITY_NVRTC_FUNCTIONS(AMITY_NVRTC_FIND)
#undef AMITY_NVRTC_FIND
  result const code = to.version(&to.major_version, &to.minor_version);
  if (code != 0) why = std::string(of) + " does not tell its version: " + to.error_text(code);
  return code == 0;
}

/// Where it lies beside those places that the loader knows.
std::vector<std::string> folders_of_toolkits() {
  std::vector<std::string> all{""};
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const said = getenv(name); said != nullptr && *said == '/')
      for (const char* const below : {"/lib64/", "/lib/"}) all.push_back(std::string(said) + below);
  all.emplace_back("/usr/local/cuda/lib64/");
  return all;
}

/// The compiler looks for its built-in functions by a bare name at its first use, and finds them only where the loader
/// does, or if they are there already.
void open_builtins(const std::string& folder) {
  DIR* const all = opendir(folder.c_str());
  if (all == nullptr) return;
  while (const dirent* const one = readdir(all)) {
    std::string const name = one->d_name;
    if (name.starts_with("libnvrtc-builtins.so.")) dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
  closedir(all);
}

void* open_library_of_compiler(const std::vector<std::string>& names, const std::vector<std::string>& folders) {
  for (const std::string& name : names)
    for (const std::string& folder : folders)
      if (void* const library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL); library != nullptr)
        return library;
  return nullptr;
}

bool find_compiler(int driver_version, std::string& why) {
  constexpr int newest = 13, oldest = 12;
  int const driver_major = driver_version / 1000;
  std::vector<std::string> names;
  for (int major = std::min(driver_major, newest); major >= oldest; --major)
    names.push_back("libnvrtc.so." + std::to_string(major));
  names.emplace_back("libnvrtc.so.11.2");
  void* const library = open_library_of_compiler(names, folders_of_toolkits());
  if (library == nullptr) {
    why = "CUDA's run-time compiler is not there, of no version that the driver takes (" +
          std::to_string(driver_major) + " at most): none of";
    for (const std::string& name : names) why += " " + name;
    why += ". It comes with the CUDA toolkit or PyPI's nvidia-cuda-nvrtc; CUDA_HOME or LD_LIBRARY_PATH say where";
    return false;
  }
  if (!find_in(library, "CUDA's run-time compiler", opened_compiler, why)) return false;
  Dl_info where;
  if (dladdr(reinterpret_cast<void*>(opened_compiler.compile), &where) != 0 && where.dli_fname != nullptr) {
    std::string const path = where.dli_fname;
    folder_of_compiler = path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    open_builtins(folder_of_compiler);
  }
  return true;
}

}  // namespace

bool open_driver(std::string& why) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why = "libcuda.so.1 is not there: no driver of NVIDIA's";
    return false;
  }
#define AMITY_CUDA_FIND(member, symbol, required, ...)                                               \
  opened_driver.member = reinterpret_cast<std::add_pointer_t<__VA_ARGS__>>(dlsym(library, #symbol)); \
  if (opened_driver.member == nullptr && (required)) {                                               \
    why = "libcuda.so.1 has no " #symbol ": it is older than CUDA 11";                               \
    return false;                                                                                    \
  }
  AMITY_CUDA_FUNCTIONS(AMITY_CUDA_FIND)
#undef AMITY_CUDA_FIND
  return true;
}

const driver_functions& driver() noexcept { return opened_driver; }

const compiler_functions* open_compiler(int driver_version, std::string& why) {
  static std::mutex lock;
  static bool is_open = false, is_tried = false;
  static std::string& words = *new std::string;
  std::lock_guard const held(lock);
  if (!is_tried) is_open = find_compiler(driver_version, words);
  is_tried = true;
  why = words;
  return is_open ? &opened_compiler : nullptr;
}

const std::string& compiler_folder() noexcept { return folder_of_compiler; }

std::string words_of_error(result code) {
  const char *name = nullptr, *text = nullptr;
  if (opened_driver.error_name != nullptr) {
    opened_driver.error_name(code, &name);
    opened_driver.error_text(code, &text);
  }
  return std::string(name != nullptr ? name : "CUDA's error") + " (" + std::to_string(code) + ")" +
         (text != nullptr ? std::string(": ") + text : std::string());
}

void check(result code, const char* what) {
  if (code == 0) return;
  std::string const words = std::string(what) + ": " + words_of_error(code);
  if (code == out_of_memory_code) throw out_of_memory(words, code);
  throw device_error(words, code);
}

within_context::within_context(context_handle c) noexcept {
  opened_driver.get_context(&before_);
  is_changed_ = before_ != c;
  if (is_changed_) opened_driver.set_context(c);
}

within_context::~within_context() {
  if (is_changed_) opened_driver.set_context(before_);
}

}  // namespace amity::accel::cuda
