#pragma once

/// OpenMP's part of `amity run --profile` and `--trace`: turns the events of OMPT into turns of carriers
/// (sched/profile/rows.hpp).
///
///     if (start_result* const own = profile::tool()) own->initialize(...);        // ompt/start.cpp
///
/// It is a tool like others, but for being in the library. It keeps no events.

#include "amity/omp/hooks/tool_types.hpp"

namespace amity::omp::profile {

/// Null: neither a profile nor a trace is asked for.
[[nodiscard]] ompt::start_result* tool() noexcept;

}  // namespace amity::omp::profile
