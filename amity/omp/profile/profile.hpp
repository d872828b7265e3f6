#pragma once

/// `amity run --profile`: where the time of an OpenMP program goes, by place and construct, in a table at its end.
///
///     if (start_result* const own = profile::tool(settings...)) own->initialize(...);        // ompt/start.cpp
///
/// `--trace` writes each of these times down. It is a tool like others, but for being in the library: it gets the
/// events of OMPT, and keeps none of them.

#include "amity/omp/hooks/tool_types.hpp"

namespace amity::omp::profile {

/// Both as one tool. Null: neither is asked for.
///
/// * profile: AMITY_PROFILE, where the table's figures go; its address is kept
/// * trace: AMITY_TRACE, a file (timeline.hpp), of at most `trace_bytes`; its address is kept
[[nodiscard]] ompt::start_result* tool(const char* profile, const char* trace, std::uint64_t trace_bytes) noexcept;

/// In the child of a fork: it has a profile of its own, from now on.
void forked_child() noexcept;

}  // namespace amity::omp::profile
