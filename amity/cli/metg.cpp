#include "amity/cli/metg.hpp"

#include <algorithm>
#include <cmath>

namespace amity::cli {
namespace {

constexpr double half = 0.5;

double work_of(const cell& one) { return one.flops > 0 ? one.flops : one.bytes; }

bool is_grain(const cell& one) { return one.known() && one.kind == "grain" && work_of(one) > 0 && one.tasks > 0; }

double best_rate(const bench_result& result, int threads) {
  double best = 0;
  for (const auto& [item, row] : result.cells.at(threads))
    for (const cell& one : row)
      if (is_grain(one)) best = std::max(best, work_of(one) / one.median_us());
  return best;
}

double granularity(const bench_result& result, int threads, const cell& one, double us) {
  return us * std::min(threads, result.cores) / one.tasks;
}

// From large grains to small ones.
void put_crossing(std::vector<grain> grains, long round, cell& to) {
  const auto efficient = [](const grain& g) { return g.efficiency >= half; };
  const auto last = std::find_if(grains.rbegin(), grains.rend(), efficient);
  if (last == grains.rend()) return;
  double us = last->granularity_us;
  if (last != grains.rbegin()) {
    const grain& below = *std::prev(last);
    const double part = (last->efficiency - half) / (last->efficiency - below.efficiency);
    us *= std::pow(below.granularity_us / us, part);
  } else {
    to.kind = "bound";
  }
  to.rounds.push_back({us, us, round + 1});
}

// Of one contender in a group.
cell metg_of_group(const bench_result& result, int threads, const std::string& group, std::size_t contender,
                   double peak) {
  std::vector<const cell*> cells;
  std::size_t rounds = static_cast<std::size_t>(result.rounds);
  for (const std::string& item : result.items) {
    const cell& one = result.at(threads, item, contender);
    if (group_of(item) != group || !is_grain(one)) continue;
    cells.push_back(&one);
    rounds = std::min(rounds, one.rounds.size());
  }
  const auto work_each = [](const cell* one) { return work_of(*one) / one->tasks; };
  std::sort(cells.begin(), cells.end(), [&](const cell* a, const cell* b) { return work_each(a) > work_each(b); });
  cell made;
  made.kind = "metg";
  for (std::size_t round = 0; round != rounds; ++round) {
    std::vector<grain> grains;
    for (const cell* one : cells) {
      const double us = one->rounds[round].us;
      grains.push_back({granularity(result, threads, *one, us), work_of(*one) / us / peak});
    }
    put_crossing(std::move(grains), static_cast<long>(round), made);
  }
  return made;
}

}  // namespace

bool has_grains(const bench_result& result) {
  for (const auto& [threads, table] : result.cells)
    for (const auto& [item, row] : table)
      if (std::any_of(row.begin(), row.end(), is_grain)) return true;
  return false;
}

grain grain_of(const bench_result& result, int threads, const cell& one) {
  return {granularity(result, threads, one, one.median_us()),
          work_of(one) / one.median_us() / best_rate(result, threads)};
}

bench_result metg_of(const bench_result& result) {
  bench_result made = result;
  made.items.clear();
  made.cells.clear();
  for (const std::string& item : result.items)
    if (const std::string group = group_of(item); made.items.empty() || made.items.back() != group)
      made.items.push_back(group);
  for (const int threads : result.threads) {
    const double peak = best_rate(result, threads);
    for (const std::string& group : made.items)
      for (std::size_t i = 0; i != result.contenders.size(); ++i)
        made.cells[threads][group].push_back(metg_of_group(result, threads, group, i, peak));
  }
  return made;
}

}  // namespace amity::cli
