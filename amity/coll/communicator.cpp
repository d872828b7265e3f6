#include "amity/coll/communicator.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "amity/net/archive.hpp"
#include "amity/net/job.hpp"
#include "amity/net/losses.hpp"
#include "amity/net/messages.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::collectives::detail {
namespace {

/// How often each site of this process has used a name.
struct uses {
  sys::spin_lock lock;
  std::map<std::pair<std::string, int>, std::uint64_t> of;
};
uses& used() noexcept {
  static auto* const one = new uses;
  return *one;
}

std::uint64_t next_use(const std::string& name, int site) {
  uses& u = used();
  std::lock_guard const held(u.lock);
  return ++u.of[{name, site}];
}

// --- sites that are not ranks meet at a home rank

struct meeting {
  std::vector<int> ranks;  ///< by site; -1: it has not come
  int missing = 0;
  std::string why;  ///< it has failed
};
struct meetings {
  sys::spin_lock lock;
  std::map<std::uint64_t, meeting> at_home;                                 ///< by communicator
  std::map<std::uint64_t, std::vector<promise<std::vector<int>>>> awaited;  ///< here
  std::map<std::uint64_t, std::string> failed;                              ///< here, and why
};
meetings& all_meetings() noexcept {
  static auto* const one = new meetings;
  return *one;
}

void note_failure(std::uint64_t id, const std::string& why) {
  meetings& all = all_meetings();
  std::lock_guard const held(all.lock);
  all.failed.emplace(id, why);
}

/// A meeting is over: who the sites are, or why they can't be told.
void take_ranks(net::arrival& m) noexcept {
  std::uint64_t id = 0;
  std::vector<int> ranks;
  std::string why;
  try {
    in_archive(m.bytes, m.size)(id, ranks, why);
  } catch (const std::exception& e) {
    return net::end_job(e.what());
  }
  meetings& all = all_meetings();
  std::vector<promise<std::vector<int>>> told;
  {
    std::lock_guard const held(all.lock);
    auto const found = all.awaited.find(id);
    if (found == all.awaited.end()) return;
    told = std::move(found->second);
    all.awaited.erase(found);
  }
  // An empty list says that it failed; the words are the operations' to throw.
  if (!why.empty()) note_failure(id, why);
  for (auto& p : told) p.set_value(ranks);
}

void tell_ranks(int rank, std::uint64_t id, const std::vector<int>& ranks, const std::string& why) noexcept {
  out_archive out;
  out(id, ranks, why);
  net::send(rank, net::code_of<take_ranks>(), 0, out.data(), out.size());
}

/// At the home rank: a site has come.
void take_site(net::arrival& m) noexcept {
  std::uint64_t id = 0;
  int sites = 0, site = 0;
  try {
    in_archive(m.bytes, m.size)(id, sites, site);
  } catch (const std::exception& e) {
    return net::end_job(e.what());
  }
  meetings& all = all_meetings();
  std::vector<int> ranks;
  std::string why;
  {
    std::lock_guard const held(all.lock);
    meeting& its = all.at_home[id];
    if (its.ranks.empty() && its.why.empty()) {
      its.ranks.assign(static_cast<std::size_t>(sites), -1);
      its.missing = sites;
    }
    if (!its.why.empty()) {  // it has failed already
      ranks = {m.from};
    } else if (site < 0 || static_cast<std::size_t>(site) >= its.ranks.size()) {
      return;
    } else if (its.ranks[site] >= 0) {
      its.why = "ranks " + std::to_string(its.ranks[site]) + " and " + std::to_string(m.from) +
                " both want to be site " + std::to_string(site);
      ranks = std::move(its.ranks);
      ranks.push_back(m.from);
    } else {
      its.ranks[site] = m.from;
      if (--its.missing > 0) return;
      ranks = std::move(its.ranks);
    }
    why = its.why;
    if (why.empty()) all.at_home.erase(id);  // one that has failed stays, for sites that come late
  }
  std::vector<bool> told(static_cast<std::size_t>(net::job().size));
  std::vector<int> const sent = why.empty() ? ranks : std::vector<int>();
  for (int rank : ranks) {
    if (rank < 0 || told[rank]) continue;
    told[rank] = true;
    tell_ranks(rank, id, sent, why);
  }
}

}  // namespace

std::string why_not_met(std::uint64_t id) {
  meetings& all = all_meetings();
  std::lock_guard const held(all.lock);
  auto const found = all.failed.find(id);
  return found != all.failed.end() ? found->second : "its sites have not met";
}

const placement& nodes_of_sites(const communicator::state& s, const std::vector<int>* ranks) {
  static const placement one_node;
  std::span<const int> const nodes = net::nodes_of_ranks();
  if (nodes.empty()) return one_node;
  if (const placement* const known = s.nodes.load(std::memory_order_acquire)) return *known;  // pairs with the exchange
  std::vector<int> of_sites;
  for (int site = 0; site < s.sites; ++site) of_sites.push_back(nodes[ranks != nullptr ? (*ranks)[site] : site]);
  auto made = std::make_unique<const placement>(of_sites);
  const placement* others = nullptr;
  if (!s.nodes.compare_exchange_strong(others, made.get(), std::memory_order_acq_rel, std::memory_order_acquire))
    return *others;
  return *made.release();
}

std::uint64_t hash_of(const std::string& text, std::uint64_t count) noexcept {
  std::uint64_t h = 0xcbf29ce484222325;  // FNV-1a
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (h ^ count) * 0x100000001b3;
}

communicator of_known(std::string name, std::uint64_t id, int site, std::vector<int> ranks) {
  auto s = std::make_shared<communicator::state>();
  s->name = std::move(name);
  s->id = id;
  s->sites = static_cast<int>(ranks.size());
  s->site = site;
  s->ranks = make_ready_future(std::move(ranks)).share();
  return communicator(std::move(s));
}

namespace {

/// A rank was lost: nobody knows whether it was to be a site of what is met about, or has told others who the sites
/// are.
const char* fail_meetings(int rank) noexcept {
  meetings& all = all_meetings();
  std::map<std::uint64_t, std::vector<promise<std::vector<int>>>> failed;
  {
    std::lock_guard const held(all.lock);
    failed.swap(all.awaited);
  }
  for (auto& [id, awaiting] : failed) {
    note_failure(id, net::words_of_loss(rank) + ", while the sites met");
    for (auto& p : awaiting) p.set_value({});
  }
  return nullptr;
}

constinit net::job_hook hook{nullptr, nullptr, fail_meetings};
[[gnu::constructor]] void add_hook() noexcept { net::add_job_hook(hook); }

void meet_others(communicator::state& s) {
  int const home = static_cast<int>(s.id % static_cast<std::uint64_t>(net::job().size));
  promise<std::vector<int>> known;
  s.ranks = known.get_future().share();
  {
    meetings& all = all_meetings();
    std::lock_guard const held(all.lock);
    all.awaited[s.id].push_back(std::move(known));
  }
  if (net::is_lost(home)) {  // the meeting's place is gone
    static_cast<void>(fail_meetings(home));
    return;
  }
  out_archive out;
  out(s.id, s.sites, s.site);
  net::send(home, net::code_of<take_site>(), 0, out.data(), out.size());
}

std::string range(int n) { return "allowed: 0 to " + std::to_string(n - 1); }

}  // namespace

std::shared_ptr<communicator::state> create(const char* name, const wishes& w, std::string& problem) {
  int const me = net::job().rank, n = net::job().size;
  std::int64_t const sites = w.sites.is_set() ? w.sites.value : n;
  std::int64_t const site = w.site.is_set() ? w.site.value : me;
  std::int64_t const root = w.root.is_set() ? w.root.value : 0;
  if (sites < 1 || sites > 1'000'000)
    problem = "num_sites_arg " + std::to_string(sites) + "; allowed: 1 to 1000000";
  else if (site < 0 || site >= sites)
    problem = "this_site_arg " + std::to_string(site) + " of " + std::to_string(sites) + " sites; " +
              range(static_cast<int>(sites));
  else if (root < 0 || root >= sites)
    problem = "root_site_arg " + std::to_string(root) + " of " + std::to_string(sites) + " sites; " +
              range(static_cast<int>(sites));
  else if (w.arity.is_set() && w.arity.value < 2)
    problem = "arity_arg " + std::to_string(w.arity.value) + "; allowed: 2 or more";
  else if (w.generation.is_set() && w.generation.value < 1)
    problem = "generation_arg " + std::to_string(w.generation.value) + "; generations are counted from 1 on";
  if (!problem.empty()) return nullptr;
  auto s = std::make_shared<communicator::state>();
  s->name = name;
  s->sites = static_cast<int>(sites);
  s->site = static_cast<int>(site);
  s->root = static_cast<int>(root);
  s->arity = w.arity.is_set() ? static_cast<int>(w.arity.value) : 0;
  std::string const known = s->name + (w.local ? "/local/" + std::to_string(me) : "") + "/" + std::to_string(sites);
  std::uint64_t const use =
      w.generation.is_set() ? static_cast<std::uint64_t>(w.generation.value) << 32 : next_use(known, s->site);
  s->id = hash_of(known, use);
  if (w.local) {
    s->ranks = make_ready_future(std::vector<int>(static_cast<std::size_t>(sites), me)).share();
  } else if (w.sites.is_set() || w.site.is_set()) {
    meet_others(*s);
  }
  return s;
}

}  // namespace amity::collectives::detail
