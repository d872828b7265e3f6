#pragma once

/// One object in each process, under one name for all.
///
///     amity::dist_object<std::vector<int>> mine(own_part);       // made by all processes together, in the same order
///     auto other = mine.fetch(rank).get();                        // a copy of rank's; waits until that one is made
///     amity::rpc(rank, [](amity::dist_object<std::vector<int>>& its, int x) { its->push_back(x); }, mine, 5);
///
/// As an argument of a call it arrives as the one of the process that is called. UPC++'s.

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "amity/pgas/remote_call.hpp"

namespace amity {

template <class T>
class dist_object;

/// Names one in all processes.
template <class T>
struct dist_id {
  std::uint64_t number = 0;
  /// The object of this process, when it is made.
  [[nodiscard]] future<dist_object<T>&> when_here() const;
  /// The same, and waits for it. Blocks the fiber.
  [[nodiscard]] dist_object<T>& here() const { return when_here().get(); }
  friend bool operator==(const dist_id&, const dist_id&) noexcept = default;
};

namespace pgas::detail {

/// The next number of a dist_object: the same in all processes.
[[nodiscard]] AMITY_API std::uint64_t next_dist_number() noexcept;
AMITY_API void announce_dist(std::uint64_t number, void* object);
AMITY_API void withdraw_dist(std::uint64_t number) noexcept;
/// The object here, once it is made.
[[nodiscard]] AMITY_API future<void*> dist_when_here(std::uint64_t number);

}  // namespace pgas::detail

template <class T>
class dist_object {
 public:
  /// Collective, but waits for nobody.
  explicit dist_object(T value)
      : value_(std::make_unique<T>(std::move(value))), number_(pgas::detail::next_dist_number()) {
    pgas::detail::announce_dist(number_, this);
  }
  dist_object(const dist_object&) = delete;
  dist_object& operator=(const dist_object&) = delete;
  /// Requires: no other process uses it meanwhile.
  dist_object(dist_object&& other) noexcept
      : value_(std::move(other.value_)), number_(std::exchange(other.number_, 0)) {
    if (number_ != 0) pgas::detail::announce_dist(number_, this);
  }
  /// Requires: no other process fetches this one any more (a barrier says so).
  ~dist_object() {
    if (number_ != 0) pgas::detail::withdraw_dist(number_);
  }

  /// This process's.
  [[nodiscard]] T& operator*() const noexcept { return *value_; }
  [[nodiscard]] T* operator->() const noexcept { return value_.get(); }
  [[nodiscard]] dist_id<T> id() const noexcept { return {number_}; }

  /// A copy of the one of `rank`.
  [[nodiscard]] future<T> fetch(int rank) const {
    return rpc(
        rank,
        [](std::uint64_t number) {
          return pgas::detail::dist_when_here(number).then(
              launch::sync, [](future<void*> f) { return T(**static_cast<dist_object*>(f.get())); });
        },
        number_);
  }
  /// Calls `f` with the one of `rank`.
  template <class F, class... Args>
  auto call(int rank, F f, Args&&... args) const {
    return pgas::detail::call_with(
        rank, "a call of a dist_object",
        [](F& its, std::uint64_t number, pgas::detail::traveller<Args>... each) {
          return std::invoke(its, **static_cast<dist_object*>(pgas::detail::dist_when_here(number).get()),
                             std::move(each)...);
        },
        f, number_, std::forward<Args>(args)...);
  }

 private:
  std::unique_ptr<T> value_;
  std::uint64_t number_ = 0;
};

template <class T>
future<dist_object<T>&> dist_id<T>::when_here() const {
  return pgas::detail::dist_when_here(number).then(
      launch::sync, [](future<void*> f) -> dist_object<T>& { return *static_cast<dist_object<T>*>(f.get()); });
}

namespace pgas::detail {

/// A dist_object as an argument: its number, and there the object.
template <class T>
class arrived_dist {
 public:
  arrived_dist() noexcept = default;
  arrived_dist(const dist_object<T>& here) noexcept : number_(here.id().number) {}
  /// Waits until it is made there. Blocks the fiber.
  operator dist_object<T>&() const { return *static_cast<dist_object<T>*>(dist_when_here(number_).get()); }

 private:
  std::uint64_t number_ = 0;
};
template <class T>
struct travels_as<dist_object<T>> {
  using type = arrived_dist<T>;
};

}  // namespace pgas::detail

}  // namespace amity
