#pragma once

/// Who sees that operations end: a source of progress of the scheduler's, which idle workers poll, and which tells them
/// when they sleep. README.md has the rules W1 to W3.

#include "amity/accel/objects.hpp"

namespace amity::accel::detail {

/// One more operation is about to be handed over, and one less is.
void begin_watch() noexcept;
void end_watch() noexcept;
/// An operation has been put into its stream's list, whose lock the caller holds: workers that sleep already are told
/// of its end as well.
void watch_early(operation& op) noexcept;
/// Somebody wants to know of an end that nobody did before.
void watch_anew() noexcept;

}  // namespace amity::accel::detail
