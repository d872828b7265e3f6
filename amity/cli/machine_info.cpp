#include "amity/cli/machine_info.hpp"

#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "amity/sys/cpu_mask.hpp"

namespace amity::cli {
namespace {

std::string read_cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string part;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.starts_with("model name")) return line.substr(colon + 2);
    if (line.starts_with("CPU part"))
      part = "aarch64, part " + line.substr(colon + 2);  // there is no name on most of them
  }
  return part.empty() ? "unknown" : part;
}

bool has_fsgsbase() {
#if defined(__x86_64__)
  constexpr unsigned long bit = 2;  // HWCAP2_FSGSBASE
  return (getauxval(AT_HWCAP2) & bit) != 0;
#else
  return true;  // tpidr_el0 always belongs to user space
#endif
}

}  // namespace

machine_info look_at_machine() {
  machine_info info;
  utsname names{};
  if (uname(&names) == 0) {
    info.host = names.nodename;
    info.kernel = std::string(names.sysname) + " " + names.release + " " + names.machine;
  }
  info.cpu_model = read_cpu_model();
  info.fsgsbase = has_fsgsbase();
  info.topology = sys::describe();
  info.budget = sys::usable_cpus();
  std::array<char, 4096> mask;
  info.mask = sys::format_cpus(sys::cpu_mask::of_calling_thread(), mask.data(), mask.size());
  return info;
}

std::vector<setting> settings_in_environment() {
  std::vector<setting> settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    for (const std::string_view prefix : {"OMP_", "GOMP_", "KMP_", "AMITY_"})
      if (text.starts_with(prefix))
        settings.push_back({std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))});
  }
  std::sort(settings.begin(), settings.end(), [](const setting& a, const setting& b) { return a.name < b.name; });
  return settings;
}

}  // namespace amity::cli
