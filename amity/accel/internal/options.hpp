#pragma once

/// What users say of a program's compilation, in a form that means the same to every compiler.

#include "amity/accel/backend.hpp"
#include "amity/accel/program.hpp"

namespace amity::accel::detail {

/// Puts them into `to`. Macros and folders among the options of the compiler (-D, -I, alone or with what belongs to
/// them) become `defines` and `includes`. Throws build_error for what no compiler could be told.
void take_options(program_text& to, const build_options& how);

/// The macros as lines of source. OpenCL's drivers get options as one text, which they part at blanks: a value may have
/// some.
[[nodiscard]] std::string lines_of_defines(const program_text& text);

}  // namespace amity::accel::detail
