#pragma once

/// Objects for the thread that takes messages, which must not wait for a lock of malloc's.

#include <sys/mman.h>

#include <cstddef>

#include "amity/base/report.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::omp::cluster {

/// Objects of plain data. The caller sees to it that one thread uses it at a time. Nothing goes back to the system.
template <class T>
class pool {
 public:
  /// Not initialised.
  [[nodiscard]] T* take() noexcept {
    if (free_ == nullptr) get_more();
    slot* const s = free_;
    free_ = s->next;
    return reinterpret_cast<T*>(s);
  }
  void give_back(T* object) noexcept {
    auto* const s = reinterpret_cast<slot*>(object);
    s->next = free_;
    free_ = s;
  }

 private:
  union slot {
    slot* next;
    alignas(T) std::byte object[sizeof(T)];
  };
  static constexpr std::size_t chunk = 256 * 1024;

  void get_more() noexcept {
    long const at = sys::raw_syscall(SYS_mmap, 0, chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (at < 0) base::fatal("out of memory for what several processes agree on (%zu bytes)", chunk);
    auto* const slots = reinterpret_cast<slot*>(at);
    for (std::size_t i = 0; i < chunk / sizeof(slot); ++i) {
      slots[i].next = free_;
      free_ = &slots[i];
    }
  }

  slot* free_ = nullptr;
};

}  // namespace amity::omp::cluster
