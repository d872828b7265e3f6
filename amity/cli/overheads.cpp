#include "amity/cli/overheads.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "amity/base/report.hpp"
#include "amity/cli/busy_cores.hpp"
#include "amity/cli/child_process.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/contenders.hpp"
#include "amity/sys/cpus.hpp"

namespace amity::cli {
namespace {

using base::warn;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

// One line that is written over and over, on a terminal; nothing in a file.
void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

struct plan {
  double limit_s;
  std::string samples;
  std::string sample_ms;
};

// Takes over what the program said about its constructs; returns those that it said nothing about, because it ended
// before.
std::vector<std::string> take_over(const std::string& output, std::vector<std::string> asked,
                                   const std::map<std::string, cell*>& cells) {
  for (const std::string& line : lines_of(output)) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("name")) continue;
    const std::string name = json["name"];
    const auto found = cells.find(name);
    if (found == cells.end()) continue;
    if (json.contains("error"))
      found->second->failure = json["error"];
    else
      found->second->rounds.push_back({json["us"], json["cpu_us"], json["iterations"]});
    std::erase(asked, name);
  }
  return asked;
}

// A round of one contender. A program that ends before its time has failed in the first construct that it has not told
// about; the others are then asked for again, so that one crash does not cost the whole table.
void run_round(const contender& one, int threads, bool quiet, const plan& how,
               const std::map<std::string, cell*>& cells, std::vector<std::string> constructs) {
  std::erase_if(constructs, [&](const std::string& name) { return !cells.at(name)->failure.empty(); });
  while (!constructs.empty()) {
    child_options options;
    options.environment = environment_of(one);
    options.environment["OMP_NUM_THREADS"] = std::to_string(threads);
    options.limit_s = how.limit_s;
    options.hide_errors = quiet;
    const child_result child = run_child(
        {one.program, "--samples", how.samples, "--sample-ms", how.sample_ms, "--only", joined(constructs, ",")},
        options);
    constructs = take_over(child.output, constructs, cells);
    if (constructs.empty()) return;
    cells.at(constructs.front())->failure = child.ending(how.limit_s);
    constructs.erase(constructs.begin());
  }
}

bool choose_constructs(const overheads_options& options, overheads_result& result) {
  const std::vector<std::string> known = lines_of(output_of({result.contenders.front().program, "--list"}));
  for (const std::string& name : options.only) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    warn("bench: --only: '%s' is no construct; allowed: %s", name.c_str(), joined(known, ", ").c_str());
    return false;
  }
  for (const std::string& name : known)
    if (options.only.empty() || std::find(options.only.begin(), options.only.end(), name) != options.only.end())
      result.constructs.push_back(name);
  return !result.constructs.empty();
}

void measure(const overheads_options& options, overheads_result& result) {
  // Where a core is busy a sample has to be longer than the kernel's time slices: a shorter one either meets one or
  // does not, and the median then only says which was more frequent.
  const plan how{std::stod(options.limit_s), options.samples, result.busy_cpus.empty() ? "1.5" : "20"};
  for (const int threads : result.threads) {
    auto& table = result.cells[threads];
    for (const std::string& construct : result.constructs) table[construct].resize(result.contenders.size());
    for (int round = 0; round != result.rounds; ++round) {
      for (std::size_t i = 0; i != result.contenders.size(); ++i) {
        const contender& one = result.contenders[i];
        show_progress("threads " + std::to_string(threads) + ", round " + std::to_string(round + 1) + " of " +
                      std::to_string(result.rounds) + ": " + one.label);
        std::map<std::string, cell*> cells;
        for (const std::string& construct : result.constructs) cells[construct] = &table[construct][i];
        run_round(one, threads, round != 0, how, cells, result.constructs);
      }
    }
  }
  show_progress("");
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

double cell::median_us() const {
  std::vector<double> values;
  for (const measurement& one : rounds) values.push_back(one.us);
  return median(values);
}

double cell::median_cpu_us() const {
  std::vector<double> values;
  for (const measurement& one : rounds) values.push_back(one.cpu_us);
  return median(values);
}

const cell& overheads_result::at(int thread_count, const std::string& construct, std::size_t contender) const {
  return cells.at(thread_count).at(construct).at(contender);
}

double overheads_result::ratio(int thread_count, const std::string& construct) const {
  // An overhead is a difference and may come out as nothing, or less: below a nanosecond there is nothing to compare.
  constexpr double least_us = 1e-3;
  double rival = 0;
  double own = 0;
  for (std::size_t i = 0; i != contenders.size(); ++i) {
    const cell& one = at(thread_count, construct, i);
    if (!one.known()) continue;
    const double us = std::max(one.median_us(), least_us);
    if (contenders[i].amity)
      own = std::max(own, us);
    else
      rival = rival > 0 ? std::min(rival, us) : us;
  }
  return own > 0 && rival > 0 ? own / rival : 0;
}

bool overheads_result::failed() const {
  for (const auto& [thread_count, table] : cells)
    for (const auto& [construct, row] : table)
      for (const cell& one : row)
        if (!one.failure.empty()) return true;
  return false;
}

int bench_overheads(const overheads_options& options) {
  const sys::cpu_budget budget = sys::usable_cpus();
  const int busy = std::stoi(options.busy);
  if (busy > budget.in_mask) {
    warn("bench: --busy: '%d' is more than the CPUs there are; allowed: 0 to %d", busy, budget.in_mask);
    return own_failure;
  }
  std::ofstream file;
  if (!options.json.empty() && options.json != "-") {
    file.open(options.json);
    if (!file) {
      warn("bench: --json: '%s' cannot be written", options.json.c_str());
      return own_failure;
    }
  }
  overheads_result result;
  std::string error;
  result.contenders = find_contenders(options, error);
  if (!error.empty() || result.contenders.empty()) {
    warn("bench: %s", error.empty() ? "there is nothing to measure" : error.c_str());
    return own_failure;
  }
  for (const std::string& threads : options.threads) result.threads.push_back(std::stoi(threads));
  if (result.threads.empty()) result.threads.push_back(budget.usable);
  result.rounds = std::stoi(options.rounds);
  if (!choose_constructs(options, result)) return own_failure;
  {
    const busy_cores others(busy);
    result.busy_cpus = others.cpus();
    measure(options, result);
  }
  if (options.json != "-") print_overheads(result);
  if (!options.json.empty())
    (options.json == "-" ? static_cast<void>(std::puts(overheads_json(result).c_str()))
                         : static_cast<void>(file << overheads_json(result) << "\n"));
  return result.failed() ? 1 : 0;
}

}  // namespace amity::cli
