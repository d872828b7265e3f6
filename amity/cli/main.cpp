#include "amity/base/report.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/suite.hpp"

namespace {

std::string failure_text(const CLI::App* app, const CLI::Error& error) {
  const auto chosen = app->get_subcommands();
  const std::string name = chosen.empty() ? "amity" : "amity " + chosen.front()->get_name();
  return "amity: " + std::string(error.what()) + "\nTry '" + name + " --help'.\n";
}

// The parser itself would only say that a command is required.
bool check_command(const std::vector<std::string>& words) {
  const auto at = [&](std::size_t i) { return i < words.size() ? words[i] : "-"; };
  if (!at(0).starts_with('-') && at(0) != "run" && at(0) != "info" && at(0) != "bench" && at(0) != "dump") {
    amity::base::warn("'%s' is no command; allowed: run, info, bench, dump", at(0).c_str());
    return false;
  }
  if (at(0) == "bench" && !at(1).starts_with('-') && !amity::cli::is_suite(at(1))) {
    amity::base::warn("bench: '%s' is no benchmark; allowed: %s", at(1).c_str(), amity::cli::known_suites().c_str());
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace amity::cli;
  std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<std::string> program = split_off_program(words);

  CLI::App app{"Amity: one runtime beneath everything parallel in a program.", "amity"};
  app.set_version_flag("--version", std::string("amity ") + version());
  app.require_subcommand(1);
  app.failure_message(failure_text);
  CLI::App* run = app.add_subcommand("run", "run any program with Amity as its OpenMP runtime, without recompiling it");
  CLI::App* info = app.add_subcommand("info", "this machine, the cores that may be used and why, and every setting");
  CLI::App* bench = app.add_subcommand("bench", "measure Amity beside the OpenMP runtimes that are installed");
  CLI::App* dump = app.add_subcommand("dump", "what the threads and tasks of a process wait for");
  const command do_run = add_run(*run, std::move(program));
  const command do_info = add_info(*info);
  const command do_bench = add_bench(*bench);
  const command do_dump = add_dump(*dump);

  if (!check_command(words)) return own_failure;
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 wants them
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : own_failure;
  }
  if (run->parsed()) return do_run();
  if (dump->parsed()) return do_dump();
  return info->parsed() ? do_info() : do_bench();
}
