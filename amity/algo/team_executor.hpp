#pragma once

/// Executors that name the workers that work: some of them, or those of parts of the machine.
///
///     ex::restricted_thread_pool_executor last_two(2, 2);                   // workers 2 and 3
///     amity::for_each(ex::par.on(last_two), v.begin(), v.end(), f);
///     ex::block_executor sockets(amity::place::all(amity::place_kind::socket));
///     amity::fill(ex::par.on(sockets), v.begin(), v.end(), 0.0);            // each socket its part of v
///     amity::transform(ex::par.on(sockets), v.begin(), v.end(), v.begin(), g);   // and the same one again
///
/// The caller of an algorithm is not one of them: it waits. It does itself what an algorithm does not share, and may do
/// ranges that are too short to be worth sharing. A function that runs so makes its own tasks where tasks at a place or
/// for a worker make theirs (sched/tasks/place.hpp).
///
/// Teams, and what makes one, are templates of nothing (base/README.md, I1).

#include <atomic>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "amity/algo/chunk_team.hpp"
#include "amity/algo/executor.hpp"

namespace amity::algo {

/// The same call, also where a finish was asked to stop: algorithms are not stopped half-way.
inline auto to_the_end(team_call call) {
  auto run = [call]() noexcept { call(); };
  return amity::detail::as_glue{run};
}

/// Workers one by one.
template <class>
class basic_worker_team final : public chunk_team {
 public:
  basic_worker_team(int first, unsigned count) noexcept : first_(first), count_(count) {}
  [[nodiscard]] unsigned groups() const noexcept override { return 1; }
  [[nodiscard]] unsigned members(unsigned) const noexcept override { return count_; }
  void begin(unsigned, unsigned member, team_call call) const override { amity::post(nth(member), to_the_end(call)); }
  [[nodiscard]] scheduling nth(unsigned member) const noexcept {
    return bound_to_worker(first_ + static_cast<int>(member % count_));
  }
  [[nodiscard]] scheduling next() const noexcept {
    return nth(next_.fetch_add(1, std::memory_order_relaxed));  // it hands out numbers and nothing else
  }

 private:
  int first_;
  unsigned count_;
  mutable std::atomic<unsigned> next_{0};
};

using worker_team = basic_worker_team<void>;

/// Places, with as many at each as it has cores.
template <class>
class basic_place_team final : public chunk_team {
 public:
  explicit basic_place_team(std::vector<place> places) : places_(std::move(places)) {
    if (places_.empty()) throw std::invalid_argument("amity::execution::block_executor: no places were given");
    for (place p : places_) cores_.push_back(p.cores().empty() ? 1u : static_cast<unsigned>(p.cores().size()));
  }
  [[nodiscard]] unsigned groups() const noexcept override { return static_cast<unsigned>(places_.size()); }
  [[nodiscard]] unsigned members(unsigned group) const noexcept override { return cores_[group]; }
  void begin(unsigned group, unsigned, team_call call) const override {
    amity::post(at(places_[group]), to_the_end(call));
  }
  [[nodiscard]] scheduling next() const noexcept {
    return at(places_[next_.fetch_add(1, std::memory_order_relaxed) % places_.size()]);  // relaxed: as above
  }
  [[nodiscard]] const std::vector<place>& places() const noexcept { return places_; }

 private:
  std::vector<place> places_;
  std::vector<unsigned> cores_;
  mutable std::atomic<std::size_t> next_{0};
};

using place_team = basic_place_team<void>;

/// What executors with a team have in common. Copies share it.
template <class Team>
class team_executor {
 public:
  void put(settings& s) const noexcept { s.team = team_.get(); }
  [[nodiscard]] std::shared_ptr<const void> kept() const noexcept { return team_; }
  template <class F>
  auto run(F&& f) const {
    return amity::async(team_->next(), std::forward<F>(f));
  }

 protected:
  explicit team_executor(std::shared_ptr<const Team> team) noexcept : team_(std::move(team)) {}
  std::shared_ptr<const Team> team_;
};

}  // namespace amity::algo

namespace amity::execution {

/// By some of the workers and no others. Single tasks go to them in turn. Copies are the same executor.
class restricted_thread_pool_executor : public algo::team_executor<algo::worker_team> {
 public:
  /// Workers `first` to `first + count - 1`. Throws std::invalid_argument if there are not so many.
  template <class Team = algo::worker_team>
  explicit restricted_thread_pool_executor(int first, int count = 1)
      : team_executor(std::make_shared<const Team>(checked(first, count), static_cast<unsigned>(count))) {}

 private:
  template <class = void>
  static int checked(int first, int count) {
    if (first < 0 || count < 1 || first >= worker_count() || count > worker_count() - first)
      throw std::invalid_argument("amity::execution::restricted_thread_pool_executor: " + std::to_string(count) +
                                  " workers from number " + std::to_string(first) + " on were asked for; there are " +
                                  std::to_string(worker_count()) + ", the first is number 0");
    return first;
  }
};

/// By places: the elements of an algorithm are cut into as many blocks as there are places, and the workers of each
/// place do its block, whatever they did before. So the same elements are always near the same cores. Single tasks go
/// to the places in turn. Copies are the same executor.
class block_executor : public algo::team_executor<algo::place_team> {
 public:
  /// Throws std::invalid_argument if there are none.
  template <class Team = algo::place_team>
  explicit block_executor(std::vector<place> places) : team_executor(std::make_shared<const Team>(std::move(places))) {}
  /// The NUMA domains; the whole machine, if they are not known.
  template <class = void>
  block_executor() : block_executor(numa_domains()) {}
  /// In the order of their blocks.
  [[nodiscard]] std::span<const place> places() const noexcept {
    return {team_->places().data(), team_->places().size()};
  }

 private:
  template <class = void>
  static std::vector<place> numa_domains() {
    std::vector<place> found = place::all(place_kind::numa_domain);
    if (found.empty()) found.push_back(place::machine());
    return found;
  }
};

template <>
inline constexpr bool is_executor_v<restricted_thread_pool_executor> = true;
template <>
inline constexpr bool is_executor_v<block_executor> = true;

/// HPX's names for them.
namespace experimental {
using execution::block_executor;
using execution::restricted_thread_pool_executor;
}  // namespace experimental

}  // namespace amity::execution
