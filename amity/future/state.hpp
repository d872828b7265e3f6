#pragma once

/// The state that a future shares with whoever makes its value: a task with room for the result, or a promise. One
/// object, from the pool of the thread that made it.
///
///     detail::state& s = detail::new_state<int>();        // one reference for the maker, one for the future
///     detail::put_value<int>(s, 42);                      // the maker's
///     detail::complete(s);
///     detail::drop<int>(s);
///     detail::wait(s);                                    // the future's
///     int& x = detail::value<int>(s);
///
/// Memory ordering: what happened before complete() happens before the return of wait(), and before `ready` is called.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/future/future_error.hpp"
#include "amity/sched/loop/inbox.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sched/tasks/task.hpp"

namespace amity::detail {

using sched::worker;

/// Somebody who is told when a state is complete. It lies with whoever waits, and must stay until it was called.
struct waiter {
  waiter* next = nullptr;
  void (*ready)(waiter&) noexcept = nullptr;
};

enum class outcome : std::uint8_t { none, value, error, taken };  // taken: there was a value

struct state : sched::task {
  outcome how = outcome::none;  ///< written before complete(), read after it
  /// Somebody waited with a deadline: one of `waiters` wakes all who do, at the state's address (sync/parking.hpp).
  std::atomic<bool> announced{false};
  /// One for the future, one for the maker: the queue in which a task lies, or a promise.
  std::atomic<std::uint32_t> references{2};
  /// Those who wait, the last first; `done` when it is complete.
  std::atomic<waiter*> waiters{nullptr};

  state() noexcept = default;
  state(sched::scope* s, std::uint8_t memory, sched::frame_pool* where) noexcept : task(nullptr, s, memory, where) {}
};

using sched::not_ready;
/// It lies in no queue, and is run when somebody waits for it.
inline constexpr std::uint8_t deferred = 3;
/// Its maker has to look for its end, as at a device, and does so when somebody wants to know it: `on_question` says
/// so. A promise's alone.
inline constexpr std::uint8_t on_question = 7;

inline waiter* done_mark() noexcept { return reinterpret_cast<waiter*>(std::uintptr_t{1}); }

[[nodiscard]] inline bool is_complete(const state& s) noexcept {
  return s.waiters.load(std::memory_order_acquire) == done_mark();  // pairs with complete
}

// --- what lies behind the state: the closure, and later the result in its place

struct unit {};
template <class T>
using stored = std::conditional_t<std::is_void_v<T>, unit,
                                  std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

[[nodiscard]] constexpr std::size_t offset_of(std::size_t alignment) noexcept {
  return (sizeof(state) + alignment - 1) / alignment * alignment;
}

/// The first address from `p` on that has the alignment.
[[nodiscard]] inline void* aligned_from(void* p, std::size_t alignment) noexcept {
  return static_cast<std::byte*>(p) + (-reinterpret_cast<std::uintptr_t>(p) & (alignment - 1));
}

/// Memory of tasks is aligned to a cache line. What wants more is aligned where it lies, in room with as much to spare.
template <class X>
inline constexpr bool over_aligned = alignof(X) > base::cache_line;
/// Bytes that an X takes from a cache line's beginning on.
template <class X>
inline constexpr std::size_t size_in_line = sizeof(X) + (over_aligned<X> ? alignof(X) - base::cache_line : 0);

template <class X>
[[nodiscard]] void* place_behind(state& s) noexcept {
  if constexpr (over_aligned<X>)
    return aligned_from(&s + 1, alignof(X));
  else
    return reinterpret_cast<std::byte*>(&s) + offset_of(alignof(X));
}
template <class X>
[[nodiscard]] X& behind(state& s) noexcept {
  return *std::launder(static_cast<X*>(place_behind<X>(s)));
}
template <class X>
inline constexpr std::size_t size_with = offset_of(over_aligned<X> ? base::cache_line : alignof(X)) + size_in_line<X>;

[[nodiscard]] constexpr std::size_t larger_of(std::size_t a, std::size_t b) noexcept { return a > b ? a : b; }

/// Bytes of a state with room for each of `X`, one at a time, or for an exception.
template <class... X>
inline constexpr std::size_t state_bytes = size_with<std::exception_ptr>;
template <class X, class... Others>
inline constexpr std::size_t state_bytes<X, Others...> = larger_of(size_with<X>, state_bytes<Others...>);

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_bad_alloc() { throw std::bad_alloc(); }

template <class... X>
[[nodiscard, gnu::always_inline]] inline state& make_state(worker& w) {
  constexpr std::size_t bytes = state_bytes<X...>;
  sched::frame* const f = sched::take_task_memory<bytes>(w);
  if (f == nullptr) [[unlikely]]
    throw_bad_alloc();
  sched::frame_pool* const home = f->home;
  return *::new (f) state(nullptr, static_cast<std::uint8_t>(sched::class_for_task(bytes)), home);
}

// --- the maker's side

template <class T, class... Args>
void put_value(state& s, Args&&... args) {
  ::new (place_behind<stored<T>>(s)) stored<T>(std::forward<Args>(args)...);
  s.how = outcome::value;
}

inline void put_error(state& s, std::exception_ptr error) noexcept {
  ::new (place_behind<std::exception_ptr>(s)) std::exception_ptr(std::move(error));
  s.how = outcome::error;
}

/// The outcome is there: tells all who wait, the first first.
AMITY_API void tell(waiter* list) noexcept;

inline void complete(state& s) noexcept {
  // Release: the outcome; acquire: the waiters. Pairs with is_complete and add_waiter.
  waiter* const list = s.waiters.exchange(done_mark(), std::memory_order_acq_rel);
  if (list != nullptr) tell(list);
}

/// The same within a handler of messages, or wherever nothing may run that follows: fibers that wait are woken at once;
/// what follows otherwise is a task of its own.
AMITY_API void complete_in_handler(state& s) noexcept;

// --- the future's side

/// What somebody who asks does next. A fiber that parks polls before it does so. `looks`: it leaves nothing behind, and
/// may look again soon; it is told by its next look.
enum class asker : std::uint8_t { goes_on, parks, looks };
/// Calls the function given to answer_questions.
AMITY_API void pass_question(asker next) noexcept;
/// Whose states are `on_question` hears of it there, after the waiter was added. One in the process.
AMITY_API void answer_questions(void (*how)(asker next) noexcept) noexcept;
/// Somebody wants to know the end of a state that is not complete.
inline void ask(state& s, asker next) noexcept {
  if (s.claimed.load(std::memory_order_relaxed) == on_question) [[unlikely]]
    pass_question(next);
}

/// False: it is complete already, and nobody will be told.
[[nodiscard]] inline bool add_waiter(state& s, waiter& w, asker next = asker::goes_on) noexcept {
  waiter* first = s.waiters.load(std::memory_order_acquire);
  do {
    if (first == done_mark()) return false;
    w.next = first;
  } while (!s.waiters.compare_exchange_weak(first, &w, std::memory_order_release, std::memory_order_acquire));
  ask(s, next);
  return true;
}
/// A look, by somebody who will come again.
[[nodiscard]] inline bool looks_complete(state& s) noexcept {
  if (is_complete(s)) return true;
  ask(s, asker::looks);
  return is_complete(s);
}

/// Runs it here and now if it was deferred; where little is left of the stack, on another one.
AMITY_API void run_deferred(state& s) noexcept;
/// Nobody has asked for it yet.
[[nodiscard]] inline bool is_deferred(const state& s) noexcept {
  return s.claimed.load(std::memory_order_relaxed) == deferred;
}
inline void begin_deferred(state& s) noexcept {
  if (is_deferred(s)) [[unlikely]]
    run_deferred(s);
}

/// Waits until it is complete. A task that nobody has begun is run here and now; else the fiber waits, never the core.
AMITY_API void wait_slowly(state& s) noexcept;
inline void wait(state& s) noexcept {
  if (!is_complete(s)) wait_slowly(s);
}
/// The same for the only future of `s`. Mostly its task is the newest here, and nobody else has seen it.
inline void wait_alone(state& s) noexcept {
  if (is_complete(s)) return;
  worker* const w = sched::current_worker;
  if (w != nullptr && s.waiters.load(std::memory_order_relaxed) == nullptr && !sched::must_look(*w) &&
      w->queue.pop_if_newest(&s)) [[likely]]
    s.run(s, *w, sched::call::alone);
  else
    wait_slowly(s);
}

/// Somebody has looked and gone on. It may do so again and again, on the only core, and wait for what no other fiber
/// can come to: now and then one task goes first. Where there are other carriers the tasks are theirs, and nobody who
/// only looks has to wait for a task's end.
AMITY_API void polled_often() noexcept;
inline void note_vain_poll() noexcept {
  constexpr unsigned polls_per_task = 64;
  if (worker* const w = sched::current_worker; w != nullptr && ++w->vain_polls % polls_per_task == 0) [[unlikely]]
    polled_often();
}

/// The same with a deadline; false if that came first. Runs no task here, which could last longer than that.
[[nodiscard]] AMITY_API bool wait_until(state& s, sched::instant deadline) noexcept;

template <class T>
[[nodiscard]] stored<T>& value(state& s) {
  if (s.how == outcome::error) [[unlikely]]
    std::rethrow_exception(behind<std::exception_ptr>(s));
  return behind<stored<T>>(s);
}
/// The same for its only reader, who takes the error along (caught.hpp says why).
template <class T>
[[nodiscard]] stored<T>& only_value(state& s) {
  if (s.how == outcome::error) [[unlikely]]
    std::rethrow_exception(std::move(behind<std::exception_ptr>(s)));
  return behind<stored<T>>(s);
}

[[gnu::cold, gnu::noinline]] inline void destroy_error(state& s) noexcept {
  std::destroy_at(std::addressof(behind<std::exception_ptr>(s)));
}

template <class T>
void free_complete_state(state& s, worker& w) noexcept {
  if (s.how == outcome::error) [[unlikely]]
    destroy_error(s);
  else if (s.how == outcome::value)
    std::destroy_at(std::addressof(behind<stored<T>>(s)));
  sched::give_task_memory(&s, s.size_class, w);
}

/// Has `free(s)` called on another stack. False: there is no memory for that.
AMITY_API bool free_elsewhere(state& s, worker& w, void (*free)(state&) noexcept) noexcept;

/// Of a deferred task that nobody has asked for. What it holds may be the future of another one, and so on.
template <class T>
[[gnu::cold, gnu::noinline]] void free_unbegun(state& s) noexcept {
  worker& w = sched::this_worker();
  if (sched::stack_is_low(w) && free_elsewhere(s, w, free_unbegun<T>)) return;
  s.run(s, w, sched::call::discard);
  sched::give_task_memory(&s, s.size_class, w);
}

/// On a thread that is none of Amity's, which does not become one by that.
template <class T>
[[gnu::cold, gnu::noinline]] void free_on_foreign_thread(state& s) noexcept {
  if (s.how == outcome::error)
    destroy_error(s);
  else if (s.how == outcome::value)
    std::destroy_at(std::addressof(behind<stored<T>>(s)));
  sched::give_task_memory_home(&s, s.size_class);
}

template <class T>
void free_state(state& s) noexcept {
  bool const is_unbegun = s.how == outcome::none && s.run != nullptr;
  if (sched::current_worker == nullptr && !is_unbegun && sched::is_foreign_thread()) [[unlikely]]
    return free_on_foreign_thread<T>(s);
  worker& w = sched::this_worker();
  if (s.how != outcome::none) return free_complete_state<T>(s, w);
  if (s.run != nullptr) return free_unbegun<T>(s);
  sched::give_task_memory(&s, s.size_class, w);
}

/// Gives up one reference.
template <class T>
[[gnu::noinline]] void drop(state& s) noexcept {
  // Acquire: what the others did before their drop. The last one needs no atomic operation.
  if (s.references.load(std::memory_order_acquire) == 1 || s.references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    free_state<T>(s);
}

/// Gives up the reference of the only reader of a complete state: the value goes now and here. The queue in which its
/// task lay may keep the memory for longer, even beyond the finish around it.
template <class T>
[[gnu::noinline]] void drop_outcome(state& s) noexcept {
  if constexpr (!std::is_trivially_destructible_v<stored<T>>) {
    if (s.how == outcome::value) {
      std::destroy_at(std::addressof(behind<stored<T>>(s)));
      s.how = outcome::taken;  // passed on by the drop
    }
  }
  drop<T>(s);
}

/// Gives one reference to a complete state up at the end of a block.
template <class T>
struct reference {
  state& to;
  explicit reference(state& s) noexcept : to(s) {}
  reference(const reference&) = delete;
  reference& operator=(const reference&) = delete;
  ~reference() {
    if (to.references.load(std::memory_order_acquire) == 1) [[likely]]  // as in drop
      free_complete_state<T>(to, sched::this_worker());
    else
      drop_outcome<T>(to);
  }
};

/// The same, complete or not.
template <class T>
[[gnu::noinline]] void drop_unwanted(state& s) noexcept {
  is_complete(s) ? drop_outcome<T>(s) : drop<T>(s);
}

/// Gives up the only future.
template <class T>
[[gnu::always_inline]] inline void abandon(state& s) noexcept {
  // With a waiter left behind (when_any) somebody still has to be told.
  if (worker* w = sched::current_worker;
      w != nullptr && s.waiters.load(std::memory_order_relaxed) == nullptr && sched::detach_newest(s, *w)) [[likely]]
    return;
  drop_unwanted<T>(s);
}

/// A state without a task: for promises.
template <class T>
[[nodiscard]] state& new_state() {
  return make_state<stored<T>>(sched::this_worker());
}

}  // namespace amity::detail
