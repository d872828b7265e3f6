#pragma once

/// How an algorithm's elements are cut: `par.with(...)` of one of these.
///
///     amity::for_each(par.with(amity::execution::dynamic_chunk_size(16)), v.begin(), v.end(), f);
///
/// Without one it is auto_chunk_size. With a fixed chunk size a sum of floating-point numbers is the same in each run,
/// as long as the number of workers is.

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>

#include "amity/algo/settings.hpp"
#include "amity/base/chrono.hpp"

namespace amity::execution {

/// Chunks of `size` elements, neighbours to the same worker as far as they are equally fast. 0: one for each worker.
class static_chunk_size {
 public:
  /// `size`: elements of a chunk; 0: all, cut into one for each worker.
  constexpr explicit static_chunk_size(std::uint64_t size = 0) noexcept : size_(size) {}
  constexpr void put(algo::settings& s) const noexcept {
    s.how = algo::chunking::equal;
    s.chooser = nullptr;
    s.chunk = size_;
    s.chunks_each = 0;
  }

 private:
  std::uint64_t size_;
};

/// Chunks of one size, neighbours to the same worker as far as they are equally fast; if no size is given, four for
/// each worker: more than static_chunk_size makes, so that there is something to steal.
class adaptive_static_chunk_size {
 public:
  /// `size`: elements of a chunk; 0: chosen from the number of elements and of workers.
  constexpr explicit adaptive_static_chunk_size(std::uint64_t size = 0) noexcept : size_(size) {}
  constexpr void put(algo::settings& s) const noexcept {
    s.how = algo::chunking::equal;
    s.chooser = nullptr;
    s.chunk = size_;
    s.chunks_each = 4;
  }

 private:
  std::uint64_t size_;
};

/// Chunks of `size` elements; a thread that has done one takes the next.
class dynamic_chunk_size {
 public:
  /// `size`: elements of a chunk.
  constexpr explicit dynamic_chunk_size(std::uint64_t size = 1) noexcept : size_(size) {}
  constexpr void put(algo::settings& s) const noexcept {
    s.how = algo::chunking::first_come;
    s.chooser = nullptr;
    s.chunk = size_;
  }

 private:
  std::uint64_t size_;
};

/// The same; each chunk is a share of what is left, and has at least `smallest` elements.
class guided_chunk_size {
 public:
  /// `smallest`: elements that a chunk has at least.
  constexpr explicit guided_chunk_size(std::uint64_t smallest = 1) noexcept : smallest_(smallest) {}
  constexpr void put(algo::settings& s) const noexcept {
    s.how = algo::chunking::shrinking;
    s.chooser = nullptr;
    s.chunk = smallest_;
  }

 private:
  std::uint64_t smallest_;
};

/// The caller does the first elements and looks at the clock. If all of it takes some microseconds only, the caller
/// does the rest, too. Otherwise chunks take `shortest` at least (0: 10 us), and there are not more than eight for each
/// worker.
class auto_chunk_size {
 public:
  /// `shortest`: the time that a chunk should take at least; 0: 10 us.
  constexpr explicit auto_chunk_size(std::chrono::nanoseconds shortest = {}) noexcept : shortest_(shortest) {}
  constexpr void put(algo::settings& s) const noexcept {
    s.how = algo::chunking::automatic;
    s.chooser = nullptr;
    s.chunk = 0;
    s.shortest = static_cast<std::uint64_t>(shortest_.count());
    s.remembered = nullptr;
  }

 private:
  std::chrono::nanoseconds shortest_;
};

/// The same; what was measured at the first use is used again by all later ones, of copies too. For loops that are the
/// same each time.
class persistent_auto_chunk_size {
 public:
  /// `shortest` as of auto_chunk_size. Copies share the measurement.
  template <class Measured = std::atomic<std::uint64_t>>  // of nothing else (base/README.md, I1)
  explicit persistent_auto_chunk_size(std::chrono::nanoseconds shortest = {})
      : shortest_(shortest), measured_(std::make_shared<Measured>(0)) {}
  void put(algo::settings& s) const noexcept {
    auto_chunk_size(shortest_).put(s);
    s.remembered = measured_.get();
  }
  [[nodiscard]] std::shared_ptr<const void> kept() const noexcept { return measured_; }

 private:
  std::chrono::nanoseconds shortest_;
  std::shared_ptr<std::atomic<std::uint64_t>> measured_;
};

/// At most so many workers take part.
class num_cores {
 public:
  /// `cores`: workers; 0: all there are.
  constexpr explicit num_cores(unsigned cores) noexcept : cores_(cores) {}
  constexpr void put(algo::settings& s) const noexcept { s.at_most = cores_; }

 private:
  unsigned cores_;
};

/// What may stand in `with(...)` and `on(...)`.
template <class T>
concept puts_settings = requires(const T& x, algo::settings& s) {
  x.put(s);
};
/// One whose settings point to something that it shares.
template <class T>
concept keeps_something = puts_settings<T> && requires(const T& x) {
  { x.kept() } -> std::convertible_to<std::shared_ptr<const void>>;
};

/// At most so many chunks, whatever the chunker says: `par.with(dynamic_chunk_size(10), max_num_chunks(100))`. What is
/// measured, or done by the caller, in front of the first chunk does not count.
class max_num_chunks {
 public:
  /// `chunks`: 0: any number.
  constexpr explicit max_num_chunks(std::uint64_t chunks) noexcept : chunks_(chunks) {}
  constexpr void put(algo::settings& s) const noexcept { s.most_chunks = chunks_; }

 private:
  std::uint64_t chunks_;
};

/// HPX's names for them.
namespace experimental {
using execution::adaptive_static_chunk_size;
using execution::auto_chunk_size;
using execution::dynamic_chunk_size;
using execution::guided_chunk_size;
using execution::max_num_chunks;
using execution::num_cores;
using execution::persistent_auto_chunk_size;
using execution::static_chunk_size;
}  // namespace experimental

}  // namespace amity::execution
