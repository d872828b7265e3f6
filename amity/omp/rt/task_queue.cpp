#include "amity/omp/rt/task_queue.hpp"

#include <stdlib.h>

#include <new>
#include <utility>

#include "amity/base/private_memory.hpp"
#include "amity/base/processor.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/rt/task.hpp"
#include "amity/sched/loop/park.hpp"

namespace amity::omp {

namespace {

explicit_task* next_of(const explicit_task& x) noexcept { return static_cast<explicit_task*>(x.next); }

}  // namespace

task_queue::~task_queue() {
  for (level* l = highest_; l != &normal_;) base::give_back(std::exchange(l, l->lower));
}

// A few instructions long; the holder may be a fiber whose carrier is away, so waiters give the core away before long.
void task_queue::lock() noexcept {
  for (int turns = 0; locked_.exchange(true, std::memory_order_acquire); ++turns) {
    if (turns < 200)
      base::cpu_relax();
    else
      sched::yield();
  }
}

task_queue::level& task_queue::level_of(std::int32_t priority) noexcept {
  level** at = &highest_;
  while ((*at)->priority > priority) at = &(*at)->lower;  // ends at normal_: no priority is negative
  if ((*at)->priority == priority) return **at;
  auto* l = static_cast<level*>(base::take_private(sizeof(level)));
  if (l == nullptr) base::fatal("out of memory for a queue of tasks with priority %d", priority);
  new (l) level;
  l->priority = priority;
  l->lower = *at;
  *at = l;  // kept for the next tasks of this priority
  return *l;
}

void task_queue::push(explicit_task& x, void (*tell)(team& tm), team* tm) noexcept {
  lock();
  level& l = level_of(x.priority < 0 ? 0 : x.priority);
  x.next = nullptr;
  if (l.first == nullptr)
    l.first = &x;
  else
    l.last->next = &x;
  l.last = &x;
  if (l.priority > 0) urgent_.store(urgent_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (tell != nullptr) tell(*tm);
  unlock();
  std::atomic_thread_fence(std::memory_order_seq_cst);  // Dekker with a thread that clears the hint, then asks is_empty
}

void task_queue::push_first(explicit_task& x) noexcept {
  lock();
  x.next = normal_.first;
  normal_.first = &x;
  if (normal_.last == nullptr) normal_.last = &x;
  count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  unlock();
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as push
}

/// Requires: the lock.
explicit_task* task_queue::take(bool (*may)(const explicit_task& candidate, const void* context), const void* context,
                                std::uint32_t most) noexcept {
  for (level* l = highest_; l != nullptr; l = l->lower) {
    explicit_task* before = nullptr;
    for (explicit_task* x = l->first; x != nullptr; before = x, x = next_of(*x)) {
      if (most-- == 0) return nullptr;
      if (!may(*x, context)) continue;
      if (before == nullptr)
        l->first = next_of(*x);
      else
        before->next = x->next;
      if (l->last == x) l->last = before;
      if (l->priority > 0) urgent_.store(urgent_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      return x;
    }
  }
  return nullptr;
}

explicit_task* task_queue::take_first(bool (*may)(const explicit_task& candidate, const void* context),
                                      const void* context) noexcept {
  lock();
  explicit_task* const x = take(may, context, ~std::uint32_t{0});
  unlock();
  return x;
}

explicit_task* task_queue::try_take_first(bool (*may)(const explicit_task& candidate, const void* context),
                                          const void* context) noexcept {
  constexpr std::uint32_t few = 16;
  if (locked_.exchange(true, std::memory_order_acquire)) return nullptr;
  explicit_task* const x = take(may, context, few);
  unlock();
  return x;
}

}  // namespace amity::omp
