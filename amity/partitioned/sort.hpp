#pragma once

/// sort, stable_sort over partitioned vectors.
///
///     amity::sort(amity::execution::par, v.begin(), v.end(), std::greater<>());
///
/// Each run is sorted where it lies, by the algorithm of algo. For every place between two runs it is then found where
/// all sorted runs are cut, so that the elements before the cuts are those that belong before that place (cuts.hpp);
/// the process of the run behind it does that. Each process fetches the pieces between its cuts from all others. When
/// all have, each merges what it has into its places (merge_pieces.hpp). So every element travels once, and to its
/// place, whatever the elements are.
///
/// Splitters of samples alone, as sample sort has them, give a process more or fewer elements than it has places, and a
/// second exchange has to even that out. Exact cuts cost a few more messages with samples, and no elements. (Shi and
/// Schaeffer, "Parallel sorting by regular sampling", 1992; Varman, Scheufler, Iyer, Ricard, "Merging multiple lists on
/// hierarchical-memory multiprocessors", 1991)
///
/// Equals are taken in the order of their runs and of their places there. So stable_sort is stable, and many equal ones
/// are shared as others are. A run that holds the right elements is left as it is; for those of all others memory is
/// taken once more, in the process that gets them. Messages are as many as the square of the number of runs: few large
/// blocks are sorted faster than many small ones.
///
/// If the comparison throws, the first error comes when all processes have ended; elements are in any order then.
/// Within the runs some may be moved from, as algo's sort says; later nothing is lost, unless a call can't be sent any
/// more. The comparison is called with copies of elements, too, and in any of the processes. Both block the fiber, and
/// throw std::bad_alloc if a process has no memory.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/sort.hpp"
#include "amity/partitioned/cuts.hpp"
#include "amity/partitioned/for_each.hpp"
#include "amity/partitioned/merge_pieces.hpp"

namespace amity::partitioned {

/// Sorted neighbours in the memory of one process.
template <class T>
struct piece {
  global_ptr<T> first;
  std::size_t size = 0;
};

/// The samples of a window, and where they are. Pairs, since a vector of bool is none.
template <class T>
std::vector<std::pair<T, std::size_t>> samples_here(const T* first, std::size_t low, std::size_t high,
                                                    std::size_t most) {
  std::vector<std::pair<T, std::size_t>> all;
  each_sample(low, high, most, [&](std::size_t at) { all.emplace_back(first[at], at); });
  return all;
}
template <class T>
future<std::vector<std::pair<T, std::size_t>>> samples_of(global_ptr<T> first, std::size_t low, std::size_t high,
                                                          std::size_t most) {
  const T* here = first.where() == rank_me() ? first.raw_ptr() : nullptr;
  if constexpr (pgas::detail::transferable<T>) here = first.local();
  if (here != nullptr) return make_ready_future(samples_here(here, low, high, most));
  return pgas::detail::own_rpc(first.where(),
                               [first, low, high, most] { return samples_here<T>(first.raw_ptr(), low, high, most); });
}

/// Where runs of any process are cut. Blocks the fiber.
template <class T, class Less>
cut cut_of_runs(const std::vector<piece<T>>& runs, std::size_t wanted, Less less) {
  cut sizes;
  for (const piece<T>& each : runs) sizes.push_back(each.size);
  auto const look = [&](const windows& w) {
    std::vector<std::size_t> asked;
    std::vector<future<std::vector<std::pair<T, std::size_t>>>> answers;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (w.low[i] == w.high[i]) continue;
      asked.push_back(i);
      answers.push_back(samples_of(runs[i].first, w.low[i], w.high[i], samples_of_each(runs.size())));
    }
    std::vector<sample<T>> all;
    for (std::size_t i = 0; i < asked.size(); ++i)
      for (auto& [value, at] : answers[i].get()) all.push_back({std::move(value), asked[i], at});
    return all;
  };
  return cut_at<T>(wanted, sizes, look, [&less](const T& a, const T& b) -> bool { return less(a, b); });
}

/// The cuts before each run, and behind the last one.
template <class T, class Less>
std::vector<cut> cuts_of_runs(bool parallel, const std::vector<run>& runs, const std::vector<piece<T>>& pieces,
                              Less less) {
  cut sizes;
  for (const run& each : runs) sizes.push_back(each.size);
  std::vector<run> const behind(runs.begin() + 1, runs.end());
  std::vector<cut> cuts = over_runs(parallel, behind, [&](const run& r) {
    std::size_t const number = 1 + static_cast<std::size_t>(&r - behind.data());
    return pgas::detail::own_rpc(
        pieces[number].first.where(),
        [wanted = r.at, less = portable(less)](const std::vector<piece<T>>& all) {
          return cut_of_runs(all, wanted, less.here());
        },
        pieces);
  });
  cuts.insert(cuts.begin(), cut(runs.size()));
  for (std::size_t i = 1; i < runs.size(); ++i) settle(cuts[i], runs[i].at, cuts[i - 1], sizes);
  cuts.push_back(std::move(sizes));
  return cuts;
}

/// Copies of pieces of any processes, in the process that has places for them.
template <class T>
class arrived_pieces {
  static constexpr bool as_bytes = pgas::detail::transferable<T>;

 public:
  /// Fetches them. Blocks the fiber. Throws std::bad_alloc.
  arrived_pieces(bool parallel, const std::vector<piece<T>>& from) : pieces_(from.size()) {
    make_room(from);
    algo::settings const one_each{.how = algo::chunking::equal, .alone = !parallel, .chunk = 1};
    algo::over_elements(one_each, from.size(), [&](algo::index i, algo::index end) {
      for (; i < end; ++i) fetch(from[i], i);
    });
  }
  arrived_pieces(const arrived_pieces&) = delete;
  arrived_pieces& operator=(const arrived_pieces&) = delete;

  /// To their places, in order. The memory for the copies is given back.
  template <class Less>
  void merge_to(bool parallel, T* out, Less less) {
    auto const copies = std::move(copies_);
    merge_pieces(parallel, std::exchange(pieces_, {}), out, less);
  }

 private:
  using memory = std::conditional_t<as_bytes, std::unique_ptr<algo::raw_memory<T>>, std::vector<std::vector<T>>>;

  void make_room(const std::vector<piece<T>>& from) requires(!as_bytes) { copies_.resize(from.size()); }
  void make_room(const std::vector<piece<T>>& from) requires as_bytes {
    std::size_t n = 0;
    for (const piece<T>& each : from) n += each.size;
    copies_ = std::make_unique<algo::raw_memory<T>>(n);
    T* to = copies_->data();
    if (to == nullptr) throw std::bad_alloc();
    for (std::size_t i = 0; i < from.size(); to += from[i].size, ++i) pieces_[i] = {to, from[i].size};
  }
  void fetch(const piece<T>& p, std::size_t i) {
    if constexpr (as_bytes) {
      rget(p.first, pieces_[i].data(), p.size).get();
    } else {
      copies_[i] = pgas::detail::own_rpc(p.first.where(), [p] {
                     return std::vector<T>(p.first.raw_ptr(), p.first.raw_ptr() + p.size);
                   }).get();
      pieces_[i] = copies_[i];
    }
  }

  memory copies_;
  std::vector<std::span<T>> pieces_;
};

/// Puts sorted runs in order, all together.
template <class T, class Less>
void merge_runs(bool parallel, const std::vector<run>& runs, const std::vector<piece<T>>& places, Less less) {
  std::vector<cut> const cuts = cuts_of_runs(parallel, runs, places, less);
  std::vector<run> changed;
  std::vector<piece<T>> to;
  std::vector<std::vector<piece<T>>> from;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (cuts[i + 1][i] - cuts[i][i] == runs[i].size) continue;
    std::vector<piece<T>> parts;
    for (std::size_t k = 0; k < runs.size(); ++k)
      if (std::size_t const size = cuts[i + 1][k] - cuts[i][k]; size != 0)
        parts.push_back({places[k].first + static_cast<std::ptrdiff_t>(cuts[i][k]), size});
    changed.push_back(runs[i]);
    to.push_back(places[i]);
    from.push_back(std::move(parts));
  }
  auto const number = [&](const run& r) { return static_cast<std::size_t>(&r - changed.data()); };
  auto const arrived = over_runs(parallel, changed, [&](const run& r) {
    return new_<arrived_pieces<T>>(to[number(r)].first.where(), parallel, from[number(r)]);
  });
  over_runs(parallel, changed, [&](const run& r) {
    return arrived[number(r)].call(
        [out = to[number(r)].first, parallel, less = portable(less)](arrived_pieces<T>& pieces) {
          pieces.merge_to(parallel, out.raw_ptr(), less.here());
        });
  });
}

/// By algorithm A of algo within each run.
template <class A, class T, class Less>
void sort_by(bool parallel, iterator<T> first, iterator<T> last, Less less) {
  if constexpr (algo::accepts_order<const T*, Less>()) {
    std::size_t const n = length(first, last);
    at_owners(parallel, first, n,
              [less = portable(less)](bool par, T* from, T* to) { run_here<A>(par, from, to, less.here()); });
    auto const runs = runs_of(n, first);
    if (runs.size() < 2) return;
    std::vector<piece<T>> places;
    for (const run& each : runs) places.push_back({pointer_at(first, each), each.size});
    merge_runs(parallel, runs, places, less);
  }
}

template <class T, class Less = std::less<>>
requires(!std::is_const_v<T>) void run_over_segments(algo::sort_algorithm, bool parallel, iterator<T> first,
                                                     iterator<T> last, Less less = {}) {
  sort_by<algo::sort_algorithm>(parallel, first, last, std::move(less));
}
template <class T, class Less = std::less<>>
requires(!std::is_const_v<T>) void run_over_segments(algo::stable_sort_algorithm, bool parallel, iterator<T> first,
                                                     iterator<T> last, Less less = {}) {
  sort_by<algo::stable_sort_algorithm>(parallel, first, last, std::move(less));
}

}  // namespace amity::partitioned
