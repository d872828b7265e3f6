#pragma once

/// One object in each process, under one name for all.
///
///     amity::dist_object<std::vector<int>> mine(own_part);       // made by all processes together, in the same order
///     auto other = mine.fetch(rank).get();                        // a copy of rank's; waits until that one is made
///     amity::rpc(rank, [](amity::dist_object<std::vector<int>>& its, int x) { its->push_back(x); }, mine, 5);
///
/// As an argument of a call it arrives as the object of the process that is called. Names are UPC++'s.

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "amity/pgas/remote_call.hpp"

namespace amity {

template <class T>
class dist_object;

/// Names a dist_object in all processes; of any two processes, equal ones name the same. It may be captured, sent
/// and stored like a number.
template <class T>
struct dist_id {
  std::uint64_t number = 0;  ///< counted from 1 on, in the order of making; 0: of no object
  /// The object of this process: the future is ready when it is made. The reference is valid while that object lives.
  [[nodiscard]] future<dist_object<T>&> when_here() const;
  /// The same, and waits for it. Blocks the fiber until this process has made the object.
  [[nodiscard]] dist_object<T>& here() const { return when_here().get(); }
  /// They name the same object.
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

/// One T in each process, all under one name. The object here is this process's T; the T's of others are read by fetch
/// and used by call. It is moved, not copied.
template <class T>
class dist_object {
 public:
  /// Collective: all processes make their dist_objects and shared_locks in the same order, one fiber of each at a time.
  /// Waits for no other process. Throws what moving `value` throws.
  explicit dist_object(T value)
      : value_(std::make_unique<T>(std::move(value))), number_(pgas::detail::next_dist_number()) {
    pgas::detail::announce_dist(number_, this);
  }
  dist_object(const dist_object&) = delete;
  dist_object& operator=(const dist_object&) = delete;
  /// Takes over the T and the name; `other` is empty afterwards.
  /// Requires: no other process uses it meanwhile.
  dist_object(dist_object&& other) noexcept
      : value_(std::move(other.value_)), number_(std::exchange(other.number_, 0)) {
    if (number_ != 0) pgas::detail::announce_dist(number_, this);
  }
  /// Waits for no other process.
  /// Requires: no other process fetches or calls this one any more, as after a barrier.
  ~dist_object() {
    if (number_ != 0) pgas::detail::withdraw_dist(number_);
  }

  /// The T of this process. Other processes may use it by call at any time: a T that is changed needs a mutex of its
  /// own.
  [[nodiscard]] T& operator*() const noexcept { return *value_; }
  /// A member of the T of this process.
  [[nodiscard]] T* operator->() const noexcept { return value_.get(); }
  /// The name of this object, which is the same in all processes.
  [[nodiscard]] dist_id<T> id() const noexcept { return {number_}; }

  /// A copy of rank `rank`'s T. The future is ready when that process has made its object and the copy is here; it
  /// fails with what copying throws, and with lost_rank. Throws std::out_of_range if there is no such rank.
  [[nodiscard]] future<T> fetch(int rank) const {
    return rpc(
        rank,
        [](std::uint64_t number) {
          return pgas::detail::dist_when_here(number).then(
              launch::sync, [](future<void*> f) { return T(**static_cast<dist_object*>(f.get())); });
        },
        number_);
  }
  /// Calls `f(its, args...)` as a task of process `rank`, where `its` is the T of that process, once that is made;
  /// gives the result as a future. Function, arguments and errors are those of rpc.
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
