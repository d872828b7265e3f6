#include "amity/cli/page_tracing.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "amity/base/report.hpp"
#include "amity/cli/page_report.hpp"

namespace amity::cli {

namespace fs = std::filesystem;

page_tracing::page_tracing(const std::string& folder) {
  std::error_code error;
  if (folder.empty()) {
    std::string name = (fs::temp_directory_path(error) / "amity-pages-XXXXXX").string();
    is_ours_ = mkdtemp(name.data()) != nullptr;
    if (!is_ours_) problem_ = "no folder for what the nodes write can be made (" + name + "): " + std::strerror(errno);
    folder_ = name;
    return;
  }
  folder_ = fs::absolute(folder, error);  // the program may go elsewhere
  fs::create_directories(folder_, error);
  if (!error && access(folder_.c_str(), W_OK) != 0) error = std::error_code(errno, std::generic_category());
  if (error) {
    problem_ = "nothing can be written into the folder '" + folder + "': " + error.message();
    return;
  }
  // Of an earlier run. Nodes write when they end, and none of this run has begun.
  for (int node = 0; fs::remove(folder_ / ("node." + std::to_string(node)), error); ++node) {
  }
}

page_tracing::~page_tracing() {
  std::error_code ignored;
  if (is_ours_) fs::remove_all(folder_, ignored);
}

void page_tracing::begin() const { setenv("AMITY_NODES_TRACE", folder_.c_str(), 1); }

void page_tracing::report() const {
  std::string problem;
  const std::string text = report_of_pages(folder_, problem);
  if (!problem.empty()) base::warn("run: --trace-pages: %s", problem.c_str());
  std::fputs(text.c_str(), stderr);
}

}  // namespace amity::cli
