#pragma once

/// Teams: processes of the job, numbered from 0. UPC++'s.
///
///     amity::team row = amity::team_world().split(amity::rank_me() / columns, amity::rank_me());
///     double sum = amity::reduce_all(mine, std::plus<>(), row).get();
///     amity::rpc(row, 0, [](const amity::team& its, int x) { ... }, row, 5);    // to the team's process 0
///
/// A team is a handle of a communicator whose sites are processes. As an argument of a call it arrives as the team of
/// the process that is called.
///
/// What needs much to be compiled is a template of nothing here (base/README.md, I1).

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "amity/base/later.hpp"
#include "amity/coll/collectives.hpp"
#include "amity/coll/split.hpp"
#include "amity/pgas/remote_call.hpp"
#include "amity/pgas/segment.hpp"

namespace amity {

class team;

namespace collectives::detail {

/// The teams of this process, by number.
AMITY_API void announce_team(std::uint64_t number, const communicator& of);
AMITY_API void forget_team(std::uint64_t number) noexcept;
/// The team's communicator, when it is made here.
[[nodiscard]] AMITY_API future<communicator> team_when_here(std::uint64_t number);
/// The rank of a site's process.
[[nodiscard]] AMITY_API int rank_of(const communicator& of, int site);
/// The site of a rank; -1: it has none.
[[nodiscard]] AMITY_API int site_of(const communicator& of, int rank);

}  // namespace collectives::detail

/// Names a team in all its processes. It may be captured, sent and stored like a number.
struct team_id {
  std::uint64_t number = 0;  ///< the same in all processes of the team
  /// The team in this process: the future is ready when it is made here.
  template <class = void>
  [[nodiscard]] future<team> when_here() const;
  /// The same, and waits for it. Blocks the fiber.
  template <class = void>
  [[nodiscard]] team here() const;
  /// They name the same team.
  friend bool operator==(const team_id&, const team_id&) noexcept = default;
};

/// Some processes of the job. A handle: copies mean the same team. What is asked of one of no processes throws
/// std::invalid_argument. Operations of a team are called by all its processes in the same order.
class team {
 public:
  /// The color of a process that is to be in no part (split).
  static constexpr int color_none = collectives::no_color;

  /// Of no processes: not is_valid().
  team() noexcept = default;
  /// A team of the processes that are the sites of a communicator. Waits until they have met; blocks the fiber. Throws
  /// std::runtime_error if they could not meet.
  explicit team(collectives::communicator of) : of_(std::move(of)) {
    collectives::detail::announce_team(of_.checked().met_id(), of_);
  }

  /// The number of this process in the team: 0 to rank_n() - 1.
  [[nodiscard]] int rank_me() const { return of_.this_site(); }
  /// How many processes the team has.
  [[nodiscard]] int rank_n() const { return of_.num_sites(); }
  /// The rank in the job of the team's process `i`. Throws std::out_of_range if there is none.
  [[nodiscard]] int operator[](int i) const {
    int const n = rank_n();
    if (i < 0 || i >= n)
      throw std::out_of_range("process " + std::to_string(i) + " of a team of " + std::to_string(n) +
                              "; there are 0 to " + std::to_string(n - 1));
    return collectives::detail::rank_of(of_, i);
  }
  /// The number in the team of the process with this rank in the job. Throws std::out_of_range if it is none of the
  /// team's.
  [[nodiscard]] int from_world(int rank) const {
    int const i = from_world(rank, -1);
    if (i < 0)
      throw std::out_of_range("rank " + std::to_string(rank) + " is none of a team of " + std::to_string(rank_n()));
    return i;
  }
  /// The same, and `otherwise` where it is none of the team's.
  [[nodiscard]] int from_world(int rank, int otherwise) const {
    int const i = collectives::detail::site_of(of_, rank);
    return i >= 0 ? i : otherwise;
  }
  /// Divides the team: processes of one color become a team, numbered in the order of their keys, then of their numbers
  /// here. Collective; blocks the fiber. With color_none the result is of no processes. Throws
  /// collectives::collective_error, in all processes, if one gives another color below 0.
  template <class = void>
  [[nodiscard]] team split(int color, int key) const {
    return of_split(collectives::split(of_, color, key));
  }
  /// A team of the processes that `ranks` lists by their numbers in this team, numbered in the order of the list. Every
  /// process gives the list of the team that it will be in, with itself; one that will be in none gives an empty list,
  /// and gets a team of no processes. Collective over this team; blocks the fiber. Throws
  /// collectives::collective_error, in all processes, if a list lacks the process that gives it, or its first number
  /// is none of the team's. Requires: the processes of one list give the same list. UPC++'s name.
  template <class = void>
  [[nodiscard]] team create(std::span<const int> ranks) const {
    if (ranks.empty()) return split(color_none, 0);
    auto const mine = std::find(ranks.begin(), ranks.end(), rank_me());
    std::string wrong;
    if (mine == ranks.end())
      wrong = "a list without process " + std::to_string(rank_me()) + ", which calls it";
    else if (ranks.front() < 0 || ranks.front() >= rank_n())
      wrong = "process " + std::to_string(ranks.front()) + "; allowed: 0 to " + std::to_string(rank_n() - 1);
    // Each part has a process that comes first in its list, and no other part has the same.
    return of_split(collectives::detail::split_as(of_, "team::create", wrong, ranks.front(),
                                                  static_cast<int>(mine - ranks.begin())));
  }

  /// The name of this team, which is the same in all its processes.
  [[nodiscard]] team_id id() const { return {of_.checked().met_id()}; }
  /// It has processes.
  [[nodiscard]] bool is_valid() const noexcept { return of_.valid(); }
  /// The communicator of its processes, for the operations of collectives.hpp.
  [[nodiscard]] const collectives::communicator& communicator() const noexcept { return of_; }
  /// Forgets the team in this process: its id() is not known here any more, and this handle is of no processes. Waits
  /// for no other process; has no effect on a team of no processes. Requires: no operation of the team is under way.
  void destroy() {
    if (!of_.valid()) return;
    collectives::detail::forget_team(of_.checked().met_id());
    of_ = {};
  }

 private:
  template <class = void>
  static team of_split(future<collectives::communicator> made) {
    collectives::communicator part = made.get();
    return part.valid() ? team(std::move(part)) : team();
  }
  collectives::communicator of_;
};

template <class L>
future<team> team_id::when_here() const {
  future<collectives::communicator> made = collectives::detail::team_when_here(number);
  return detail::later<L>(made).then(launch::sync, [](future<collectives::communicator> f) { return team(f.get()); });
}
template <class>
team team_id::here() const {
  return when_here().get();
}

/// The team of all processes of the job, each under its rank. Joins the job; never waits otherwise.
[[nodiscard]] inline team team_world() {
  static auto* const all = new team(collectives::world());  // lasts, as the job does
  return *all;
}
/// The team of the processes of this node, which reach one another's memory by loads and stores. The first call is
/// collective, by one fiber of each process of the job, and blocks the fiber; later ones never wait.
template <class = void>
[[nodiscard]] team local_team() {
  static auto* const made = new team;
  if (made->is_valid()) return *made;
  // The lowest rank whose memory is in reach is the same for all of a node.
  int color = 0;
  while (!pgas::detail::is_in_reach(color)) ++color;
  *made = team_world().split(color, net::job().rank);
  return *made;
}
/// The process with this rank in the job is in local_team(), of which this may be the first call.
template <class = void>
[[nodiscard]] bool local_team_contains(int rank) {
  return local_team().from_world(rank, -1) >= 0;
}

/// The number of this process in the team.
[[nodiscard]] inline int rank_me(const team& t) { return t.rank_me(); }
/// How many processes the team has.
[[nodiscard]] inline int rank_n(const team& t) { return t.rank_n(); }

/// The future is ready when all processes of the team have called it. It fails with collectives::collective_error if
/// one of them was lost, or has called something else. UPC++'s.
template <class L = void>
[[nodiscard]] future<void> barrier_async(const team& t) {
  return collectives::barrier(detail::later<L>(t.communicator()));
}
/// The same, and waits for it. Blocks the fiber. Throws collectives::collective_error if one of them was lost, or has
/// called something else. UPC++'s barrier(team).
template <class = void>
void barrier_all(const team& t) {
  barrier_async(t).get();
}
/// barrier_async of all processes of the job.
template <class = void>
[[nodiscard]] future<void> barrier_async() {
  return barrier_async(team_world());
}
/// The value that the team's process `root` gives, for all its processes; those of others are not looked at. As
/// collectives::broadcast, with its errors.
template <class T>
[[nodiscard]] future<T> broadcast(T value, int root, const team& t) {
  return collectives::broadcast(t.communicator(), std::move(value), collectives::root_site_arg(root));
}
/// The `n` elements of the team's process `root` are copied over those of the others. They stay until the future is
/// ready. As collectives::broadcast of a span, with its errors.
template <class T>
[[nodiscard]] future<void> broadcast(T* elements, std::size_t n, int root, const team& t = team_world()) {
  return collectives::broadcast(t.communicator(), std::span<T>(elements, n), collectives::root_site_arg(root));
}
/// The values of all processes of the team combined by `op`, in the order of their numbers, for all. As
/// collectives::all_reduce, with its errors.
template <class T, class Op>
[[nodiscard]] future<T> reduce_all(T value, Op op, const team& t) {
  return collectives::all_reduce(t.communicator(), std::move(value), std::move(op));
}
/// The same of `n` elements, one by one: those of this process are at `from`, and the results come to `to`, which may
/// be the same. Those at `to` stay until the future is ready; those at `from` are copied by the call.
template <class T, class Op>
[[nodiscard]] future<void> reduce_all(const T* from, T* to, std::size_t n, Op op, const team& t = team_world()) {
  if (from != to && from != nullptr && to != nullptr) std::copy_n(from, n, to);
  return collectives::all_reduce(t.communicator(), std::span<T>(to, n), std::move(op));
}
/// The values of all processes of the team combined by `op`, for its process `root`; the others get a T{}. As
/// collectives::reduce, with its errors.
template <class T, class Op>
[[nodiscard]] future<T> reduce_one(T value, Op op, int root, const team& t) {
  return collectives::reduce(t.communicator(), std::move(value), std::move(op), collectives::root_site_arg(root))
      .then(launch::sync, [](future<std::optional<T>> f) { return f.get().value_or(T{}); });
}

/// Runs `f(args...)` as a task of the team's process `i`, as rpc to its rank. Throws std::out_of_range if there is
/// no such process.
template <class F, class... Args>
auto rpc(const team& t, int i, F&& f, Args&&... args) {
  return rpc(t[i], std::forward<F>(f), std::forward<Args>(args)...);
}
/// Runs `f(args...)` as a task of the team's process `i`, as rpc_ff to its rank: nothing comes back. Throws
/// std::out_of_range if there is no such process.
template <class F, class... Args>
void rpc_ff(const team& t, int i, F&& f, Args&&... args) {
  rpc_ff(t[i], std::forward<F>(f), std::forward<Args>(args)...);
}

/// UPC++'s names of the sum, for the operations above: `amity::reduce_all(x, amity::op_fast_add, t)`.
inline constexpr std::plus<> op_add{}, op_fast_add{};
/// UPC++'s names of the product.
inline constexpr std::multiplies<> op_mul{}, op_fast_mul{};
/// UPC++'s names of the bits that all have.
inline constexpr std::bit_and<> op_bit_and{}, op_fast_bit_and{};
/// UPC++'s names of the bits that any has.
inline constexpr std::bit_or<> op_bit_or{}, op_fast_bit_or{};
/// UPC++'s names of the bits that an odd number have.
inline constexpr std::bit_xor<> op_bit_xor{}, op_fast_bit_xor{};
/// The type of op_min.
struct op_min_t {
  /// The lesser of two; of equals the first.
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
/// The type of op_max.
struct op_max_t {
  /// The greater of two; of equals the first.
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
/// UPC++'s names of the least.
inline constexpr op_min_t op_min{}, op_fast_min{};
/// UPC++'s names of the greatest.
inline constexpr op_max_t op_max{}, op_fast_max{};

namespace pgas::detail {

/// A team as an argument: its number, and there the team.
template <class>
class arrived_team {
 public:
  arrived_team() noexcept = default;
  arrived_team(const team& here) : id_(here.id()) {}
  operator team() const { return id_.here(); }

 private:
  team_id id_;
};
template <>
struct travels_as<team> {
  using type = arrived_team<void>;
};

}  // namespace pgas::detail

}  // namespace amity
