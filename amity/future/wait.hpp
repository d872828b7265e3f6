#pragma once

/// when_* for a caller that has nothing else to do: waiting for several futures. The fiber waits, never the core.
///
///     amity::wait_all(futures);
///     std::size_t const first = amity::wait_any(left, right);
///     if (amity::wait_all_nothrow(futures)) ...                   // one of them has failed
///
/// As HPX's: wait_all throws what the first of the futures that failed holds, once all are ready; it stays in the
/// future, too. Those that end in _nothrow say whether some future failed, and throw nothing.

#include <exception>
#include <span>
#include <vector>

#include "amity/future/when.hpp"

namespace amity {

namespace detail {
/// Waits for `f`, and keeps the error of the first that has one.
template <class Future>
void wait_and_note(const Future& f, std::exception_ptr& first) {
  std::exception_ptr error = f.get_exception_ptr();
  if (first == nullptr) first = std::move(error);
}
/// Of each in a container.
template <class Container>
requires is_container_of_futures_v<Container>
void wait_and_note(const Container& futures, std::exception_ptr& first) {
  for (const auto& f : futures) wait_and_note(f, first);
}
/// A future, or a container of futures.
template <class X>
concept future_or_several = is_future_v<X> || is_container_of_futures_v<X>;
inline void throw_if_any(std::exception_ptr error) {
  if (error != nullptr) std::rethrow_exception(std::move(error));
}
}  // namespace detail

/// Waits for all: each argument is a future, or a vector, list, deque or array of futures. The fiber waits, never the
/// core. Then throws the exception of the first one that has failed; it stays in the future, too.
template <class... Futures>
requires(detail::future_or_several<Futures>&&...) void wait_all(const Futures&... futures) {
  std::exception_ptr first;
  (detail::wait_and_note(futures, first), ...);
  detail::throw_if_any(std::move(first));
}
/// The same.
template <class Iterator>
requires detail::is_future_v<decltype(*std::declval<Iterator&>())>
void wait_all(Iterator first, Iterator last) {
  std::exception_ptr error;
  for (; first != last; ++first) detail::wait_and_note(*first, error);
  detail::throw_if_any(std::move(error));
}
/// Waits for all, as wait_all. True: one of them has failed; the exceptions stay in the futures.
template <class... Futures>
requires(detail::future_or_several<Futures>&&...) bool wait_all_nothrow(const Futures&... futures) {
  std::exception_ptr first;
  (detail::wait_and_note(futures, first), ...);
  return first != nullptr;
}
/// The same.
template <class Iterator>
requires detail::is_future_v<decltype(*std::declval<Iterator&>())>
bool wait_all_nothrow(Iterator first, Iterator last) {
  std::exception_ptr error;
  for (; first != last; ++first) detail::wait_and_note(*first, error);
  return error != nullptr;
}

namespace detail {
inline void wait_for_some(std::size_t wanted, const state_list& states) {
  promise<void> p;
  auto enough = p.get_future();
  race::start(states, wanted, [p = std::move(p)](auto&&) mutable { p.set_value(); });
  enough.get();
}
/// The first of them that is complete; -1: none.
inline std::size_t first_complete(std::span<state* const> states) noexcept {
  for (std::size_t i = 0; i < states.size(); ++i)
    if (states[i] != nullptr && is_complete(*states[i])) return i;
  return static_cast<std::size_t>(-1);
}
inline std::size_t wait_for_any(const state_list& states) {
  wait_for_some(1, states);
  return first_complete(states);
}
}  // namespace detail

/// Waits until `wanted` of them are ready.
template <class Container>
requires detail::is_container_of_futures_v<Container>
void wait_some(std::size_t wanted, const Container& futures) {
  detail::wait_for_some(wanted, detail::state_list(futures));
}
/// The same.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) void wait_some(std::size_t wanted, const Futures&... futures) {
  detail::wait_for_some(wanted, detail::state_list(futures...));
}
/// The same.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
void wait_some(std::size_t wanted, Iterator first, Iterator last) {
  detail::wait_for_some(wanted, detail::state_list(detail::range_of_futures<Iterator>{first, last}));
}
/// Gives the index of one that is ready.
template <class Container>
requires detail::is_container_of_futures_v<Container> std::size_t wait_any(const Container& futures) {
  return detail::wait_for_any(detail::state_list(futures));
}
/// The same.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) std::size_t wait_any(const Futures&... futures) {
  return detail::wait_for_any(detail::state_list(futures...));
}
/// The same.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator> std::size_t wait_any(Iterator first, Iterator last) {
  return detail::wait_for_any(detail::state_list(detail::range_of_futures<Iterator>{first, last}));
}
/// wait_all for the n from first on.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
void wait_all_n(Iterator first, std::size_t n) {
  std::exception_ptr error;
  for (; n != 0; --n, ++first) detail::wait_and_note(*first, error);
  detail::throw_if_any(std::move(error));
}
/// wait_all_nothrow for the n from first on.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
bool wait_all_nothrow_n(Iterator first, std::size_t n) {
  std::exception_ptr error;
  for (; n != 0; --n, ++first) detail::wait_and_note(*first, error);
  return error != nullptr;
}
/// wait_some for the n from first on.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator>
void wait_some_n(std::size_t wanted, Iterator first, std::size_t n) {
  wait_some(wanted, first, std::next(first, static_cast<std::iter_difference_t<Iterator>>(n)));
}
/// wait_any for the n from first on.
template <class Iterator>
requires detail::is_iterator_of_futures<Iterator> std::size_t wait_any_n(Iterator first, std::size_t n) {
  return wait_any(first, std::next(first, static_cast<std::iter_difference_t<Iterator>>(n)));
}
/// when_each, and waits for it; throws what a call threw.
template <class F, class... Futures>
void wait_each(F f, Futures&&... futures) {
  when_each(std::move(f), std::forward<Futures>(futures)...).get();
}
/// The same for the n from first on.
template <class F, class Iterator>
requires detail::is_iterator_of_futures<Iterator>
void wait_each_n(F f, Iterator first, std::size_t n) { when_each_n(std::move(f), first, n).get(); }

}  // namespace amity
