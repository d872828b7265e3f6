#pragma once

#include "amity/net/job.hpp"

namespace amity::net {

/// What other parts of the runtime have added (add_job_hook).
[[nodiscard]] const job_hook* first_hook() noexcept;

}  // namespace amity::net
