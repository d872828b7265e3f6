#include "amity/accel/cuda/functions.hpp"

#include <dlfcn.h>

namespace amity::accel::cuda {
namespace {

driver_functions opened_driver;
bool is_simulated = false;

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
  is_simulated = dlsym(library, "cuGetExportTable") == nullptr;
  return true;
}

const driver_functions& driver() noexcept { return opened_driver; }

bool is_driver_simulated() noexcept { return is_simulated; }

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
