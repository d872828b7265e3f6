#pragma once

/// when_* for a caller that has nothing else to do: waiting for several futures. The fiber waits, never the core.
///
///     amity::wait_all(futures);
///     std::size_t const first = amity::wait_any(left, right);

#include <span>
#include <vector>

#include "amity/future/when.hpp"

namespace amity {

/// Waits for all of a vector, list, deque or array; the fiber waits, never the core. Exceptions stay in the futures.
template <class Container>
requires detail::is_container_of_futures_v<Container>
void wait_all(const Container& futures) {
  for (const auto& f : futures) f.wait();
}
/// The same.
template <class... Futures>
requires(detail::is_future_v<Futures>&&...) void wait_all(const Futures&... futures) { (futures.wait(), ...); }
/// The same.
template <class Iterator>
requires detail::is_future_v<decltype(*std::declval<Iterator&>())>
void wait_all(Iterator first, Iterator last) {
  for (; first != last; ++first) first->wait();
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
  for (; n != 0; --n, ++first) first->wait();
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
