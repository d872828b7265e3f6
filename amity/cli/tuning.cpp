#include "amity/cli/tuning.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "amity/base/report.hpp"
#include "amity/cli/child_process.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/process_contenders.hpp"
#include "amity/coll/choice_text.hpp"

namespace amity::cli {
namespace {

namespace tuning = collectives::tuning;
using base::warn;

std::string rule_line(const std::string& operation, const std::string& sites, const std::string& bytes,
                      const std::string& best) {
  return operation + " " + sites + " " + bytes + " " + best + "\n";
}

std::size_t border(std::size_t smaller, std::size_t larger) {
  return static_cast<std::size_t>(std::sqrt(static_cast<double>(smaller) * static_cast<double>(larger)));
}

// The rules of an operation for one number of ranks; `points` are these alone, by size.
std::string rules_for(const std::vector<tuned_point>& points) {
  std::string text;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const tuned_point& p = points[i];
    const bool is_last = i + 1 == points.size();
    if (!is_last && points[i + 1].best == p.best) continue;
    text += rule_line(p.operation, std::to_string(p.ranks),
                      is_last ? "any" : std::to_string(border(p.bytes, points[i + 1].bytes)), p.best);
  }
  return text;
}

// Those of the built-in table that are for more than `ranks`.
std::string built_in_beyond(const std::string& operation, int ranks) {
  tuning::table rest;
  for (const tuning::rule& r : tuning::default_table())
    if (operation == tuning::operation_names[static_cast<std::size_t>(r.of)] && (r.sites == 0 || r.sites > ranks))
      rest.push_back(r);
  const std::string text = tuning::text_of(rest);
  return text.substr(text.find('\n') + 1);  // without its headline
}

void take_line(const std::string& line, std::vector<tuned_point>& points, bool& failed) {
  const nlohmann::json said = nlohmann::json::parse(line, nullptr, false);
  if (!said.is_object() || !said.contains("name")) return;
  const std::string name = said["name"];
  const std::size_t slash = name.find('/');
  if (said.contains("error") || slash == std::string::npos) {
    warn("bench: --tune: %s: %s", name.c_str(), said.value("error", "no size").c_str());
    failed = true;
    return;
  }
  points.push_back({said["ranks"], name.substr(0, slash), std::stoul(name.substr(slash + 1)), said["best"]});
  const double us = said["us"], before = said["built_in_us"];
  std::printf("%5d  %-22s %10.3g %10.3g  %s\n", points.back().ranks, name.c_str(), us, before,
              points.back().best.c_str());
  std::fflush(stdout);
}

// With so many ranks. False: it has said why there is nothing.
bool tune_ranks(const contender& one, int ranks, const bench_options& options, std::vector<tuned_point>& points) {
  std::vector<std::string> command = one.start(ranks);
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  command.insert(command.end(), {"--samples", options.samples, "--tune"});
  if (!options.only.empty()) command.insert(command.end(), {"--only", joined(options.only, ",")});
  child_options how;
  how.environment = one.environment;
  if (const char* const net = getenv("AMITY_NET"))
    how.environment["AMITY_NET"] = net;  // MPI's has operations of its own
  how.limit_s = std::stod(options.limit_s);
  std::size_t taken = 0;
  bool failed = false;
  how.on_output = [&](const std::string& so_far) {
    for (std::size_t end = so_far.find('\n', taken); end != std::string::npos; end = so_far.find('\n', taken)) {
      take_line(so_far.substr(taken, end - taken), points, failed);
      taken = end + 1;
    }
  };
  const child_result child = run_child(command, how);
  if (!child.ok()) warn("bench: --tune: %d ranks: %s", ranks, child.ending(how.limit_s).c_str());
  return child.ok() && !failed;
}

std::string headline(const contender& one) {
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  if (gmtime_r(&now, &parts) != nullptr) std::strftime(date, sizeof date, "%Y-%m-%d", &parts);
  char host[128] = "?";
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '?';
  return "# Algorithms of collective operations, measured by amity bench collectives --tune on " + std::string(host) +
         ", " + date + ", with " + one.label +
         ".\n# A program reads them where AMITY_COLLECTIVES names this file; all its processes need the same.\n"
         "# operation  sites  bytes  method  arity  piece\n";
}

}  // namespace

std::string table_of(const std::vector<tuned_point>& points) {
  std::string text;
  for (const char* operation : tuning::operation_names) {
    std::map<int, std::vector<tuned_point>> by_ranks;
    for (const tuned_point& p : points)
      if (p.operation == operation) by_ranks[p.ranks].push_back(p);
    for (auto& [ranks, its] : by_ranks) {
      std::sort(its.begin(), its.end(), [](const tuned_point& a, const tuned_point& b) { return a.bytes < b.bytes; });
      text += rules_for(its);
    }
    if (!by_ranks.empty()) text += built_in_beyond(operation, by_ranks.rbegin()->first);
  }
  return text;
}

int run_tuning(const suite& of, const bench_options& options, const std::string& file) {
  if (!std::ofstream(file, std::ios::app)) {  // what it holds stays until there is something better
    warn("bench: --tune: '%s' can't be written; a file in a folder of yours is wanted", file.c_str());
    return own_failure;
  }
  bench_options alone = options;
  alone.rivals.clear();
  std::string error;
  const std::vector<contender> all = find_process_contenders(of, alone, error);
  const auto one = std::find_if(all.begin(), all.end(), [](const contender& c) { return c.amity && !c.measure; });
  if (!error.empty() || one == all.end()) {
    warn("bench: --tune: %s", error.empty() ? "there is no program of Amity to measure" : error.c_str());
    return own_failure;
  }
  std::printf("ranks  operation/bytes                us  built-in  the best\n");
  std::vector<tuned_point> points;
  bool complete = true;
  for (const std::string& list : options.threads)
    for (const int ranks : thread_counts(list)) complete = tune_ranks(*one, ranks, options, points) && complete;
  if (points.empty()) return 1;
  const std::string table = table_of(points);
  tuning::table read;
  if (const std::string wrong = tuning::parse_table(table, read); !wrong.empty()) {
    warn("bench: --tune: the table that was measured can't be read: %s", wrong.c_str());
    return own_failure;
  }
  std::ofstream out(file);
  out << headline(*one) << table << std::flush;
  if (!out) {
    warn("bench: --tune: '%s' can't be written; is the disk full?", file.c_str());
    return 1;
  }
  std::printf("%s: programs use it by AMITY_COLLECTIVES=%s\n", file.c_str(), file.c_str());
  return complete ? 0 : 1;
}

}  // namespace amity::cli
