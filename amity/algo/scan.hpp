#pragma once

/// inclusive_scan, exclusive_scan, and both with a transformation.
///
///     amity::inclusive_scan(amity::execution::par, x.begin(), x.end(), sums.begin());
///
/// In two passes over blocks (Blelloch, "Prefix sums and their applications", 1990): each block's sum, the scan of
/// these, then each block from where those before it end. The first block is written in the first pass. The chunks of a
/// long range are a chain (Yan, Long, Zhang, "StreamScan: fast scan algorithms for GPUs without global barrier
/// synchronization", 2013): each is summed up, gets the sum of what comes before, passes its own on, and is scanned
/// while it is still in the cache. A worker that waits for its neighbour, which may be waiting for a core, does the
/// neighbour's part (Merrill, Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016). The output
/// may be the input. The operation has to be associative, not commutative.

#include <atomic>
#include <bit>
#include <functional>
#include <iterator>
#include <memory>
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

/// A chunk's parts, which are scanned side by side: a sum of numbers waits for the one before, other parts' need not.
inline constexpr index scan_parts = 4;
template <class T>
inline constexpr bool scans_by_parts = std::is_arithmetic_v<T>;

/// Elements of a chunk that is summed up, and then still in its core's cache when it is scanned. If its parts were some
/// pages long, they would all be in the same few lines of the first cache.
template <class T>
[[nodiscard]] constexpr index scan_chunk() noexcept {
  constexpr index bytes = scans_by_parts<T> ? (index{1} << 19) - 4096 : index{1} << 18;
  return sizeof(T) < bytes ? bytes / sizeof(T) : 1;
}

/// Numbers that can be written past the caches, so that their lines need not be read first.
template <class T, class Out>
concept streamable =
#if defined(__x86_64__)
    std::contiguous_iterator<Out> && std::is_same_v<std::remove_reference_t<std::iter_reference_t<Out>>, T> &&
    std::is_arithmetic_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);
#else
    false;
#endif

template <class T>
void stream(T* to, T value) noexcept {
#if defined(__x86_64__)  // what is behind _mm_stream_si64 and the like: <emmintrin.h> is long
  if constexpr (sizeof(T) == 8)
    __builtin_ia32_movnti64(reinterpret_cast<long long*>(to), std::bit_cast<long long>(value));
  else
    __builtin_ia32_movnti(reinterpret_cast<int*>(to), std::bit_cast<int>(value));
#else
  *to = value;
#endif
}

/// While it lives, numbers may be streamed. In the end they are before whatever is stored next, as a release needs it
/// to publish them. An operation that waits goes through locked instructions, which do the same.
struct streaming {
  streaming() noexcept = default;
  streaming(const streaming&) = delete;
  streaming& operator=(const streaming&) = delete;
  ~streaming() {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
  }
};

/// Until the sum of what comes before is known, which is soon; false: it takes longer, the worker that has it to do may
/// not be running.
[[nodiscard]] AMITY_API bool spin_for_neighbour(const sync::latch& known) noexcept;

template <bool Inclusive, class T, class It, class Out, class Op, class F>
class block_scan {
 public:
  block_scan(index n, It first, Out out, Op& op, F& f)
      : first_(first),
        out_(out),
        op_(op),
        f_(f),
        to_read_(n, first),
        to_read_and_write_(n, first, out),
        streams_(streams(n, first, out)) {}

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
    chain_job job{*this, p, begin, std::vector<chain_link>(p.chunks() + 1)};
    job.links[0].upto = std::move(carry);
    job.links[0].known.count_down();
    // No exception leaves a chunk, or others would not be begun, and those behind them wait for ever.
    over_chunks(p, [&](std::size_t slot, index, index) { job.run(slot); });
    job.failed.rethrow();
    carry = std::move(job.links.back().upto);
  }

 private:
  void add_up(std::optional<T>& sum, index from, index to) const {
    auto const part = [&](index begin, index end) {
      return sum_of<T, term_of<F, It>>(begin, end, op_, terms_of(f_, first_));
    };
    fold_steps(sum, from, to, op_, part, to_read_);
  }

  /// The sums of a chunk's parts. What is not scanned by parts has one, whose sum nobody asks for.
  struct part_sums {
    static constexpr index count = scans_by_parts<T> ? scan_parts : 1;
    std::optional<T> of[count];
  };
  [[nodiscard]] std::optional<T> add_up_parts(part_sums& sums, index from, index to) const {
    index const length = (to - from) / part_sums::count;
    std::optional<T> all;
    for (index i = 0; i < part_sums::count; ++i) {
      index const begin = from + i * length;
      add_up(sums.of[i], begin, i + 1 < part_sums::count ? begin + length : to);
      if (!sums.of[i].has_value()) continue;
      if constexpr (part_sums::count == 1)
        all = std::move(sums.of[i]);
      else
        all = all.has_value() ? T(op_(*all, *sums.of[i])) : *sums.of[i];
    }
    return all;
  }

  /// As block(), of a chunk whose parts' sums are known.
  void block_by_parts(index from, index to, std::optional<T>& carry, const part_sums& sums) const {
    if constexpr (scans_by_parts<T>) {
      index const length = (to - from) / scan_parts;
      if (carry.has_value() && length != 0) {
        T before[scan_parts] = {*carry};
        for (index i = 1; i < scan_parts; ++i) before[i] = static_cast<T>(op_(before[i - 1], *sums.of[i - 1]));
        if constexpr (streamable<T, Out>) {
          if (streams_) {
            streaming const until_here;
            parts(from, length, before, [](auto out, T value) { stream(std::to_address(out), value); });
          } else {
            parts(from, length, before, [](auto out, T value) { *out = value; });
          }
        } else {
          parts(from, length, before, [](auto out, T value) { *out = value; });
        }
        carry = before[scan_parts - 1];
        from += scan_parts * length;
      }
    }
    block(from, to, carry);
  }

  /// Parts of `length` elements, side by side, each from its `before`.
  template <class Put>
  void parts(index from, index length, T (&before)[scan_parts], Put put) const {
    auto const in = at(first_, from);
    auto const out = at(out_, from);
    for (index i = 0; i < length; ++i) {
      for (index part = 0; part < scan_parts; ++part) {
        index const here = part * length + i;
        T const next = static_cast<T>(op_(before[part], std::invoke(f_, *at(in, here))));
        put(at(out, here), Inclusive ? next : before[part]);
        before[part] = next;
      }
    }
  }

  /// Whether what is written lies in no cache: a long range, and not what was read just now.
  [[nodiscard]] static bool streams(index n, const It& first, const Out& out) noexcept {
    if constexpr (streamable<T, Out> && std::contiguous_iterator<It>)
      return n >= bytes_in_cache / (sizeof(std::iter_value_t<It>) + sizeof(T)) &&
             prefetched_begin(first) != prefetched_begin(out);
    else
      return false;
  }

  struct chain_link {
    /// The worker that changes it to `taken` tells what comes after the chunk.
    enum state : int { open, summed, taken };

    std::atomic<int> is{open};
    std::optional<T> sum;   ///< of the chunk; published by `summed`
    std::optional<T> upto;  ///< what comes after the chunk
    sync::latch known{1};
    const sched::worker* by = nullptr;  ///< who has told it

    /// acq_rel: the worker that takes it sees the sum; pairs with the other's change to `summed`.
    [[nodiscard]] bool change(int from, int to) noexcept {
      return is.compare_exchange_strong(from, to, std::memory_order_acq_rel, std::memory_order_relaxed);
    }
    void tell() noexcept {
      by = &sched::this_worker();
      known.count_down();  // releases; pairs with try_wait
    }
  };

  /// What those who run the chunks of one chain share.
  struct chain_job {
    const block_scan& scan;
    const partition& p;
    index begin;
    std::vector<chain_link> links;  ///< one for each chunk, behind the one for what comes before all
    failure failed{};
    std::atomic<bool> has_failed{false};

    [[nodiscard]] index first_of(std::size_t slot) const noexcept { return begin + p.first_of(slot - 1); }

    void keep_failure(std::size_t slot) noexcept {
      failed.keep(first_of(slot));
      has_failed.store(true, std::memory_order_relaxed);  // published by tell(), which comes later
    }
    // Relaxed: a worker that sees it late does what need not be done, but what it needs is there.
    [[nodiscard]] bool goes_on() const noexcept { return !has_failed.load(std::memory_order_relaxed); }

    /// Takes the chunk and tells what comes after it; false: another one has. Requires: what comes before is known.
    [[nodiscard]] bool try_tell(std::size_t slot) noexcept {
      chain_link& mine = links[slot];
      // acq_rel: as change().
      switch (mine.is.exchange(chain_link::taken, std::memory_order_acq_rel)) {
        case chain_link::open:
          tell(slot, std::nullopt);
          return true;
        case chain_link::summed:
          tell(slot, std::move(mine.sum));
          return true;
        default:
          return false;
      }
    }
    void tell(std::size_t slot, std::optional<T> sum) noexcept {
      chain_link& mine = links[slot];
      try {
        if (goes_on()) {
          if (!sum.has_value()) scan.add_up(sum, first_of(slot), first_of(slot + 1));
          const std::optional<T>& before = links[slot - 1].upto;
          mine.upto = before.has_value() ? T(scan.op_(*before, std::move(*sum))) : std::move(*sum);
        }
      } catch (...) {
        keep_failure(slot);
      }
      mine.tell();
    }

    /// Until it is known what comes after chunk `slot`. The worker that has it to do may wait for a core: then it is
    /// summed up once more, rather than waited for. The first chunk that is not known is the one that keeps all others.
    void await(std::size_t slot) noexcept {
      while (!spin_for_neighbour(links[slot].known)) {
        std::size_t first = slot;
        while (!links[first - 1].known.try_wait()) --first;
        if (!try_tell(first)) links[first].known.wait();
      }
    }

    void run(std::size_t slot) noexcept {
      chain_link& before = links[slot - 1];
      chain_link& mine = links[slot];
      index const from = first_of(slot), to = first_of(slot + 1);
      bool const alone = !scans_by_parts<T> && before.known.try_wait() && before.by == &sched::this_worker();
      if (alone && mine.change(chain_link::open, chain_link::taken)) {  // not worth to look at all twice
        try {
          if (goes_on()) {
            scan.block(from, to, before.upto);
            mine.upto = std::move(before.upto);
          }
        } catch (...) {
          keep_failure(slot);
        }
        mine.tell();
        return;
      }
      part_sums sums;
      try {
        mine.sum = scan.add_up_parts(sums, from, to);
        (void)mine.change(chain_link::open, chain_link::summed);  // unless somebody else has taken it
      } catch (...) {
        keep_failure(slot);
      }
      await(slot - 1);
      if (!try_tell(slot)) await(slot);
      try {
        if (goes_on()) scan.block_by_parts(from, to, before.upto, sums);
      } catch (...) {
        keep_failure(slot);
      }
    }
  };

  It first_;
  Out out_;
  Op& op_;
  F& f_;
  prefetcher<It> to_read_;
  prefetcher<It, Out> to_read_and_write_;
  bool streams_;
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
inline constexpr algo::over_ranges<algo::inclusive_scan_algorithm, 1, algo::no_projections, algo::in_and_out<>>
    inclusive_scan{};
inline constexpr algo::over_ranges<algo::exclusive_scan_algorithm, 1, algo::no_projections, algo::in_and_out<>>
    exclusive_scan{};
inline constexpr algo::over_ranges<algo::transform_inclusive_scan_algorithm, 1, algo::no_projections,
                                   algo::in_and_out<>>
    transform_inclusive_scan{};
inline constexpr algo::over_ranges<algo::transform_exclusive_scan_algorithm, 1, algo::no_projections,
                                   algo::in_and_out<>>
    transform_exclusive_scan{};
}  // namespace ranges

}  // namespace amity
