#pragma once

#include "amity/net/internal/engine.hpp"

namespace amity::net {

/// `near` for those ranks that share memory with this process, `far` for the others; both are open, know all, and are
/// the pair's from now on. Empty: `why` says why there is no descriptor for both.
[[nodiscard]] open_engine join_engines(const open_engine& near, const open_engine& far, const engine_facts& facts,
                                       const char** why) noexcept;

}  // namespace amity::net
