// What the rounds of `amity bench` say together: medians, and ratios between contenders.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "amity/cli/benchmark.hpp"
#include "amity/cli/targets.hpp"

namespace amity::cli {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// An overhead is a difference, may come out as less than nothing, and can't be told from it below a nanosecond or a
// hundredth of the work.
double comparable_us(const measurement& one) { return std::max({one.us, 1e-3, one.free_us / 100}); }

// Meanwhile the cores were about as far apart (within a half), or nobody knows of one of them: a round that was left
// out for that would be one in which the threads were on the same core, and not any.
bool are_alike(const measurement& a, const measurement& b) {
  if (a.round_trip_ns <= 0 || b.round_trip_ns <= 0) return true;
  const double far = std::max(a.round_trip_ns, b.round_trip_ns);
  const double near = std::min(a.round_trip_ns, b.round_trip_ns);
  return far <= near * 1.5;
}

template <class Wanted>
double comparable_median(const cell& of, Wanted wanted) {
  std::vector<double> values;
  for (const measurement& one : of.rounds)
    if (wanted(one)) values.push_back(comparable_us(one));
  return median(std::move(values));
}

double over_best(const cell& own, const std::vector<const cell*>& rivals) {
  auto const all = [](const measurement&) { return true; };
  double best = std::numeric_limits<double>::infinity();
  for (const cell* rival : rivals) best = std::min(best, comparable_median(*rival, all));
  return comparable_median(own, all) / best;
}

// The same for one round of ours and the rounds of each rival that are like it; nothing if one has none.
std::optional<double> over_best(const measurement& own, const std::vector<const cell*>& rivals) {
  double best = std::numeric_limits<double>::infinity();
  for (const cell* rival : rivals) {
    const double theirs = comparable_median(*rival, [&own](const measurement& one) { return are_alike(own, one); });
    if (theirs <= 0) return {};
    best = std::min(best, theirs);
  }
  return comparable_us(own) / best;
}

double paired_over_best(const cell& own, const std::vector<const cell*>& rivals) {
  std::vector<double> ratios;
  for (const measurement& round : own.rounds)
    if (const std::optional<double> one = over_best(round, rivals)) ratios.push_back(*one);
  return ratios.empty() ? over_best(own, rivals) : median(std::move(ratios));
}

}  // namespace

double cell::median_us() const {
  std::vector<double> values;
  for (const measurement& one : rounds) values.push_back(one.us);
  return median(std::move(values));
}

double cell::median_cpu_us() const {
  std::vector<double> values;
  for (const measurement& one : rounds) values.push_back(one.cpu_us);
  return median(std::move(values));
}

const cell& bench_result::at(int thread_count, const std::string& item, std::size_t contender) const {
  return cells.at(thread_count).at(item).at(contender);
}

double bench_result::ratio_of(std::size_t own, int thread_count, const std::string& item, against rivals) const {
  if (!at(thread_count, item, own).known() || at(thread_count, item, own).kind == "count") return 0;
  const std::string only = target_of(*of, item, thread_count).rival;
  std::vector<const cell*> theirs;
  for (std::size_t i = 0; i != contenders.size(); ++i) {
    if (contenders[i].amity || !at(thread_count, item, i).known()) continue;
    if (contenders[i].label == only) {
      theirs = {&at(thread_count, item, i)};
      break;
    }
    const bool rival =
        !contenders[i].measure && (rivals == against::all || contenders[i].program == contenders[own].program);
    if (rival) theirs.push_back(&at(thread_count, item, i));
  }
  if (theirs.empty()) return 0;
  // With a busy core the way is the kernel's.
  const cell& mine = at(thread_count, item, own);
  const double times = busy_cpus.empty() ? paired_over_best(mine, theirs) : over_best(mine, theirs);
  return of->shown == figure::mflops ? 1 / times : times;
}

double bench_result::ratio(int thread_count, const std::string& item, against rivals) const {
  // The compiler with which it is worse; of idioms the best.
  const bool highest = of->idioms.empty() != (of->shown == figure::mflops);
  double chosen = 0;
  for (std::size_t own = 0; own != contenders.size(); ++own) {
    if (!contenders[own].amity || contenders[own].measure) continue;
    const double one = ratio_of(own, thread_count, item, rivals);
    if (one > 0) chosen = chosen <= 0 ? one : highest ? std::max(chosen, one) : std::min(chosen, one);
  }
  return chosen;
}

double bench_result::mean_ratio(int thread_count, const std::optional<std::string>& group, against rivals) const {
  double logs = 0;
  int counted = 0;
  for (const std::string& item : items) {
    const double one = ratio(thread_count, item, rivals);
    const bool wanted = !group || group_of(item) == *group;
    const auto& row = cells.at(thread_count).at(item);
    const bool counts = std::none_of(row.begin(), row.end(),
                                     [](const cell& each) { return each.kind == "serial" || !each.unit.empty(); });
    if (!wanted || one <= 0 || !counts) continue;
    logs += std::log(one);
    ++counted;
  }
  return counted != 0 ? std::exp(logs / counted) : 0;
}

}  // namespace amity::cli
