// Waiting by address: any word of memory can have a queue of fibers, and costs nothing while nobody waits there.
//
//   while (!ready.load(std::memory_order_acquire))                                   // the waiter
//     sync::park_at(&ready, [&] { return !ready.load(std::memory_order_relaxed); });
//
//   ready.store(true, std::memory_order_release);                                    // the waker
//   sync::unpark_all(&ready);
//
// The condition is looked at again under the lock of the address's queue, and wakers take the same lock, so no wake is
// lost whose cause was stored before the call. Only the address is used, never what lies there: a waker may call after
// the object is gone. README.md has the protocol.
//
// Memory ordering: what happened before an unpark happens before the return of the park that it ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/loop/timer.hpp"

namespace amity::sync {

enum class parked : std::uint32_t {
  no,           // the condition did not hold any more
  woken,        // by unpark_*: look again
  handed_over,  // by unpark_one, whose `decide` passed on what is waited for
  timed_out,    // the deadline came first; nobody has taken the waiter out
};

// What else there is to say about a wait.
struct park_options {
  bool wants_hand_over = false;
  sched::instant deadline = sched::never;
  // For reports (sched/fiber/wait_note.hpp): what is waited for, and an address in the code that does; null: the
  // caller's.
  sched::wait_kind kind = sched::wait_kind::address;
  const void* where = nullptr;
  // Changed under the queue's lock: one more when the waiter has come in, one less when it was taken out, by whomever.
  // Only the thread that takes it out uses what lies there afterwards.
  std::atomic<std::uint32_t>* waiters = nullptr;
  // Called by the waiter when it is in the queue, before it sleeps: a waker finds it from then on. May block.
  void (*when_queued)(void*) = nullptr;
  void* context = nullptr;  // for when_queued
};

// What unpark_one tells the caller's function about the longest waiter.
struct queue_view {
  bool found;            // somebody waits
  bool more;             // somebody else does, too
  bool wants_hand_over;  // the one found has waited in vain often enough
};

namespace detail {
AMITY_API parked park_at(const void* address, bool (*needed)(void*), void* context,
                         const park_options& options) noexcept;
AMITY_API void unpark_one(const void* address, bool (*decide)(void*, queue_view), void* context) noexcept;
}  // namespace detail

// Waits at `address` if `needed()`, which is called under the queue's lock: it must be short and must not block.
template <class Needed>
parked park_at(const void* address, Needed&& needed, const park_options& options = {}) noexcept {
  return detail::park_at(
      address, [](void* context) -> bool { return (*static_cast<Needed*>(context))(); }, &needed, options);
}

// Takes the longest waiter out and wakes it. `decide(queue_view)` is called under the queue's lock, whether somebody
// waits or not; true hands over.
template <class Decide>
void unpark_one(const void* address, Decide&& decide) noexcept {
  detail::unpark_one(
      address, [](void* context, queue_view view) -> bool { return (*static_cast<Decide*>(context))(view); }, &decide);
}

// Wakes at most `most` of those who wait at `address`, the longest first; says how many.
AMITY_API std::size_t unpark_some(const void* address, std::size_t most) noexcept;
inline std::size_t unpark_all(const void* address) noexcept { return unpark_some(address, SIZE_MAX); }

// Whether spinning in place may pay for the calling fiber: there are other cores, and this one is its own.
[[nodiscard]] AMITY_API bool may_spin() noexcept;

// Whether another fiber is ready on the calling fiber's core.
[[nodiscard]] AMITY_API bool core_is_wanted() noexcept;

}  // namespace amity::sync
