#include "amity/sync/parking.hpp"

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <new>
#include <utility>

#include "amity/sched/cores/contention.hpp"
#include "amity/sched/cores/spin.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sync {
namespace {

// One wait, on the waiter's stack. It is the waker's from the moment it is taken out of the queue until `state` is
// stored; then it may vanish at any time.
struct waiter {
  const void* address;
  sched::fiber* who;
  bool wants_hand_over;
  std::atomic<std::uint32_t>* count;  // of those who wait, kept for the caller; or null
  waiter* next;
  std::atomic<parked> state;  // `no` until woken

  // Relaxed: under the bucket's lock; a reader without the lock says why that will do.
  void counted(std::uint32_t change) const noexcept {
    if (count != nullptr) count->fetch_add(change, std::memory_order_relaxed);
  }
};

struct alignas(base::cache_line) bucket {
  sys::spin_lock lock;
  waiter* first = nullptr;  // all addresses of the bucket, in the order of arrival
  waiter* last = nullptr;

  void push(waiter& w) noexcept {
    (last == nullptr ? first : last->next) = &w;
    last = &w;
    w.counted(1);
  }
  // Takes out the first waiter at `address` from `*link` on; `link` then leads to what came after it.
  waiter* take(const void* address, waiter**& link, waiter*& before) noexcept {
    for (; *link != nullptr; before = *link, link = &(*link)->next) {
      waiter* w = *link;
      if (w->address != address) continue;
      *link = w->next;
      if (last == w) last = before;
      w->counted(-1u);
      return w;
    }
    return nullptr;
  }
  // False: somebody has taken it out, and is going to wake it.
  [[nodiscard]] bool remove(waiter& w) noexcept {
    waiter** link = &first;
    waiter* before = nullptr;
    for (; *link != &w; before = *link, link = &(*link)->next)
      if (*link == nullptr) return false;
    *link = w.next;
    if (last == &w) last = before;
    w.counted(-1u);
    return true;
  }
  [[nodiscard]] static bool has(const waiter* from, const void* address) noexcept {
    for (; from != nullptr; from = from->next)
      if (from->address == address) return true;
    return false;
  }
};

constexpr unsigned bucket_bits = 8;
bucket buckets[1u << bucket_bits];

bucket& bucket_of(const void* address) noexcept {
  // Fibonacci hashing; the low bits of addresses are mostly alike.
  const std::uint64_t mixed = (reinterpret_cast<std::uintptr_t>(address) >> 2) * 0x9E3779B97F4A7C15u;
  return buckets[mixed >> (64 - bucket_bits)];
}

// The child of a fork has one thread, and it waits nowhere: whatever the queues and their locks were is void.
void forget_waiters() noexcept {
  for (bucket& b : buckets) new (&b) bucket;
}

void watch_forks() noexcept {
  static std::atomic<bool> watching{false};
  if (watching.load(std::memory_order_relaxed)) return;  // relaxed: nothing is read because of it
  if (!watching.exchange(true, std::memory_order_relaxed)) pthread_atfork(nullptr, nullptr, forget_waiters);
}

void wake(waiter& w, parked how) noexcept {
  sched::fiber* const who = w.who;
  w.state.store(how, std::memory_order_release);  // pairs with detail::park_at; `w` is gone from here on
  sched::unpark(who);
}

}  // namespace

namespace detail {

parked park_at(const void* address, bool (*needed)(void*), void* context, const park_options& options) noexcept {
  watch_forks();
  waiter w{address, sched::self(), options.wants_hand_over, options.waiters, nullptr, parked::no};
  bucket& b = bucket_of(address);
  {
    std::lock_guard guard(b.lock);
    if (!needed(context)) return parked::no;
    b.push(w);
  }
  if (options.when_queued != nullptr) options.when_queued(options.context);
  // Waits for a mutex are many and short; where they are not, somebody waits for the end of it all in another way.
  if (options.kind != sched::wait_kind::mutex)
    sched::watch_for_stalls();
  else
    sched::watch_for_stalls_of_mutexes();
  const sched::wait_noted noted(*w.who, options.kind, address,
                                options.where != nullptr ? options.where : __builtin_return_address(0));
  bool may_be_woken = options.when_queued != nullptr;  // and our permit may be gone: what was called may have parked
  for (sched::instant deadline = options.deadline;;) {
    if (!std::exchange(may_be_woken, false)) sched::park_until(deadline);
    const parked state = w.state.load(std::memory_order_acquire);  // pairs with wake
    if (state != parked::no) return state;
    if (deadline == sched::never || sched::now() < deadline) continue;
    std::lock_guard guard(b.lock);
    if (b.remove(w)) return parked::timed_out;
    deadline = sched::never;  // the waker has the record, and its wake is on the way
  }
}

void unpark_one(const void* address, bool (*decide)(void*, queue_view), void* context) noexcept {
  bucket& b = bucket_of(address);
  waiter* w;
  bool handed_over;
  {
    std::lock_guard guard(b.lock);
    waiter** link = &b.first;
    waiter* before = nullptr;
    w = b.take(address, link, before);
    const bool more = w != nullptr && bucket::has(*link, address);
    handed_over = decide(context, {w != nullptr, more, w != nullptr && w->wants_hand_over});
  }
  if (w != nullptr) wake(*w, handed_over ? parked::handed_over : parked::woken);
}

}  // namespace detail

std::size_t unpark_some(const void* address, std::size_t most) noexcept {
  bucket& b = bucket_of(address);
  waiter* taken = nullptr;
  waiter** end = &taken;
  std::size_t count = 0;
  {
    std::lock_guard guard(b.lock);
    waiter** link = &b.first;
    waiter* before = nullptr;
    while (count < most) {
      waiter* w = b.take(address, link, before);
      if (w == nullptr) break;
      w->next = nullptr;
      *end = w;
      end = &w->next;
      ++count;
    }
  }
  while (taken != nullptr) {
    waiter* const next = taken->next;
    wake(*taken, parked::woken);
    taken = next;
  }
  return count;
}

bool may_spin() noexcept {
  return sched::spin_setting.most != 0 && sched::concurrency() != 1 &&
         !sched::is_shared(*sched::self()->on, sys::ticks());
}

bool core_is_wanted() noexcept { return sched::others_ready(*sched::self()->on); }

}  // namespace amity::sync
