// Other programs that `amity` starts: their output, a time limit, and no survivor when `amity` ends, however it ends.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace amity::cli {

struct child_options {
  std::map<std::string, std::string> environment;                 // set on top of the own one; an empty value unsets
  double limit_s = 0;                                             // killed after that; 0: no limit
  bool hide_errors = false;                                       // its stderr goes nowhere
  std::function<void(const std::string& so_far)> on_output = {};  // whenever there is more
};

struct child_result {
  bool started = false;
  bool timed_out = false;
  int status = 0;  // as waitpid gives it
  std::string output;

  [[nodiscard]] bool ok() const;
  // "exit status 1", "signal 11 (Segmentation fault)", "no end within 60 s", "could not be started".
  [[nodiscard]] std::string ending(double limit_s) const;
};

[[nodiscard]] child_result run_child(const std::vector<std::string>& command, const child_options& options);

// What `command` writes to its standard output; what it writes to its standard error is dropped.
[[nodiscard]] std::string output_of(const std::vector<std::string>& command);

}  // namespace amity::cli
