#include "amity/coll/line_site.hpp"

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "amity/base/processor.hpp"
#include "amity/base/report.hpp"
#include "amity/coll/rules.hpp"
#include "amity/net/job.hpp"
#include "amity/net/losses.hpp"
#include "amity/net/messages.hpp"
#include "amity/pgas/remote_call.hpp"
#include "amity/pgas/segment.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/idle/patience.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/progress.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sys/clock.hpp"

namespace amity::collectives::detail {
namespace {

// --- the sites of this process, and what has come for them

struct site_key {
  std::uint64_t communicator;
  std::int32_t site, spare = 0;
  bool operator==(const site_key&) const = default;
};
struct site_hash {
  std::size_t operator()(const site_key& k) const noexcept {
    return k.communicator * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(k.site);
  }
};

/// Where another site's board is: of rank `rank`, at its address there.
struct place_of_board {
  int site, rank;
  std::uint64_t address;
};

struct entry {
  line_site* here = nullptr;  ///< null: it has not opened its board, or is gone
  std::vector<place_of_board> early;
  // Of one that is gone: what others may still read, until all of them are gone, too.
  std::unique_ptr<line_site> kept;
  board* own = nullptr;
  int gone = 0, sites = 0;
  int busy = 0;  ///< tasks that learn where other boards are
};

struct registry {
  sys::spin_lock lock;
  std::unordered_map<site_key, entry, site_hash> sites;
};
registry& all_sites() noexcept {
  static auto* const one = new registry;
  return *one;
}

void know_place(line_site& l, const place_of_board& p) {
  void* const here = pgas::detail::reach(p.rank, reinterpret_cast<void*>(p.address), sizeof(board));
  if (here == nullptr)
    net::end_job(("the memory of rank " + std::to_string(p.rank) + " can't be read by rank " +
                  std::to_string(net::job().rank) + " of the same machine; AMITY_COLLECTIVE_LINES=off does without")
                     .c_str());
  l.know(p.site, *static_cast<board*>(here));
}

/// What is said of a site: it is to look again, or it is gone.
struct word_of_site {
  std::uint64_t communicator;
  std::int32_t to, from;
};

void take_ring(net::arrival& m) noexcept {
  word_of_site w;
  if (m.size != sizeof w) return net::end_job("a message about a collective operation has another length");
  memcpy(&w, m.bytes, sizeof w);
  registry& r = all_sites();
  std::lock_guard const held(r.lock);
  auto const found = r.sites.find({w.communicator, w.to});
  if (found != r.sites.end() && found->second.here != nullptr) found->second.here->wake_all();
}

void drop_if_over(registry& r, const site_key& key, std::unique_ptr<line_site>& dropped) noexcept {
  auto const found = r.sites.find(key);
  entry& e = found->second;
  if (e.kept == nullptr || e.gone < e.sites - 1 || e.busy != 0) return;
  dropped = std::move(e.kept);
  pgas::detail::free_staging(e.own);
  r.sites.erase(found);
}

/// A task: the first look at a rank's memory may wait for an answer. The site may be gone meanwhile.
void take_board(std::uint64_t communicator, std::int32_t to, std::int32_t site, std::int32_t rank,
                std::uint64_t address) {
  registry& r = all_sites();
  site_key const key{communicator, to};
  place_of_board const p{site, rank, address};
  line_site* here = nullptr;
  {
    std::lock_guard const held(r.lock);
    entry& e = r.sites[key];
    if (e.here == nullptr) return e.early.push_back(p);
    here = e.here;
    ++e.busy;
  }
  know_place(*here, p);
  std::unique_ptr<line_site> dropped;
  std::lock_guard const held(r.lock);
  --r.sites[key].busy;
  drop_if_over(r, key, dropped);
}

void take_farewell(net::arrival& m) noexcept {
  word_of_site w;
  if (m.size != sizeof w) return net::end_job("a message about a collective operation has another length");
  memcpy(&w, m.bytes, sizeof w);
  registry& r = all_sites();
  std::unique_ptr<line_site> dropped;
  std::lock_guard const held(r.lock);
  ++r.sites[{w.communicator, w.to}].gone;
  drop_if_over(r, {w.communicator, w.to}, dropped);
}

template <net::handler Handler>
void say(int rank, std::uint64_t communicator, int to, int from) noexcept {
  word_of_site const w{communicator, to, from};
  net::send(rank, net::code_of<Handler>(), 0, reinterpret_cast<const std::byte*>(&w), sizeof w);
}

// No message may be sent any more: what handles of static objects leave behind goes with the process. Relaxed: by the
// thread that ends the program, which destroys these objects, too.
std::atomic<bool> is_too_late{false};
net::job_hook at_end{.at_last = []() noexcept { is_too_late.store(true, std::memory_order_relaxed); }};
[[gnu::constructor]] void hear_of_end() noexcept { net::add_job_hook(at_end); }

/// The operation of the table of algorithms; none has a choice but these.
std::optional<tuning::operation> tuned_as(kind k) noexcept {
  switch (k) {
    case kind::broadcast:
      return tuning::operation::broadcast;
    case kind::reduce:
      return tuning::operation::reduce;
    case kind::all_reduce:
      return tuning::operation::all_reduce;
    case kind::gather:
      return tuning::operation::gather;
    case kind::scatter:
      return tuning::operation::scatter;
    case kind::all_gather:
      return tuning::operation::all_gather;
    case kind::all_to_all:
      return tuning::operation::all_to_all;
    case kind::barrier:
    case kind::inclusive_scan:
    case kind::exclusive_scan:
    case kind::reduce_scatter:
    case kind::split:
      break;
  }
  return std::nullopt;
}

/// The table counts what goes from one site to another; this many of those a site gives.
std::size_t given_by_each(tuning::operation o, int sites) noexcept {
  bool const is_for_each = o == tuning::operation::scatter || o == tuning::operation::all_to_all;
  return is_for_each ? static_cast<std::size_t>(sites) : 1;
}

bool is_switched_off() noexcept {
  static bool const is = [] {
    const char* const said = getenv("AMITY_COLLECTIVE_LINES");
    return (said != nullptr && strcmp(said, "off") == 0) || getenv("AMITY_TEST_FAR_MEMORY") != nullptr;
  }();
  return is;
}

/// How many ranks are on the node that has most. `nodes`: that of each; empty: all are on one.
int most_ranks_of_a_node(std::span<const int> nodes) noexcept {
  if (nodes.empty()) return net::job().size;
  std::ptrdiff_t most = 0;
  for (int n : nodes) most = std::max(most, std::count(nodes.begin(), nodes.end(), n));
  return static_cast<int>(most);
}

}  // namespace

flow flow_of(kind k) noexcept {
  switch (k) {
    case kind::barrier:
    case kind::all_reduce:
    case kind::all_gather:
    case kind::all_to_all:
    case kind::reduce_scatter:
      return flow::among_all;
    case kind::broadcast:
    case kind::scatter:
      return flow::from_root;
    case kind::reduce:
    case kind::gather:
      return flow::to_root;
    // A site of a scan waits for nobody behind it. A leader would.
    case kind::inclusive_scan:
    case kind::exclusive_scan:
    case kind::split:
      break;
  }
  return flow::none;
}

line_site* line_site::make(communicator::state& of) {
  if (of.sites < 2 || of.sites > most_sites || of.arity != 0 || of.is_local || is_switched_off()) return nullptr;
  return new line_site(of);
}

line_site::line_site(communicator::state& of)
    : of_(of),
      sites_(of.sites),
      site_(of.site),
      lines_(0, 0,
             {.of = this,
              .allocate = [](void*, std::size_t bytes) noexcept { return pgas::detail::allocate_staging(bytes); },
              .release = [](void*, void* memory) noexcept { pgas::detail::free_staging(memory); },
              .ring =
                  [](void* its, int near_number) noexcept {
                    auto const& me = *static_cast<line_site*>(its);
                    int const site = me.site_of(near_number);
                    say<take_ring>(me.rank_of(site), me.id_, site, me.site_);
                  }}) {}

bool line_site::is_for(kind k, std::size_t bytes) const noexcept {
  if (bytes > most_bytes) return false;
  std::optional<tuning::operation> const o = tuned_as(k);
  if (!o) return true;
  std::size_t const counted = bytes / given_by_each(*o, sites_);
  return tuning::choose(tuning::rules_here().of(*o), *o, sites_, counted, 0, {.lines = true}).how ==
         tuning::method::lines;
}

bool line_site::is_at_hand(tuning::operation o, std::size_t bytes) noexcept {
  int const sites = net::job().size;
  std::size_t const given = bytes * given_by_each(o, sites);
  if (sites < 2 || sites > most_sites || given > most_bytes || is_switched_off()) return false;
  std::span<const int> const nodes = net::nodes_of_ranks();
  bool const is_of_root = o == tuning::operation::broadcast || o == tuning::operation::scatter;
  flow const f = is_of_root ? flow::from_root : flow::among_all;
  static int const most_near = most_ranks_of_a_node(nodes);  // of the job, which has begun
  if (most_near < 2 || most_near > most_sites_of_a_node) return false;
  return nodes.empty() || all_bytes(f, sites, given) <= most_between_nodes;
}

bool line_site::are_on_one_node() const noexcept {
  std::span<const int> const nodes = net::nodes_of_ranks();
  for (int s = 1; s < sites_ && !nodes.empty(); ++s)
    if (nodes[static_cast<std::size_t>(rank_of(s))] != nodes[static_cast<std::size_t>(rank_of(0))]) return false;
  return true;
}

void line_site::open() {
  void* const memory = pgas::detail::allocate_staging(sizeof(board));
  if (memory == nullptr)
    throw bad_shared_alloc("no room for the lines of communicator '" + of_.name +
                           "' in the memory that is shared between processes");
  auto* const own = new (memory) board();
  attach_fast_runs(id_, of_.name, site_, fast_);
  registry& r = all_sites();
  std::vector<place_of_board> early;
  {
    std::lock_guard const held(r.lock);
    entry& e = r.sites[{id_, site_}];
    e.here = this;
    e.own = own;
    e.sites = static_cast<int>(near_.size());
    early = std::move(e.early);
  }
  lines_.open(*own);
  for (const place_of_board& p : early) know_place(*this, p);
  for (int s : near_)
    if (s != site_)
      pgas::detail::own_rpc_ff(rank_of(s), take_board, id_, std::int32_t{s}, std::int32_t{site_},
                               std::int32_t{net::job().rank}, reinterpret_cast<std::uint64_t>(own));
}

bool line_site::prepare() {
  if (int const s = state_.load(std::memory_order_acquire); s != unknown) return s == usable;  // pairs with the store
  std::lock_guard const held(preparing_);
  if (int const s = state_.load(std::memory_order_relaxed); s != unknown) return s == usable;
  if (of_.ranks.valid()) ranks_ = of_.all_ranks();
  id_ = of_.met_id();
  bool const is_one_node = are_on_one_node();
  const placement& p = nodes_of_sites(of_, ranks_.empty() ? nullptr : &ranks_);
  int const most_near = is_one_node ? sites_ : p.most_sites_of_a_node();  // 0: nobody is near
  bool const can = most_near != 0 && most_near <= most_sites_of_a_node;
  if (can) {
    if (!is_one_node) nodes_ = &p;
    for (int s = 0; s < sites_; ++s)
      if (is_one_node || p.node_of(s) == p.node_of(site_)) near_.push_back(s);
    lines_.among(static_cast<int>(near_.size()), near_number_of(site_));
    open();
  }
  state_.store(can ? usable : useless,
               std::memory_order_release);  // pairs with is_ready
  return can;
}

void line_site::set_out(turn& t, needed within_one) const noexcept {
  t.needs = within_one;
  t.root = t.what.root;
  if (nodes_ == nullptr) return;
  flow const f = flow_of(t.what.what);
  if (leads(t.what)) {
    bool const is_root = f != flow::among_all && t.what.root == site_;
    t.needs = f == flow::from_root ? needed::none : needed::all;
    t.gives_last = !(f == flow::from_root && is_root);
  } else {
    t.needs = f == flow::to_root ? needed::none : needed::root;
    t.root = near_number_of(leader_of(own_node(), t.what));
  }
}

void line_site::keep_run(const fast_runs::run& r) noexcept { keep_fast_run(id_, site_, r); }

void line_site::know(int site, board& its) noexcept {
  lines_.know(near_number_of(site), its);
  wake_all();
}

void line_site::wake_all() noexcept {
  std::lock_guard const held(lock_);
  for (sched::fiber* f : sleepers_) sched::unpark(f);
}

namespace {
void let_others_run() noexcept {
  static_cast<void>(sched::poll_progress());
  if (sched::others_ready(*sched::self()->on)) sched::yield_to_tasks();
}
}  // namespace

bool line_site::tries(turn& t) noexcept {
  // A program that does nothing but operations which never wait would keep the core from all else.
  constexpr std::uint64_t between_pauses = 32;
  if (t.operation % between_pauses == 0) let_others_run();
  if (!t.is_over()) {
    // After waits in vain the next ones are left to tasks: who computes beside the operation does not want to wait
    // here.
    unsigned const vain = vain_.load(std::memory_order_relaxed);
    if (vain != 0 && spared_.fetch_add(1, std::memory_order_relaxed) % (1u << std::min(vain, 5u)) != 0) return false;
    waits_a_moment(t);
    unsigned const now = t.is_over() ? 0 : vain + 1;
    if (now != vain) vain_.store(now, std::memory_order_relaxed);
  }
  return t.at == turn::stage::complete && !fast_.is_early(t.operation);
}

void line_site::waits_a_moment(turn& t) noexcept {
  constexpr std::uint64_t alone_us = 2;
  if (!sched::processes_share_cores.load(std::memory_order_relaxed)) {
    std::uint64_t const begun = sys::ticks();
    do {
      base::cpu_relax();
      lines_.go_on(t);
    } while (!t.is_over() && sys::ticks() - begun < sys::ticks_of_microseconds(alone_us));
  }
  if (!t.is_over()) static_cast<void>(net::poll_a_moment([&] { return lines_.go_on(t), t.is_over(); }));
}

void line_site::await(turn& t, failure& problem) {
  constexpr auto long_time = std::chrono::seconds(1);
  sched::fiber& me = *sched::self();
  mail_key const key{id_, t.operation, 0, site_, 0, 0};
  std::optional<sched::instant> look;
  bool was_gone = false, has_asked = false;
  for (;;) {
    lines_.go_on(t);
    if (t.at == turn::stage::differs) {
      problem.why = "another operation";
      problem.other = lines_.what_of(t.site, t);
      problem.other_site = site_of(t.site);
      return;
    }
    if (t.is_over() || is_disputed(key, problem, &me)) return;
    sched::wait_noted const noted(me, sched::wait_kind::barrier, nullptr, __builtin_return_address(0));
    if (net::poll_a_moment([&] { return lines_.go_on(t), t.is_over(); })) continue;
    {
      std::lock_guard const held(lock_);
      sleepers_.push_back(&me);
    }
    sleeping_.fetch_add(1, std::memory_order_relaxed);
    lines_.falls_asleep();
    lines_.go_on(t);
    if (!look) look = sched::instant_after(long_time);
    if (!t.is_over() && !is_disputed(key, problem, &me)) {
      if (has_asked)
        sched::park_to_ask(*look);
      else
        sched::park_until(*look);
    }
    {
      std::lock_guard const held(lock_);
      std::erase(sleepers_, &me);
    }
    sleeping_.fetch_sub(1, std::memory_order_relaxed);
    if (t.is_over() || sched::now() < *look) continue;
    has_asked = true;
    look = sched::instant_after(long_time);
    int const other = site_of(t.site);
    if (other == site_) continue;  // for an earlier one of its own, which asks
    int const rank = rank_of(other);
    if (rank != net::job().rank) {
      if (net::is_lost(rank)) {
        problem.why = net::words_of_loss(rank);
        return;
      }
      if (std::exchange(was_gone, net::is_known_to_be_gone(rank))) {
        problem.why = "the program of rank " + std::to_string(rank) + " has ended";
        return;
      }
      net::ask_whether_gone(rank);
    }
    compare_with(rank, id_, t.operation, other, site_, t.what);
  }
}

void line_site::leave(std::unique_ptr<line_site> its) noexcept {
  if (its == nullptr || !its->is_ready()) return;
  if (is_too_late.load(std::memory_order_relaxed)) return static_cast<void>(its.release());
  registry& r = all_sites();
  site_key const key{its->id_, its->site_};
  std::vector<word_of_site> farewells;
  std::vector<int> ranks;
  for (int s : its->near_)
    if (s != key.site) {
      farewells.push_back({key.communicator, s, key.site});
      ranks.push_back(its->rank_of(s));
    }
  std::unique_ptr<line_site> dropped;
  {
    std::lock_guard const held(r.lock);
    entry& e = r.sites[key];
    e.here = nullptr;
    e.kept = std::move(its);
    drop_if_over(r, key, dropped);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const word_of_site& w = farewells[i];
    say<take_farewell>(ranks[i], w.communicator, w.to, w.from);
  }
}

}  // namespace amity::collectives::detail
