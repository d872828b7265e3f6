#pragma once

/// What the simulated driver knows: its devices, the thread's context, memory, and which handles are alive.

#include <stdlib.h>
#include <string.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "amity/accel/cuda/abi.hpp"
#include "amity/accel/cuda/simulator/codes.hpp"
#include "amity/accel/cuda/simulator/simulator.hpp"

namespace amity::accel::cuda {

struct context_record {
  int device = 0;
  std::set<int> peers;  ///< devices whose plain memory this one's kernels may use
};

struct pool_record {
  int device = 0;
  std::set<int> users;  ///< devices beside its own that may use its memory
  std::uint64_t threshold = 0;
};

namespace simulator {

constexpr int devices = 2;
constexpr std::size_t memory_of_device = std::size_t{256} << 20;
constexpr std::size_t shared_always = 48 << 10, shared_at_most = 200 << 10;

inline controls all_controls;
inline std::atomic<bool> is_initialized{false};
inline std::atomic<int> failure_of[devices];  ///< what stays after an error
// Never destroyed, as all that streams and late tasks use.
inline auto& contexts = *new std::array<context_record, devices>{{{0, {}}, {1, {}}}};
inline auto& default_pools = *new std::array<pool_record, devices>{{{0, {}, 0}, {1, {}, 0}}};
inline thread_local context_record* current_context = nullptr;
/// The thread runs a function of cuLaunchHostFunc's, which must not call the driver.
inline thread_local bool is_in_host_function = false;

inline bool lacks(const char* what) {
  const char* const said = getenv("AMITY_SIMULATED_LACKS");
  return said != nullptr && strstr(said, what) != nullptr;
}
/// AMITY_SIMULATED_DRIVER=12040: CUDA 12.4.
inline int driver_version() {
  const char* const said = getenv("AMITY_SIMULATED_DRIVER");
  return said != nullptr ? atoi(said) : 13000;
}
/// AMITY_SIMULATED_CAPABILITY=70,90: of the two devices.
inline int capability_of(int device) {
  const char* said = getenv("AMITY_SIMULATED_CAPABILITY");
  int both[devices] = {90, 90};
  if (said != nullptr && sscanf(said, "%d,%d", &both[0], &both[1]) == 1) both[1] = both[0];
  return both[device];
}

/// The handles of one kind that are alive.
template <class T>
class handles {
 public:
  T* add(T* one) {
    std::lock_guard const held(lock_);
    return all_.insert(one), one;
  }
  bool remove(T* one) {
    std::lock_guard const held(lock_);
    return all_.erase(one) != 0;
  }
  bool have(T* one) {
    std::lock_guard const held(lock_);
    return all_.count(one) != 0;
  }
  static handles& of() {
    static auto& one = *new handles;
    return one;
  }

 private:
  std::mutex lock_;
  std::set<T*> all_;
};
template <class T>
bool is_alive(T* one) {
  return handles<T>::of().have(one);
}

/// What is wrong before a call has looked at its arguments.
inline int without_context() {
  if (is_in_host_function) return not_permitted;
  return is_initialized.load() ? good : not_initialized;
}
inline int within_a_context() {
  if (int const code = without_context(); code != good) return code;
  return current_context == nullptr ? invalid_context : failure_of[current_context->device].load();
}
/// The device of the thread's context; -1: it has none.
inline int device_here() { return current_context != nullptr ? current_context->device : -1; }
/// The first that is not good.
template <class... Codes>
int first_of(Codes... codes) {
  int found = good;
  static_cast<void>((((found = codes) != good) || ...));
  return found;
}
inline int unless(bool is_right, int code) { return is_right ? good : code; }
inline int is_device(int d) { return unless(d >= 0 && d < devices, invalid_device); }

}  // namespace simulator
}  // namespace amity::accel::cuda
