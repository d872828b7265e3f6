// `amity pages FOLDER`: the report of an `amity run --trace-pages=FOLDER` that mpirun or srun has started, or of an
// older one.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "amity/base/report.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/page_report.hpp"

namespace amity::cli {

command add_pages(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  app.add_option("FOLDER", *folder, "what --trace-pages has written")->required()->check(CLI::ExistingDirectory);
  return [folder] {
    std::string problem;
    const std::string report = report_of_pages(*folder, problem);
    if (!problem.empty()) {
      base::warn("pages: %s", problem.c_str());
      return own_failure;
    }
    std::fputs(report.c_str(), stdout);
    return 0;
  };
}

}  // namespace amity::cli
