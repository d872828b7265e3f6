#pragma once

#include "amity/net/internal/engine.hpp"

namespace amity::net {

/// `near` for those ranks that share memory with this process, `far` for the others; both are open, and know all. Null:
/// `why` says why there is no descriptor for both. Called once.
[[nodiscard]] const engine* join_engines(const engine& near, const engine& far, bool (*shares_memory)(int) noexcept,
                                         const char** why) noexcept;

}  // namespace amity::net
