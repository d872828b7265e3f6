#pragma once

/// Which variables that begin with AMITY_ there are.

namespace amity::sched {

[[nodiscard]] bool is_setting(const char* name) noexcept;

/// Warns of each variable of the environment that begins with AMITY_ and is none of them. When the pool starts.
void name_unknown_settings() noexcept;

}  // namespace amity::sched
