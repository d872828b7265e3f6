// The pictures of `amity bench ... --plot FOLDER`: drawn by a script out of the JSON, with a python3 that has
// matplotlib. Both are looked for when they are needed: nothing else of Amity wants them.
#pragma once

#include <string>

#include "amity/cli/suite.hpp"

namespace amity::cli {

struct plotter {
  std::string python;  // empty: none has matplotlib
  std::string name;    // "plot_bench.py", for most suites
  std::string source;  // the same in the sources
  std::string tool;    // where it is; empty: not where the benchmarks are

  [[nodiscard]] bool usable() const { return !python.empty() && !tool.empty(); }
  // What is missing, and what to do about it.
  [[nodiscard]] std::string lack() const;
};

// `programs`: the folder that the options name, if any.
[[nodiscard]] plotter find_plotter(const suite& of, const std::string& programs);

// Draws what is in the file `json` into `folder`, and says which pictures those are; false when that failed.
[[nodiscard]] bool draw(const plotter& with, const std::string& json, const std::string& folder);

}  // namespace amity::cli
