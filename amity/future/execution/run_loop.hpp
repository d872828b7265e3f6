#pragma once

/// A queue of work that whoever calls run() does, until somebody says finish(): C++26's std::execution::run_loop.
///
///     execution::run_loop loop;
///     amity::post([&] {
///       execution::sync_wait(execution::starts_on(loop.get_scheduler(), show));      // run by the thread below
///       loop.finish();
///     });
///     loop.run();

#include <exception>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/future/execution/concepts.hpp"
#include "amity/sync/condition_variable.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::execution {
inline namespace AMITY_SENDERS_ABI {

/// See above. At its end it must be empty, and nobody may be in run(): else the program ends.
class run_loop {
  struct item {
    item* next = nullptr;
    void (*execute)(item&) noexcept = nullptr;
  };

 public:
  /// What get_scheduler gives: two are equal if they are of the same loop.
  class scheduler {
   public:
    /// For libraries that ask.
    using scheduler_concept = scheduler_t;

    /// What a sender of schedule() says about itself.
    struct attributes {
      run_loop* loop;  ///< whose run() ends it
      /// Where it ends.
      [[nodiscard]] scheduler query(get_completion_scheduler_t<set_value_t>) const noexcept { return scheduler(loop); }
      /// The same.
      [[nodiscard]] scheduler query(get_completion_scheduler_t<set_stopped_t>) const noexcept {
        return scheduler(loop);
      }
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

      template <class R>
      struct operation : private item {
        using operation_state_concept = operation_state_t;
        run_loop* loop;
        R to;
        operation(run_loop* l, R&& r) noexcept(std::is_nothrow_move_constructible_v<R>) : loop(l), to(std::move(r)) {}
        operation(const operation&) = delete;
        operation& operator=(const operation&) = delete;
        ~operation() = default;
        void start() & noexcept {
          this->execute = [](item& i) noexcept {
            auto& me = static_cast<operation&>(i);
            if (execution::stop_requested(me.to))
              execution::set_stopped(std::move(me.to));
            else
              execution::set_value(std::move(me.to));
          };
          loop->push(*this);
        }
      };
      template <receiver R>
      [[nodiscard]] operation<R> connect(R r) const noexcept(std::is_nothrow_move_constructible_v<R>) {
        return operation<R>(loop_, std::move(r));
      }
      [[nodiscard]] attributes get_env() const noexcept { return {loop_}; }

     private:
      friend class scheduler;
      explicit schedule_sender(run_loop* loop) noexcept : loop_(loop) {}
      run_loop* loop_;
    };

    /// A sender of nothing that ends in the loop's run(); with set_stopped if its receiver was asked to stop.
    [[nodiscard]] schedule_sender schedule() const noexcept { return schedule_sender(loop_); }
    /// It gets on as long as somebody is in run().
    [[nodiscard]] static constexpr forward_progress_guarantee query(get_forward_progress_guarantee_t) noexcept {
      return forward_progress_guarantee::parallel;
    }
    /// Of the same loop.
    [[nodiscard]] bool operator==(const scheduler&) const noexcept = default;

   private:
    friend class run_loop;
    explicit scheduler(run_loop* loop) noexcept : loop_(loop) {}
    run_loop* loop_;
  };

  /// Empty.
  run_loop() noexcept = default;
  run_loop(const run_loop&) = delete;
  run_loop& operator=(const run_loop&) = delete;
  ~run_loop() {
    if (first_ != nullptr || running_ != 0) std::terminate();
  }

  /// Its senders end in run().
  [[nodiscard]] scheduler get_scheduler() noexcept { return scheduler(this); }

  /// Does what there is, and waits for more, which blocks the fiber and not the core; until finish() was called and
  /// nothing is left. Several may do so at once.
  void run() {
    std::unique_lock held(lock_);
    ++running_;
    for (;;) {
      if (first_ == nullptr && finishing_) break;
      if (first_ == nullptr) {
        more_.wait(held);
        continue;
      }
      item& next = *first_;
      first_ = next.next;
      if (first_ == nullptr) end_ = &first_;
      held.unlock();
      next.execute(next);  // it may be gone then
      held.lock();
    }
    --running_;
  }
  /// No more is to come: run() returns when what there is was done.
  void finish() noexcept {
    std::lock_guard const held(lock_);
    finishing_ = true;
    more_.notify_all();
  }

 private:
  /// The waiter is told under the lock: once it has done this item, the loop may be gone.
  void push(item& i) noexcept {
    std::lock_guard const held(lock_);
    i.next = nullptr;
    *end_ = &i;
    end_ = &i.next;
    more_.notify_one();
  }

  sync::mutex lock_;
  sync::condition_variable more_;
  item* first_ = nullptr;
  item** end_ = &first_;
  int running_ = 0;
  bool finishing_ = false;
};

}  // namespace AMITY_SENDERS_ABI
}  // namespace amity::execution
