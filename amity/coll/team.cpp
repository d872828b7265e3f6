#include "amity/coll/team.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "amity/sys/spin_lock.hpp"

namespace amity::collectives::detail {
namespace {

/// A team of this process, and who waits for one that is not made yet.
struct known_team {
  communicator of;
  std::vector<promise<communicator>> awaited;
};
struct known_teams {
  sys::spin_lock lock;
  std::map<std::uint64_t, known_team> all;
};
known_teams& known() noexcept {
  static auto* const one = new known_teams;
  return *one;
}

}  // namespace

void announce_team(std::uint64_t number, const communicator& of) {
  known_teams& k = known();
  std::vector<promise<communicator>> awaited;
  {
    std::lock_guard const held(k.lock);
    known_team& mine = k.all[number];
    mine.of = of;
    awaited.swap(mine.awaited);
  }
  for (auto& p : awaited) p.set_value(of);
}

void forget_team(std::uint64_t number) noexcept {
  known_teams& k = known();
  std::lock_guard const held(k.lock);
  k.all.erase(number);
}

future<communicator> team_when_here(std::uint64_t number) {
  known_teams& k = known();
  std::lock_guard const held(k.lock);
  known_team& its = k.all[number];
  if (its.of.valid()) return make_ready_future(its.of);
  return its.awaited.emplace_back().get_future();
}

int rank_of(const communicator& of, int site) {
  communicator::state& s = of.checked();
  return s.ranks.valid() ? s.all_ranks()[static_cast<std::size_t>(site)] : site;
}

int site_of(const communicator& of, int rank) {
  communicator::state& s = of.checked();
  if (!s.ranks.valid()) return rank >= 0 && rank < s.sites ? rank : -1;
  const std::vector<int>& ranks = s.all_ranks();
  auto const found = std::find(ranks.begin(), ranks.end(), rank);
  return found != ranks.end() ? static_cast<int>(found - ranks.begin()) : -1;
}

}  // namespace amity::collectives::detail
