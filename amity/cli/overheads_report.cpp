#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "amity/cli/machine_info.hpp"
#include "amity/cli/overheads.hpp"

namespace amity::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr int column = 14;

std::string number(double value) {
  std::array<char, 32> text;
  if (value >= 1000)
    std::snprintf(text.data(), text.size(), "%.0f", value);
  else
    std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

std::string text_of(const cell& one) {
  if (!one.failure.empty()) return "failed";
  return one.rounds.empty() ? "-" : number(one.median_us());
}

void print_table(const overheads_result& result, int threads) {
  std::printf("\nthreads: %d, busy cores: %zu; microseconds, median of %d rounds\n", threads, result.busy_cpus.size(),
              result.rounds);
  std::printf("%-13s", "construct");
  for (const contender& one : result.contenders) std::printf("%*s", column, one.label.c_str());
  std::printf("%*s\n", column, "ratio");
  double logs = 0;
  int counted = 0;
  for (const std::string& construct : result.constructs) {
    std::printf("%-13s", construct.c_str());
    for (std::size_t i = 0; i != result.contenders.size(); ++i)
      std::printf("%*s", column, text_of(result.at(threads, construct, i)).c_str());
    const double ratio = result.ratio(threads, construct);
    std::printf("%*s\n", column, ratio > 0 ? number(ratio).c_str() : "-");
    if (ratio <= 0) continue;
    logs += std::log(ratio);
    ++counted;
  }
  if (counted == 0) return;
  std::printf("%-13s%*s\n", "geo. mean", column * (static_cast<int>(result.contenders.size()) + 1),
              number(std::exp(logs / counted)).c_str());
}

void print_failures(const overheads_result& result) {
  for (const auto& [threads, table] : result.cells)
    for (const auto& [construct, row] : table)
      for (std::size_t i = 0; i != row.size(); ++i)
        if (!row[i].failure.empty())
          std::printf("failed: %s, %d threads, %s: %s\n", construct.c_str(), threads,
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

json context_of(const overheads_result& result) {
  const machine_info info = look_at_machine();
  std::array<double, 3> load{};
  if (getloadavg(load.data(), 3) < 0) load = {};
  json context = {{"date", date_now()},
                  {"host_name", info.host},
                  {"executable", "amity bench overheads"},
                  {"num_cpus", info.budget.in_mask},
                  {"processor", info.cpu_model},
                  {"kernel", info.kernel},
                  {"cores_usable", info.budget.usable},
                  {"load_avg", load},
                  {"library_build_type", "release"},
                  {"busy_cpus", result.busy_cpus},
                  {"rounds", result.rounds}};
  context["runtimes"] = json::object();
  for (const contender& one : result.contenders)
    context["runtimes"][one.label] = {{"program", one.program}, {"library", one.library}};
  context["settings"] = json::object();
  for (const setting& one : settings_in_environment()) context["settings"][one.name] = one.value;
  return context;
}

json entry(const std::string& name, int threads, const cell& one) {
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", one.rounds.size()},
          {"threads", threads}};
}

void add_entries(json& list, const std::string& name, int threads, const cell& one) {
  if (!one.failure.empty()) {
    json failed = entry(name, threads, one);
    failed["error_occurred"] = true;
    failed["error_message"] = one.failure;
    list.push_back(failed);
    return;
  }
  for (std::size_t round = 0; round != one.rounds.size(); ++round) {
    json row = entry(name, threads, one);
    row["repetition_index"] = round;
    row["iterations"] = one.rounds[round].iterations;
    row["real_time"] = one.rounds[round].us;
    row["cpu_time"] = one.rounds[round].cpu_us;
    row["time_unit"] = "us";
    list.push_back(row);
  }
  json row = entry(name, threads, one);
  row["name"] = name + "_median";
  row["run_type"] = "aggregate";
  row["aggregate_name"] = "median";
  row["aggregate_unit"] = "time";
  row["iterations"] = one.rounds.size();
  row["real_time"] = one.median_us();
  row["cpu_time"] = one.median_cpu_us();
  row["time_unit"] = "us";
  list.push_back(row);
}

}  // namespace

void print_overheads(const overheads_result& result) {
  for (const contender& one : result.contenders) std::printf("%-14s %s\n", one.label.c_str(), one.library.c_str());
  for (const int threads : result.threads) print_table(result, threads);
  std::printf(
      "\nratio: Amity's time over the better rival's, with the compiler where Amity is worse; below 1, Amity is "
      "faster.\n");
  print_failures(result);
}

std::string overheads_json(const overheads_result& result) {
  json benchmarks = json::array();
  for (const int threads : result.threads)
    for (const std::string& construct : result.constructs)
      for (std::size_t i = 0; i != result.contenders.size(); ++i)
        add_entries(benchmarks, construct + "/" + result.contenders[i].label + "/threads:" + std::to_string(threads),
                    threads, result.at(threads, construct, i));
  const json all = {{"context", context_of(result)}, {"benchmarks", benchmarks}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace amity::cli
