#pragma once

/// Messages between processes, for the timeline's arrows and for a row of their handlers. Called by `net` where
/// tasks_are_observed(), on the thread that sends or handles.
///
///     profile::note_sent(to, key);
///     profile::in_handler const turn(function, from, key);         // as long as the handler runs
///
/// `key` says which message it is: both sides make it of what is the same there. Messages with the same key between the
/// same two ranks are told apart by their order.

#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sched::profile {

AMITY_API void note_sent(int to, std::uint32_t key) noexcept;

class AMITY_API in_handler {
 public:
  in_handler(const void* function, int from, std::uint32_t key) noexcept;
  in_handler(const in_handler&) = delete;
  in_handler& operator=(const in_handler&) = delete;
  ~in_handler();

 private:
  unsigned row_, column_;
};

}  // namespace amity::sched::profile
