#pragma once

/// CUDA's run-time compiler: from a source to machine code of an architecture, or to PTX, which the driver compiles on.

#include <string>
#include <utility>
#include <vector>

#include "amity/accel/backend.hpp"
#include "amity/accel/cuda/compilers.hpp"

namespace amity::accel::cuda {

/// The compiler's options for a program.
[[nodiscard]] std::vector<std::string> options_of(const detail::program_text& text, const compiler_choice& c);

/// What stands before a program's source: the dialect and the program's macros.
[[nodiscard]] std::string text_before(const detail::program_text& text);

struct compiled_program {
  std::vector<std::byte> code;
  std::vector<std::pair<std::string, detail::kernel_signature>> kernels;  ///< by their linker names
};
/// `whose`: for messages. Throws build_error.
[[nodiscard]] compiled_program compile(const compiler_functions& c, const detail::program_text& text,
                                       const std::vector<std::string>& options, const std::string& whose);

}  // namespace amity::accel::cuda
