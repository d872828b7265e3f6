#include "amity/sched/tasks/internal/task_queue.hpp"

#include <stdlib.h>

#include <mutex>
#include <new>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"

namespace amity::sched {

namespace {
constexpr std::uint32_t first_capacity = 64;
constexpr std::uint32_t looked_at = 64;  // by within(): a wait must not cost more than the task that it finds
}  // namespace

task_queue::~task_queue() { base::give_back(ring_); }

void task_queue::push_locked(task_ref t) noexcept {
  std::uint32_t const size = size_.load(std::memory_order_relaxed);
  if (size == capacity_) {
    std::uint32_t const larger = capacity_ == 0 ? first_capacity : 2 * capacity_;
    auto* const ring = static_cast<task_ref*>(base::take_private(larger * sizeof(task_ref)));
    if (ring == nullptr) base::fatal("out of memory for a queue of %u tasks", larger);
    for (std::uint32_t i = 0; i < size; ++i) new (ring + i) task_ref(ring_[(first_ + i) & (capacity_ - 1)]);
    base::give_back(ring_);
    ring_ = ring;
    capacity_ = larger;
    first_ = 0;
  }
  new (ring_ + ((first_ + size) & (capacity_ - 1))) task_ref(t);
  size_.store(size + 1, std::memory_order_relaxed);
}

task_ref task_queue::take_at(std::uint32_t index) noexcept {
  std::uint32_t const mask = capacity_ - 1, size = size_.load(std::memory_order_relaxed);
  task_ref const taken = ring_[(first_ + index) & mask];
  if (index == 0) {
    ++first_;
  } else {
    for (std::uint32_t i = index; i + 1 < size; ++i) ring_[(first_ + i) & mask] = ring_[(first_ + i + 1) & mask];
  }
  size_.store(size - 1, std::memory_order_relaxed);
  return taken;
}

void task_queue::push(task_ref t) noexcept {
  std::lock_guard const held(lock_);
  push_locked(t);
}

task_ref task_queue::oldest() noexcept {
  if (size() == 0) return {};
  std::lock_guard const held(lock_);
  return size() == 0 ? task_ref() : take_at(0);
}

task_ref task_queue::newest() noexcept {
  if (size() == 0) return {};
  std::lock_guard const held(lock_);
  return size() == 0 ? task_ref() : take_at(size() - 1);
}

task_ref task_queue::within(const scope& s, order by) noexcept {
  if (size() == 0) return {};
  std::lock_guard const held(lock_);
  std::uint32_t const all = size();
  std::uint32_t const most = all < looked_at ? all : looked_at;
  for (std::uint32_t i = 0; i < most; ++i) {
    std::uint32_t const index = by == order::lifo ? all - 1 - i : all - most + i;
    if (ring_[(first_ + index) & (capacity_ - 1)].is_within(s)) return take_at(index);
  }
  return {};
}

bool task_queue::move_to(task_queue& to, std::uint32_t most) noexcept {
  if (size() == 0) return false;
  bool any = false;
  // One at a time: two locks are never held together.
  for (; most != 0; --most) {
    task_ref const t = oldest();
    if (!t) break;
    to.push(t);
    any = true;
  }
  return any;
}

}  // namespace amity::sched
