#include "amity/sched/loop/stack_bounds.hpp"

#include <pthread.h>

#include "amity/sched/loop/internal/shell.hpp"

namespace amity::sched {

stack_bounds stack_of(const fiber& f) noexcept {
  if (f.native->kind != carrier_kind::guest) {
    const sys::stack& s = shell_of(const_cast<fiber&>(f)).stack;
    return {s.base, s.base + s.size};
  }
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* base = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &base, &size);
  pthread_attr_destroy(&attributes);
  auto* const low = static_cast<const std::byte*>(base);
  return {low, low + size};
}

}  // namespace amity::sched
