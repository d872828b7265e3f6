#pragma once

/// Which kernels a program has, and what they take: from the PTX that the compiler writes beside the machine code.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amity/accel/backend.hpp"

namespace amity::accel::cuda {

/// All kernels of a program by their linker names. C++'s tell the types, those of `extern "C"` only the sizes.
[[nodiscard]] std::vector<std::pair<std::string, detail::kernel_signature>> signatures_of(std::string_view ptx);

/// As a user writes it: "sum", "blur<float>", "filters::blur".
[[nodiscard]] std::string plain_name(const std::string& linker_name);

/// The one kernel of `all` that `name` means: its linker name or its plain name, with or without namespaces. Throws
/// kernel_error, which says what there is.
[[nodiscard]] const std::pair<std::string, detail::kernel_signature>& choose_kernel(
    const std::vector<std::pair<std::string, detail::kernel_signature>>& all, const std::string& name,
    const std::string& of_program);

}  // namespace amity::accel::cuda
