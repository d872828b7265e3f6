// The settings with what is told about them: shared by the reader and by those who print them.
#pragma once

#include "amity/omp/settings/settings.hpp"
#include "amity/omp/settings/table.hpp"

namespace amity::omp {

struct settings_state {
  settings values;
  setting_source source[most_rows] = {};
  const char* why[most_rows] = {};
};

[[nodiscard]] const settings_state& current_settings() noexcept;

}  // namespace amity::omp
