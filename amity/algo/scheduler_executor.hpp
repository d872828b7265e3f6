#pragma once

/// A scheduler of senders as an executor.
///
///     ex::scheduler_executor by(amity::get_scheduler());
///     amity::for_each(ex::par.on(by), v.begin(), v.end(), f);
///     int n = amity::async(by, g).get();
///
/// Any scheduler will do: a library's, or a thread pool's of the program. The caller of an algorithm waits, and does
/// what the scheduler refuses to: where it says that it was stopped, or failed, there is one less to help.

#include <memory>
#include <type_traits>
#include <utility>

#include "amity/algo/chunk_team.hpp"
#include "amity/algo/executor.hpp"
#include "amity/future/execution/concepts.hpp"
#include "amity/future/execution/spawn.hpp"
#include "amity/future/execution/then.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

namespace detail {

/// One member's way to the scheduler. It owns itself.
template <class Scheduler>
class way_of_member {
 public:
  way_of_member(const Scheduler& by, algo::team_call call)
      : call_(call), operation_(execution::connect(execution::schedule(by), receiver_type{this})) {}
  static void begin(const Scheduler& by, algo::team_call call) {
    execution::start(std::make_unique<way_of_member>(by, call).release()->operation_);
  }

 private:
  struct receiver_type {
    using receiver_concept = receiver_t;
    way_of_member* me;
    void set_value() && noexcept { me->end()(); }
    template <class Error>
    void set_error(Error&&) && noexcept {
      me->end().decline();
    }
    void set_stopped() && noexcept { me->end().decline(); }
    [[nodiscard]] static env<> get_env() noexcept { return {}; }
  };
  algo::team_call end() noexcept {
    algo::team_call const call = call_;
    delete this;
    return call;
  }

  algo::team_call call_;
  connect_result_t<schedule_result_t<Scheduler>, receiver_type> operation_;
};

template <class Scheduler>
class scheduler_team final : public algo::chunk_team {
 public:
  scheduler_team(Scheduler by, unsigned members) : by_(std::move(by)), members_(members) {}
  [[nodiscard]] unsigned groups() const noexcept override { return 1; }
  [[nodiscard]] unsigned members(unsigned) const noexcept override { return members_; }
  void begin(unsigned, unsigned, algo::team_call call) const override { way_of_member<Scheduler>::begin(by_, call); }
  [[nodiscard]] const Scheduler& by() const noexcept { return by_; }

 private:
  Scheduler by_;
  unsigned members_;
};

}  // namespace detail

/// By a scheduler. Copies are the same executor.
template <scheduler Scheduler>
class scheduler_executor {
 public:
  /// `parties`: so many of an algorithm's chunks at a time; 0: as many as there are workers.
  explicit scheduler_executor(Scheduler by, unsigned parties = 0)
      : team_(std::make_shared<const detail::scheduler_team<Scheduler>>(
            std::move(by), parties != 0 ? parties : static_cast<unsigned>(worker_count()))) {}

  void put(algo::settings& s) const noexcept { s.team = team_.get(); }
  [[nodiscard]] std::shared_ptr<const void> kept() const noexcept { return team_; }
  template <class F>
  auto run(F&& f) const {
    return as_future(then(execution::schedule(team_->by()), std::forward<F>(f)));
  }

 private:
  std::shared_ptr<const detail::scheduler_team<Scheduler>> team_;
};

}  // namespace AMITY_SENDERS_ABI

template <class Scheduler>
inline constexpr bool is_executor_v<scheduler_executor<Scheduler>> = true;

/// HPX's name for it.
namespace experimental {
using execution::scheduler_executor;
}  // namespace experimental

}  // namespace amity::execution
