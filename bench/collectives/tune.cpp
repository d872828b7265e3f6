#include "collectives/tune.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "amity/coll/choice_text.hpp"
#include "amity/coll/line_site.hpp"
#include "amity/coll/rules.hpp"
#include "amity/distributed.hpp"
#include "collectives/operations.hpp"

namespace collectives {
namespace {

namespace tuning = amity::collectives::tuning;
using tuning::choice;
using tuning::method;
using tuning::table;

constexpr int rounds = 2;
constexpr double worth_it = 0.97;
constexpr std::size_t one_piece = 64 * 1024;  // less is not divided by any that makes sense

struct candidate {
  choice how;
  bool is_built_in = false;
  std::vector<double> us = {};  // of each round
};

/// Trees that differ with so many sites.
void add_trees(std::vector<candidate>& all, int sites, std::size_t bytes) {
  std::vector<std::size_t> pieces = {choice().piece};
  if (bytes > one_piece) pieces = {32 * 1024, 128 * 1024, 512 * 1024};
  for (int arity = 2;; arity *= 2) {
    for (std::size_t piece : pieces) all.push_back({{method::tree, arity, arity, piece}});
    if (arity >= sites - 1) break;
  }
  if (sites > 2 && bytes > one_piece)
    for (std::size_t piece : {8 * 1024, 32 * 1024})
      all.push_back({{method::tree, 1, 1, static_cast<std::size_t>(piece)}});
}

/// The built-in table's choice first.
std::vector<candidate> candidates(tuning::operation o, int sites, std::size_t bytes) {
  bool const lines = amity::collectives::detail::line_site::is_at_hand(o, bytes);
  std::vector<candidate> all = {{tuning::choose(tuning::default_table(), o, sites, bytes, 0, {.lines = lines}), true}};
  for (std::size_t m = 0; m < std::size(tuning::method_names); ++m) {
    auto const how = static_cast<method>(m);
    if (!tuning::detail::has_method(o, how)) continue;
    bool const divides = how == method::lanes;  // two levels need a number that can be divided
    bool const needs_power = how == method::doubling;
    if (how == method::mpi && !amity::net::engine_has_collectives()) continue;
    if (how == method::lines && !lines) continue;
    if (divides && amity::collectives::algorithms::group_size({}, sites) == 1) continue;
    if (needs_power && (sites & (sites - 1)) != 0) continue;
    if (how == method::tree)
      add_trees(all, sites, bytes);
    else
      all.push_back({{how}});
  }
  return all;
}

/// "tree 8:8 131072", as in a table.
std::string words_of(tuning::operation o, const choice& how) {
  table const one = {{o, 0, 0, how}};
  std::string text = tuning::text_of(one);
  text = text.substr(text.find('\n') + 1);
  for (int word = 0; word < 3; ++word) text = text.substr(text.find(' ') + 1);
  return text.substr(0, text.find('\n'));
}

double best_of(const candidate& c) { return *std::min_element(c.us.begin(), c.us.end()); }

bool measure(ranks::job& j, const ranks::settings& how, const ranks::item& it, tuning::operation o,
             std::vector<candidate>& all) {
  for (int round = 0; round < rounds; ++round)
    for (candidate& c : all) {
      j.barrier();  // none of the old table's is in flight
      tuning::use_rules({{o, 0, 0, c.how}});
      if (round == 0 && !ranks::is_right(j, it)) return false;
      c.us.push_back(ranks::time_of(j, it, how).value);
    }
  return true;
}

/// One operation of one size.
bool tune_one(ranks::job& j, const ranks::settings& how, tuning::operation o, std::size_t bytes) {
  const char* const name = tuning::operation_names[static_cast<std::size_t>(o)];
  ranks::item const it = item_named(name, bytes);
  std::vector<candidate> all = candidates(o, j.size(), bytes);
  it.prepare(j);
  bool const right = measure(j, how, it, o, all);
  it.finish(j);
  if (j.rank() != 0) return right;
  if (!right) {
    std::printf("{\"name\": \"%s/%zu\", \"ranks\": %d, \"error\": \"wrong answer\"}\n", name, bytes, j.size());
    return false;
  }
  auto best = std::min_element(all.begin(), all.end(),
                               [](const candidate& a, const candidate& b) { return best_of(a) < best_of(b); });
  double const built_in = best_of(all.front());
  if (best_of(*best) > worth_it * built_in) best = all.begin();
  std::printf("{\"name\": \"%s/%zu\", \"ranks\": %d, \"best\": \"%s\", \"us\": %.5g, \"built_in_us\": %.5g}\n", name,
              bytes, j.size(), words_of(o, best->how).c_str(), best_of(*best), built_in);
  std::fflush(stdout);
  return true;
}

bool is_asked_for(const char* name, const ranks::settings& how) {
  return how.only.empty() || std::find(how.only.begin(), how.only.end(), name) != how.only.end();
}

}  // namespace

bool tune(ranks::job& j, const ranks::settings& how) {
  bool right = true;
  for (std::size_t o = 0; o < std::size(tuning::operation_names); ++o)
    if (is_asked_for(tuning::operation_names[o], how))
      for (std::size_t bytes : how.sizes) right = tune_one(j, how, static_cast<tuning::operation>(o), bytes) && right;
  return right;
}

}  // namespace collectives
