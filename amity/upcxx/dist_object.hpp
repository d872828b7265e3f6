#pragma once

/// One object in each process of a team, under one name.
///
///     upcxx::dist_object<std::vector<int>> mine(own_part);
///     auto other = mine.fetch(rank).wait();

#include <cstdint>
#include <functional>
#include <utility>

#include "amity/upcxx/rpc.hpp"

namespace upcxx {

/// Names a dist_object in all processes of its team.
template <class T>
struct dist_id {
  std::uint64_t number = 0;
  /// The object here. Requires: it is made.
  [[nodiscard]] dist_object<T>& here() const {
    auto* const o = static_cast<dist_object<T>*>(detail::objects().find(number));
    if (o == nullptr) detail::die("upcxx::dist_id::here: there is no such object here");
    return *o;
  }
  /// The same when it is made.
  [[nodiscard]] future<dist_object<T>&> when_here() const {
    return detail::objects().when_here<dist_object<T>>(number);
  }
  friend bool operator==(const dist_id&, const dist_id&) noexcept = default;
  friend auto operator<=>(const dist_id&, const dist_id&) noexcept = default;
  friend std::ostream& operator<<(std::ostream& out, const dist_id& id) { return out << id.number; }
};

/// The object of this process, and a name for all. Collective over the team: all make theirs in the same order.
template <class T>
class dist_object {
 public:
  dist_object(T value, const upcxx::team& of = world()) : dist_object(of, std::move(value)) {}
  /// Made of arguments.
  template <class... Args>
  explicit dist_object(const upcxx::team& of, Args&&... args)
      : value_(std::forward<Args>(args)...), team_(const_cast<upcxx::team*>(&of)), number_(name_of(of)) {
    detail::objects().announce(number_, this);
  }
  dist_object(const dist_object&) = delete;
  dist_object(dist_object&& other) noexcept
      : value_(std::move(other.value_)), team_(other.team_), number_(std::exchange(other.number_, 0)) {
    if (number_ != 0) detail::objects().announce(number_, this);
  }
  /// Requires: no other process uses it any more.
  ~dist_object() {
    if (number_ != 0) detail::objects().withdraw(number_);
  }

  T* operator->() const noexcept { return const_cast<T*>(std::addressof(value_)); }
  T& operator*() const noexcept { return const_cast<T&>(value_); }
  [[nodiscard]] dist_id<T> id() const noexcept { return {number_}; }
  [[nodiscard]] upcxx::team& team() noexcept { return *team_; }
  [[nodiscard]] const upcxx::team& team() const noexcept { return *team_; }
  /// The T of the team's process `i`, when it is made there.
  [[nodiscard]] auto fetch(intrank_t i) const {
    return rpc(
        *team_, i, [](const dist_object& its) -> const T& { return *its; }, *this);
  }

 private:
  /// The team's number and the object's, mixed so that different ones don't meet (splitmix64's steps are bijective).
  static std::uint64_t name_of(const upcxx::team& of) {
    std::uint64_t x = of.id().number * 0x9e3779b97f4a7c15u + of.next_object();
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  T value_;
  upcxx::team* team_;
  std::uint64_t number_;
};

}  // namespace upcxx

template <class T>
struct std::hash<upcxx::dist_id<T>> {
  std::size_t operator()(const upcxx::dist_id<T>& id) const noexcept { return std::hash<std::uint64_t>()(id.number); }
};
