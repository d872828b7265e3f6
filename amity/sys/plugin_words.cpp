#include "amity/sys/plugin_words.hpp"

#include <string.h>
#include <unistd.h>

namespace amity::sys {
namespace {

struct packages {
  const char* plugin;
  const char* library;  // Debian's, in which what the plug-in links to is
  const char* to_build;
};

constexpr packages known[] = {{"libamity_ucx.so", "libucx0", "libucx-dev"},
                              {"libamity_pmix.so", "libpmix2", "libpmix-dev"},
                              {"libamity_mpi_openmpi.so", "libopenmpi3", "libopenmpi-dev"},
                              {"libamity_mpi_mpich.so", "libmpich12", "libmpich-dev"}};

// "libucp.so.0: cannot open shared object file: No such file or directory": the library; empty where the error is
// another.
std::string missing_library(const char* error) {
  const char* const what = error != nullptr ? strstr(error, ": cannot open shared object file") : nullptr;
  return what != nullptr ? std::string(error, what) : std::string();
}

}  // namespace

std::string why_no_plugin(const std::string& path, const char* error) {
  std::string const name = path.substr(path.rfind('/') + 1);
  const packages* of = nullptr;
  for (const packages& each : known)
    if (name == each.plugin) of = &each;
  if (access(path.c_str(), F_OK) != 0)
    return "not built" + (of != nullptr ? ": install " + std::string(of->to_build) + " and build Amity again" : "");
  std::string const missing = missing_library(error);
  if (missing.empty() || missing == path)
    return "built, but it can't be loaded: " + std::string(error != nullptr ? error : path);
  return "built, but " + missing + " is missing" + (of != nullptr ? ": install " + std::string(of->library) : "");
}

}  // namespace amity::sys
