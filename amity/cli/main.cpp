#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>

#include "amity/base/report.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/suite.hpp"

namespace {

std::string failure_text(const CLI::App* app, const CLI::Error& error) {
  std::string name = "amity";
  for (auto chosen = app->get_subcommands(); !chosen.empty(); chosen = chosen.front()->get_subcommands())
    name += " " + chosen.front()->get_name();
  return "amity: " + std::string(error.what()) + "\nTry '" + name + " --help'.\n";
}

constexpr std::array commands = {"run", "info", "bench", "dump", "pages", "profile", "trace", "help-files"};

// The parser itself would only say that a command is required.
bool check_command(const std::vector<std::string>& words) {
  if (words.empty()) {
    amity::base::warn(
        "no command is given; allowed: run, info, bench, dump, pages, profile, trace (amity --help says what they do)");
    return false;
  }
  if (words.size() == 1 && words[0] == "bench") {
    amity::base::warn("bench: no benchmark is given; allowed: %s", amity::cli::known_suites().c_str());
    return false;
  }
  const auto at = [&](std::size_t i) { return i < words.size() ? words[i] : "-"; };
  const auto is_command = [&](const char* name) { return at(0) == name; };
  if (!at(0).starts_with('-') && !std::any_of(commands.begin(), commands.end(), is_command)) {
    amity::base::warn("'%s' is no command; allowed: run, info, bench, dump, pages, profile, trace", at(0).c_str());
    return false;
  }
  if (at(0) == "bench" && !at(1).starts_with('-') && !amity::cli::is_suite(at(1))) {
    amity::base::warn("bench: '%s' is no benchmark; allowed: %s", at(1).c_str(), amity::cli::known_suites().c_str());
    return false;
  }
  return true;
}

// A report that did not arrive, as on a full disk, must not look like one that did.
int once_written(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  amity::base::warn("not everything could be written to standard output");
  return status == 0 ? amity::cli::own_failure : status;
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
  CLI::App* bench =
      app.add_subcommand("bench", "measure Amity beside the OpenMP runtimes and the MPIs that are installed");
  CLI::App* dump = app.add_subcommand("dump", "what the threads and tasks of a process wait for");
  const command do_run = add_run(*run, std::move(program));
  const command do_info = add_info(*info);
  const command do_bench = add_bench(*bench);
  CLI::App* pages = app.add_subcommand("pages", "which lines of a program over several nodes waited for pages most");
  const command do_dump = add_dump(*dump);
  const command do_pages = add_pages(*pages);
  CLI::App* profile = app.add_subcommand("profile", "where the time of an OpenMP program went, by line and construct");
  const command do_profile = add_profile(*profile);
  CLI::App* trace = app.add_subcommand("trace", "a timeline of an OpenMP program, for Perfetto and other viewers");
  const command do_trace = add_trace(*trace);
  CLI::App* help_files = app.add_subcommand("help-files", "write the manual and the completions of shells");
  const command do_help_files = add_help_files(*help_files);

  if (!check_command(words)) return own_failure;
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 wants them
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return once_written(app.exit(error) == 0 ? 0 : own_failure);
  }
  if (run->parsed()) return do_run();
  if (pages->parsed()) return once_written(do_pages());
  if (profile->parsed()) return once_written(do_profile());
  if (trace->parsed()) return once_written(do_trace());
  if (help_files->parsed()) return do_help_files();
  if (dump->parsed()) return once_written(do_dump());
  return once_written(info->parsed() ? do_info() : do_bench());
}
