#include "amity/cli/system_libraries.hpp"

#include <algorithm>
#include <filesystem>

#include "amity/cli/child_process.hpp"
#include "amity/cli/program.hpp"

namespace amity::cli {
namespace {

namespace fs = std::filesystem;

// The number of "llvm-19", for the order; 0 without one.
int version_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return std::atoi(name.substr(std::min(name.size(), name.find('-') + 1)).c_str());
}

std::vector<fs::path> llvm_folders() {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/lib", ignored))
    if (entry.path().filename().string().starts_with("llvm-")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end(),
            [](const fs::path& a, const fs::path& b) { return version_of(a) > version_of(b); });
  return folders;
}

void add_from_cache(std::vector<system_library>& found) {
  for (const char* ldconfig : {"/sbin/ldconfig", "/usr/sbin/ldconfig"}) {
    if (!fs::exists(ldconfig)) continue;
    for (const loaded_library& library : parse_cache(output_of({ldconfig, "-p"})))
      if (is_openmp_runtime(library.name)) found.push_back({library.name, library.path, true});
    return;
  }
}

}  // namespace

std::vector<system_library> find_system_libraries() {
  std::vector<system_library> found;
  add_from_cache(found);
  for (const fs::path& folder : llvm_folders()) {
    const fs::path path = folder / "lib/libomp.so.5";
    std::error_code ignored;
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const system_library& one) { return fs::equivalent(one.path, path, ignored); });
    if (!known && fs::exists(path, ignored)) found.push_back({"libomp.so.5", path.string(), false});
  }
  return found;
}

std::optional<system_library> find_system_library(const std::string& name) {
  for (const system_library& library : find_system_libraries())
    if (library.name == name) return library;
  return std::nullopt;
}

}  // namespace amity::cli
