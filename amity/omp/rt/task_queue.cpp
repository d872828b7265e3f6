#include "amity/omp/rt/task_queue.hpp"

#include <stdlib.h>

#include <new>
#include <utility>

#include "amity/base/atomic_shim.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/rt/task.hpp"
#include "amity/sched/park.hpp"

namespace amity::omp {

namespace {

explicit_task* next_of(const explicit_task& x) noexcept { return static_cast<explicit_task*>(x.next); }

}  // namespace

task_queue::~task_queue() {
  for (level* l = highest_; l != &normal_;) free(std::exchange(l, l->lower));
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
  auto* l = static_cast<level*>(malloc(sizeof(level)));
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
  count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (tell != nullptr) tell(*tm);
  unlock();
  std::atomic_thread_fence(std::memory_order_seq_cst);  // Dekker with whoever clears the hint, then asks is_empty
}

explicit_task* task_queue::take_first(bool (*may)(const explicit_task& candidate, const void* context),
                                      const void* context) noexcept {
  lock();
  for (level* l = highest_; l != nullptr; l = l->lower) {
    explicit_task* before = nullptr;
    for (explicit_task* x = l->first; x != nullptr; before = x, x = next_of(*x)) {
      if (!may(*x, context)) continue;
      if (before == nullptr)
        l->first = next_of(*x);
      else
        before->next = x->next;
      if (l->last == x) l->last = before;
      count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      unlock();
      return x;
    }
  }
  unlock();
  return nullptr;
}

}  // namespace amity::omp
