// Completion for shells: scripts that bash and zsh load when `amity` is typed for the first time.
#pragma once

#include <string>

#include "amity/cli/interface.hpp"

namespace amity::cli {

[[nodiscard]] std::string completion_of_bash(const command_facts& program);
[[nodiscard]] std::string completion_of_zsh(const command_facts& program);

}  // namespace amity::cli
