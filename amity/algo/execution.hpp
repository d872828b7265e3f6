#pragma once

/// Execution policies, the first argument of a parallel algorithm.
///
///     namespace ex = amity::execution;
///     amity::sort(ex::par, v.begin(), v.end());                                  // returns when it is done
///     auto later = amity::reduce(ex::par(ex::task), v.begin(), v.end(), 0.0);    // a future; v must stay
///     amity::for_each(ex::par.with(ex::static_chunk_size(100)).on(executor), v.begin(), v.end(), f);
///
/// `seq` and `unseq` are the standard library's sequential algorithms; `par` and `par_unseq` may run on all workers.
/// What elements' functions throw comes out of the algorithm as an exception_list; std would end the program.

#include <array>
#include <memory>
#include <type_traits>

#include "amity/algo/chunk_size.hpp"
#include "amity/algo/settings.hpp"

namespace amity::execution {

/// An executor of the program's own as one of Amity's (own_executor.hpp).
template <class E>
class adapted_executor;
/// A chunker of the program's own as one of Amity's (own_chunker.hpp).
template <class P>
class adapted_chunker;

struct task_policy_tag {
  explicit task_policy_tag() = default;
};
/// `par(task)`, `seq(task)`: gives a future at once.
inline constexpr task_policy_tag task{};

/// Of a policy.
enum class kind : std::uint8_t { sequenced, unsequenced, parallel, parallel_unsequenced };

/// What a policy keeps alive: a chunker's measurement and an executor's name.
struct nothing {};
struct kept_objects {
  std::array<std::shared_ptr<const void>, 2> objects;
};

/// What seq, unseq, par and par_unseq are. A small value: `with`, `on` and a call with `task` give another one.
template <kind Kind, bool Async = false, class Kept = nothing>
class policy {
 public:
  static constexpr kind how = Kind;
  static constexpr bool is_async = Async;
  static constexpr bool is_parallel = Kind == kind::parallel || Kind == kind::parallel_unsequenced;

  constexpr policy() noexcept { settings_.alone = !is_parallel; }
  constexpr policy(const algo::settings& s, Kept kept) noexcept : settings_(s), kept_(std::move(kept)) {}

  /// The same, giving a future.
  [[nodiscard]] constexpr auto operator()(task_policy_tag) const { return policy<Kind, true, Kept>(settings_, kept_); }

  /// The same with chunks cut in this way, or another parameter.
  template <puts_settings... Parameters>
  [[nodiscard]] constexpr auto with(const Parameters&... parameters) const {
    return put<0>(parameters...);
  }

  /// The same with a chunker of the program's own among them (own_chunker.hpp).
  template <class... Parameters>
  requires(!(puts_settings<Parameters> && ...)) [[nodiscard]] auto with(const Parameters&... parameters) const {
    return put<0>(adapted(parameters)...);
  }

  /// The same, run by this executor.
  template <puts_settings Executor>
  [[nodiscard]] constexpr auto on(const Executor& executor) const {
    return put<1>(executor);
  }

  /// The same, run by an executor of the program's own (own_executor.hpp).
  template <class Executor>
  requires(!puts_settings<Executor>) [[nodiscard]] auto on(const Executor& executor) const {
    return put<1>(adapted_executor<Executor>(executor));
  }

  [[nodiscard]] constexpr const algo::settings& settings() const noexcept { return settings_; }

 private:
  template <class Parameter>
  static decltype(auto) adapted(const Parameter& parameter) {
    if constexpr (puts_settings<Parameter>)
      return (parameter);
    else
      return adapted_chunker<Parameter>(parameter);
  }
  template <std::size_t Place, class... Parameters>
  constexpr auto put(const Parameters&... parameters) const {
    algo::settings s = settings_;
    (parameters.put(s), ...);
    if constexpr ((keeps_something<Parameters> || ...))
      return policy<Kind, Async, kept_objects>(s, with_kept<Place>(parameters...));
    else
      return policy(s, kept_);
  }
  /// By itself: before C++23 no constexpr function may have a variable of this type, and clang says so.
  template <std::size_t Place, class... Parameters>
  [[nodiscard]] kept_objects with_kept(const Parameters&... parameters) const {
    kept_objects kept;
    if constexpr (std::is_same_v<Kept, kept_objects>) kept = kept_;
    std::shared_ptr<const void> all;
    (keep(all, parameters), ...);
    kept.objects[Place] = std::move(all);
    return kept;
  }
  template <class Parameter>
  static void keep(std::shared_ptr<const void>& all, const Parameter& parameter) {
    using both = std::array<std::shared_ptr<const void>, 2>;
    if constexpr (keeps_something<Parameter>)
      all = all == nullptr ? parameter.kept() : std::make_shared<const both>(both{std::move(all), parameter.kept()});
  }

  algo::settings settings_{};
  [[no_unique_address]] Kept kept_{};
};

/// The type of seq.
using sequenced_policy = policy<kind::sequenced>;
/// The type of unseq.
using unsequenced_policy = policy<kind::unsequenced>;
/// The type of par.
using parallel_policy = policy<kind::parallel>;
/// The type of par_unseq.
using parallel_unsequenced_policy = policy<kind::parallel_unsequenced>;

/// By the caller alone, in order.
inline constexpr sequenced_policy seq{};
/// By the caller alone; the compiler may interleave elements.
inline constexpr unsequenced_policy unseq{};
/// By all workers; one object of the function for all.
inline constexpr parallel_policy par{};
/// As par; the compiler may interleave elements, so their functions must not lock.
inline constexpr parallel_unsequenced_policy par_unseq{};

/// HPX's name for unseq: the library has no vector types, so elements stay what they are, and vectors are made by the
/// compiler.
using simd_policy = unsequenced_policy;
/// HPX's name for par_unseq, in the same way.
using par_simd_policy = parallel_unsequenced_policy;
/// As unseq.
inline constexpr simd_policy simd{};
/// As par_unseq.
inline constexpr par_simd_policy par_simd{};

}  // namespace amity::execution

namespace amity {

template <class T>
struct is_execution_policy : std::false_type {};
template <execution::kind Kind, bool Async, class Kept>
struct is_execution_policy<execution::policy<Kind, Async, Kept>> : std::true_type {};
/// Whether T is an execution policy.
template <class T>
inline constexpr bool is_execution_policy_v = is_execution_policy<std::remove_cvref_t<T>>::value;

}  // namespace amity
