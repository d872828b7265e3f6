// `amity profile FILE`: the table of a profile that a program has left there (AMITY_PROFILE=FILE), or `amity run
// --profile` hands in.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "amity/base/report.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/profile_report.hpp"

namespace amity::cli {

command add_profile(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  app.add_option("FILE", *path, "what a program with AMITY_PROFILE=FILE has written; -: the standard input")
      ->required();
  return [path] {
    std::ifstream file;
    if (*path != "-") file.open(*path);
    std::istream& in = *path == "-" ? std::cin : file;
    if (!in) {
      base::warn("profile: '%s' can't be opened", path->c_str());
      return own_failure;
    }
    profile all;
    std::string problem;
    if (!read_profile(in, all, problem)) {
      base::warn("profile: '%s' is no profile: %s", path->c_str(), problem.c_str());
      return own_failure;
    }
    name_places(all.rows);
    std::fputs(report_of(all).c_str(), stdout);
    return 0;
  };
}

}  // namespace amity::cli
