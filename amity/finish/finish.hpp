#pragma once

/// finish waits for all tasks that were begun within it, and for those that they began.
///
///     amity::finish([&] {
///       amity::async([&] { amity::async([&] { ++grandchildren; }); });
///     });                                            // all have ended
///
/// What tasks or the body throw, finish throws when everything has ended: the first of them; finish_collect gives all.
/// A finish with a stop_token doesn't begin tasks any more once it is asked to stop. A thread that ends in a finish of
/// its own, by pthread_exit or pthread_cancel, waits for it first; in a task that ends the program, with a message.
///
/// Memory ordering: what the tasks did happens before the return.

#include <cxxabi.h>

#include <exception>
#include <stop_token>
#include <utility>
#include <vector>

#include "amity/future/async.hpp"

namespace amity {

namespace detail {

/// Takes the list of errors, the first first.
[[gnu::cold, gnu::noinline]] inline std::vector<std::exception_ptr> take_errors(sched::scope& s) {
  std::vector<std::exception_ptr> errors;
  auto* node = static_cast<scope_error*>(s.errors.exchange(nullptr, std::memory_order_acquire));  // pairs with report
  while (node != nullptr) {
    errors.push_back(std::move(node->error));
    delete std::exchange(node, node->next);
  }
  for (std::size_t i = 0, j = errors.size(); i + 1 < j; ++i) std::swap(errors[i], errors[--j]);
  return errors;
}

[[gnu::cold, gnu::noinline]] inline void rethrow_first(sched::scope& s) {
  std::rethrow_exception(take_errors(s).front());
}

/// Makes `s` the scope of new tasks.
inline void enter(sched::scope& s, worker& w, const std::stop_token* stop) noexcept {
  s.owner = &w;
  s.outer = w.current;
  s.stop = stop != nullptr ? stop : s.outer != nullptr ? s.outer->stop : nullptr;
  w.current = &s;
}

template <class Body>
void run_and_join(sched::scope& s, worker& w, Body& body) {
  std::uint32_t const base = w.queue.bottom();
  try {
    body();
  } catch (const abi::__forced_unwind&) {  // the thread ends, by pthread_exit or pthread_cancel; the tasks do so before
    sched::join(w, s, base);
    w.current = s.outer;
    static_cast<void>(take_errors(s));
    throw;
  } catch (...) {
    report_error(&s, std::current_exception());
  }
  sched::join(w, s, base);
  w.current = s.outer;
}

template <class Body>
void finish_with(const std::stop_token* stop, Body& body) {
  worker& w = sched::this_worker();
  sched::scope s;
  enter(s, w, stop);
  run_and_join(s, w, body);
  if (s.errors.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    rethrow_first(s);
}

}  // namespace detail

/// Runs `body` here and waits for all tasks that were begun within it, theirs too. The fiber waits, never the core.
/// Throws the first of what body and tasks have thrown, when all have ended.
template <class Body>
void finish(Body&& body) {
  detail::finish_with(nullptr, body);
}

/// The same; tasks within it, at any depth, that have not begun when `stop` is requested are not run. Their futures
/// then hold future_error, cancelled.
template <class Body>
void finish(std::stop_token stop, Body&& body) {
  detail::finish_with(&stop, body);
}

/// The same, and gives what was thrown instead of throwing it, the first first.
template <class Body>
[[nodiscard]] std::vector<std::exception_ptr> finish_collect(Body&& body) {
  detail::worker& w = sched::this_worker();
  sched::scope s;
  detail::enter(s, w, nullptr);
  detail::run_and_join(s, w, body);
  return detail::take_errors(s);
}

/// The finish around the calling task was asked to stop: what takes long may give up.
[[nodiscard]] inline bool stop_requested() noexcept {
  const detail::worker* w = sched::current_worker;
  return w != nullptr && detail::stopped(w->current);
}

namespace detail {

/// A scope that nobody waits in.
struct open_scope : sched::scope {
  promise<void> ended;
  sched::scope* around = nullptr;
  std::stop_token own_stop;  ///< what `stop` refers to, if it was given one

  static void close(sched::scope& base) noexcept {
    auto& s = static_cast<open_scope&>(base);
    worker& w = sched::this_worker();
    sched::scope* const outer = s.around;
    if (s.errors.load(std::memory_order_acquire) != nullptr)
      s.ended.set_exception(take_errors(s).front());
    else
      s.ended.set_value();
    delete &s;
    sched::end_within(outer, w);
  }
};

}  // namespace detail

namespace detail {

/// `stop`: null for that of the finish around.
template <class Body>
future<void> open_finish(std::stop_token* stop, Body& body) {
  worker& w = sched::this_worker();
  auto* const s = new open_scope;
  s->around = s->outer = w.current;
  if (stop != nullptr) {
    s->own_stop = std::move(*stop);
    s->stop = &s->own_stop;
  } else if (s->outer != nullptr) {
    s->stop = s->outer->stop;
  }
  s->when_empty = open_scope::close;
  // One task for the body.
  s->elsewhere.store(sched::scope::one + sched::scope::waiting, std::memory_order_relaxed);
  future<void> ended = s->ended.get_future();
  sched::begin_within(s->around, w);
  w.current = s;
  try {
    body();
  } catch (const abi::__forced_unwind&) {  // the thread ends
    w.current = s->outer;
    sched::detail::end_elsewhere(*s);
    throw;
  } catch (...) {
    report_error(s, std::current_exception());
  }
  w.current = s->outer;
  sched::detail::end_elsewhere(*s);
  return ended;
}

}  // namespace detail

/// Runs `body` here, and gives a future that is ready when all tasks within it have ended. It counts in the finish
/// around it as one task.
template <class Body>
[[nodiscard]] future<void> nonblocking_finish(Body&& body) {
  return detail::open_finish(nullptr, body);
}
/// The same; tasks within it that have not begun when `stop` is requested are not run, as those of finish.
template <class Body>
[[nodiscard]] future<void> nonblocking_finish(std::stop_token stop, Body&& body) {
  return detail::open_finish(&stop, body);
}

}  // namespace amity
