#include "amity/sched/tasks/internal/roster.hpp"

#include <mutex>
#include <new>

#include "amity/base/report.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/process_barrier.hpp"

namespace amity::sched {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

constinit worker_roster roster;

void worker_roster::enter(worker& w) noexcept {
  std::lock_guard const held(lock_);
  if (!w.is_listed.load(memory_order_relaxed) && !enter_locked(w))
    base::fatal("out of memory for the list of threads that have tasks (%zu bytes)", sizeof(page));
}

/// False: out of memory.
bool worker_roster::enter_locked(worker& w) noexcept {
  page* p = &first_;
  while (p->listed.load(memory_order_relaxed) == ~std::uint64_t{0}) {
    page* next = p->next.load(memory_order_relaxed);
    if (next == nullptr) {
      next = new (std::nothrow) page;
      if (next == nullptr) return false;
      p->next.store(next, memory_order_release);  // pairs with look_between
    }
    p = next;
  }
  auto const free = static_cast<unsigned>(__builtin_ctzll(~p->listed.load(memory_order_relaxed)));
  p->entry[free].store(&w, memory_order_relaxed);
  w.is_listed.store(true, memory_order_relaxed);                       // under the lock of those that change it
  p->listed.fetch_or(std::uint64_t{1} << free, memory_order_seq_cst);  // pairs with look
  return true;
}

bool worker_roster::weed(std::uint64_t now) noexcept {
  constexpr std::uint64_t pause_us = 1000;
  if (now - weeded_at_.load(memory_order_relaxed) < sys::ticks_of_microseconds(pause_us)) return false;
  if (!lock_.try_lock()) return false;  // somebody else weeds, or lists one
  std::lock_guard const held(lock_, std::adopt_lock);
  weeded_at_.store(now, memory_order_relaxed);
  bool some_are_back = false;
  for (page* p = &first_; p != nullptr; p = p->next.load(memory_order_relaxed)) some_are_back |= weed_page(*p);
  return some_are_back;
}

/// A push is two stores and a look at the queue's word, without a fence. So this takes workers out, makes all threads
/// pass a memory barrier, and looks again. If the push comes before the barrier, this sees the task and lists the
/// worker again. Else the look at the word comes after it, finds that nothing is public, and then that the worker is
/// not listed (T6).
bool worker_roster::weed_page(page& p) noexcept {
  std::uint64_t out = 0;
  for (std::uint64_t rest = p.listed.load(memory_order_relaxed); rest != 0; rest &= rest - 1) {
    worker& w = *p.entry[__builtin_ctzll(rest)].load(memory_order_relaxed);
    if (has_tasks(w)) continue;
    out |= rest & -rest;
    w.is_listed.store(false, memory_order_relaxed);  // before the barrier; pairs with list
  }
  if (out == 0) return false;
  p.listed.fetch_and(~out, memory_order_relaxed);
  static_cast<void>(sys::await_all_stores());
  std::uint64_t back = 0;
  for (std::uint64_t rest = out; rest != 0; rest &= rest - 1) {
    worker& w = *p.entry[__builtin_ctzll(rest)].load(memory_order_relaxed);
    if (!has_tasks(w)) continue;
    back |= rest & -rest;
    w.is_listed.store(true, memory_order_relaxed);
  }
  if (back != 0) p.listed.fetch_or(back, memory_order_seq_cst);  // pairs with look
  return back != 0;
}

void worker_roster::forget() noexcept {
  new (&lock_) sys::spin_lock;
  for (page* p = &first_; p != nullptr; p = p->next.load(memory_order_relaxed))
    p->listed.store(0, memory_order_relaxed);
}

}  // namespace amity::sched
