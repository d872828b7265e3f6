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

/// As rank_n() and rank_me().
[[nodiscard]] inline int ranks() { return amity::rank_n(); }
/// The same.
[[nodiscard]] inline int myrank() { return amity::rank_me(); }
/// As barrier_all().
inline void barrier() { amity::barrier_all(); }

/// Runs `f` in process `place`, within the finish around the call. To the own process it is a local async.
template <class F>
void asyncAt(int place, F&& f) {
  static_cast<void>(amity::async_at(place, std::forward<F>(f)));
}

/// Runs `f` in whatever process has nothing to do: amity/pgas/async_any.hpp.
template <class F, class... Args>
void asyncAny(F&& f, Args&&... args) {
  amity::async_any(std::forward<F>(f), std::forward<Args>(args)...);
}

/// Counts operations that have not ended, and is waited for. UPC++ 0.1's.
class event {
 public:
  event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  void incref(std::uint32_t n = 1) {
    std::lock_guard const held(lock_);
    open_ += n;
  }
  void decref(std::uint32_t n = 1) {
    std::lock_guard const held(lock_);
    open_ -= n;
    if (open_ == 0) none_.notify_all();
  }
  /// Nothing is open.
  [[nodiscard]] bool isdone() const {
    std::lock_guard const held(lock_);
    return open_ == 0;
  }
  /// The same.
  [[nodiscard]] bool test() const { return isdone(); }
  /// The same.
  [[nodiscard]] bool async_try() const { return isdone(); }
  /// Blocks the fiber until nothing is open.
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
  sched::worker& w = sched::this_worker();
  sched::scope* const within = w.current;
  sched::begin_within(within, w);
  amity::async_copy(src, dst, count).then(launch::sync, [within, then = std::move(then)](future<void> f) mutable {
    if (std::exception_ptr const error = f.get_exception_ptr()) amity::detail::report_error(within, error);
    then();
    sched::end_within(within, sched::this_worker());
  });
}

}  // namespace detail

/// Copies `count` elements between any two processes, within the finish around the call; puts `ddf` when they have
/// arrived.
template <class T, class U>
void asyncCopy(global_ptr<T> src, global_ptr<U> dst, std::size_t count, DDF_t* ddf = nullptr) {
  detail::copy_within(src, dst, count, [ddf] {
    if (ddf != nullptr) ddf_put(ddf, nullptr);
  });
}
/// The same for any promise.
template <class T, class U>
void asyncCopy(global_ptr<T> src, global_ptr<U> dst, std::size_t count, promise<void>& done) {
  detail::copy_within(src, dst, count, [&done] { done.set_value(); });
}

/// The same with UPC++ 0.1's name: `e` is open until it has arrived.
template <class T, class U>
void async_copy(global_ptr<T> src, global_ptr<U> dst, std::size_t count, event* e) {
  e->incref();
  detail::copy_within(src, dst, count, [e] { e->decref(); });
}
using amity::async_copy_fence;
/// Copies, and waits.
template <class T, class U>
void copy(global_ptr<T> src, global_ptr<U> dst, std::size_t count) {
  amity::async_copy(src, dst, count).get();
}

/// Calls `f` in process `place` when `after` has nothing open any more; `done` is open until it has ended.
template <class F, class... Args>
void async_after(int place, event* after, event* done, F f, Args... args) {
  if (done != nullptr) done->incref();
  amity::async([=] {
    if (after != nullptr) after->wait();
    amity::rpc(place, f, args...).get();
    if (done != nullptr) done->decref();
  });
}

/// Waits with a call for its function and arguments: async(place, &e)(f, args...). UPC++ 0.1's.
class async_launcher {
 public:
  async_launcher(int place, event* after, event* done) noexcept : place_(place), after_(after), done_(done) {}
  template <class F, class... Args>
  void operator()(F f, Args... args) const {
    async_after(place_, after_, done_, std::move(f), std::move(args)...);
  }

 private:
  int place_;
  event *after_, *done_;
};
/// Calls what follows in process `place`; `done` is open until it has ended.
[[nodiscard]] inline async_launcher async(int place, event* done = nullptr) { return {place, nullptr, done}; }
/// The same when `after` has nothing open any more.
[[nodiscard]] inline async_launcher async_after(int place, event* after, event* done = nullptr) {
  return {place, after, done};
}

}  // namespace amity::habanero
