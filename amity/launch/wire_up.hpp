#pragma once

/// How the processes of a job tell one another a few facts before they have connections: each puts some under keys, all
/// meet at a fence, then each gets what others have put. The launcher carries it, so that nobody outside the job sees
/// it or takes part.
///
/// A table of functions: the one for PMIx is a plug-in (plugins/pmix_plugin.cpp).

#include <cstddef>

#include "amity/launch/membership.hpp"

namespace amity::launching {

/// All functions give null, or an error in words that stays valid until the next call. Text is without zeros.
struct wire_up {
  /// Fills what the launcher's variables did not say.
  const char* (*open)(membership& of) noexcept = nullptr;
  const char* (*put)(const char* key, const char* value) noexcept = nullptr;
  /// Blocks until all processes of the job are here. What they have put can be got afterwards.
  const char* (*fence)() noexcept = nullptr;
  /// What `rank` has put; `value` stays valid until the next call.
  const char* (*get)(int rank, const char* key, const char** value) noexcept = nullptr;
  /// Has the launcher end the whole job. Returns when it was asked.
  void (*abort)(int status, const char* text) noexcept = nullptr;
  /// Tells the launcher that this process ends as it should.
  void (*close)() noexcept = nullptr;
};

extern const wire_up pmi1_wire_up;

/// The one for `by`; null: `why` says in words what is missing.
[[nodiscard]] const wire_up* find_wire_up(wiring by, const char** why) noexcept;

}  // namespace amity::launching
