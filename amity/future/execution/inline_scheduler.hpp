#pragma once

/// A scheduler that runs things here and now.
///
///     execution::schedule(execution::inline_scheduler()) | execution::then(f)      // f is called by start()

#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/execution/concepts.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

/// A scheduler whose senders end at once, where they are started; all are equal.
class inline_scheduler {
 public:
  /// For libraries that ask.
  using scheduler_concept = scheduler_t;

  /// What a sender of schedule() says about itself.
  struct attributes {
    /// Where it ends.
    [[nodiscard]] static inline_scheduler query(get_completion_scheduler_t<set_value_t>) noexcept { return {}; }
  };

  class schedule_sender {
   public:
    using sender_concept = sender_t;
    using is_of_amity = void;
    using value_types = std::tuple<>;
    using completion_signatures = execution::completion_signatures<set_value_t()>;
    template <class Self, class... Env>
    static constexpr completion_signatures get_completion_signatures() noexcept {
      return {};
    }

    template <class R>
    struct operation {
      using operation_state_concept = operation_state_t;
      R to;
      void start() & noexcept { execution::set_value(std::move(to)); }
    };
    template <receiver R>
    [[nodiscard]] operation<R> connect(R r) const noexcept(std::is_nothrow_move_constructible_v<R>) {
      return {std::move(r)};
    }
    [[nodiscard]] static attributes get_env() noexcept { return {}; }
  };

  /// A sender of nothing that ends where it is started.
  [[nodiscard]] static schedule_sender schedule() noexcept { return {}; }
  /// It waits for whatever its caller waits for.
  [[nodiscard]] static constexpr forward_progress_guarantee query(get_forward_progress_guarantee_t) noexcept {
    return forward_progress_guarantee::weakly_parallel;
  }
  /// Always.
  [[nodiscard]] bool operator==(const inline_scheduler&) const noexcept = default;
};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
