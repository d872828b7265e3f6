#include "amity/cli/own_folder.hpp"

#include <sys/auxv.h>

#include <array>

namespace amity::cli {
namespace {

#if defined(__x86_64__)
constexpr const char* multiarch_folder = "lib/x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr const char* multiarch_folder = "lib/aarch64-linux-gnu";
#endif

}  // namespace

std::filesystem::path own_program() {
  std::error_code failed;
  std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) return own;
  // In a bare chroot, or where a sandbox refuses to read links, the name that exec() was given is left.
  const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (name == nullptr) return {};
  own = std::filesystem::canonical(name, failed);
  return failed ? std::filesystem::absolute(name, failed) : own;
}

std::optional<own_libraries> find_own_libraries_from(const std::filesystem::path& bin, std::string& looked_in) {
  std::error_code ignored;
  for (const char* name : std::array{"lib", multiarch_folder, "lib64"}) {
    const std::filesystem::path libraries = bin.parent_path() / name;
    if (std::filesystem::exists(libraries / "libomp_amity.so.1", ignored))
      return own_libraries{libraries / "amity", libraries / "libomp_amity.so.1", libraries / "amity/libamity_nodes.so",
                           libraries / "amity/amity_redirect.so"};
    looked_in += (looked_in.empty() ? "" : ", ") + (libraries / "amity").string();
  }
  return std::nullopt;
}

std::optional<own_libraries> find_own_libraries(std::string& looked_in) {
  const std::filesystem::path own = own_program();
  if (own.empty()) {
    looked_in = "nowhere: neither /proc/self/exe nor the name of the program can be read";
    return std::nullopt;
  }
  return find_own_libraries_from(own.parent_path(), looked_in);
}

}  // namespace amity::cli
