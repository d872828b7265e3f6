#pragma once

/// For tests of lock-free protocols: goes through every order of the steps of a model.

#include <cstddef>
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

namespace amity::base {

/// Explores all that can be reached from `first`. World: of int8_t only. Model: visit(World&) says what is wrong,
/// actors, advance(World&, actor, choice) does one step or says that there is none, choices, final(World&) says what is
/// wrong where nobody can move.
template <class World, class Model>
std::string explore(const World& first, const Model& m, std::size_t* worlds = nullptr) {
  std::unordered_set<std::string> seen;
  std::vector<World> to_do;
  std::string wrong;
  auto visit = [&](const World& w) {
    std::string key(sizeof w, '\0');
    std::memcpy(key.data(), &w, sizeof w);
    if (!seen.insert(key).second) return;
    wrong = m.visit(w);
    to_do.push_back(w);
  };
  visit(first);
  while (!to_do.empty() && wrong.empty()) {
    World const now = to_do.back();
    to_do.pop_back();
    bool moved = false;
    for (int a = 0; a < Model::actors && wrong.empty(); ++a)
      for (int choice = 0; choice < Model::choices && wrong.empty(); ++choice) {
        World next = now;
        if (!m.advance(next, a, choice)) continue;
        moved = true;
        visit(next);
      }
    if (!moved && wrong.empty()) wrong = m.final(now);
  }
  if (worlds != nullptr) *worlds = seen.size();
  return wrong;
}

/// The same where worlds grow and shrink, as with messages under way. World: key() says in bytes which it is. Model:
/// steps(World&) gives all worlds that may come next, visit and final as above.
template <class World, class Model>
std::string explore_steps(const World& first, const Model& m, std::size_t* worlds = nullptr) {
  std::unordered_set<std::string> seen{first.key()};
  std::vector<World> to_do{first};
  std::string wrong = m.visit(first);
  while (!to_do.empty() && wrong.empty()) {
    World const now = to_do.back();
    to_do.pop_back();
    std::vector<World> const next = m.steps(now);
    if (next.empty()) wrong = m.final(now);
    for (const World& each : next) {
      if (!wrong.empty()) break;
      if (!seen.insert(each.key()).second) continue;
      wrong = m.visit(each);
      to_do.push_back(each);
    }
  }
  if (worlds != nullptr) *worlds = seen.size();
  return wrong;
}

}  // namespace amity::base
