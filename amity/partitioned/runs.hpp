#pragma once

/// How an algorithm goes over partitioned vectors: the range is cut into runs, each of which lies in one block of every
/// vector, and a call for each run goes to the process that has its elements.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/algorithm.hpp"
#include "amity/partitioned/iterator.hpp"

namespace amity::partitioned {

/// Elements [at, at + size) behind the begin of each range.
struct run {
  std::size_t at = 0, size = 0;
};

template <class... T>
[[nodiscard]] std::vector<run> runs_of(std::size_t n, iterator<T>... first) {
  std::vector<run> all;
  auto const left_in_block = [](auto of, std::size_t at) {
    return of.of()->end_of_block(of.position() + at) - (of.position() + at);
  };
  for (std::size_t at = 0; at < n;) {
    std::size_t const size = std::min({n - at, left_in_block(first, at)...});
    all.push_back({at, size});
    at += size;
  }
  return all;
}
template <class T>
[[nodiscard]] std::size_t length(iterator<T> first, iterator<T> last) {
  if (last < first) throw std::invalid_argument("a range of a partitioned_vector that ends before it begins");
  return static_cast<std::size_t>(last - first);
}
template <class T>
[[nodiscard]] global_ptr<T> pointer_at(iterator<T> first, const run& r) {
  return first.of()->at(first.position() + r.at);
}

/// The results of `begin(run)`, futures, in the order of the runs; all at once, or one after the other. What they throw
/// comes when all have ended: an exception itself, several as an exception_list. One after the other: the first one.
template <class Begin>
auto over_runs(bool parallel, const std::vector<run>& runs, Begin begin) {
  using given = decltype(begin(run()));
  using result = decltype(std::declval<given&>().get());
  std::vector<given> begun;
  std::exception_ptr not_begun;
  try {
    for (const run& r : runs) {
      begun.push_back(begin(r));
      if (!parallel) begun.back().wait();
    }
  } catch (...) {
    not_begun = std::current_exception();
  }
  for (given& each : begun) each.wait();
  std::vector<std::exception_ptr> errors;
  std::conditional_t<std::is_void_v<result>, algo::none, std::vector<result>> all;
  for (given& each : begun) {
    try {
      if constexpr (std::is_void_v<result>)
        each.get();
      else
        all.push_back(each.get());
    } catch (...) {
      errors.push_back(std::current_exception());
    }
  }
  if (not_begun != nullptr) errors.push_back(not_begun);
  if (parallel && errors.size() > 1) amity::detail::throw_list(errors);
  if (!errors.empty()) std::rethrow_exception(errors.front());
  if constexpr (!std::is_void_v<result>) return all;
}

/// Algorithm A over memory of this process.
template <class A, class... Args>
decltype(auto) run_here(bool parallel, Args&&... args) {
  return algo::run_now<A>(parallel, algo::settings{.alone = !parallel}, std::forward<Args>(args)...);
}

/// A function that may travel in a closure: one of the program goes as its place there, since programs are not loaded
/// at the same addresses everywhere.
template <class F>
class portable {
 public:
  explicit portable(const F& f) : f_(f) { pgas::detail::check_closure(f); }
  [[nodiscard]] F here() const { return f_; }

 private:
  F f_;
};
template <class F>
requires pgas::detail::is_function<F>
class portable<F> {
 public:
  explicit portable(F f) : place_(net::place_in_program(reinterpret_cast<const void*>(f))) {
    if (place_ == 0) throw std::invalid_argument("an algorithm with a function that is in no program or library");
  }
  [[nodiscard]] F here() const { return reinterpret_cast<F>(const_cast<void*>(net::address_in_program(place_, true))); }

 private:
  std::uint64_t place_;
};

/// Elements of any process, for a look from this one: where they lie, or a copy of them. Blocks the fiber.
template <class T>
class seen {
  using plain = std::remove_const_t<T>;

 public:
  seen(global_ptr<const plain> at, std::size_t n) {
    if constexpr (pgas::detail::transferable<plain>) {
      first_ = at.local();
      if (first_ != nullptr) return;
      copy_ = std::make_unique<plain[]>(n);
      rget(at, copy_.get(), n).get();
      first_ = copy_.get();
    } else {
      if (at.where() == rank_me())
        first_ = at.raw_ptr();
      else
        fetch(at, n);
    }
  }
  [[nodiscard]] const plain* begin() const noexcept { return first_; }

 private:
  void fetch(global_ptr<const plain> at, std::size_t n) {
    values_ =
        pgas::detail::own_rpc(at.where(), [at, n] { return std::vector<plain>(at.raw_ptr(), at.raw_ptr() + n); }).get();
    first_ = values_.data();
  }

  const plain* first_ = nullptr;
  std::unique_ptr<plain[]> copy_;
  std::conditional_t<pgas::detail::transferable<plain>, char, std::vector<plain>> values_{};
};

}  // namespace amity::partitioned
