// What the parser knows of the commands, as plain data. --help, the manual and the completions of shells are all made
// from the one parser, so none of them can lack an option.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace amity::cli {

enum class value_form {
  none,      // --stats
  required,  // -t 8
  optional,  // --nodes, or --nodes 2
  joined,    // --counters, or --counters=NAMES
};

struct option_facts {
  std::vector<std::string> names;  // "-t", "--threads"; of a positional "FOLDER"
  value_form form = value_form::none;
  std::string value;  // as --help names it: "N", "FOLDER"
  bool required = false;
  std::string about;
};

struct command_facts {
  std::string name;  // "run"
  std::string about;
  std::vector<std::string> footer;  // its lines
  std::vector<option_facts> options, positionals;
  std::vector<command_facts> commands;
  bool takes_program = false;  // a command of the shell follows, which the parser does not see (split_off_program)
};

// Without what --help does not show.
[[nodiscard]] command_facts facts_of(const CLI::App& app);

}  // namespace amity::cli
