#pragma once

/// Memory of the simulated devices, and pinned memory of the host. Both are the host's, and each range that a command
/// names has to lie within one allocation.

#include <utility>

#include "amity/accel/cuda/simulator/state.hpp"

namespace amity::accel::cuda::simulator {

struct allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  int device = 0;               ///< pinned memory: none
  pool_record* pool = nullptr;  ///< null: of no pool
};

class all_memory {
 public:
  int allocate(device_address* made, std::size_t bytes, int device, pool_record* pool) {
    std::lock_guard const held(lock_);
    if (made == nullptr || bytes == 0) return invalid_value;
    if (bytes > memory_of_device - used_[device]) return out_of_memory;
    void* const p = malloc(bytes);
    memset(p, 0xa5, bytes);  // its values are not known
    *made = reinterpret_cast<device_address>(p);
    allocated_[*made] = {*made, bytes, device, pool};
    used_[device] += bytes;
    all_controls.bytes += static_cast<long>(bytes);
    return good;
  }
  int release(device_address a) {
    std::lock_guard const held(lock_);
    auto const found = allocated_.find(a);
    if (found == allocated_.end()) return invalid_value;
    allocation const& its = found->second;
    used_[its.device] -= its.bytes;
    all_controls.bytes -= static_cast<long>(its.bytes);
    memset(reinterpret_cast<void*>(a), 0x5a, its.bytes);
    free(reinterpret_cast<void*>(a));
    allocated_.erase(found);
    return good;
  }
  int allocate_host(void** made, std::size_t bytes) {
    constexpr std::size_t page = 4096;
    if (made == nullptr || bytes == 0) return invalid_value;
    *made = aligned_alloc(page, (bytes + page - 1) / page * page);
    if (*made == nullptr) return out_of_memory;
    std::lock_guard const held(lock_);
    auto const begin = reinterpret_cast<std::uintptr_t>(*made);
    pinned_[begin] = {begin, bytes, -1, nullptr};
    return good;
  }
  int release_host(void* p) {
    std::lock_guard const held(lock_);
    if (pinned_.erase(reinterpret_cast<std::uintptr_t>(p)) == 0) return invalid_value;
    free(p);
    return good;
  }

  [[nodiscard]] bool is_allocated(device_address a) {
    std::lock_guard const held(lock_);
    return allocated_.count(a) != 0;
  }
  /// Which one a byte is of; none: it has no bytes.
  [[nodiscard]] allocation of_device(std::uintptr_t a) { return one_with(allocated_, a); }
  [[nodiscard]] allocation of_host(std::uintptr_t a) { return one_with(pinned_, a); }

 private:
  allocation one_with(const std::map<std::uintptr_t, allocation>& all, std::uintptr_t a) {
    std::lock_guard const held(lock_);
    auto const after = all.upper_bound(a);
    if (after == all.begin()) return {};
    allocation const& before = std::prev(after)->second;
    return a - before.begin < before.bytes ? before : allocation{};
  }

  std::mutex lock_;
  std::map<std::uintptr_t, allocation> pinned_, allocated_;
  std::size_t used_[devices] = {};
};
inline all_memory& memory() {
  static auto& one = *new all_memory;
  return one;
}

inline bool covers(const allocation& one, std::uintptr_t a, std::size_t bytes) {
  return one.bytes != 0 && bytes <= one.bytes - (a - one.begin);
}
/// Kernels and copies of `device` may use it.
inline bool may_use(int device, const allocation& one) {
  if (device < 0) return false;
  if (one.device == device) return true;
  return one.pool != nullptr ? one.pool->users.count(device) != 0 : contexts[device].peers.count(one.device) != 0;
}

/// `bytes` of memory of a device, of any.
inline int is_of_a_device(device_address a, std::size_t bytes) {
  return unless(covers(memory().of_device(a), a, bytes), invalid_value);
}
/// The same, and `device` may use it.
inline int is_usable(device_address a, std::size_t bytes, int device) {
  allocation const its = memory().of_device(a);
  return unless(covers(its, a, bytes) && may_use(device, its), invalid_value);
}
/// Memory of the host: what begins in pinned memory ends in it, too. `bytes` of other memory are counted.
inline int is_of_the_host(const void* p, std::size_t bytes) {
  auto const a = reinterpret_cast<std::uintptr_t>(p);
  allocation const its = memory().of_host(a);
  if (p == nullptr || memory().of_device(a).bytes != 0) return invalid_value;
  if (its.bytes == 0) return ++all_controls.pageable_copies, good;
  return unless(covers(its, a, bytes), invalid_value);
}

}  // namespace amity::accel::cuda::simulator
