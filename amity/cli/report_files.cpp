#include "amity/cli/report_files.hpp"

#include <cstdio>
#include <filesystem>

#include "amity/base/report.hpp"

namespace amity::cli {
namespace {

using base::warn;

bool open_for_writing(std::ofstream& file, const std::string& path, const char* option) {
  file.open(path);
  if (!file) warn("bench: %s: '%s' cannot be written", option, path.c_str());
  return static_cast<bool>(file);
}

}  // namespace

bool report_files::open(const suite& of, const bench_options& options) {
  to_stdout_ = options.json == "-";
  if (!options.json.empty() && !to_stdout_ && !open_for_writing(json_, options.json, "--json")) return false;
  folder_ = options.plot;
  if (folder_.empty()) return true;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  folder_json_ = (std::filesystem::path(folder_) / (std::string(of.name) + ".json")).string();
  if (!open_for_writing(copy_, folder_json_, "--plot")) return false;
  plotter_ = find_plotter(of, options.programs);
  if (!plotter_.usable())
    warn("bench: --plot: %s; there will be no pictures, only their figures in '%s'", plotter_.lack().c_str(),
         folder_json_.c_str());
  return true;
}

bool report_files::write(const std::string& json) {
  if (to_stdout_) std::puts(json.c_str());
  bool written = true;
  for (std::ofstream* file : {&json_, &copy_}) {
    if (!file->is_open()) continue;
    *file << json << '\n';
    file->close();
    written = written && !file->fail();
  }
  if (!written) warn("bench: the JSON could not be written");
  if (folder_.empty() || !written) return written;
  if (plotter_.usable()) return draw(plotter_, folder_json_, folder_);
  warn("bench: --plot: %s; later: python3 %s '%s' '%s'", plotter_.lack().c_str(), plotter_.source.c_str(),
       folder_json_.c_str(), folder_.c_str());
  return false;
}

}  // namespace amity::cli
