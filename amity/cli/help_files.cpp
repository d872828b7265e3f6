// `amity help-files FOLDER`, which --help does not show: writes the manual and the completions of shells, as they are
// installed. The build calls it.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>

#include "amity/base/report.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/completion.hpp"
#include "amity/cli/manual.hpp"

namespace amity::cli {
namespace {

namespace fs = std::filesystem;

bool write_file(const fs::path& path, const std::string& text) {
  std::error_code ignored;  // the stream says it
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) base::warn("help-files: '%s' can't be written", path.c_str());
  return !file.fail();
}

int write_help_files(const CLI::App& program, const fs::path& folder) {
  const command_facts facts = facts_of(program);
  bool written = write_file(folder / "bash-completion/completions" / facts.name, completion_of_bash(facts)) &&
                 write_file(folder / "zsh/site-functions" / ("_" + facts.name), completion_of_zsh(facts));
  for (const auto& [name, text] : manual_of(facts, std::string(facts.name) + " " + version()))
    written = written && write_file(folder / "man/man1" / name, text);
  return written ? 0 : own_failure;
}

}  // namespace

command add_help_files(CLI::App& app) {
  app.group("");
  auto folder = std::make_shared<std::string>();
  app.add_option("FOLDER", *folder, "as `share` of an installation")->required();
  return [folder, program = app.get_parent()] { return write_help_files(*program, *folder); };
}

}  // namespace amity::cli
