#pragma once

/// Chunkers of the program's own, as HPX's programs write them.
///
///     struct ten_each {                                               // by a member function
///       template <class Executor>
///       std::size_t get_chunk_size(Executor&&, std::chrono::nanoseconds, std::size_t cores, std::size_t n) const {
///         return std::max<std::size_t>(1, n / (10 * cores));
///       }
///     };
///     amity::for_each(amity::execution::par.with(ten_each()), v.begin(), v.end(), f);
///
/// A chunker has one or more of get_chunk_size, maximal_number_of_chunks and processing_units_count, as member
/// functions or by tag_invoke (`tag_invoke(get_chunk_size_t, const ten_each&, executor, ...)`). The executor that they
/// get is a parallel_executor. Amity doesn't measure an iteration for them: its time is given as 0. Such a chunker is
/// obeyed on one core, too. If it throws, or gives 0, Amity chooses in its place.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "amity/algo/execution.hpp"
#include "amity/algo/executor.hpp"
#include "amity/base/chrono.hpp"

namespace amity::execution {

namespace experimental {

namespace chunkers {
void tag_invoke();  // so that the name is looked up by its arguments alone
template <class Tag, class... Args>
concept is_told = requires(const Tag& tag, Args&&... args) {
  { tag_invoke(tag, std::forward<Args>(args)...) } -> std::convertible_to<std::size_t>;
};
template <class Tag, class... Args>
std::size_t tell(const Tag& tag, Args&&... args) {
  return static_cast<std::size_t>(tag_invoke(tag, std::forward<Args>(args)...));
}
}  // namespace chunkers

/// The type of get_chunk_size.
struct get_chunk_size_t {
  /// By tag_invoke, or a member function of that name; 0: the chunker has neither.
  template <class P, class Executor>
  std::size_t operator()(const P& p, const Executor& by, std::chrono::nanoseconds each, std::size_t cores,
                         std::size_t n) const {
    if constexpr (chunkers::is_told<get_chunk_size_t, const P&, const Executor&, std::chrono::nanoseconds, std::size_t,
                                    std::size_t>)
      return chunkers::tell(*this, p, by, each, cores, n);
    else if constexpr (requires { p.get_chunk_size(by, each, cores, n); })
      return static_cast<std::size_t>(p.get_chunk_size(by, each, cores, n));
    else
      return 0;
  }
};
/// The type of maximal_number_of_chunks.
struct maximal_number_of_chunks_t {
  /// By tag_invoke, or a member function of that name; 0: the chunker has neither.
  template <class P, class Executor>
  std::size_t operator()(const P& p, const Executor& by, std::size_t cores, std::size_t n) const {
    if constexpr (chunkers::is_told<maximal_number_of_chunks_t, const P&, const Executor&, std::size_t, std::size_t>)
      return chunkers::tell(*this, p, by, cores, n);
    else if constexpr (requires { p.maximal_number_of_chunks(by, cores, n); })
      return static_cast<std::size_t>(p.maximal_number_of_chunks(by, cores, n));
    else
      return 0;
  }
};
/// The type of processing_units_count.
struct processing_units_count_t {
  /// By tag_invoke, or a member function of that name; 0: the chunker has neither.
  template <class P, class Executor>
  std::size_t operator()(const P& p, const Executor& by, std::chrono::nanoseconds each, std::size_t n) const {
    if constexpr (chunkers::is_told<processing_units_count_t, const P&, const Executor&, std::chrono::nanoseconds,
                                    std::size_t>)
      return chunkers::tell(*this, p, by, each, n);
    else if constexpr (requires { p.processing_units_count(by, each, n); })
      return static_cast<std::size_t>(p.processing_units_count(by, each, n));
    else
      return 0;
  }
};

/// get_chunk_size(chunker, executor, time of an iteration, cores, n): elements of a chunk.
inline constexpr get_chunk_size_t get_chunk_size{};
/// maximal_number_of_chunks(chunker, executor, cores, n): at most so many chunks.
inline constexpr maximal_number_of_chunks_t maximal_number_of_chunks{};
/// processing_units_count(chunker, executor, time of an iteration, n): at most so many workers.
inline constexpr processing_units_count_t processing_units_count{};

/// What HPX's programs specialise for their chunkers. Amity looks at what a chunker has.
template <class P>
struct is_executor_parameters : std::false_type {};

}  // namespace experimental

/// A chunker of the program's own as one of Amity's: what policies make of it.
template <class P>
class adapted_chunker {
  using each = std::chrono::nanoseconds;
  using executor = parallel_executor;

  template <class Tag, class... Args>
  static constexpr bool has = experimental::chunkers::is_told<Tag, const P&, const executor&, Args...>;
  static constexpr bool is_chunker = has<experimental::get_chunk_size_t, each, std::size_t, std::size_t> ||
                                     has<experimental::maximal_number_of_chunks_t, std::size_t, std::size_t> ||
                                     has<experimental::processing_units_count_t, each, std::size_t> ||
                                     requires(const P& p, const executor& by) {
    p.get_chunk_size(by, each(), std::size_t(), std::size_t());
  }
  || requires(const P& p, const executor& by) { p.maximal_number_of_chunks(by, std::size_t(), std::size_t()); }
  || requires(const P& p, const executor& by) { p.processing_units_count(by, each(), std::size_t()); };
  static_assert(is_chunker,
                "with(...) takes chunkers: this has none of get_chunk_size, maximal_number_of_chunks and "
                "processing_units_count, as member functions or by tag_invoke, and is none of Amity's");

  struct chooser final : algo::chunk_chooser {
    P chunker;
    explicit chooser(const P& p) : chunker(p) {}
    void choose(algo::settings& s, std::uint64_t n) const noexcept override {
      try {
        executor const by;
        if (std::size_t const cores = experimental::processing_units_count(chunker, by, each(), n); cores != 0)
          s.at_most = static_cast<unsigned>(cores);
        std::size_t const cores = s.alone ? 1 : algo::parties(s);
        if (std::size_t const most = experimental::maximal_number_of_chunks(chunker, by, cores, n); most != 0)
          s.most_chunks = most;
        if (std::size_t const size = experimental::get_chunk_size(chunker, by, each(), cores, n); size != 0)
          s.chunk = size;
      } catch (...) {  // NOLINT(bugprone-empty-catch): as the page says
      }
    }
  };

 public:
  /// Keeps a copy.
  explicit adapted_chunker(const P& chunker) : chooser_(std::make_shared<const chooser>(chunker)) {}
  void put(algo::settings& s) const noexcept {
    s.how = algo::chunking::equal;
    s.chunk = 0;
    s.chooser = chooser_.get();
  }
  [[nodiscard]] std::shared_ptr<const void> kept() const noexcept { return chooser_; }

 private:
  std::shared_ptr<const chooser> chooser_;
};

}  // namespace amity::execution
