#pragma once

/// Operations that end are seen by a source of progress of the scheduler's, which idle workers poll, and which tells
/// them when they sleep. README.md has the rules W1 to W4.

#include "amity/accel/objects.hpp"

namespace amity::accel::detail {

/// Somebody wants to know the end of an operation: a future's waiter or another operation; or the finish around it,
/// which asks when its opener parks.
enum class question { none, by_waiter, by_finish };
/// Requires: the operation has not ended, as under the lock of its stream while it is in the list.
[[nodiscard]] question question_about(const operation& op) noexcept;
/// An operation has been put into the list of `s`, and these asked before, when arm could not find it.
void watch(stream_object& s, question asked) noexcept;
/// An operation is to be told of another's end: `is_awaited` has been set.
void watch_anew() noexcept;
/// From now on questions about ends are heard (future/state.hpp). Called on a fiber.
void attend_to_ends() noexcept;
/// Notes what has ended. Called on a fiber.
void look_for_ends() noexcept;
/// What has been handed to this process's own devices so far has ended when this returns. Blocks the fiber.
void await_own_streams() noexcept;

}  // namespace amity::accel::detail
