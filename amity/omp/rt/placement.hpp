#pragma once

/// Where the members of a team run: which carrier is a member's home, and, where threads are bound (OMP_PROC_BIND,
/// OMP_PLACES), at which place.
///
/// Unbound, neighbours share a carrier and carriers share the work. Bound, a member's home is a carrier that is
/// confined to the CPUs of the member's place, and so is its own OS thread. Each place has carriers of its own, as
/// many as it has CPUs that no place before it has.

#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/icv.hpp"

namespace amity::omp {

/// True if this process binds its threads. Settled when the runtime starts.
[[nodiscard]] bool threads_are_bound() noexcept;

/// Gives the calling thread, an initial one, its place: the first that has all of its CPUs, else the first of all.
void place_initial(thread& t) noexcept;

/// Binds it there, or to where `t.place` is now, before something is computed.
void settle(thread& t) noexcept;
/// Lets it go again (KMP_AFFINITY=reset).
void unsettle(thread& t) noexcept;

/// Where number `number` of `size` goes that are distributed over the partition of a thread at `from`, whose place is
/// the first's.
[[nodiscard]] thread_place distribute(thread_place from, int size, proc_bind policy, int number) noexcept;

/// How many carriers a team of `size` gets: no more than there are when every thread of the enclosing teams has one.
[[nodiscard]] int carriers_for(thread& leader, int size) noexcept;

/// Neighbours of a distribution.
struct run_of_numbers {
  int first, count;
};
/// `whole` things are distributed so, and so are `size` threads: those things that are the part of thread `number`,
/// because it is where they are. If there are fewer threads than places they are about there.
[[nodiscard]] run_of_numbers part_of(thread_place from, int whole, int size, proc_bind policy, int number) noexcept;

/// The policy that places the members of a region: `clause` (-1: none) unless the bind ICV forbids it.
[[nodiscard]] proc_bind policy_for(const thread& t, int clause) noexcept;

/// Distributes the members 1.. of a team of `size` that `leader` forks. Requires: none of the members runs.
class placement {
 public:
  placement(thread& leader, int size, proc_bind policy) noexcept;

  /// Where member `number` is; the place is -1 if threads are not bound.
  [[nodiscard]] thread_place place(int number) const noexcept;

  /// The carrier that runs member `number` > 0. Null: its own OS thread (identity mode fixed).
  [[nodiscard]] sched::carrier* home(int number) const noexcept;

  /// Less than one carrier for each member.
  [[nodiscard]] bool crowded() const noexcept;

  /// Confines the OS threads on which member `number` may run, its home included, to its place.
  void bind(thread& member, sched::carrier* home) const noexcept;

  /// The leader's carrier.
  [[nodiscard]] const sched::carrier& own() const noexcept { return own_; }

  [[nodiscard]] bool operator==(const team_placement& as_before) const noexcept;
  [[nodiscard]] team_placement summary() const noexcept { return {policy_, at_}; }

 private:
  [[nodiscard]] sched::carrier& nth_carrier(int place, int n) const noexcept;
  [[nodiscard]] int carriers_of(int place) const noexcept;

  thread& leader_;
  sched::carrier& own_;
  int size_;
  int shares_;
  proc_bind policy_;
  bool fixed_;
  thread_place at_;  ///< the leader's, outside
};

}  // namespace amity::omp
