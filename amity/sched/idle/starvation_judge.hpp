#pragma once

/// Tasks that nobody comes to. User code may keep all OS threads that could run them: it blocks in a system call,
/// or waits for one of the tasks by means that the runtime does not see, as a std::future or a flag. Here it is decided
/// when fibers of the pool are to have OS threads of their own (tasks/README.md, "Tasks that nobody comes to").
///
///     starvation_judge judge;
///     auto const [extra, send] = judge.look(census, now_us);   // at each look of the monitor while tasks wait

#include <algorithm>
#include <cstdint>
#include <utility>

#include "amity/sched/idle/monitor_limits.hpp"

namespace amity::sched {

/// What a look of the monitor finds while tasks wait. "Threads" are OS threads that run somebody's code, or are
/// about to.
struct task_census {
  static constexpr std::uint64_t not_known = ~std::uint64_t{0};
  int cores = 1;                     ///< threads that are to run tasks at the same time
  int computing = 0;                 ///< threads that are not blocked in the kernel, those that look for work, too
  std::uint64_t ran_us = not_known;  ///< how long all of those together have been on a core since the last look
  int blocked = 0;                   ///< threads that are, with a fiber of the pool
  bool sent_run = false;             ///< some fiber that was given a thread of its own runs
  bool sent_got_on = false;          ///< such a one has made or ended tasks since the last look
  bool others_got_on = false;        ///< somebody else has
};

/// Decides at each look, from what it has seen. Times in microseconds.
///
/// Where a core is idle, there is no reason to wait. Where all compute and none gets on with its tasks, they may have
/// long ones, or may wait for what nobody runs: that can't be told, so one more thread is tried after a while. The
/// while becomes shorter if that thread soon had no more to do, which cost next to nothing, and longer if it went on.
/// It is a while on a core: a worker that has none, because other processes run there, can't get on, and one more
/// thread would have none either. But a worker that gives its core up in a loop, as long as others want it, hardly has
/// one; so as much time as `least_share` says counts in any case.
class starvation_judge {
 public:
  struct decision {
    int extra;  ///< fibers of the pool that may run beyond `cores`
    bool send;  ///< one more is to be given a thread of its own
  };

  static constexpr std::uint64_t least_share = monitor_limits::least_share;  ///< of what has passed; one in so many
  static constexpr std::uint64_t first_patience = monitor_limits::first_patience_us;
  static constexpr std::uint64_t least_patience = monitor_limits::least_patience_us;
  static constexpr std::uint64_t longest_patience = monitor_limits::longest_patience_us;

  /// Tasks wait that did not wait before.
  void begin(std::uint64_t now) noexcept {
    looked_at_ = now;
    still_us_ = 0;
  }

  [[nodiscard]] decision look(const task_census& c, std::uint64_t now) noexcept {
    settle(c.sent_run, now);
    if (c.others_got_on) forced_ = 0;
    bool const idle_core = c.computing < c.cores;
    std::uint64_t const passed = now - std::exchange(looked_at_, now);
    bool const is_known = c.ran_us != task_census::not_known && c.computing > 0;
    std::uint64_t const ran = is_known ? c.ran_us / static_cast<unsigned>(c.computing) : passed;
    still_us_ += std::clamp(ran, passed / least_share, passed);
    if (idle_core || c.others_got_on || c.sent_got_on) still_us_ = 0;
    bool const force = still_us_ >= patience_;
    if (force) {
      ++forced_;
      still_us_ = 0;
      sent_at_ = now;
      unsettled_ = true;
    }
    return {c.blocked + forced_, idle_core || force};
  }

  /// No task waits any more.
  void end(bool sent_run, std::uint64_t now) noexcept {
    settle(sent_run, now);
    forced_ = 0;
  }

  [[nodiscard]] std::uint64_t patience() const noexcept { return patience_; }

 private:
  void settle(bool sent_run, std::uint64_t now) noexcept {
    if (!unsettled_) return;
    if (!sent_run)
      patience_ = std::max(patience_ / 8, least_patience);
    else if (now - sent_at_ >= patience_)
      patience_ = std::min(patience_ * 2, longest_patience);
    else
      return;
    unsettled_ = false;
  }

  std::uint64_t patience_ = first_patience;
  std::uint64_t looked_at_ = 0;  ///< at the last look
  std::uint64_t still_us_ = 0;   ///< for so long, on a core, nobody has got on
  std::uint64_t sent_at_ = 0;
  bool unsettled_ = false;  ///< whether the last one was worth it is not known yet
  int forced_ = 0;          ///< sent though no core was idle, since others got on
};

}  // namespace amity::sched
