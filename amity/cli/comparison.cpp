// What the rounds of `amity bench` say together: medians, and ratios between contenders.
#include <algorithm>
#include <cmath>
#include <map>

#include "amity/cli/benchmark.hpp"

namespace amity::cli {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// An overhead is a difference and may come out as nothing, or less: below a nanosecond there is nothing to compare.
double comparable(double us) { return std::max(us, 1e-3); }

// Over the better of the rivals: of the rounds at a distance, or of all without one.
double over_best(const cell& own, const std::vector<const cell*>& rivals, std::optional<int> distance = {}) {
  auto const time = [distance](const cell& c) { return comparable(c.median_us(distance)); };
  double best = time(*rivals.front());
  for (const cell* rival : rivals) best = std::min(best, time(*rival));
  return time(own) / best;
}

// The distances at which everybody has rounds, with the number that the poorest has.
std::map<int, int> common_distances(const cell& own, const std::vector<const cell*>& rivals) {
  std::map<int, int> common;
  for (const measurement& round : own.rounds) {
    int least = own.rounds_at(round.distance());
    for (const cell* rival : rivals) least = std::min(least, rival->rounds_at(round.distance()));
    if (least > 0) common[round.distance()] = least;
  }
  if (common.size() > 1) common.erase(0);  // not known: they need not be alike
  return common;
}

// The geometric mean over the distances, each with the weight of its rounds.
double ratio_of(const cell& own, const std::vector<const cell*>& rivals) {
  double logs = 0;
  int weights = 0;
  for (const auto& [distance, weight] : common_distances(own, rivals)) {
    logs += weight * std::log(over_best(own, rivals, distance));
    weights += weight;
  }
  return weights > 0 ? std::exp(logs / weights) : over_best(own, rivals);
}

}  // namespace

int measurement::distance() const {
  return round_trip_ns > 0 ? static_cast<int>(std::lround(std::log2(round_trip_ns))) : 0;
}

double cell::median_us(std::optional<int> distance) const {
  std::vector<double> values;
  for (const measurement& one : rounds)
    if (!distance || one.distance() == *distance) values.push_back(one.us);
  return median(values);
}

int cell::rounds_at(int distance) const {
  return static_cast<int>(
      std::count_if(rounds.begin(), rounds.end(), [&](const measurement& one) { return one.distance() == distance; }));
}

double cell::median_cpu_us() const {
  std::vector<double> values;
  for (const measurement& one : rounds) values.push_back(one.cpu_us);
  return median(values);
}

const cell& bench_result::at(int thread_count, const std::string& item, std::size_t contender) const {
  return cells.at(thread_count).at(item).at(contender);
}

double bench_result::ratio(int thread_count, const std::string& item, against rivals) const {
  double chosen = 0;  // the worst, or the best
  for (std::size_t own = 0; own != contenders.size(); ++own) {
    if (!contenders[own].amity || !at(thread_count, item, own).known()) continue;
    std::vector<const cell*> theirs;
    for (std::size_t i = 0; i != contenders.size(); ++i) {
      const bool rival = !contenders[i].amity && !contenders[i].measure &&
                         (rivals == against::all || contenders[i].program == contenders[own].program);
      if (rival && at(thread_count, item, i).known()) theirs.push_back(&at(thread_count, item, i));
    }
    if (theirs.empty()) continue;
    // With a busy core the way is the kernel's.
    const cell& mine = at(thread_count, item, own);
    const double one = busy_cpus.empty() ? ratio_of(mine, theirs) : over_best(mine, theirs);
    chosen = chosen <= 0 ? one : of->idioms.empty() ? std::max(chosen, one) : std::min(chosen, one);
  }
  return chosen > 0 && of->shown == figure::mflops ? 1 / chosen : chosen;
}

double bench_result::mean_ratio(int thread_count, const std::string& group, against rivals) const {
  double logs = 0;
  int counted = 0;
  for (const std::string& item : items) {
    const double one = ratio(thread_count, item, rivals);
    const bool wanted = group.empty() || group_of(item) == group;
    const auto& row = cells.at(thread_count).at(item);
    const bool serial = std::any_of(row.begin(), row.end(), [](const cell& each) { return each.kind == "serial"; });
    if (!wanted || one <= 0 || serial) continue;
    logs += std::log(one);
    ++counted;
  }
  return counted != 0 ? std::exp(logs / counted) : 0;
}

}  // namespace amity::cli
