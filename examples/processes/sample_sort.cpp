// Sorting over processes: samples say who gets which keys, the keys are put there, and each process sorts its own with
// all of its cores.
//
//   amity run -n 4 build/examples/sample_sort 1000000        # keys of each process
//
// As in the HabaneroUPC++ paper (Kumar et al., 2014): one-sided copies within a finish of all processes, then tasks.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "../usage.hpp"
#include "amity/amity.hpp"

namespace {

namespace co = amity::collectives;
using key = std::uint64_t;

constexpr std::size_t samples_each = 64;

// Keys from which on each further process begins: the same everywhere.
std::vector<key> choose_splitters(const std::vector<key>& sorted, int n) {
  std::vector<key> mine;
  for (std::size_t i = 0; i < samples_each && !sorted.empty(); ++i)
    mine.push_back(sorted[i * sorted.size() / samples_each]);
  std::vector<key> all;
  for (const auto& each : co::all_gather(co::world(), mine).get()) all.insert(all.end(), each.begin(), each.end());
  std::sort(all.begin(), all.end());
  std::vector<key> splitters;
  for (int r = 1; r < n && !all.empty(); ++r) splitters.push_back(all[static_cast<std::size_t>(r) * all.size() / n]);
  return splitters;
}

// The keys of this process, of all that there are.
std::vector<key> sample_sort(std::vector<key> keys) {
  int const me = amity::rank_me(), n = amity::rank_n();
  amity::sort(amity::execution::par, keys.begin(), keys.end());
  std::vector<key> const splitters = choose_splitters(keys, n);

  // Where the part for each process begins here, and where it is to go there.
  std::vector<std::size_t> firsts{0}, counts;
  for (key s : splitters)
    firsts.push_back(static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), s) - keys.begin()));
  firsts.resize(static_cast<std::size_t>(n), keys.size());
  firsts.push_back(keys.size());
  for (std::size_t r = 0; r < static_cast<std::size_t>(n); ++r) counts.push_back(firsts[r + 1] - firsts[r]);
  std::vector<std::size_t> coming(counts.size());
  co::all_to_all(co::world(), std::span(counts), std::span(coming)).get();
  std::vector<std::size_t> places(coming.size());
  std::exclusive_scan(coming.begin(), coming.end(), places.begin(), std::size_t{0});
  std::vector<std::size_t> places_there(places.size());
  co::all_to_all(co::world(), std::span(places), std::span(places_there)).get();

  std::size_t const total = std::accumulate(coming.begin(), coming.end(), std::size_t{0});
  auto const here = amity::allocate<key>(me, total);
  auto const there = co::all_gather(co::world(), here).get();
  amity::finish_spmd([&] {
    for (int i = 0; i < n; ++i) {
      auto const r = static_cast<std::size_t>((me + i) % n);  // not all to the same at once
      amity::rput(keys.data() + firsts[r], there[r] + static_cast<std::ptrdiff_t>(places_there[r]), counts[r]);
    }
  });
  std::vector<key> mine(here.local(), here.local() + total);
  amity::deallocate(here);
  amity::sort(amity::execution::par, mine.begin(), mine.end());
  return mine;
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[keys of each process = 50000]");
  std::size_t const count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 50'000;
  int const me = amity::rank_me(), n = amity::rank_n();
  std::mt19937_64 random(static_cast<unsigned>(me) + 1);
  std::vector<key> keys(count);
  for (key& k : keys) k = random() >> (random() % 40);  // many small ones: an uneven lot
  auto const sum = [](const std::vector<key>& v) { return std::accumulate(v.begin(), v.end(), key{0}); };
  key const before = amity::reduce_all(sum(keys), amity::op_fast_add).get();

  auto const begun = std::chrono::steady_clock::now();
  std::vector<key> const sorted = sample_sort(std::move(keys));
  amity::barrier_all();
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begun;

  // In order here, and after what the processes before this one have; nothing lost.
  key const last = sorted.empty() ? 0 : sorted.back();
  key const lasts_before = co::exclusive_scan(co::world(), last, key{0}, amity::op_max).get();
  bool right = std::is_sorted(sorted.begin(), sorted.end()) && (sorted.empty() || sorted.front() >= lasts_before);
  right = right && amity::reduce_all(sum(sorted), amity::op_fast_add).get() == before;
  right = amity::reduce_all(sorted.size(), amity::op_fast_add).get() == count * static_cast<std::size_t>(n) && right;
  auto const sizes = co::gather(co::world(), sorted.size()).get();
  bool const all_right = amity::reduce_all(static_cast<int>(right), amity::op_fast_min).get() == 1;
  if (me == 0) {
    std::printf("%zu keys by %d processes:", count * static_cast<std::size_t>(n), n);
    for (std::size_t s : sizes) std::printf(" %zu", s);
    std::printf("; %.4f s: %s\n", took.count(), all_right ? "right" : "wrong");
  }
  return all_right ? 0 : 1;
}
