#include "amity/cli/node_threads.hpp"

#include <algorithm>
#include <cstdlib>

#include "amity/base/report.hpp"
#include "amity/omp/settings/parse.hpp"
#include "amity/sys/cpus.hpp"

namespace amity::cli {
namespace {

using omp::parse::node_places;

// The first number of a list such as "8,2"; 0: there is none.
int first_of(const char* list) { return list == nullptr ? 0 : std::max(std::atoi(list), 0); }

// Of all nodes together, where -t does not say it; 0: nobody does.
int wanted_in_all() { return first_of(std::getenv("OMP_NUM_THREADS")); }

// Of node `node`, where `nodes` share them.
int threads_of_one(int node, int nodes, const node_threads_wanted& wanted) {
  if (const int each = first_of(wanted.by_option.c_str()); each > 0) return each;
  if (const int all = wanted_in_all(); all > 0) return all / nodes + (node < all % nodes ? 1 : 0);
  return std::max(1, sys::usable_cpus().usable / (wanted.one_machine ? nodes : 1));
}

// What a program on one node would have.
std::vector<int> all_on_the_first(int nodes, const node_threads_wanted& wanted) {
  std::vector<int> of(static_cast<std::size_t>(nodes), 0);
  of[0] = threads_of_one(0, 1, wanted);
  return of;
}

std::vector<int> by_places(const node_places& places, int nodes, const node_threads_wanted& wanted) {
  std::vector<int> of(static_cast<std::size_t>(nodes), 0);
  const int used = places.nodes == 0 ? nodes : places.nodes;
  for (int node = 0; node < used; ++node)
    of[static_cast<std::size_t>(node)] = places.is_list ? places.threads[node] : threads_of_one(node, used, wanted);
  if (places.is_list && !wanted.by_option.empty() && wanted.says)
    base::warn("run: -t %s is not used, as OMP_PLACES says how many threads each node has", wanted.by_option.c_str());
  return of;
}

}  // namespace

std::vector<int> threads_of_nodes(int nodes, const node_threads_wanted& wanted) {
  const char* const text = std::getenv("OMP_PLACES");
  node_places places;
  if (text == nullptr || !omp::parse::is_of_nodes(text)) return by_places(places, nodes, wanted);
  const bool is_understood = omp::parse::node_places_of(text, places);
  if (is_understood && places.nodes <= nodes) return by_places(places, nodes, wanted);
  if (wanted.says && !is_understood)
    base::warn(
        "OMP_PLACES='%s' is neither 'nodes', nor 'nodes(2)', the first two nodes, nor 'nodes({2},{4})', two threads on "
        "the first and four on the second; all threads are on one node",
        base::quoted(text).text);
  else if (wanted.says)
    base::warn("OMP_PLACES='%s' is of %d nodes, and there %s %d; all threads are on one node", base::quoted(text).text,
               places.nodes, nodes == 1 ? "is" : "are", nodes);
  const std::vector<int> of = all_on_the_first(nodes, wanted);
  unsetenv("OMP_PLACES");
  return of;
}

std::string text_of(const std::vector<int>& threads) {
  std::string text;
  for (const int n : threads) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}

std::vector<int> threads_of(const std::string& text) {
  std::vector<int> threads;
  for (const char* at = text.c_str();;) {
    char* end;
    const long n = std::strtol(at, &end, 10);
    if (end == at || n < 0 || n > 0x7fff) return {};
    threads.push_back(static_cast<int>(n));
    if (*end == '\0') return threads;
    if (*end != ',') return {};
    at = end + 1;
  }
}

}  // namespace amity::cli
