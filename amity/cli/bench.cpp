// `amity bench`: the options of each benchmark.
#include <memory>

#include "amity/cli/commands.hpp"
#include "amity/cli/overheads.hpp"

namespace amity::cli {
namespace {

// A check of options that hold numbers.
CLI::Validator whole_number(long least, const char* what) {
  return CLI::Validator([least, what](std::string& value) { return check_whole_number(value, least, what); }, "");
}

void add_overheads(CLI::App& app, overheads_options& options) {
  app.add_option("--threads", options.threads,
                 "threads, one table for each: 2,8,32 (as many as there are usable cores)")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(whole_number(1, "threads"));
  app.add_option("--rounds", options.rounds, "how often everybody's turn comes (5)")
      ->type_name("N")
      ->check(whole_number(1, "rounds"));
  app.add_option("--samples", options.samples, "samples in a round, of which the median counts (15)")
      ->type_name("N")
      ->check(whole_number(3, "samples"));
  app.add_option("--busy", options.busy, "keep N cores busy meanwhile, the last of the affinity mask (0)")
      ->type_name("N")
      ->check(whole_number(0, "busy cores"));
  app.add_option("--limit", options.limit_s, "seconds after which a program counts as hanging (120)")
      ->type_name("SECONDS")
      ->check(whole_number(1, "seconds"));
  app.add_option("--only", options.only, "constructs: parallel,barrier,... (all)")->type_name("LIST")->delimiter(',');
  app.add_option("--rivals", options.rivals, "libgomp, libomp, or NAME=FOLDER of another runtime (libgomp,libomp)")
      ->type_name("LIST")
      ->delimiter(',');
  app.add_option("--json", options.json,
                 "write Google Benchmark's JSON to FILE; - is standard output, without the table")
      ->type_name("FILE");
  app.add_option("--programs", options.programs, "where overheads_gcc and overheads_clang are, if not beside amity")
      ->type_name("FOLDER");
}

}  // namespace

command add_bench(CLI::App& app) {
  app.require_subcommand(1);
  auto options = std::make_shared<overheads_options>();
  add_overheads(*app.add_subcommand("overheads", "what each construct of OpenMP costs, on Amity, libgomp and libomp"),
                *options);
  return [options] { return bench_overheads(*options); };
}

}  // namespace amity::cli
