#pragma once

/// Amity's tasks as a scheduler.
///
///     auto work = execution::schedule(amity::get_scheduler());
///
/// Its senders end on a task, in the finish around start(). Where that finish was asked to stop, or the stop token in
/// the receiver's environment, they end with set_stopped. They don't fail: the task is part of the operation.

#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/execution/concepts.hpp"
#include "amity/future/task_state.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

/// Amity's tasks as a scheduler; all are equal.
class task_scheduler {
 public:
  /// For libraries that ask.
  using scheduler_concept = scheduler_t;

  /// What a sender of schedule() says about itself.
  struct attributes {
    /// Where it ends, unless with an error.
    [[nodiscard]] static task_scheduler query(get_completion_scheduler_t<set_value_t>) noexcept { return {}; }
    /// The same.
    [[nodiscard]] static task_scheduler query(get_completion_scheduler_t<set_stopped_t>) noexcept { return {}; }
  };

  class schedule_sender {
   public:
    using sender_concept = sender_t;
    using is_of_amity = void;
    using value_types = std::tuple<>;
    using completion_signatures = execution::completion_signatures<set_value_t(), set_stopped_t()>;
    template <class Self, class... Env>
    static constexpr completion_signatures get_completion_signatures() noexcept {
      return {};
    }

    /// It is the task itself.
    template <class R>
    struct operation : private sched::task {
      using operation_state_concept = operation_state_t;
      R to;
      explicit operation(R&& r) noexcept(std::is_nothrow_move_constructible_v<R>) : to(std::move(r)) {}
      operation(const operation&) = delete;
      operation& operator=(const operation&) = delete;
      ~operation() = default;
      void start() & noexcept {
        run = &run_once;
        detached = true;  // nobody but the queue knows the task
        sched::spawn(*this, sched::this_worker());
      }

     private:
      static void run_once(sched::task& t, sched::worker& w, sched::call) noexcept {
        auto& me = static_cast<operation&>(t);
        sched::scope* const within = me.within;
        sched::scope* const outer = std::exchange(w.current, within);
        if (execution::stop_requested(me.to) || amity::detail::stopped(within))
          execution::set_stopped(std::move(me.to));
        else
          execution::set_value(std::move(me.to));
        // The operation may be gone.
        sched::make_exit_calls(w);
        w.current = outer;
        sched::end_within(within, w);
      }
    };
    template <receiver R>
    [[nodiscard]] operation<R> connect(R r) const noexcept(std::is_nothrow_move_constructible_v<R>) {
      return operation<R>(std::move(r));
    }
    [[nodiscard]] static attributes get_env() noexcept { return {}; }
    [[nodiscard]] static task_scheduler get_completion_scheduler() noexcept { return {}; }
  };

  /// A sender of nothing that ends on a task.
  [[nodiscard]] static schedule_sender schedule() noexcept { return {}; }
  /// A task that has begun gets on: when it blocks, its core does something else meanwhile.
  [[nodiscard]] static constexpr forward_progress_guarantee query(get_forward_progress_guarantee_t) noexcept {
    return forward_progress_guarantee::parallel;
  }
  /// Always.
  [[nodiscard]] bool operator==(const task_scheduler&) const noexcept = default;
};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution

namespace amity {
inline namespace AMITY_SENDERS_ABI {

/// Amity's tasks as a scheduler.
[[nodiscard]] inline execution::task_scheduler get_scheduler() noexcept { return {}; }

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity
