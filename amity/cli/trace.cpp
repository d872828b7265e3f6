// `amity trace FILE...`: what `amity run --trace` has written, as a timeline in JSON.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "amity/base/report.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/timeline.hpp"

namespace amity::cli {
namespace {

struct trace_options {
  std::vector<std::string> files;
  std::string output;
};

int convert(const trace_options& options) {
  std::vector<timeline> all(options.files.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string problem;
    if (!read_timeline(options.files[i], all[i], problem)) {
      base::warn("trace: '%s' is no trace: %s", options.files[i].c_str(), problem.c_str());
      return own_failure;
    }
    if (all[i].is_cut)
      base::warn("trace: '%s' was full: its oldest events are gone (--trace-last gives it more room)",
                 options.files[i].c_str());
    if (all[i].lost != 0)
      base::warn("trace: '%s' lacks %llu events, for which there was no room", options.files[i].c_str(),
                 static_cast<unsigned long long>(all[i].lost));
  }
  std::ofstream out(options.output);
  if (out) write_json(out, all);
  out.close();
  if (out) return 0;
  base::warn("trace: '%s' can't be written: %s", options.output.c_str(), std::strerror(errno));
  return own_failure;
}

}  // namespace

command add_trace(CLI::App& app) {
  auto options = std::make_shared<trace_options>();
  app.add_option("FILE", options->files, "what --trace has written; of several processes all of them")->required();
  app.add_option("-o,--output", options->output, "where the timeline goes")->type_name("JSON")->required();
  app.footer("Open the timeline at https://ui.perfetto.dev, or in chrome://tracing.");
  return [options] { return convert(*options); };
}

}  // namespace amity::cli
