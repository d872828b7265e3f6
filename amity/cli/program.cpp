#include "amity/cli/program.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "amity/cli/child_process.hpp"

namespace amity::cli {
namespace {

using outcome = program_lookup::outcome;

outcome look_at(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return errno == ENOENT || errno == ENOTDIR ? outcome::missing : outcome::unreachable;
  if (S_ISDIR(status.st_mode)) return outcome::folder;
  return access(path.c_str(), X_OK) == 0 ? outcome::found : outcome::not_executable;
}

bool begins_with_any(const std::string& text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view one) { return text.starts_with(one); });
}

std::string file_name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

program_lookup find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    const outcome here = look_at(name);
    return {here, name, here == outcome::unreachable ? errno : 0};
  }
  const char* variable = std::getenv("PATH");
  // An empty element is the current folder. The last one may be empty, too, and getline() sees it by its colon only.
  std::istringstream folders(std::string(variable != nullptr ? variable : "/bin:/usr/bin") + ':');
  program_lookup best;
  for (std::string folder; !name.empty() && std::getline(folders, folder, ':');) {
    const std::filesystem::path path = std::filesystem::path(folder.empty() ? "." : folder) / name;
    const outcome here = look_at(path);
    if (here == outcome::found) return {here, path};
    if (here == outcome::unreachable) continue;  // a shell passes over these, too
    if (here != outcome::missing && best.result == outcome::missing) best = {here, path};
  }
  if (best.result == outcome::folder) best = {};  // a shell passes over folders in PATH
  return best;
}

bool gains_rights(const std::filesystem::path& program) {
  struct stat status {};
  if (stat(program.c_str(), &status) != 0) return false;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) return true;
  if ((status.st_mode & S_ISGID) != 0 && status.st_gid != getgid()) return true;
  return getuid() != 0 && getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
}

bool is_openmp_runtime(const std::string& file_name) {
  for (const std::string_view stem : {"libgomp", "libomp", "libiomp5"}) {
    if (!file_name.starts_with(stem)) continue;
    const std::string_view rest = std::string_view(file_name).substr(stem.size());
    // libomptarget and libgomp-plugin-* are helpers of a runtime; libompl and the like have nothing to do with one.
    if (rest.starts_with("-plugin")) return false;
    return rest.starts_with('.') || rest.starts_with('-');
  }
  return false;
}

std::vector<loaded_library> parse_library_list(const std::string& text) {
  std::vector<loaded_library> libraries;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // "\tlibm.so.6 => /lib/libm.so.6 (0x7f..)", "\tlibx.so => not found", "\t/lib64/ld-linux.so.2 (0x7f..)"
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    const std::size_t address = line.rfind(" (0x");
    line = line.substr(begin, address == std::string::npos ? address : address - begin);
    const std::size_t arrow = line.find(" => ");
    if (arrow == std::string::npos) {
      if (address != std::string::npos)
        libraries.push_back({file_name_of(line), line.find('/') == std::string::npos ? "" : line});
    } else {
      const std::string path = line.substr(arrow + 4);
      libraries.push_back({line.substr(0, arrow), path == "not found" ? "" : path});
    }
  }
  return libraries;
}

std::vector<loaded_library> parse_cache(const std::string& text) {
  std::vector<loaded_library> libraries;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // "\tlibgomp.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libgomp.so.1"; the 32-bit ones lack the architecture
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::size_t kind = line.find(" (libc6,");
    const std::size_t arrow = line.find(" => ");
    if (begin == std::string::npos || kind == std::string::npos || arrow == std::string::npos) continue;
    const bool other_abi = line.compare(kind, 12, " (libc6,x32)") == 0;
    if (!other_abi) libraries.push_back({line.substr(begin, kind - begin), line.substr(arrow + 4)});
  }
  return libraries;
}

std::vector<loaded_library> list_libraries(const std::string& interpreter, const std::filesystem::path& program,
                                           const std::map<std::string, std::string>& environment) {
  child_options options;
  options.environment = environment;
  options.hide_errors = true;
  const std::string absolute = std::filesystem::absolute(program).string();
  return parse_library_list(run_child({interpreter, "--list", absolute}, options).output);
}

std::size_t static_tls_of(const std::vector<loaded_library>& libraries) {
  std::size_t sum = 0;
  for (const loaded_library& library : libraries)
    if (!library.path.empty()) sum += elf_file(library.path).static_tls();
  return sum;
}

std::string interpreter_of_script(const std::filesystem::path& script) {
  std::string line;
  std::ifstream file(script);
  if (!std::getline(file, line) || !line.starts_with("#!")) return "/bin/sh";
  std::string interpreter;
  std::istringstream(line.substr(2)) >> interpreter;
  return interpreter;
}

bool may_load_more(const elf_file& program, const std::vector<loaded_library>& libraries) {
  static const std::vector<std::string_view> names = {"dlopen",  "dlmopen", "execve", "execv",       "execvp",
                                                      "execvpe", "execl",   "execlp", "execle",      "execveat",
                                                      "fexecve", "system",  "popen",  "posix_spawn", "posix_spawnp"};
  if (program.imports_any_of(names)) return true;
  return std::any_of(libraries.begin(), libraries.end(), [&](const loaded_library& library) {
    if (library.path.empty()) return false;
    const bool of_the_c_library = begins_with_any(
        file_name_of(library.path),
        {"libc.", "ld-linux", "ld64.", "libdl.", "libpthread.", "libm.", "librt.", "libstdc++.", "libgcc_s."});
    return !of_the_c_library && elf_file(library.path).imports_any_of(names);
  });
}

}  // namespace amity::cli
