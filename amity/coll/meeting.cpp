#include "amity/coll/meeting.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "amity/base/report.hpp"
#include "amity/net/archive.hpp"
#include "amity/net/job.hpp"
#include "amity/net/losses.hpp"
#include "amity/net/messages.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::collectives::detail {
namespace {

// --- in the process of a site

/// Handles that wait for the others.
struct awaited {
  std::weak_ptr<communicator::state> handle;
  promise<std::vector<int>> ranks;
};
struct waiting_here {
  sys::spin_lock lock;
  std::uint64_t last_token = 0;
  std::map<std::uint64_t, awaited> by_token;
  std::vector<std::uint64_t> sent_to;  ///< by home rank: how many of this process have gone there
};
waiting_here& here() noexcept {
  static auto* const one = new waiting_here;
  return *one;
}

/// A meeting is over for one of its sites.
struct outcome {
  std::uint64_t id = 0;    ///< of the communicator
  std::vector<int> ranks;  ///< by site; none: they have not met
  std::string why;
};

void settle(awaited a, outcome o) {
  if (std::shared_ptr<communicator::state> const s = a.handle.lock()) {
    s->id = o.id;
    s->why_not_met = std::move(o.why);
    s->has_met.store(!o.ranks.empty(), std::memory_order_release);  // pairs with the state's destructor
  }
  a.ranks.set_value(std::move(o.ranks));
}

void tell_here(std::uint64_t token, outcome o) {
  waiting_here& w = here();
  awaited its;
  {
    std::lock_guard const held(w.lock);
    auto const found = w.by_token.find(token);
    if (found == w.by_token.end()) return;  // a rank was lost meanwhile, and so it was told
    its = std::move(found->second);
    w.by_token.erase(found);
  }
  settle(std::move(its), std::move(o));
}

void take_outcome(net::arrival& m) noexcept {
  std::uint64_t token = 0;
  outcome o;
  try {
    in_archive(m.bytes, m.size)(token, o.id, o.ranks, o.why);
  } catch (const std::exception& e) {
    return net::end_job(e.what());
  }
  tell_here(token, std::move(o));
}

// --- at home

struct present {
  int rank;
  std::int32_t site;
  std::uint64_t token;
  bool has_waited = false;  ///< for a while: an operation of it needs the others
};
struct meeting {
  std::int64_t generation = -1;
  std::int32_t sites = 0;  ///< 0: it has failed before one has said how many
  std::vector<present> come;
  std::string why;  ///< it has failed; those that are still to come are told
  bool has_warned = false;
};
struct home {
  sys::spin_lock lock;
  std::map<std::string, std::vector<meeting>> open;  ///< by name, oldest first
  std::uint64_t completed = 0;
  /// Of each rank: how many of its sites have come, and those that have overtaken others.
  std::map<int, std::uint64_t> come_from;
  std::map<std::pair<int, std::uint64_t>, comer> early;
};
home& table() noexcept {
  static auto* const one = new home;
  return *one;
}

/// To be said when the lock is free.
struct news {
  present to;
  outcome what;
};

outcome failed(const meeting& m) { return {0, {}, m.why}; }

/// All that have come, and from now on those that come.
void fail(meeting& m, std::string why, std::vector<news>& said) {
  m.why = std::move(why);
  for (const present& p : m.come) said.push_back({p, failed(m)});
}

const present* holder_of(const meeting& m, std::int32_t site) noexcept {
  auto const found = std::find_if(m.come.begin(), m.come.end(), [&](const present& p) { return p.site == site; });
  return found != m.come.end() ? &*found : nullptr;
}
bool is_in(const meeting& m, int rank) noexcept {
  return std::any_of(m.come.begin(), m.come.end(), [&](const present& p) { return p.rank == rank; });
}

/// Which of the open meetings of a name a site comes to: the oldest one where its place is free. A place that its own
/// process has taken, or another one of a process that is there already, means the next use of the name.
meeting& meeting_for(std::vector<meeting>& open, int rank, const comer& c) {
  for (meeting& m : open) {
    if (m.generation != c.generation && m.generation != 0 && c.generation != 0) continue;
    if (m.sites == 0 || c.sites == 0) return m;
    if (m.sites != c.sites) continue;
    const present* const holder = holder_of(m, c.site);
    if (holder == nullptr || !is_in(m, rank)) return m;
  }
  return open.emplace_back(meeting{c.generation, c.sites, {}, {}});
}

/// Where a site can't be: a failure of the whole meeting.
std::string clash(const meeting& m, int rank, const comer& c) {
  if (!c.refused.empty()) return "rank " + std::to_string(rank) + " could not create it: " + c.refused;
  if (const present* const holder = holder_of(m, c.site))
    return "ranks " + std::to_string(holder->rank) + " and " + std::to_string(rank) + " both want to be site " +
           std::to_string(c.site) + " of " + std::to_string(c.sites);
  return {};
}

bool has_waited(const meeting& m) noexcept {
  return std::any_of(m.come.begin(), m.come.end(), [](const present& p) { return p.has_waited; });
}
/// Whether a site of `other` would be one that `m` lacks, if it had been created as those of `m` were.
bool lacks_one_of(const meeting& m, const meeting& other) noexcept {
  return std::any_of(other.come.begin(), other.come.end(), [&](const present& p) {
    return p.site < m.sites && holder_of(m, p.site) == nullptr && !is_in(m, p.rank);
  });
}
std::string created_as(const meeting& m) {
  return "rank " + std::to_string(m.come.front().rank) + " has created it with " + std::to_string(m.sites) + " sites" +
         (m.generation > 0 ? " and generation " + std::to_string(m.generation) : std::string());
}
/// Two meetings of one name in which sites wait, and each lacks what the other has, differ by mistake.
std::string mistake(const meeting& a, const meeting& b) {
  bool const differ = a.sites != b.sites || (a.generation > 0) != (b.generation > 0);
  if (&a == &b || !differ || !a.why.empty() || !b.why.empty() || !has_waited(a) || !has_waited(b)) return {};
  if (!lacks_one_of(a, b) || !lacks_one_of(b, a)) return {};
  return created_as(a) + ", and " + created_as(b) + "; allowed: the same at all sites";
}

std::vector<int> ranks_of(const meeting& m) {
  std::vector<int> ranks(static_cast<std::size_t>(m.sites));
  for (const present& p : m.come) ranks[static_cast<std::size_t>(p.site)] = p.rank;
  return ranks;
}

/// Under the lock, in the order in which the rank's sites were created.
void come_home(home& h, int rank, const comer& c, std::vector<news>& said) {
  std::vector<meeting>& open = h.open[c.name];
  meeting& m = meeting_for(open, rank, c);
  if (m.sites == 0) m.sites = c.sites;
  if (m.generation == 0) m.generation = c.generation;
  if (m.why.empty())
    if (std::string why = clash(m, rank, c); !why.empty()) fail(m, std::move(why), said);
  present const p{rank, c.site, c.token};
  m.come.push_back(p);
  if (!m.why.empty()) said.push_back({p, failed(m)});
  if (m.sites != 0 && m.come.size() >= static_cast<std::size_t>(m.sites)) {  // all have come
    if (m.why.empty()) {
      std::uint64_t const id = hash_of("met", (static_cast<std::uint64_t>(net::job().rank) << 40) + ++h.completed);
      for (const present& each : m.come) said.push_back({each, {id, ranks_of(m), {}}});
    }
    open.erase(open.begin() + (&m - open.data()));
  }
  if (open.empty()) h.open.erase(c.name);
}

void say(std::vector<news> all) {
  for (news& n : all) {
    if (n.to.token == 0) continue;  // it was refused: no handle of it waits
    if (n.to.rank == net::job().rank) {
      tell_here(n.to.token, std::move(n.what));
      continue;
    }
    out_archive out;
    out(n.to.token, n.what.id, n.what.ranks, n.what.why);
    net::send(n.to.rank, net::code_of<take_outcome>(), 0, out.data(), out.size());
  }
}

/// Messages may overtake one another: each rank's sites come in the order of their numbers.
void take_comer(int rank, std::uint64_t number, comer c) {
  home& h = table();
  std::vector<news> said;
  {
    std::lock_guard const held(h.lock);
    h.early.emplace(std::pair(rank, number), std::move(c));
    std::uint64_t& come = h.come_from[rank];
    for (auto next = h.early.find({rank, come + 1}); next != h.early.end(); next = h.early.find({rank, come + 1})) {
      ++come;
      come_home(h, rank, next->second, said);
      h.early.erase(next);
    }
  }
  say(std::move(said));
}

void take_site(net::arrival& m) noexcept {
  std::uint64_t number = 0;
  comer c;
  try {
    in_archive(m.bytes, m.size)(number, c.name, c.generation, c.sites, c.site, c.token, c.refused);
  } catch (const std::exception& e) {
    return net::end_job(e.what());
  }
  take_comer(m.from, number, std::move(c));
}

/// Under the lock. Two that differ by mistake fail as one, with as many sites as most have said: when so many have
/// come, it is over.
void fail_mistakes(std::vector<meeting>& open, std::vector<news>& said) {
  for (std::size_t i = 0; i < open.size(); ++i)
    for (std::size_t j = 0; j < open.size(); ++j) {
      meeting &a = open[i], &b = open[j];
      std::string const why = mistake(a, b);
      bool const is_less = std::tuple(a.come.size(), b.sites, j) < std::tuple(b.come.size(), a.sites, i);
      if (why.empty() || !is_less) continue;  // the other way round, it is the same pair
      fail(a, why, said);
      fail(b, why, said);
      b.come.insert(b.come.end(), a.come.begin(), a.come.end());
      bool const is_over = b.come.size() >= static_cast<std::size_t>(b.sites);
      auto const erase = [&open](std::size_t k) { open.erase(open.begin() + static_cast<std::ptrdiff_t>(k)); };
      if (is_over && j > i) erase(j);
      erase(i);
      if (is_over && j < i) erase(j);
      return;
    }
}

std::string sites_of(const meeting& m) {
  constexpr std::size_t most = 4;
  std::string words;
  for (std::size_t i = 0; i < m.come.size() && i < most; ++i)
    words += (i == 0 ? "" : ", ") + ("site " + std::to_string(m.come[i].site)) + " (rank " +
             std::to_string(m.come[i].rank) + ")";
  return words + (m.come.size() > most ? " and others" : "");
}

/// Two uses of a name in which sites wait may have been meant to be one, in which a site was created twice. They may as
/// well be two, to which the others come later: so it is a warning, once. Empty: there are none.
std::string likely_double(std::vector<meeting>& open, const std::string& name) {
  for (meeting& first : open)
    for (meeting& next : open) {
      bool const are_alike = &first < &next && first.sites == next.sites && first.generation == next.generation;
      if (!are_alike || !has_waited(first) || !has_waited(next) || !first.why.empty() || first.has_warned) continue;
      first.has_warned = true;
      std::int32_t lacks = 0;
      while (holder_of(first, lacks) != nullptr) ++lacks;
      return "communicator '" + name.substr(name.empty() || name[0] != '\0' ? 0 : 1) + "' of " +
             std::to_string(first.sites) + " sites: two uses of this name wait. To the first has come " +
             sites_of(first) + ", and nobody as site " + std::to_string(lacks) + "; to the next " + sites_of(next) +
             ". A site that is created again before all have come counts as the next use of the name: if one use was "
             "meant, some this_site_arg is wrong. They go on waiting";
    }
  return {};
}

/// At home: a site has waited for a while.
void take_wait(int rank, const std::string& name, std::uint64_t token) {
  home& h = table();
  std::vector<news> said;
  std::string warning;
  {
    std::lock_guard const held(h.lock);
    auto const found = h.open.find(name);
    if (found == h.open.end()) return;  // the answer is under way
    for (meeting& m : found->second)
      for (present& p : m.come)
        if (p.rank == rank && p.token == token) p.has_waited = true;
    fail_mistakes(found->second, said);
    warning = likely_double(found->second, name);
    if (found->second.empty()) h.open.erase(found);
  }
  if (!warning.empty()) base::warn("%s", warning.c_str());
  say(std::move(said));
}

void take_wait_message(net::arrival& m) noexcept {
  std::string name;
  std::uint64_t token = 0;
  try {
    in_archive(m.bytes, m.size)(name, token);
  } catch (const std::exception& e) {
    return net::end_job(e.what());
  }
  take_wait(m.from, name, token);
}

int home_of(const std::string& name) noexcept {
  return static_cast<int>(hash_of(name, 0) % static_cast<std::uint64_t>(net::job().size));
}

/// A name of its own, which no program can give.
std::string local_name(const std::string& name) { return std::string(1, '\0') + name; }

/// Under the lock `w.lock`: the number of the site among those of this process that go to that home.
std::uint64_t next_number(waiting_here& w, int home) {
  w.sent_to.resize(static_cast<std::size_t>(net::job().size));
  return ++w.sent_to[static_cast<std::size_t>(home)];
}

void go_home(int home, std::uint64_t number, comer c) {
  if (home == net::job().rank) return take_comer(home, number, std::move(c));
  out_archive out;
  out(number, c.name, c.generation, c.sites, c.site, c.token, c.refused);
  net::send(home, net::code_of<take_site>(), 0, out.data(), out.size());
}

/// A rank was lost: nobody knows whether it was to be a site of what is met about, or has told others who the sites
/// are.
const char* fail_meetings(int rank) noexcept {
  waiting_here& w = here();
  std::map<std::uint64_t, awaited> failed_here;
  {
    std::lock_guard const held(w.lock);
    failed_here.swap(w.by_token);
  }
  {
    home& h = table();
    std::lock_guard const held(h.lock);
    h.open.clear();
  }
  for (auto& [token, its] : failed_here)
    settle(std::move(its), {0, {}, net::words_of_loss(rank) + ", while the sites met"});
  return nullptr;
}

constinit net::job_hook hook{nullptr, nullptr, fail_meetings};
[[gnu::constructor]] void add_hook() noexcept { net::add_job_hook(hook); }

}  // namespace

void meet_others(const std::shared_ptr<communicator::state>& s, comer c, bool local) {
  int const home = local ? net::job().rank : home_of(c.name);
  if (local) c.name = local_name(c.name);
  s->home = home;
  s->is_local = local;
  awaited mine{s, {}};
  s->ranks = mine.ranks.get_future().share();
  waiting_here& w = here();
  std::uint64_t number = 0;
  {
    std::lock_guard const held(w.lock);
    c.token = s->token = ++w.last_token;
    number = next_number(w, home);
    w.by_token.emplace(c.token, std::move(mine));
  }
  if (net::is_lost(home)) {  // the meeting's place is gone
    static_cast<void>(fail_meetings(home));
    return;
  }
  go_home(home, number, std::move(c));
}

void wait_longer_to_meet(const communicator::state& s) {
  std::string const name = s.is_local ? local_name(s.name) : s.name;
  if (s.home == net::job().rank) return take_wait(s.home, name, s.token);
  out_archive out;
  out(name, s.token);
  // It comes again and again, and must not look as if the job went on (net, Z1).
  net::send(s.home, net::code_of<take_wait_message>(), 0, out.data(), out.size(), net::effect::control);
}

void refuse_to_meet(comer c, bool local) {
  int const home = local ? net::job().rank : home_of(c.name);
  if (local) c.name = local_name(c.name);
  waiting_here& w = here();
  std::uint64_t number = 0;
  {
    std::lock_guard const held(w.lock);
    number = next_number(w, home);
  }
  if (!net::is_lost(home)) go_home(home, number, std::move(c));
}

}  // namespace amity::collectives::detail
