/// The tree of places, and the domain whose workers run tasks at them.

#include "amity/sched/tasks/place.hpp"

#include <sched.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "amity/base/report.hpp"
#include "amity/sched/cores/locality.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/tasks/internal/domain.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sched/tasks/internal/places.hpp"
#include "amity/sched/tasks/policies/queues.hpp"
#include "amity/sys/spin_lock.hpp"
#include "amity/sys/topology.hpp"

namespace amity::sched {
namespace {

using sys::cpu_mask;

bool is_part_of(const cpu_mask& small, const cpu_mask& large) noexcept {
  for (int cpu = small.first(); cpu >= 0; cpu = small.next(cpu))
    if (!large.contains(cpu)) return false;
  return true;
}

bool meets(const cpu_mask& a, const cpu_mask& b) noexcept {
  for (int cpu = a.first(); cpu >= 0; cpu = a.next(cpu))
    if (b.contains(cpu)) return true;
  return false;
}

void add_all(cpu_mask& to, const cpu_mask& from) noexcept {
  for (int cpu = from.first(); cpu >= 0; cpu = from.next(cpu)) to.add(cpu);
}

struct tree {
  struct part {
    place_node node;
    cpu_mask cpus;
    int size = 0;
  };
  part* parts = nullptr;
  int count = 0, cores = 0;

  [[nodiscard]] const part& core(int n) const noexcept {
    for (int i = 0; i < count; ++i)
      if (parts[i].node.kind == place_kind::core && parts[i].node.number == n) return parts[i];
    return parts[0];
  }
};

template <class T>
T* make_array(std::size_t n) noexcept {
  auto* const all = new (std::nothrow) T[n]();
  if (all == nullptr) base::fatal("out of memory for a table of places");
  return all;
}

struct level {
  place_kind kind;
  sys::object_kind object;
};
constexpr level levels[] = {{place_kind::socket, sys::object_kind::sockets},
                            {place_kind::numa_domain, sys::object_kind::numa_domains},
                            {place_kind::cache, sys::object_kind::ll_caches},
                            {place_kind::core, sys::object_kind::cores}};

/// Each after all that it may be part of: larger ones first; of equals, the outer kind.
void sort_parts(tree& t) noexcept {
  auto* const order = make_array<int>(static_cast<std::size_t>(t.count));
  for (int i = 0; i < t.count; ++i) order[i] = i;
  std::sort(order, order + t.count, [&t](int a, int b) {
    const tree::part &x = t.parts[a], &y = t.parts[b];
    if (x.node.kind == place_kind::machine || y.node.kind == place_kind::machine)
      return x.node.kind == place_kind::machine && y.node.kind != place_kind::machine;
    if (x.size != y.size) return x.size > y.size;
    return x.node.kind != y.node.kind ? x.node.kind < y.node.kind : a < b;
  });
  auto* const sorted = make_array<tree::part>(static_cast<std::size_t>(t.count));
  for (int i = 0; i < t.count; ++i) sorted[i] = static_cast<tree::part&&>(t.parts[order[i]]);
  delete[] t.parts;
  delete[] order;
  t.parts = sorted;
}

void link_parts(tree& t) noexcept {
  int numbers[5] = {};
  for (int i = 0; i < t.count; ++i) {
    tree::part& p = t.parts[i];
    p.node.index = i;
    p.node.number = numbers[static_cast<int>(p.node.kind)]++;
    if (i > 0) t.parts[i - 1].node.next = &p.node;
    auto* const cpus = make_array<int>(static_cast<std::size_t>(p.size));
    int n = 0;
    for (int cpu = p.cpus.first(); cpu >= 0; cpu = p.cpus.next(cpu)) cpus[n++] = cpu;
    p.node.cpus = {cpus, static_cast<std::size_t>(n)};
    // The smallest of those before it; the machine has everything.
    for (int j = i - 1; j >= 0; --j)
      if (j == 0 || (t.parts[j].node.kind < p.node.kind && is_part_of(p.cpus, t.parts[j].cpus))) {
        p.node.parent = &t.parts[j].node;
        break;
      }
  }
  for (int i = t.count - 1; i > 0; --i) {
    auto& parent = const_cast<place_node&>(*t.parts[i].node.parent);
    t.parts[i].node.next_sibling = parent.first_child;
    parent.first_child = &t.parts[i].node;
  }
}

tree* read_tree() noexcept {
  static_cast<void>(concurrency());  // starts the pool, which notes the process's CPUs
  cpu_mask everywhere = process_cpus().copy();
  if (everywhere.empty()) everywhere.add(0);  // the kernel does not tell
  auto* const t = new (std::nothrow) tree;
  if (t == nullptr) base::fatal("out of memory for a table of places");
  sys::cpu_mask_list sets[std::size(levels)];
  std::size_t all = 1;
  for (std::size_t l = 0; l < std::size(levels); ++l) {
    sets[l] = sys::object_sets(levels[l].object, everywhere);
    all += sets[l].size();
  }
  t->parts = make_array<tree::part>(all);
  auto add = [t](place_kind kind, const cpu_mask& cpus) {
    tree::part& p = t->parts[t->count++];
    p.node.kind = kind;
    p.cpus = cpus.copy();
    p.size = cpus.count();
    if (kind == place_kind::core) ++t->cores;
  };
  add(place_kind::machine, everywhere);
  for (std::size_t l = 0; l < std::size(levels); ++l)
    for (const cpu_mask& cpus : sets[l]) add(levels[l].kind, cpus);
  sort_parts(*t);
  link_parts(*t);
  return t;
}

sys::spin_lock reading_lock;

const tree& places() noexcept {
  static std::atomic<const tree*> known{nullptr};
  if (const tree* t = known.load(std::memory_order_acquire)) return *t;  // pairs with the store below
  static_cast<void>(concurrency());                                      // before the lock: it takes one of its own
  std::lock_guard const held(reading_lock);
  if (const tree* t = known.load(std::memory_order_relaxed)) return *t;
  const tree* const t = read_tree();
  known.store(t, std::memory_order_release);
  return *t;
}

// --- the domain of places

/// A queue for each place, first in first out. A worker takes from the smallest first.
class by_place final : public scheduling_policy {
 public:
  explicit by_place(const place_table& table) : table_(table), at_(table.count) {}

  bool binds_workers() const noexcept override { return true; }
  void put(task_ref t, const placement& p) noexcept override { at_[p.owner].push(t); }
  task_ref take(int worker) noexcept override {
    for (int i = table_.count - 1; i >= 0; --i)
      if (serves(worker, i))
        if (task_ref const t = at_[i].oldest()) return t;
    return {};
  }
  task_ref take_within(int worker, const scope& s) noexcept override {
    for (int i = table_.count - 1; i >= 0; --i)
      if (serves(worker, i))
        if (task_ref const t = at_[i].within(s, order::lifo)) return t;
    return {};
  }

 private:
  [[nodiscard]] bool serves(int worker, int at) const noexcept { return table_.serves[worker * table_.count + at]; }

  const place_table& table_;
  policies::queues at_;
};

place_table table;

scheduling_policy* make_by_place(const policy_options&) { return new by_place(table); }

/// A core for each worker, several workers for a core, or neighbouring cores for a worker.
cpu_mask cpus_of_worker(const tree& t, int n, int workers) noexcept {
  if (workers >= t.cores) return t.core(n % t.cores).cpus.copy();
  cpu_mask cpus;
  for (int core = n * t.cores / workers; core < (n + 1) * t.cores / workers; ++core) add_all(cpus, t.core(core).cpus);
  return cpus;
}

void fill_table(const tree& t, const cpu_mask* cpus, int workers) noexcept {
  auto* const serves = make_array<bool>(static_cast<std::size_t>(workers) * static_cast<std::size_t>(t.count));
  auto* const leaf = make_array<int>(static_cast<std::size_t>(workers));
  for (int p = 0; p < t.count; ++p) {
    bool any = false;
    for (int n = 0; n < workers; ++n)
      if (is_part_of(cpus[n], t.parts[p].cpus)) serves[n * t.count + p] = any = true;
    // No worker is within it alone: those that are partly there serve it.
    for (int n = 0; n < workers && !any; ++n) serves[n * t.count + p] = meets(cpus[n], t.parts[p].cpus);
    for (int n = 0; n < workers; ++n)
      if (serves[n * t.count + p]) leaf[n] = p;
  }
  table.count = t.count;
  table.queued = make_array<std::atomic<long>>(static_cast<std::size_t>(t.count));
  table.serves = serves;
  table.leaf = leaf;
}

std::atomic<domain*> of_places{nullptr};
sys::spin_lock making_lock;

domain* make_domain_of_places() noexcept {
  const tree& t = places();
  policy_options options;
  options.workers = concurrency();
  auto* const cpus = make_array<cpu_mask>(static_cast<std::size_t>(options.workers));
  for (int n = 0; n < options.workers; ++n) cpus[n] = cpus_of_worker(t, n, options.workers);
  fill_table(t, cpus, options.workers);
  domain* const d = new_domain(make_by_place(options), make_by_place, options, &table, cpus);
  delete[] cpus;
  if (d == nullptr) base::fatal("too many executors are in use for one more, that of places");
  return d;
}

}  // namespace

const place_node* first_place() noexcept { return &places().parts[0].node; }

const place_node* place_of_caller() noexcept {
  const tree& t = places();
  const worker* const w = current_worker;
  if (w != nullptr && w->policy.of != nullptr && w->policy.of->places != nullptr)
    return &t.parts[w->policy.of->places->leaf[w->policy.number]].node;
  int const cpu = sched_getcpu();
  for (int i = t.count - 1; i > 0; --i)
    if (t.parts[i].cpus.contains(cpu)) return &t.parts[i].node;
  return &t.parts[0].node;
}

cpu_mask cpus_of_core(int n) noexcept {
  const tree& t = places();
  return t.core(t.cores > 0 ? n % t.cores : 0).cpus.copy();
}

domain& domain_of_places() noexcept {
  if (domain* d = of_places.load(std::memory_order_acquire)) return *d;  // pairs with the store below
  std::lock_guard const held(making_lock);
  if (domain* d = of_places.load(std::memory_order_relaxed)) return *d;
  domain* const d = make_domain_of_places();
  of_places.store(d, std::memory_order_release);
  return *d;
}

}  // namespace amity::sched
