#pragma once

/// inclusive_scan, exclusive_scan, and both with a transformation.
///
///     amity::inclusive_scan(amity::execution::par, x.begin(), x.end(), sums.begin());
///
/// In two passes over blocks (Blelloch, "Prefix sums and their applications", 1990): each block's sum, the scan of
/// these, then each block from where those before it end. The first block is written in the first pass. The chunks of a
/// long range are a chain (Yan, Long, Zhang, "StreamScan: fast scan algorithms for GPUs without global barrier
/// synchronization", 2013): each is summed up, gets the sum of what comes before, passes its own on, and is scanned
/// while it is still in the cache. The output may be the input. The operation has to be associative, not commutative.

#include <atomic>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/algo/reduce.hpp"
#include "amity/sync/latch.hpp"

namespace amity {

namespace algo {

/// A block, from `carry`, which becomes what comes after it; the end of the output. Without a carry (inclusive only)
/// the first element begins.
template <bool Inclusive, class It, class Out, class T, class Op, class F>
Out scan_block(It it, It const last, Out out, std::optional<T>& carry, Op& op, F& f) {
  if (it == last) return out;
  if constexpr (Inclusive) {
    T sum = carry.has_value() ? T(op(std::move(*carry), std::invoke(f, *it))) : T(std::invoke(f, *it));
    *out = sum;
    for (++it, (void)++out; it != last; ++it, (void)++out) {
      sum = op(std::move(sum), std::invoke(f, *it));
      *out = sum;
    }
    carry = std::move(sum);
  } else {
    T sum = std::move(*carry);
    for (; it != last; ++it, (void)++out) {
      T next = op(sum, std::invoke(f, *it));  // before it is overwritten, perhaps
      *out = std::move(sum);
      sum = std::move(next);
    }
    carry = std::move(sum);
  }
  return out;
}

/// Elements of a chunk that is summed up, and then still in its core's cache when it is scanned.
template <class T>
[[nodiscard]] constexpr index scan_chunk() noexcept {
  constexpr index bytes = index{1} << 18;
  return sizeof(T) < bytes ? bytes / sizeof(T) : 1;
}

/// Until the sum of what comes before is known, soon.
AMITY_API void await_neighbour(const sync::latch& known) noexcept;

template <bool Inclusive, class T, class It, class Out, class Op, class F>
class block_scan {
 public:
  block_scan(index n, It first, Out out, Op& op, F& f)
      : first_(first), out_(out), op_(op), f_(f), to_read_(n, first), to_read_and_write_(n, first, out) {}

  /// A block, from `carry`, which becomes what comes after it.
  void block(index from, index to, std::optional<T>& carry) const {
    to_read_and_write_.steps(from, to, [&](index begin, index end) {
      scan_block<Inclusive>(at(first_, begin), at(first_, end), at(out_, begin), carry, op_, f_);
    });
  }

  /// The chunks of `p`, whose elements begin at `begin`, from `carry`, which becomes what comes after them.
  void chunks(partition& p, index begin, std::optional<T>& carry) const {
    std::vector<std::optional<T>> before(p.chunks() + 1);  // before[i]: the sum of what lies in front of chunk i
    over_chunks(p, [&](std::size_t slot, index from, index to) {
      if (slot == 1) {
        before[1] = carry;
        block(begin + from, begin + to, before[1]);
      } else if (slot < p.chunks()) {
        add_up(before[slot], begin + from, begin + to);
      }
    });
    for (std::size_t i = 2; i < p.chunks(); ++i) before[i] = T(op_(*before[i - 1], std::move(*before[i])));
    over_chunks(p, [&](std::size_t slot, index from, index to) {
      if (slot != 1) block(begin + from, begin + to, before[slot - 1]);
    });
    carry = std::move(before[p.chunks() > 1 ? p.chunks() - 1 : 1]);
  }

  /// The chunks of `p`, which are begun in their order, from `carry`, which becomes what comes after them. Each is
  /// summed up, which gives the next one what comes before it, and then scanned.
  void chain(partition& p, index begin, std::optional<T>& carry) const {
    std::vector<chain_link> links(p.chunks() + 1);
    links[0].upto = std::move(carry);
    links[0].known.count_down();
    failure failed;
    std::atomic<bool> has_failed{false};
    // No exception leaves a chunk, or others would not be begun, and those behind them wait for ever.
    over_chunks(p, [&](std::size_t slot, index from, index to) {
      chain_link& before = links[slot - 1];
      chain_link& mine = links[slot];
      bool told = false;
      try {
        std::optional<T> sum;
        if (!before.known.try_wait() || before.by != &sched::this_worker()) add_up(sum, begin + from, begin + to);
        await_neighbour(before.known);
        // Relaxed: who sees it late does what need not be done, but what it needs is there.
        if (!has_failed.load(std::memory_order_relaxed)) {
          if (sum.has_value()) {
            mine.upto = before.upto.has_value() ? T(op_(*before.upto, std::move(*sum))) : std::move(*sum);
            mine.tell();
            told = true;
          }
          block(begin + from, begin + to, before.upto);
          if (!told) mine.upto = std::move(before.upto);  // nobody was about: it was not worth to look at all twice
        }
      } catch (...) {
        failed.keep(from);
        has_failed.store(true, std::memory_order_relaxed);  // published by tell(), if that is still to come
      }
      if (!told) mine.tell();
    });
    failed.rethrow();
    carry = std::move(links.back().upto);
  }

 private:
  void add_up(std::optional<T>& sum, index from, index to) const {
    auto const part = [&](index begin, index end) {
      return sum_of<T, term_of<F, It>>(begin, end, op_, terms_of(f_, first_));
    };
    fold_steps(sum, from, to, op_, part, to_read_);
  }

  struct chain_link {
    std::optional<T> upto;  ///< what comes after the chunk
    sync::latch known{1};
    const sched::worker* by = nullptr;  ///< who has done it

    void tell() noexcept {
      by = &sched::this_worker();
      known.count_down();  // releases; pairs with try_wait
    }
  };

  It first_;
  Out out_;
  Op& op_;
  F& f_;
  prefetcher<It> to_read_;
  prefetcher<It, Out> to_read_and_write_;
};

template <bool Inclusive, class T, class It, class Out, class Op, class F>
Out scan_blocks(const settings& how, It first, It last, Out out, std::optional<T>& carry, Op& op, F& f) {
  index const n = length(first, last);
  block_scan<Inclusive, T, It, Out, Op, F> const by(n, first, out, op, f);
  if (how.alone) {
    by.block(0, n, carry);
    return at(out, n);
  }
  partition all(how, n, most_slots);
  if (!over_first(all, [&](std::size_t, index from, index to) { by.block(from, to, carry); })) return at(out, n);
  index const begin = all.probed(), chunk = scan_chunk<T>();
  bool const is_long = (n - begin) / chunk >= index{8} * parties(how);
  if (how.how != chunking::automatic || how.team != nullptr || !is_long) {
    by.chunks(all, 0, carry);
    return at(out, n);
  }
  settings by_ticket = how;
  by_ticket.how = chunking::first_come;
  by_ticket.chunk = chunk;
  partition part(by_ticket, n - begin);
  by.chain(part, begin, carry);
  return at(out, n);
}

template <bool Inclusive, class T, class It, class Out, class Op, class F>
Out scan(const settings& how, It first, It last, Out out, std::optional<T> carry, Op op, F f) {
  // Else there is nothing to begin a block's sum with: by the caller alone.
  if constexpr (is_random_access_v<It> && is_random_access_v<Out> && std::is_convertible_v<term_of<F, It>, T>)
    return scan_blocks<Inclusive>(how, first, last, out, carry, op, f);
  else
    return scan_block<Inclusive>(first, last, out, carry, op, f);
}

/// By the caller alone in the same way, for all iterators.
template <class Scan>
struct scan_algorithm : algorithm<Scan> {
  template <class... Args>
  static auto sequential(Args&&... args) {
    return Scan::parallel(in_order, std::forward<Args>(args)...);
  }
};

struct inclusive_scan_algorithm : scan_algorithm<inclusive_scan_algorithm> {
  template <class It, class Out, class Op = std::plus<>>
  static Out parallel(const settings& how, It first, It last, Out out, Op op = {}) {
    return scan<true, value_of<It>>(how, first, last, out, std::nullopt, std::move(op), std::identity());
  }
  template <class It, class Out, class Op, class T>
  static Out parallel(const settings& how, It first, It last, Out out, Op op, T init) {
    return scan<true, T>(how, first, last, out, std::move(init), std::move(op), std::identity());
  }
};

struct exclusive_scan_algorithm : scan_algorithm<exclusive_scan_algorithm> {
  template <class It, class Out, class T, class Op = std::plus<>>
  static Out parallel(const settings& how, It first, It last, Out out, T init, Op op = {}) {
    return scan<false, T>(how, first, last, out, std::move(init), std::move(op), std::identity());
  }
};

struct transform_inclusive_scan_algorithm : scan_algorithm<transform_inclusive_scan_algorithm> {
  template <class It, class Out, class Op, class F>
  static Out parallel(const settings& how, It first, It last, Out out, Op op, F f) {
    using sum = std::decay_t<std::invoke_result_t<F&, decltype(*first)>>;
    return scan<true, sum>(how, first, last, out, std::nullopt, std::move(op), std::move(f));
  }
  template <class It, class Out, class Op, class F, class T>
  static Out parallel(const settings& how, It first, It last, Out out, Op op, F f, T init) {
    return scan<true, T>(how, first, last, out, std::move(init), std::move(op), std::move(f));
  }
};

struct transform_exclusive_scan_algorithm : scan_algorithm<transform_exclusive_scan_algorithm> {
  template <class It, class Out, class T, class Op, class F>
  static Out parallel(const settings& how, It first, It last, Out out, T init, Op op, F f) {
    return scan<false, T>(how, first, last, out, std::move(init), std::move(op), std::move(f));
  }
};

}  // namespace algo

/// inclusive_scan([policy,] first, last, out[, op[, init]]): at i what op makes of all up to i, with it; the end of the
/// output. op is associative. The output may be the input.
inline constexpr algo::inclusive_scan_algorithm inclusive_scan{};
/// exclusive_scan([policy,] first, last, out, init[, op]): the same without the element itself, beginning with init.
inline constexpr algo::exclusive_scan_algorithm exclusive_scan{};
/// transform_inclusive_scan([policy,] first, last, out, op, f[, init]): the inclusive scan of what f makes of each.
inline constexpr algo::transform_inclusive_scan_algorithm transform_inclusive_scan{};
/// transform_exclusive_scan([policy,] first, last, out, init, op, f): the exclusive scan of what f makes of each.
inline constexpr algo::transform_exclusive_scan_algorithm transform_exclusive_scan{};
namespace ranges {
inline constexpr algo::over_ranges<algo::inclusive_scan_algorithm, 1> inclusive_scan{};
inline constexpr algo::over_ranges<algo::exclusive_scan_algorithm, 1> exclusive_scan{};
inline constexpr algo::over_ranges<algo::transform_inclusive_scan_algorithm, 1> transform_inclusive_scan{};
inline constexpr algo::over_ranges<algo::transform_exclusive_scan_algorithm, 1> transform_exclusive_scan{};
}  // namespace ranges

}  // namespace amity
