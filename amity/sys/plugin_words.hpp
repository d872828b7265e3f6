// Why a plug-in, a library beside libamity that links to what need not be on a machine, is not there: in words for the
// user.
#pragma once

#include <string>

namespace amity::sys {

// `path`: of the plug-in's file, ".../libamity_ucx.so", that dlopen has refused with `error`. One of
//   not built: install libucx-dev and build Amity again
//   built, but libucp.so.0 is missing: install libucx0
//   built, but it can't be loaded: (what the loader says)
[[nodiscard]] std::string why_no_plugin(const std::string& path, const char* error);

}  // namespace amity::sys
