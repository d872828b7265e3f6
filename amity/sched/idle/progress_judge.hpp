#pragma once

/// Whether somebody looks after sources of progress (loop/progress.hpp), and what the monitor does where nobody does.

#include <cstdint>
#include <utility>

namespace amity::sched {

/// What a look of the monitor finds.
struct progress_sight {
  bool wanted = false;      ///< some source is
  bool armed = false;       ///< all that are wanted are: their next events will be told
  bool attended = false;    ///< a carrier sleeps for those
  bool some_sleep = false;  ///< carriers do that could do so
  std::uint64_t polls = 0;  ///< so far, by anybody
  // Tasks that polls have brought.
  bool arrivals_wait = false;
  std::uint64_t arrivals_taken = 0;  ///< so far, by anybody
};

class progress_judge {
 public:
  enum class act : std::uint8_t {
    rest,    ///< nothing is to be done, as long as this stays so
    look,    ///< somebody polls; whether that goes on is seen at the next look
    wake,    ///< a carrier that sleeps: it polls what is not armed, attends, or runs what has come
    send,    ///< a fiber that does so, to an OS thread of its own: all carriers have other things to do
    attend,  ///< the monitor sleeps on the events itself: all carriers have other things to do
  };

  [[nodiscard]] act look(const progress_sight& now) noexcept {
    bool const polled = std::exchange(polls_, now.polls) != now.polls;
    if (are_left(now)) return now.some_sleep ? act::wake : act::send;
    if (!now.wanted || (now.armed && now.attended)) return act::rest;
    if (polled) return act::look;
    if (now.some_sleep) return act::wake;
    return now.armed ? act::attend : act::send;
  }

 private:
  /// Tasks wait, as they did at the last look, and nobody has taken one since.
  [[nodiscard]] bool are_left(const progress_sight& now) noexcept {
    bool const waited = std::exchange(arrivals_wait_, now.arrivals_wait);
    bool const taken = std::exchange(arrivals_taken_, now.arrivals_taken) != now.arrivals_taken;
    return now.arrivals_wait && waited && !taken;
  }

  // As of the last look.
  std::uint64_t polls_ = 0, arrivals_taken_ = 0;
  bool arrivals_wait_ = false;
};

}  // namespace amity::sched
