#pragma once

/// The names of the HabaneroUPC++ paper (Kumar et al., PGAS 2014) for what goes between processes, beside those of
/// finish/habanero.hpp.
///
///     using namespace amity::habanero;
///     finish_spmd([=] {
///       asyncCopy(src, dst, n, ddf);                         // puts the data-driven future when it has arrived
///       asyncAwait(ddf, [=] { use(dst); });
///       asyncAt((myrank() + 1) % ranks(), [=] { ... });
///     });

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "amity/finish/habanero.hpp"
#include "amity/finish/habanero/habanero_cpp.hpp"
#include "amity/pgas/async_any.hpp"
#include "amity/pgas/barrier.hpp"
#include "amity/pgas/one_sided.hpp"
#include "amity/pgas/remote_call.hpp"
#include "amity/pgas/shared.hpp"
#include "amity/sync/condition_variable.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::habanero {

using amity::finish_spmd;
using amity::global_ptr;
using amity::shared_array;
using amity::shared_var;

/// The same as amity::rank_n().
[[nodiscard]] inline int ranks() { return amity::rank_n(); }
/// The same as amity::rank_me().
[[nodiscard]] inline int myrank() { return amity::rank_me(); }
/// The same as amity::barrier_all(). Blocks the fiber until all processes have called it.
inline void barrier() { amity::barrier_all(); }

/// Runs `f` as a task of process `place`, within the finish around the call. The same as amity::async_at, with its
/// errors, but nobody asks for the result. Does not wait.
template <class F>
void asyncAt(int place, F&& f) {
  static_cast<void>(amity::async_at(place, std::forward<F>(f)));
}

/// Makes a task that calls `f(args...)` here, or in a process that has nothing to do. The same as amity::async_any.
template <class F, class... Args>
void asyncAny(F&& f, Args&&... args) {
  amity::async_any(std::forward<F>(f), std::forward<Args>(args)...);
}

/// Counts operations that have not ended, for others to wait for. Of one process; any thread may use it. Requires: it
/// stays until the operations that it was given to have ended. UPC++ 0.1's.
class event {
 public:
  /// Nothing is open.
  event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// Counts `n` operations as begun.
  void incref(std::uint32_t n = 1) {
    std::lock_guard const held(lock_);
    open_ += n;
  }
  /// Counts `n` operations as ended; the last one wakes those that wait.
  /// Requires: at least `n` are open.
  void decref(std::uint32_t n = 1) {
    std::lock_guard const held(lock_);
    open_ -= n;
    if (open_ == 0) none_.notify_all();
  }
  /// All operations have ended. Does not wait for them.
  [[nodiscard]] bool isdone() const {
    std::lock_guard const held(lock_);
    return open_ == 0;
  }
  /// The same as isdone().
  [[nodiscard]] bool test() const { return isdone(); }
  /// The same as isdone().
  [[nodiscard]] bool async_try() const { return isdone(); }
  /// Waits until all operations have ended. Blocks the fiber.
  void wait() {
    std::unique_lock held(lock_);
    none_.wait(held, [this] { return open_ == 0; });
  }

 private:
  mutable sync::mutex lock_;
  sync::condition_variable none_;
  std::uint64_t open_ = 0;
};

namespace detail {

/// A copy within the finish around the call; `then()` when it has arrived.
template <class T, class U, class Then>
void copy_within(global_ptr<T> src, global_ptr<U> dst, std::size_t count, Then then) {
  future<void> copied = amity::async_copy(src, dst, count);
  sched::worker& w = sched::this_worker();
  sched::scope* const within = w.current;
  sched::begin_within(within, w);  // only now: what throws is not counted
  copied.then(launch::sync, [within, then = std::move(then)](future<void> f) mutable {
    if (std::exception_ptr const error = f.get_exception_ptr()) amity::detail::report_error(within, error);
    then();
    sched::end_within(within, sched::this_worker());
  });
}

}  // namespace detail

/// Copies `count` elements between any two processes, as amity::async_copy, within the finish around the call; puts
/// `ddf` when they have arrived, if it is not null. A failure comes to the finish, and `ddf` is put all the same. Does
/// not wait. Throws std::invalid_argument if a global pointer is null; `ddf` is not put then.
template <class T, class U>
void asyncCopy(global_ptr<T> src, global_ptr<U> dst, std::size_t count, DDF_t* ddf = nullptr) {
  detail::copy_within(src, dst, count, [ddf] {
    if (ddf != nullptr) ddf_put(ddf, nullptr);
  });
}
/// The same, and puts `done`, which must stay until then.
template <class T, class U>
void asyncCopy(global_ptr<T> src, global_ptr<U> dst, std::size_t count, promise<void>& done) {
  detail::copy_within(src, dst, count, [&done] { done.set_value(); });
}

/// The same with UPC++ 0.1's name: the copy counts in `e`, which must not be null, until it has arrived.
template <class T, class U>
void async_copy(global_ptr<T> src, global_ptr<U> dst, std::size_t count, event* e) {
  pgas::detail::check_pointer(src.is_null() || dst.is_null(), "async_copy");  // before it counts
  e->incref();
  detail::copy_within(src, dst, count, [e] { e->decref(); });
}
using amity::async_copy_fence;
/// Copies `count` elements between any two processes, and waits until they have arrived. Blocks the fiber. Throws as
/// amity::async_copy and its future.
template <class T, class U>
void copy(global_ptr<T> src, global_ptr<U> dst, std::size_t count) {
  amity::async_copy(src, dst, count).get();
}

/// Makes a task that waits until nothing is open in `after`, then calls `f(args...)` in process `place`, and waits for
/// that. The call counts in `done` until it has ended. Either may be null. Does not wait. If the call fails, the finish
/// around gets the error, and `done` stays open.
template <class F, class... Args>
void async_after(int place, event* after, event* done, F f, Args... args) {
  if (done != nullptr) done->incref();
  amity::async([=] {
    if (after != nullptr) after->wait();
    amity::rpc(place, f, args...).get();
    if (done != nullptr) done->decref();
  });
}

/// What async and async_after give: calling it with a function and arguments makes the call, as in
/// `async(place, &e)(f, args...)`. UPC++ 0.1's.
class async_launcher {
 public:
  /// For async and async_after.
  async_launcher(int place, event* after, event* done) noexcept : place_(place), after_(after), done_(done) {}
  /// Calls `f(args...)` in the process, as async_after with all arguments does.
  template <class F, class... Args>
  void operator()(F f, Args... args) const {
    async_after(place_, after_, done_, std::move(f), std::move(args)...);
  }

 private:
  int place_;
  event *after_, *done_;
};
/// `async(place, done)(f, args...)` calls `f(args...)` in process `place`; the call counts in `done` until it has
/// ended.
[[nodiscard]] inline async_launcher async(int place, event* done = nullptr) { return {place, nullptr, done}; }
/// `async_after(place, after, done)(f, args...)` does the same when nothing is open in `after` any more.
[[nodiscard]] inline async_launcher async_after(int place, event* after, event* done = nullptr) {
  return {place, after, done};
}

}  // namespace amity::habanero
