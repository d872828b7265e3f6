#pragma once

/// Streams, each a thread that runs its commands one after the other, and events.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "amity/accel/cuda/simulator/state.hpp"

namespace amity::accel::cuda {
namespace simulator {

/// Whether an event's place in its stream has been reached.
struct reached {
  std::mutex lock;
  std::condition_variable changed;
  bool is = true;
  std::chrono::steady_clock::time_point when;
};

}  // namespace simulator

struct event_record {
  event_record(int d, bool with_time) : device(d), has_time(with_time) {}
  const int device;
  const bool has_time;
  std::mutex lock;
  std::shared_ptr<simulator::reached> last = std::make_shared<simulator::reached>();
};

struct stream_record {
  explicit stream_record(int d) : device(d), thread([this] { work(); }) {}

  int push(std::function<void()> command) {
    if (is_captured) return captured.push_back(std::move(command)), simulator::good;
    if (int const code = simulator::failure_of[device].load(); code != 0) return code;
    if (int const code = simulator::all_controls.fails_at_once.exchange(0); code != 0) return code;
    {
      std::unique_lock held(lock);
      changed.wait(held, [&] { return commands.size() < most_commands; });  // as the real one lets its callers wait
      commands.push_back(std::move(command));
    }
    changed.notify_all();
    return simulator::good;
  }
  bool is_empty() {
    std::lock_guard const held(lock);
    return commands.empty() && !is_busy;
  }
  void wait() {
    std::unique_lock held(lock);
    changed.wait(held, [&] { return commands.empty() && !is_busy; });
  }
  void work() {
    std::unique_lock held(lock);
    for (;;) {
      changed.wait(held, [&] { return !commands.empty(); });
      while (simulator::all_controls.is_paused.load()) {
        held.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        held.lock();
      }
      auto const command = std::move(commands.front());
      commands.pop_front();
      is_busy = true;
      held.unlock();
      if (int const us = simulator::all_controls.delay_us.load(); us != 0)
        std::this_thread::sleep_for(std::chrono::microseconds(us));
      // What comes after a failure is not run, events and functions neither.
      if (simulator::failure_of[device].load() == 0) command();
      held.lock();
      is_busy = false;
      changed.notify_all();
    }
  }

  static constexpr std::size_t most_commands = 1024;
  const int device;
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::function<void()>> commands;
  bool is_busy = false;
  bool is_captured = false;     ///< of the thread that captures
  bool is_invalidated = false;  ///< what was captured: something was asked that no capture takes
  std::vector<std::function<void()>> captured;
  std::thread thread;
};

}  // namespace amity::accel::cuda
