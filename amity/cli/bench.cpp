// `amity bench`: the options of each benchmark.
#include <CLI/CLI.hpp>
#include <memory>

#include "amity/cli/benchmark.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/tuning.hpp"

namespace amity::cli {
namespace {

// A check of options that hold numbers.
CLI::Validator whole_number(long least, const char* what) {
  return CLI::Validator([least, what](std::string& value) { return check_whole_number(value, least, what); }, "");
}

// `least` of what is counted, "threads" or "ranks".
CLI::Validator some_threads(int least, const std::string& what) {
  return CLI::Validator(
      [=](std::string& value) {
        const std::vector<int> counts = thread_counts(value);
        if (!counts.empty() && counts.front() >= least) return std::string();
        return "'" + value + "' is no number of " + what + "; allowed: " + std::to_string(least) + " to 1024, or " +
               std::to_string(least) + "-16";
      },
      "");
}

// "rounds (3)"
std::string with_default(const std::string& text, const std::string& value) { return text + " (" + value + ")"; }

void add_measuring(CLI::App& app, const suite& of, bench_options& options) {
  const std::string what = of.counted();
  app.add_option("--" + what, options.threads,
                 with_default(what + ", one table for each: 2,8,32 or 2-16",
                              of.threads.empty() ? "as many as there are usable cores" : joined(of.threads, ",")))
      ->type_name("LIST")
      ->delimiter(',')
      ->check(some_threads(of.processes || of.nodes ? 2 : 1, what));
  app.add_option("--rounds", options.rounds, with_default("how often everybody's turn comes", of.rounds))
      ->type_name("N")
      ->check(whole_number(1, "rounds"));
  app.add_option("--samples", options.samples,
                 with_default("samples in a round, of which the median counts", of.samples))
      ->type_name("N")
      ->check(whole_number(std::stol(of.least_samples), "samples"));
  if (!of.processes && !of.nodes)
    app.add_option("--busy", options.busy, "keep N cores busy meanwhile, the last of the affinity mask (0)")
        ->type_name("N")
        ->check(whole_number(0, "busy cores"));
  app.add_option("--limit", options.limit_s,
                 with_default("seconds after which a program counts as hanging", of.limit_s))
      ->type_name("SECONDS")
      ->check(whole_number(1, "seconds"));
}

void add_choosing(CLI::App& app, const suite& of, bench_options& options) {
  app.add_option("--only", options.only, std::string(of.item) + "s, by their names in the table (all)")
      ->type_name("LIST")
      ->delimiter(',');
  app.add_option("--rivals", options.rivals,
                 with_default(of.idioms.empty() ? "libgomp, libomp, or NAME=FOLDER of another runtime"
                              : of.openmp       ? "who takes part besides Amity; NAME=FOLDER: another runtime of OpenMP"
                                                : "who takes part besides Amity",
                              joined(options.rivals, ",")))
      ->type_name("LIST")
      ->delimiter(',');
  app.add_option("--programs", options.programs,
                 "where " +
                     (of.idioms.empty() ? of.program("gcc") + " and " + of.program("clang")
                                        : of.program(of.idioms.front().c_str()) + " and the others") +
                     " are, if not beside amity")
      ->type_name("FOLDER");
}

void add_reporting(CLI::App& app, const suite& of, bench_options& options) {
  app.add_option("--json", options.json,
                 "write Google Benchmark's JSON to FILE; - is standard output, without the table")
      ->type_name("FILE");
  if (of.draws)
    app.add_option("--plot,--plots", options.plot,
                   "draw the figures into FOLDER (needs python3-matplotlib), with their JSON")
        ->type_name("FOLDER");
}

// An option that the programs of one suite understand.
void add_argument(CLI::App& app, const std::string& name, const char* type, const char* about, bench_options& options) {
  app.add_option_function<std::string>(
         name,
         [name, &options](const std::string& value) {
           options.arguments.insert(options.arguments.end(), {name, value});
         },
         about)
      ->type_name(type);
}

void add_graph_arguments(CLI::App& app, bench_options& options) {
  add_argument(app, "--kernel", "KERNEL", "what a task does: compute, memory or empty (compute)", options);
  add_argument(app, "--width", "N", "tasks of a step (4 for each thread)", options);
  add_argument(app, "--steps", "N", "steps of a graph (100)", options);
  add_argument(app, "--iterations", "FROM-TO", "of the kernel in a task, by powers of two (1-4096)", options);
}

}  // namespace

command add_bench(CLI::App& app) {
  app.require_subcommand(1);
  auto chosen = std::make_shared<command>();
  for (const suite* of : all_suites) {
    auto options = std::make_shared<bench_options>(*of);
    CLI::App& one = *app.add_subcommand(of->name, of->about);
    add_measuring(one, *of, *options);
    add_choosing(one, *of, *options);
    add_reporting(one, *of, *options);
    if (of == &blaze_suite)
      add_argument(one, "--sizes", "LIST", "elements, as few, all (1 to 10^7 by steps of a tenth) or 1000,100000 (few)",
                   *options);
    if (of == &nodes_suite) {
      add_argument(one, "--input", "SIZE", "tiny or usual (usual)", *options);
      one.add_option("--threads", options->threads_of_node, "threads of each node (1)")
          ->type_name("N")
          ->check(whole_number(1, "threads"));
    }
    if (of == &tasks_suite || of == &spawn_suite)
      add_argument(one, "--input", "SIZE", "tiny, usual or large (usual)", *options);
    if (of == &algorithms_suite) add_argument(one, "--elements", "N", "elements of an array (10000000)", *options);
    if (of == &futures_suite) add_argument(one, "--length", "N", "steps of a chain, width of a fan (1000)", *options);
    if (of == &graph_suite) add_graph_arguments(one, *options);
    auto tuned = std::make_shared<std::string>();
    if (of == &collectives_suite) {
      add_argument(one, "--sizes", "LIST", "bytes, multiples of 4 (4,16,64,... 1048576)", *options);
      one.add_option("--tune", *tuned,
                     "measure Amity's algorithms instead, and write a table of the best ones for AMITY_COLLECTIVES")
          ->type_name("FILE");
    }
    one.final_callback([chosen, of, options, tuned] {
      *chosen = [of, options, tuned] {
        return tuned->empty() ? run_bench(*of, *options) : run_tuning(*of, *options, *tuned);
      };
    });
  }
  return [chosen] { return (*chosen)(); };
}

}  // namespace amity::cli
