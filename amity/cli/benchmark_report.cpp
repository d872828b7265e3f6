#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "amity/cli/benchmark.hpp"
#include "amity/cli/machine_info.hpp"
#include "amity/cli/metg.hpp"
#include "amity/cli/targets.hpp"

namespace amity::cli {
namespace {

using json = nlohmann::ordered_json;

// Of a contender's column. Figures have at most nine characters.
int column_of(const contender& one) { return static_cast<int>(std::max<std::size_t>(11, one.label.size() + 2)); }
constexpr int ratio_column = 10, same_program_column = 14;

std::string number(double value) {
  std::array<char, 32> text;
  if (value >= 1000)
    std::snprintf(text.data(), text.size(), "%.0f", value);
  else
    std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

double mflops(const cell& one) { return one.flops / one.median_us(); }

std::string text_of(const cell& one, figure shown) {
  if (!one.failure.empty()) return "failed";
  if (one.rounds.empty()) return "-";
  if (one.kind == "bound") return "<" + number(one.median_us());
  if (!one.unit.empty()) return number(one.median_us()) + (one.unit == "%" ? " %" : "");
  switch (shown) {
    case figure::microseconds:
      return number(one.median_us());
    case figure::milliseconds:
      return number(one.median_us() / 1000);
    case figure::mflops:
      break;
  }
  return number(mflops(one));
}

const char* unit_of(figure shown) {
  switch (shown) {
    case figure::microseconds:
      return "microseconds";
    case figure::milliseconds:
      return "milliseconds";
    case figure::mflops:
      break;
  }
  return "MFLOP/s";
}

// The columns behind the figures.
struct ratio_kind {
  against rivals;
  int column;
};
std::vector<ratio_kind> ratios_of(const bench_result& result) {
  std::vector<ratio_kind> all = {{against::all, ratio_column}};
  if (result.of->computes) all.push_back({against::same_program, same_program_column});
  return all;
}

int name_width(const bench_result& result) {
  std::size_t width = 13;
  for (const std::string& item : result.items) width = std::max(width, item.size() + 1);
  return static_cast<int>(width);
}

void print_ratio(int column, double ratio) { std::printf("%*s", column, ratio > 0 ? number(ratio).c_str() : "-"); }

// Of a group ("": what is in none), or of all.
void print_mean(const bench_result& result, int threads, const std::optional<std::string>& group) {
  if (result.mean_ratio(threads, group, against::all) <= 0) return;
  const std::string name = !group ? "geo. mean" : "  of " + (group->empty() ? "the others" : *group);
  int blank = 0;
  for (const contender& one : result.contenders) blank += column_of(one);
  std::printf("%-*s%*s", name_width(result), name.c_str(), blank, "");
  for (const auto& [rivals, column] : ratios_of(result)) print_ratio(column, result.mean_ratio(threads, group, rivals));
  std::printf("\n");
}

std::string busy_of(const bench_result& result) {
  return result.of->processes ? std::string() : ", busy cores: " + std::to_string(result.busy_cpus.size());
}

// How many rows are marked, and why.
void print_targets(const bench_result& result, int threads) {
  std::size_t promised = 0;
  for (const std::string& item : result.items)
    if (target_of(*result.of, item, threads).most > 0 && result.ratio(threads, item, against::all) > 0) ++promised;
  if (promised > 0)
    std::printf("*: above its target; %zu of %zu are.\n", above_target(result, threads).size(), promised);
}

void print_table(const bench_result& result, int threads) {
  const int width = name_width(result);
  std::printf("\n%s: %d%s; %s, median of %d rounds\n", result.of->counted(), threads, busy_of(result).c_str(),
              unit_of(result.of->shown), result.rounds);
  std::printf("%-*s", width, result.of->item);
  for (const contender& one : result.contenders) std::printf("%*s", column_of(one), one.label.c_str());
  std::printf("%*s%*s\n", ratio_column, "ratio", result.of->computes ? same_program_column : 0,
              result.of->computes ? "same program" : "");
  const std::vector<std::string> groups = groups_of(result.items);
  const std::vector<std::string> above = above_target(result, threads);
  for (const std::string& item : result.items) {
    std::printf("%-*s", width, item.c_str());
    for (std::size_t i = 0; i != result.contenders.size(); ++i)
      std::printf("%*s", column_of(result.contenders[i]),
                  text_of(result.at(threads, item, i), result.of->shown).c_str());
    for (const auto& [rivals, column] : ratios_of(result)) print_ratio(column, result.ratio(threads, item, rivals));
    std::printf("%s\n", std::find(above.begin(), above.end(), item) != above.end() ? " *" : "");
  }
  print_mean(result, threads, {});
  for (const std::string& group : groups) print_mean(result, threads, group);
  if (!groups.empty()) print_mean(result, threads, "");
  print_targets(result, threads);
}

void print_failures(const bench_result& result) {
  for (const auto& [threads, table] : result.cells)
    for (const auto& [item, row] : table)
      for (std::size_t i = 0; i != row.size(); ++i)
        if (!row[i].failure.empty())
          std::printf("failed: %s, %d %s, %s: %s\n", item.c_str(), threads, result.of->counted(),
                      result.contenders[i].label.c_str(), row[i].failure.c_str());
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 64> text;
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &parts);
  return {text.data(), length};
}

// What the tables show, by threads and item, and for each of Amity's contenders alone over those with its program.
json ratios_in(const bench_result& result) {
  json ratios = json::object();
  for (const int threads : result.threads) {
    for (const std::string& item : result.items) {
      json& one = ratios[std::to_string(threads)][item];
      one["all"] = result.ratio(threads, item, against::all);
      one["same program"] = result.ratio(threads, item, against::same_program);
      if (const double most = target_of(*result.of, item, threads).most; most > 0) one["target"] = most;
      for (std::size_t own = 0; own != result.contenders.size(); ++own)
        if (result.contenders[own].amity)
          one["of"][result.contenders[own].label] = result.ratio_of(own, threads, item, against::same_program);
    }
  }
  return ratios;
}

json context_of(const bench_result& result) {
  const machine_info info = look_at_machine();
  json context = {{"date", date_now()},
                  {"host_name", info.host},
                  {"executable", std::string("amity bench ") + result.of->name},
                  {"arguments", result.arguments},
                  {"num_cpus", info.budget.in_mask},
                  {"processor", info.cpu_model},
                  {"kernel", info.kernel},
                  {"cores_usable", info.budget.usable},
                  {"load_avg", result.load},
                  {"library_build_type", "release"},
                  {"busy_cpus", result.busy_cpus},
                  {"rounds", result.rounds}};
  context["runtimes"] = json::object();
  for (const contender& one : result.contenders)
    context["runtimes"][one.label] = {{"program", one.program}, {"library", one.runtime}};
  context["settings"] = json::object();
  for (const setting& one : settings_in_environment()) context["settings"][one.name] = one.value;
  context["ratios"] = ratios_in(result);
  return context;
}

json entry(const std::string& name, const char* counted, int threads, const cell& one) {
  json row = {{"name", name},
              {"run_name", name},
              {"run_type", "iteration"},
              {"repetitions", one.rounds.size()},
              {counted, threads}};
  if (!one.kind.empty()) row["kind"] = one.kind;
  return row;
}

// In the way of Google Benchmark's own counters: a further field of the row.
void add_rate(json& row, const cell& one, double us) {
  if (one.flops > 0) row["mflops"] = one.flops / us;
  if (one.bytes > 0) row["bytes_per_second"] = one.bytes / us * 1e6;
}

// What is no time has a value and its unit in place of that.
void add_figure(json& row, const cell& one, double value, double cpu_us) {
  if (!one.unit.empty()) {
    row["value"] = value;
    row["unit"] = one.unit;
    return;
  }
  row["real_time"] = value;
  row["cpu_time"] = cpu_us;
  row["time_unit"] = "us";
}

void add_entries(json& list, const bench_result& result, const std::string& name, int threads, const cell& one) {
  if (!one.failure.empty()) {
    json failed = entry(name, result.of->counted(), threads, one);
    failed["error_occurred"] = true;
    failed["error_message"] = one.failure;
    list.push_back(failed);
    return;
  }
  if (one.rounds.empty()) return;  // the program has nothing to say about it
  for (std::size_t round = 0; round != one.rounds.size(); ++round) {
    json row = entry(name, result.of->counted(), threads, one);
    row["repetition_index"] = round;
    row["iterations"] = one.rounds[round].iterations;
    add_figure(row, one, one.rounds[round].us, one.rounds[round].cpu_us);
    if (one.rounds[round].round_trip_ns > 0) row["round_trip_ns"] = one.rounds[round].round_trip_ns;
    if (one.rounds[round].free_us > 0) row["free_us"] = one.rounds[round].free_us;
    add_rate(row, one, one.rounds[round].us);
    list.push_back(row);
  }
  json row = entry(name, result.of->counted(), threads, one);
  row["name"] = name + "_median";
  row["run_type"] = "aggregate";
  row["aggregate_name"] = "median";
  row["aggregate_unit"] = "time";
  row["iterations"] = one.rounds.size();
  add_figure(row, one, one.median_us(), one.median_cpu_us());
  add_rate(row, one, one.median_us());
  if (one.kind == "grain") {
    const grain worth = grain_of(result, threads, one);
    row["granularity_us"] = worth.granularity_us;
    row["efficiency"] = worth.efficiency;
  }
  list.push_back(row);
}

void add_all_entries(json& list, const bench_result& result, const std::string& before) {
  for (const int threads : result.threads)
    for (const std::string& item : result.items)
      for (std::size_t i = 0; i != result.contenders.size(); ++i)
        add_entries(list, result,
                    before + item + "/" + result.contenders[i].label + "/" + result.of->counted() + ":" +
                        std::to_string(threads),
                    threads, result.at(threads, item, i));
}

void explain_ratio(const suite& of) {
  const bool rate = of.shown == figure::mflops;
  const char* const what = rate ? "MFLOP/s" : "time";
  const char* const side = rate ? "above" : "below";
  if (of.processes)
    std::printf(
        "\nratio: Amity's time, by UCX where that is, over the better MPI's%s; %s 1, Amity is faster.\n",
        &of == &messages_suite ? ",\nput and get over UCX's, round trips of crowded ranks over openmpi(yield)'s" : "",
        side);
  else if (of.nodes)
    std::printf("\nratio: by pages, over the better rival in one process; above 1: what memories of their own cost.\n");
  else
    std::printf("\nratio: Amity's %s over the better rival's, %s; %s 1, Amity is faster.\n", what,
                of.idioms.empty() ? "with the compiler where that is worse" : "with Amity's best idiom", side);
}

}  // namespace

void print_bench(const bench_result& result) {
  for (const contender& one : result.contenders) std::printf("%-14s %s\n", one.label.c_str(), one.runtime.c_str());
  const bool grains = has_grains(result);
  const bench_result shown = grains ? metg_of(result) : result;
  if (grains)
    std::printf("\nMETG(50 %%): core time of a task at which half of the best rate is reached; %s\n",
                "-: not reached; <: by all.");
  for (const int threads : result.threads) print_table(shown, threads);
  explain_ratio(*result.of);
  if (result.of->computes)
    std::printf("same program: over that of the better rival which runs the same compiler's program.\n");
  print_failures(result);
}

std::string bench_json(const bench_result& result) {
  json benchmarks = json::array();
  add_all_entries(benchmarks, result, "");
  if (has_grains(result)) add_all_entries(benchmarks, metg_of(result), "METG/");
  const json all = {{"context", context_of(result)}, {"benchmarks", benchmarks}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace amity::cli
