#include "amity/cli/plots.hpp"

#include <cstdio>

#include "amity/cli/child_process.hpp"
#include "amity/cli/contenders.hpp"

namespace amity::cli {

std::string plotter::lack() const {
  if (tool.empty()) return name + " is not beside the benchmark programs (it is " + source + " of the sources)";
  if (python.empty()) return "no python3 here has matplotlib (Debian's package: python3-matplotlib)";
  return {};
}

plotter find_plotter(const suite& of, const std::string& programs) {
  plotter found;
  found.name = of.processes ? "plot_ranks.py" : "plot_bench.py";
  found.source = (of.processes ? "bench/messages/" : "tools/") + found.name;
  found.tool = find_bench_file(programs, found.name);
  // The first in PATH may be somebody's own, without the packages of the system.
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    child_options quietly;
    quietly.hide_errors = true;
    if (!run_child({python, "-c", "import matplotlib"}, quietly).ok()) continue;
    found.python = python;
    break;
  }
  return found;
}

bool draw(const plotter& with, const std::string& json, const std::string& folder) {
  const child_result said = run_child({with.python, with.tool, json, folder}, {});
  std::fputs(said.output.c_str(), stderr);  // the JSON may go to standard output
  return said.ok();
}

}  // namespace amity::cli
