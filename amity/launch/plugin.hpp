#pragma once

/// Plug-ins: libraries beside libamity, in its folder `amity`, that link to what need not be on a machine.

#include <string>

namespace amity::launching {

/// For a program that is not beside them: their folder.
void plugins_are_in(const std::string& folder);

/// The object `symbol` of plug-in `name` ("libamity_ucx.so"). Null: `why` says in words what is missing, and which
/// package has it. The words stay until the next call.
[[nodiscard]] const void* open_plugin(const char* name, const char* symbol, const char** why) noexcept;

}  // namespace amity::launching
