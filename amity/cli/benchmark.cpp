#include "amity/cli/benchmark.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "amity/base/report.hpp"
#include "amity/cli/busy_cores.hpp"
#include "amity/cli/child_process.hpp"
#include "amity/cli/commands.hpp"
#include "amity/cli/contenders.hpp"
#include "amity/cli/node_contenders.hpp"
#include "amity/cli/process_contenders.hpp"
#include "amity/cli/report_files.hpp"
#include "amity/sys/cpus.hpp"

namespace amity::cli {
namespace {

using base::warn;

constexpr long most_threads = 1024;  // bench/common/program.h has no more

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

// One line that is written over and over, on a terminal; nothing in a file.
void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

struct plan {
  double limit_s;
  std::vector<std::string> arguments;
};

// What is measured at the moment.
struct turn {
  const contender& of;
  int threads;  // or ranks
  bool quiet;
  std::string words;
};

void add_round(cell& to, const nlohmann::json& said) {
  to.unit = said.value("unit", "");
  to.rounds.push_back({said[to.unit.empty() ? "us" : "value"], said.value("cpu_us", 0.0), said["iterations"],
                       said.value("round_trip_ns", 0.0), said.value("free_us", 0.0)});
  to.kind = said.value("kind", "");
  to.flops = said.value("flops", 0.0);
  to.bytes = said.value("bytes", 0.0);
  to.tasks = said.value("tasks", 0.0);
}

// Takes over what the program said about its items; returns those that it said nothing about, because it ended
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
    else if (json.contains("left_out"))
      found->second->left_out = json["left_out"];
    else
      add_round(*found->second, json);
    std::erase(asked, name);
  }
  return asked;
}

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of the program with that many threads or ranks.
child_result run_program(const turn& now, const plan& how, const std::vector<std::string>& items) {
  const contender& one = now.of;
  child_options options;
  options.environment = environment_of(one);
  if (one.start)
    options.environment["BENCH_BEGUN_US"] = std::to_string(now_us());
  else
    options.environment["OMP_NUM_THREADS"] = std::to_string(now.threads);
  options.limit_s = how.limit_s;
  options.hide_errors = now.quiet;
  options.on_output = [&](const std::string& so_far) {
    show_progress(now.words + ", " + std::to_string(std::count(so_far.begin(), so_far.end(), '\n')) + " of " +
                  std::to_string(items.size()));
  };
  std::vector<std::string> command = one.start ? one.start(now.threads) : std::vector{one.program};
  command.insert(command.end(), how.arguments.begin(), how.arguments.end());
  command.insert(command.end(), {"--only", joined(items, ",")});
  return run_child(command, options);
}

// A round of one contender. A program that ends before its time has failed in the first item that it has not told
// about; the others are then asked for again, so that one crash does not cost the whole table.
void run_round(const turn& now, const plan& how, const std::map<std::string, cell*>& cells,
               std::vector<std::string> items) {
  std::erase_if(items, [&](const std::string& name) { return !cells.at(name)->failure.empty(); });
  while (!items.empty()) {
    const child_result child = run_program(now, how, items);
    items = take_over(child.output, items, cells);
    if (items.empty()) return;
    cells.at(items.front())->failure = child.ending(how.limit_s);
    items.erase(items.begin());
  }
}

// Whether one of `chosen` is the item or its group.
bool among(const std::vector<std::string>& chosen, const std::string& item) {
  return std::any_of(chosen.begin(), chosen.end(),
                     [&](const std::string& name) { return name == item || name == group_of(item); });
}

bool choose_items(const bench_options& options, bench_result& result) {
  std::vector<std::string> command = {result.contenders.front().program, "--list"};
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  const child_result said = run_child(command, {});
  if (!said.ok()) return false;  // its own words are on stderr
  const std::vector<std::string> known = lines_of(said.output);
  for (const std::string& name : options.only) {
    if (std::any_of(known.begin(), known.end(), [&](const std::string& item) { return among({name}, item); })) continue;
    warn("bench: --only: '%s' is no %s; allowed: %s", name.c_str(), result.of->item, joined(known, ", ").c_str());
    return false;
  }
  for (const std::string& name : known)
    if (options.only.empty() || among(options.only, name)) result.items.push_back(name);
  return !result.items.empty();
}

plan plan_of(const bench_options& options, const bench_result& result) {
  plan how{std::stod(options.limit_s), options.arguments};
  how.arguments.insert(how.arguments.end(), {"--samples", options.samples});
  // Where a core is busy a sample has to be longer than the kernel's time slices: a shorter one either meets one or
  // does not, and the median then only says which was more frequent.
  if (!result.busy_cpus.empty()) how.arguments.insert(how.arguments.end(), {"--sample-ms", "20"});
  return how;
}

void measure(const bench_options& options, bench_result& result) {
  const plan how = plan_of(options, result);
  for (const int threads : result.threads) {
    auto& table = result.cells[threads];
    for (const std::string& item : result.items) table[item].resize(result.contenders.size());
    for (int round = 0; round != result.rounds; ++round) {
      for (std::size_t i = 0; i != result.contenders.size(); ++i) {
        const contender& one = result.contenders[i];
        if (one.crowded && threads <= result.cores) continue;
        const turn now{one, threads, round != 0,
                       std::string(result.of->counted()) + " " + std::to_string(threads) + ", round " +
                           std::to_string(round + 1) + " of " + std::to_string(result.rounds) + ": " + one.label};
        show_progress(now.words);
        std::map<std::string, cell*> cells;
        for (const std::string& item : result.items) cells[item] = &table[item][i];
        run_round(now, how, cells, result.items);
      }
    }
  }
  show_progress("");
}

}  // namespace

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

bool bench_result::failed() const {
  for (const auto& [thread_count, table] : cells)
    for (const auto& [item, row] : table)
      for (const cell& one : row)
        if (!one.failure.empty()) return true;
  return false;
}

std::string group_of(const std::string& item) {
  const std::size_t slash = item.find('/');
  return slash == std::string::npos ? std::string() : item.substr(0, slash);
}

std::vector<std::string> groups_of(const std::vector<std::string>& items) {
  std::vector<std::string> groups;
  for (const std::string& item : items)
    if (const std::string group = group_of(item);
        !group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end())
      groups.push_back(group);
  return groups;
}

std::vector<int> thread_counts(const std::string& text) {
  const std::size_t dash = text.find('-');
  const std::string first = text.substr(0, dash);
  const std::string last = dash == std::string::npos ? first : text.substr(dash + 1);
  for (const std::string& end : {first, last})
    if (!check_whole_number(end, 1, "threads").empty()) return {};
  std::vector<int> counts;
  for (long count = std::stol(first); count <= std::min(std::stol(last), most_threads); ++count)
    counts.push_back(static_cast<int>(count));
  return std::stol(last) <= most_threads ? counts : std::vector<int>();
}

std::string bench_result::why_nothing_of(std::size_t contender) const {
  std::string why;
  for (const auto& [thread_count, table] : cells)
    for (const auto& [item, row] : table) {
      if (row[contender].left_out.empty()) return {};
      why = row[contender].left_out;
    }
  return why;
}

namespace {

// A table of dashes alone needs a word. False: nothing of Amity was measured, though it was asked.
bool say_who_measured_nothing(const bench_result& result) {
  bool some = std::none_of(result.contenders.begin(), result.contenders.end(), [](auto& one) { return one.amity; });
  for (std::size_t i = 0; i != result.contenders.size(); ++i) {
    const std::string why = result.why_nothing_of(i);
    some = some || (result.contenders[i].amity && why.empty());
    if (!why.empty()) warn("bench: %s measures nothing: %s", result.contenders[i].label.c_str(), why.c_str());
  }
  return some;
}

}  // namespace

int run_bench(const suite& of, const bench_options& options) {
  const sys::cpu_budget budget = sys::usable_cpus();
  const int busy = std::stoi(options.busy);
  if (busy > budget.in_mask) {
    warn("bench: --busy: '%d' is more than the CPUs there are; allowed: 0 to %d", busy, budget.in_mask);
    return own_failure;
  }
  report_files files;
  if (!files.open(of, options)) return own_failure;
  bench_result result;
  result.of = &of;
  result.arguments = options.arguments;
  if (getloadavg(result.load.data(), static_cast<int>(result.load.size())) < 0) result.load = {};
  std::string error;
  result.contenders = of.processes ? find_process_contenders(of, options, error)
                      : of.nodes   ? find_node_contenders(of, options, error)
                                   : find_contenders(of, options, error);
  if (!error.empty() || result.contenders.empty()) {
    warn("bench: %s", error.empty() ? "there is nothing to measure" : error.c_str());
    return own_failure;
  }
  for (const std::string& threads : options.threads)
    for (const int count : thread_counts(threads)) result.threads.push_back(count);
  if (result.threads.empty()) result.threads.push_back(budget.usable);
  result.rounds = std::stoi(options.rounds);
  result.cores = budget.usable;
  if (!choose_items(options, result)) return own_failure;
  {
    const busy_cores others(busy);
    result.busy_cpus = others.cpus();
    measure(options, result);
  }
  if (options.json != "-") print_bench(result);
  const bool some = say_who_measured_nothing(result);
  const bool written = files.write(bench_json(result));
  return result.failed() || !written || !some ? 1 : 0;
}

}  // namespace amity::cli
