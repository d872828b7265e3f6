// Where the figures of a benchmark go beside the table: --json FILE, and --plot FOLDER with a copy of the JSON in it.
// They are opened before anything is measured, so that a mistyped name does not cost the minutes of a run.
//
//   report_files files;
//   if (!files.open(blaze_suite, options)) return own_failure;   // it has said why
//   ...
//   files.write(bench_json(result));                             // and draws the pictures
#pragma once

#include <fstream>
#include <string>

#include "amity/cli/benchmark.hpp"
#include "amity/cli/plots.hpp"

namespace amity::cli {

class report_files {
 public:
  [[nodiscard]] bool open(const suite& of, const bench_options& options);
  // False when not everything that was asked for is there.
  [[nodiscard]] bool write(const std::string& json);

 private:
  bool to_stdout_ = false;
  std::ofstream json_;
  std::string folder_;       // empty: no pictures
  std::string folder_json_;  // the copy in it
  std::ofstream copy_;
  plotter plotter_;
};

}  // namespace amity::cli
