#pragma once

/// What threads that are none of Amity's have to say, as those of a driver or of a network library: a message is put in
/// by any thread, which needs no identity for that and gets none, and is run on a fiber soon.
///
///     struct copied : inbox_message { ... };
///     c.run = [](inbox_message& m) noexcept { complete(static_cast<copied&>(m)); };
///     put_in_inbox(c);                                           // the driver's thread
///
/// Memory ordering: what happened before put_in_inbox happens before `run`.

#include "amity/base/config.hpp"

namespace amity::sched {

struct inbox_message {
  inbox_message* next = nullptr;
  /// Bounded; never parks, and runs no code of the user's (progress.hpp). The message may be gone afterwards.
  void (*run)(inbox_message&) noexcept = nullptr;
};

/// The calling thread is none that Amity knows, and there are fibers that could run its messages.
[[nodiscard]] AMITY_API bool is_foreign_thread() noexcept;

/// From any thread, and in a carrier's loop never. Requires: there have been tasks in this process.
AMITY_API void put_in_inbox(inbox_message& m) noexcept;

}  // namespace amity::sched
