#include "amity/accel/cuda/toolkits.hpp"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>

namespace amity::accel::cuda {
namespace {

bool is_there(const std::string& path) noexcept {
  struct stat is {};
  return stat(path.c_str(), &is) == 0;
}

/// CUDA 12 and later have one name for each major version; those of CUDA 11 are all "11.2".
bool is_library_name(const std::string& name) {
  std::string const version = name.substr(name.find(".so.") + 4);
  bool const is_number = std::all_of(version.begin(), version.end(), [](unsigned char c) { return std::isdigit(c); });
  return !version.empty() && (is_number || version == "11.2");
}

void add_libraries_in(const std::string& folder, std::vector<std::string>& to) {
  for (const std::string& name : names_in(folder, "libnvrtc.so."))
    if (is_library_name(name)) to.push_back(folder + "/" + name);
}

/// `root`: a toolkit; or the folder "nvidia" where PyPI's wheels put theirs, or one of these.
void add_libraries_below(const std::string& root, std::vector<std::string>& to) {
  for (const char* const folder : {"", "/lib64", "/lib", "/cuda_nvrtc/lib"}) add_libraries_in(root + folder, to);
  for (const std::string& machine : names_in(root + "/targets", ""))
    add_libraries_in(root + "/targets/" + machine + "/lib", to);
  for (const std::string& wheel : names_in(root, "cu1")) add_libraries_in(root + "/" + wheel + "/lib", to);
}

/// An environment's variable that names a folder; "": it doesn't.
std::string folder_said(const char* variable) {
  const char* const said = getenv(variable);
  std::string folder = said != nullptr && *said == '/' ? said : "";
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

std::string said_toolkit(std::string& variable) {
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string folder = folder_said(variable.assign(name).c_str()); !folder.empty()) return folder;
  return {};
}

toolkit_place place_of_loader() {
  toolkit_place p{"the loader's path (LD_LIBRARY_PATH)"};
  constexpr int newest = 15, oldest = 12;  // later ones have to be said
  for (int major = newest; major >= oldest; --major) p.libraries.push_back("libnvrtc.so." + std::to_string(major));
  p.libraries.emplace_back("libnvrtc.so.11.2");
  return p;
}

std::vector<std::string> installed_toolkits() {
  std::vector<std::string> all{"/usr/local/cuda"};
  for (const std::string& name : names_in("/usr/local", "cuda-")) all.push_back("/usr/local/" + name);
  return all;
}

/// The number behind "#define NAME" in a header; 0: there is none.
int number_in(const std::string& path, const std::string& name) {
  std::ifstream in(path);
  std::string const begin = "#define " + name;
  for (std::string line; std::getline(in, line);)
    if (int n = 0; line.starts_with(begin) && std::sscanf(line.c_str() + begin.size(), "%d", &n) == 1) return n;
  return 0;
}

/// 12040: those of CUDA 12.4. 0: not known.
int version_of_headers(const std::string& folder) {
  int const version = number_in(folder + "/cuda.h", "CUDA_VERSION");
  return version != 0 ? version : number_in(folder + "/cuda_runtime_api.h", "CUDART_VERSION");
}

}  // namespace

std::vector<std::string> names_in(const std::string& folder, const std::string& begin) {
  std::vector<std::string> names;
  DIR* const all = opendir(folder.c_str());
  if (all == nullptr) return names;
  while (const dirent* const one = readdir(all))
    if (std::string name = one->d_name; name.starts_with(begin) && name[0] != '.') names.push_back(std::move(name));
  closedir(all);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<toolkit_place> toolkit_places() {
  // First: once another library of the name is open, the loader finds that one.
  std::vector<toolkit_place> all{place_of_loader()};
  std::string variable;
  if (std::string const said = said_toolkit(variable); !said.empty()) {
    all.push_back({variable + "=" + said, true, {}});
    add_libraries_below(said, all.back().libraries);
  }
  for (const std::string& folder : installed_toolkits()) {
    all.push_back({folder});
    add_libraries_below(folder, all.back().libraries);
  }
  for (const char* const environment : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    std::string const root = folder_said(environment);
    if (root.empty()) continue;
    all.push_back({std::string(environment) + "=" + root});
    add_libraries_below(root, all.back().libraries);
    for (const std::string& python : names_in(root + "/lib", "python3"))
      add_libraries_below(root + "/lib/" + python + "/site-packages/nvidia", all.back().libraries);
  }
  return all;
}

std::string folder_of_headers(const std::string& library_folder, int major, int minor) {
  std::string variable;
  std::vector<std::string> folders;
  for (const char* const beside : {"/../include", "/../../include", "/../../cuda_runtime/include"})
    folders.push_back(library_folder + beside);
  folders.push_back(library_folder + "/../../cu" + std::to_string(major) + "/include");
  if (std::string const said = said_toolkit(variable); !said.empty()) folders.push_back(said + "/include");
  for (const std::string& toolkit : installed_toolkits()) folders.push_back(toolkit + "/include");
  std::string of_major, of_unknown;
  for (const std::string& folder : folders) {
    if (!is_there(folder + "/cuda_fp16.h")) continue;
    int const version = version_of_headers(folder);
    if (version / 10 == major * 100 + minor) return folder;
    if (version / 1000 == major && of_major.empty()) of_major = folder;
    if (version == 0 && of_unknown.empty()) of_unknown = folder;
  }
  return !of_major.empty() ? of_major : of_unknown;
}

}  // namespace amity::accel::cuda
