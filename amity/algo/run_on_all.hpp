#pragma once

/// run_on_all: a function once on each worker, as OpenMP's parallel regions have it.
///
///     long n = 0;
///     amity::experimental::run_on_all(amity::reduction_plus(n), [](long& mine) { mine += count_something(); });
///     amity::experimental::run_on_all(amity::execution::par, 4, [&](std::size_t i) { parts[i] = begin_part(i); });

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "amity/algo/for_loop.hpp"
#include "amity/algo/team_executor.hpp"

namespace amity {

namespace algo {

/// One of each group's: call i is worker i's.
class each_worker final : public chunk_team {
 public:
  explicit each_worker(unsigned calls) noexcept : calls_(calls) {}
  [[nodiscard]] unsigned groups() const noexcept override { return calls_; }
  [[nodiscard]] unsigned members(unsigned) const noexcept override { return 1; }
  void begin(unsigned group, unsigned, team_call call) const override {
    amity::post(bound_to_worker(static_cast<int>(group)), to_the_end(call));
  }

 private:
  unsigned calls_;
};

/// What is called with the number of the call and the parts, or with the parts alone.
template <class F>
struct call_on_one {
  F& f;
  template <class... Parts>
  void operator()(std::size_t i, Parts&... parts) const {
    if constexpr (std::is_invocable_v<F&, std::size_t, Parts&...>)
      f(i, parts...);
    else
      f(parts...);
  }
};

struct run_on_all_algorithm : algorithm<run_on_all_algorithm> {
  /// Of policies: by the caller, one after the other.
  template <class First, class... Rest>
  static void sequential(First first, Rest... rest) {
    settings alone;
    alone.alone = true;
    run(alone, first, rest...);
  }
  template <class First, class... Rest>
  static void parallel(const settings& how, First first, Rest... rest) {
    run(how, first, rest...);
  }

 private:
  template <class First, class... Rest>
  static void run(const settings& how, First& first, Rest&... rest) {
    if constexpr (std::integral<First>)
      run_n(how, first < 1 ? 1u : static_cast<unsigned>(first), rest...);
    else
      run_n(how, workers_of(how), first, rest...);
  }
  static unsigned workers_of(settings how) {
    how.alone = false;
    return parties(how);
  }
  template <class... Rest>
  static void run_n(settings how, unsigned n, Rest&... rest) {
    each_worker const workers(n);
    how.how = chunking::equal;
    how.chunk = 1;
    how.most_chunks = 0;
    how.at_most = 0;
    how.team = &workers;
    with_body_first(
        [&](auto& body, auto&... extras) {
          call_on_one<std::remove_reference_t<decltype(body)>> const one{body};
          loop(how, std::size_t{0}, n, unit(), one, extras...);
        },
        rest...);
  }
};

/// Without a policy it is par. With one worker, too, the calls are tasks, which can wait for one another.
struct run_on_all_function {
  template <class First, class... Rest>
  auto operator()(First&& first, Rest&&... rest) const {
    if constexpr (is_execution_policy_v<First>)
      return run_on_all_algorithm{}(first.with(one_each), std::forward<Rest>(rest)...);
    else
      return (*this)(execution::par, std::forward<First>(first), std::forward<Rest>(rest)...);
  }

 private:
  static constexpr execution::static_chunk_size one_each{1};
};

}  // namespace algo

namespace experimental {
/// run_on_all([policy,] [n,] [reductions...,] f): calls f(parts...), or f(i, parts...), n times, the i-th on worker i
/// (beyond the last they are counted round and round), all at the same time: they may wait for one another. n: as many
/// as there are workers, or as the policy's num_cores. Parts of reductions are put together in the order of i. Returns
/// when all calls have ended, and throws an exception_list, without a policy as well; with par(task) a future<void>.
/// With seq the caller makes all of them. Once one has thrown, those behind it that have not begun are not made.
inline constexpr algo::run_on_all_function run_on_all{};
}  // namespace experimental

}  // namespace amity
