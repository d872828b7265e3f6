#include "amity/coll/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "amity/base/hash.hpp"
#include "amity/coll/line_site.hpp"
#include "amity/coll/mailbox.hpp"
#include "amity/coll/meeting.hpp"
#include "amity/net/job.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/timer.hpp"

namespace amity::collectives::detail {
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
  return hash_on(amity::hash_of(text.data(), text.size()), count);
}

communicator of_known(std::string name, std::uint64_t id, int site, std::vector<int> ranks) {
  auto s = std::make_shared<communicator::state>();
  s->name = std::move(name);
  s->id = id;
  s->sites = static_cast<int>(ranks.size());
  s->site = site;
  s->ranks = make_ready_future(std::move(ranks)).share();
  s->lines.reset(line_site::make(*s));
  s->has_met.store(true, std::memory_order_relaxed);  // not shared yet
  return communicator(std::move(s));
}

namespace {

std::string range(std::int64_t n) { return "allowed: 0 to " + std::to_string(n - 1); }

/// What is wrong with the wishes; empty: nothing is.
std::string problem_of(const wishes& w, std::int64_t sites, std::int64_t site, std::int64_t root) {
  constexpr std::int64_t most_sites = 1'000'000;
  std::string const of = " of " + std::to_string(sites) + " sites; ";
  if (sites < 1 || sites > most_sites) return "num_sites_arg " + std::to_string(sites) + "; allowed: 1 to 1000000";
  if (site < 0 || site >= sites) return "this_site_arg " + std::to_string(site) + of + range(sites);
  if (root < 0 || root >= sites) return "root_site_arg " + std::to_string(root) + of + range(sites);
  if (w.arity.is_set() && (w.arity.value < 2 || w.arity.value > most_sites))
    return "arity_arg " + std::to_string(w.arity.value) + "; allowed: 2 to 1000000";
  if (w.generation.is_set() && w.generation.value < 1)
    return "generation_arg " + std::to_string(w.generation.value) + "; generations are counted from 1 on";
  return {};
}

}  // namespace

std::shared_ptr<communicator::state> create(const char* name, const wishes& w, std::string& problem) {
  std::int64_t const sites = w.sites.is_set() ? w.sites.value : net::job().size;
  std::int64_t const site = w.site.is_set() ? w.site.value : net::job().rank;
  std::int64_t const root = w.root.is_set() ? w.root.value : 0;
  comer me{name, w.generation.is_set() ? std::max<std::int64_t>(w.generation.value, 0) : -1,
           0,    static_cast<std::int32_t>(site),
           0,    {}};
  problem = problem_of(w, sites, site, root);
  bool const has_sites = sites >= 1 && sites <= std::numeric_limits<std::int32_t>::max();
  if (has_sites) me.sites = static_cast<std::int32_t>(sites);
  if (!problem.empty()) {  // the others wait for this one
    me.refused = problem;
    refuse_to_meet(std::move(me), w.local);
    return nullptr;
  }
  auto s = std::make_shared<communicator::state>();
  s->name = name;
  s->sites = static_cast<int>(sites);
  s->site = static_cast<int>(site);
  s->root = static_cast<int>(root);
  s->arity = w.arity.is_set() ? static_cast<int>(w.arity.value) : 0;
  s->is_local = w.local;
  s->lines.reset(line_site::make(*s));
  meet_others(s, std::move(me), w.local);
  return s;
}

communicator of_all_processes() {
  auto s = std::make_shared<communicator::state>();
  s->name = "amity::world";
  s->id = hash_of(s->name, 0);
  s->sites = net::job().size;
  s->site = net::job().rank;
  s->is_world = true;
  s->lines.reset(line_site::make(*s));
  return communicator(std::move(s));
}

}  // namespace amity::collectives::detail

amity::collectives::communicator::state::state() noexcept = default;

amity::collectives::communicator::state::~state() {
  delete nodes.load(std::memory_order_relaxed);                                // the last handle: nobody else is there
  if (has_met.load(std::memory_order_acquire)) detail::forget_site(id, site);  // pairs with settle() of meeting.cpp
  detail::line_site::leave(std::move(lines));
}

namespace {

struct sleeper : amity::detail::waiter {
  explicit sleeper(amity::sched::fiber& f) noexcept : who(f) {
    this->ready = [](amity::detail::waiter& w) noexcept {
      auto& me = static_cast<sleeper&>(w);
      amity::sched::fiber& its = me.who;
      me.is_over.store(true, std::memory_order_release);  // pairs with wait_for_all, whose frame this lies in
      amity::sched::unpark(&its);
    };
  }
  amity::sched::fiber& who;
  std::atomic<bool> is_over{false};
};

}  // namespace

const std::vector<int>& amity::collectives::communicator::state::wait_for_all() const {
  constexpr std::chrono::seconds long_time(4);
  sleeper me(*sched::self());
  if (!amity::detail::add_waiter(*ranks.state_or_null(), me)) return ranks.get();
  sched::wait_noted const noted(me.who, sched::wait_kind::future, ranks.state_or_null(), __builtin_return_address(0));
  bool has_asked = false;
  sched::instant ask = sched::instant_after(long_time);
  while (!me.is_over.load(std::memory_order_acquire)) {  // pairs with sleeper
    // The first question may bring an answer (M7). Later ones bring none: then this fiber can't go on by itself.
    has_asked ? sched::park_to_ask(ask) : sched::park_until(ask);
    if (sched::now() < ask) continue;
    detail::wait_longer_to_meet(*this);
    has_asked = true;
    ask = sched::instant_after(long_time);
  }
  return ranks.get();
}
