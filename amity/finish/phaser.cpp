// Signals as a tree of minima. Each node knows the least number of phases that somebody below it has signalled, and how
// many of its children stand at that; when the last one of them goes on, the node counts again and tells its parent.
// The root's least is how many phases are complete. README.md has the locks.
#include "amity/finish/phaser.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <mutex>
#include <new>

#include "amity/sync/condition_variable.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::detail {

/// A fiber that waits for it is said to wait for a phaser.
class phase_variable : public sync::condition_variable {
 public:
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate done) noexcept {
    while (!done()) block(lock, sched::never, nothing, sched::wait_kind::phaser);
  }
};

namespace {

constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();  ///< least, where none signals

bool signals(const registration& r) noexcept { return (static_cast<unsigned>(r.mode) & 1u) != 0; }
bool waits(const registration& r) noexcept { return (static_cast<unsigned>(r.mode) & 2u) != 0; }

/// The function of next_single that was given first in a phase.
struct chosen_single {
  void (*run)(void*) noexcept;
  void* f;
};

}  // namespace

/// A leaf has registrations below it, others have nodes. All under its lock.
struct phaser_node {
  sync::mutex lock;
  phaser_node* parent = nullptr;
  std::size_t place = 0;         ///< in parent->told
  std::uint64_t least = nobody;  ///< phases that all below have signalled
  unsigned late = 0;             ///< children that stand at `least`
  unsigned registered = 0;       ///< of a leaf; under the phaser's `shape`
  registration* first = nullptr;
  std::vector<std::uint64_t> told;  ///< the nodes below: their `least`, as they told last

  /// A child goes from `before` to `now`. True if `least` is another.
  bool change(std::uint64_t before, std::uint64_t now) noexcept {
    if (now < least) {
      least = now;
      late = 1;
      return true;
    }
    if (before == now) return false;
    if (now == least) ++late;
    if (before != least || --late != 0) return false;
    count();
    return true;
  }

 private:
  void count() noexcept {
    least = nobody;
    for (const registration* r = first; r != nullptr; r = r->next) include(r->signalled);
    for (std::uint64_t const t : told) include(t);
  }
  void include(std::uint64_t signalled) noexcept {
    if (signalled == nobody) return;
    if (signalled < least) {
      least = signalled;
      late = 0;
    }
    if (signalled == least) ++late;
  }
};

struct phaser_core {
  explicit phaser_core(unsigned tree_degree) : degree(tree_degree) { with_room = open = {&nodes.emplace_back()}; }

  unsigned const degree;

  // --- the tree's shape; under `shape`
  sync::mutex shape;
  std::deque<phaser_node> nodes;
  std::vector<phaser_node*> with_room;  ///< leaves
  std::vector<phaser_node*> open;       ///< of each level from the leaves up: the last one made

  // --- phases; under `lock`
  sync::mutex lock;
  phase_variable advanced;
  std::atomic<std::uint64_t> phase{0};  ///< those that are over; written under the lock
  std::uint64_t complete = 0;           ///< those that all have signalled; they end one by one
  std::uint64_t furthest = 0;           ///< phases that somebody had signalled who has left
  bool deserted = false;                ///< nobody signals any more
  bool ending = false;                  ///< somebody is at it
  chosen_single* single = nullptr;      ///< of the phase under way
  phase_listener* listeners = nullptr;
};

namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

/// Ends the phases that are complete, unless somebody is at it, who then does these as well.
void end_phases(phaser_core& c) noexcept {
  std::unique_lock guard(c.lock);
  if (c.ending) return;
  c.ending = true;
  while (c.phase.load(memory_order_relaxed) < c.complete) {
    if (chosen_single* const call = std::exchange(c.single, nullptr)) {
      guard.unlock();
      call->run(call->f);
      guard.lock();
    }
    std::uint64_t const phase = c.phase.load(memory_order_relaxed);
    for (phase_listener* l = c.listeners; l != nullptr; l = l->next) l->phase_ends(phase);
    c.phase.store(phase + 1, memory_order_release);  // pairs with await
    c.advanced.notify_all();
  }
  if (c.deserted) c.advanced.notify_all();
  c.ending = false;
}

/// `n` is locked, and its least was `before`. Takes the news up, and unlocks. A node is locked before the one below is
/// released, so what a node tells arrives in order.
void tell(phaser_core& c, phaser_node* n, std::uint64_t before) noexcept {
  while (phaser_node* const up = n->parent) {
    up->lock.lock();
    std::uint64_t const least_above = up->least;
    up->told[n->place] = n->least;
    bool const changed = up->change(before, n->least);
    n->lock.unlock();
    n = up;
    before = least_above;
    if (!changed) {
      n->lock.unlock();
      return;
    }
  }
  {
    std::lock_guard guard(c.lock);
    c.deserted = n->least == nobody;
    // Nobody is left whom a phase could wait for: what was signalled ahead is over.
    c.complete = std::max(c.complete, c.deserted ? c.furthest : n->least);
  }
  n->lock.unlock();
  end_phases(c);
}

/// The caller's part in the tree goes from r.signalled to `now`; nobody: it leaves.
void move_to(phaser_core& c, registration& r, std::uint64_t now) noexcept {
  phaser_node& leaf = *r.leaf;
  leaf.lock.lock();
  std::uint64_t const before = std::exchange(r.signalled, now), least = leaf.least;
  if (now == nobody) {
    registration** link = &leaf.first;
    while (*link != &r) link = &(*link)->next;
    *link = r.next;
  }
  if (leaf.change(before, now))
    tell(c, &leaf, least);
  else
    leaf.lock.unlock();
}

/// Puts `child`, below which nobody signals yet, under a node of this level, of which it makes one if it has to.
void attach(phaser_core& c, std::size_t level, phaser_node& child) {
  if (c.open.size() == level) {  // a new root over the old one
    phaser_node& old = *c.open.back();
    phaser_node& root = c.nodes.emplace_back();
    c.open.push_back(&root);
    std::lock_guard guard(old.lock);
    root.told.push_back(old.least);
    root.change(nobody, old.least);
    old.parent = &root;
  } else if (c.open[level]->told.size() == c.degree) {
    phaser_node& another = c.nodes.emplace_back();
    attach(c, level + 1, another);
    c.open[level] = &another;
  }
  phaser_node& up = *c.open[level];
  std::lock_guard guard(up.lock);
  child.place = up.told.size();
  up.told.push_back(nobody);
  child.parent = &up;
}

/// Counts one more in there.
phaser_node& leaf_with_room(phaser_core& c) {
  if (c.with_room.empty()) {
    phaser_node& leaf = c.nodes.emplace_back();
    attach(c, 1, leaf);
    c.open[0] = &leaf;
    c.with_room.reserve(c.nodes.size());
    c.with_room.push_back(&leaf);
  }
  phaser_node& leaf = *c.with_room.back();
  if (++leaf.registered == c.degree) c.with_room.pop_back();
  return leaf;
}

void enter_tree(phaser_core& c, registration& r) {
  std::lock_guard shape(c.shape);
  phaser_node& leaf = leaf_with_room(c);
  r.leaf = &leaf;
  leaf.lock.lock();
  r.next = std::exchange(leaf.first, &r);
  std::uint64_t const before = leaf.least;
  if (leaf.change(nobody, r.signalled))
    tell(c, &leaf, before);
  else
    leaf.lock.unlock();
}

void leave_tree(phaser_core& c, registration& r) noexcept {
  std::lock_guard shape(c.shape);
  {
    std::lock_guard guard(c.lock);
    c.furthest = std::max(c.furthest, r.signalled);
  }
  if (r.leaf->registered-- == c.degree) c.with_room.push_back(r.leaf);  // there is room for all leaves
  move_to(c, r, nobody);
}

void signal_once(phaser_core& c, registration& r) noexcept { move_to(c, r, r.signalled + 1); }

/// Until the phases are over that the task has passed.
void await(phaser_core& c, const registration& r) noexcept {
  if (c.phase.load(memory_order_acquire) >= r.passed) return;  // pairs with end_phases
  std::unique_lock guard(c.lock);
  // Without anybody who signals there is nothing to wait for, once what was signalled is over.
  c.advanced.wait(guard, [&] {
    std::uint64_t const phase = c.phase.load(memory_order_relaxed);
    return phase >= r.passed || (c.deserted && phase >= c.complete);
  });
}

}  // namespace

const char* const no_memory_to_register = "amity: phaser: there is no memory to register a task";

std::shared_ptr<phaser_core> new_phaser(unsigned degree) noexcept {
  try {
    return std::make_shared<phaser_core>(degree);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

const char* register_with(registration& r, const registration* parent) noexcept {
  phaser_core& c = *r.core;
  if (parent != nullptr && (static_cast<unsigned>(r.mode) & ~static_cast<unsigned>(parent->mode)) != 0)
    return "amity: async_phased: a task can't be registered with a mode that its parent has not";
  // Where the parent is, who is the caller: it has to signal what the parent has not signalled.
  std::uint64_t const phase = c.phase.load(memory_order_acquire);
  r.signalled = parent != nullptr && signals(*parent) ? parent->signalled : phase;
  r.passed = parent != nullptr ? parent->passed : phase;
  try {
    if (signals(r)) enter_tree(c, r);
  } catch (const std::bad_alloc&) {
    return no_memory_to_register;
  }
  r.active = true;
  return nullptr;
}

const char* signal(registration& r) noexcept {
  if (!signals(r)) return "amity: phaser::signal: the task is registered to wait only";
  if (waits(r) && r.signalled > r.passed) return nullptr;  // done already; only those who never wait may be ahead
  signal_once(*r.core, r);
  return nullptr;
}

void next_phase(registration& r) noexcept {
  phaser_core& c = *r.core;
  if (signals(r) && (!waits(r) || r.signalled == r.passed)) signal_once(c, r);
  ++r.passed;
  if (waits(r)) await(c, r);
}

const char* wait_for_phase(registration& r) noexcept {
  if (!waits(r)) return "amity: phaser::wait: the task is registered to signal only";
  if (signals(r) && r.signalled == r.passed)
    return "amity: phaser::wait: the task has not signalled this phase, and would wait for itself";
  ++r.passed;
  await(*r.core, r);
  return nullptr;
}

const char* next_phase_single(registration& r, void (*run)(void*) noexcept, void* f) noexcept {
  phaser_core& c = *r.core;
  if (!signals(r) || !waits(r) || r.signalled != r.passed)
    return "amity: phaser::next_single: is for tasks that signal and wait, and have not signalled this phase";
  chosen_single call{run, f};
  {
    std::lock_guard guard(c.lock);
    if (c.single == nullptr) c.single = &call;
  }
  next_phase(r);
  return nullptr;
}

void listen(phaser_core& core, phase_listener& listener) noexcept {
  std::lock_guard guard(core.lock);
  listener.next = std::exchange(core.listeners, &listener);
}

void stop_listening(phaser_core& core, phase_listener& listener) noexcept {
  std::lock_guard guard(core.lock);
  phase_listener** link = &core.listeners;
  while (*link != &listener) link = &(*link)->next;
  *link = listener.next;
}

void deregister(registration& r) noexcept {
  if (!r.active) return;
  r.active = false;
  if (signals(r)) leave_tree(*r.core, r);
}

std::uint64_t phase_of(phaser_core& core) noexcept { return core.phase.load(memory_order_acquire); }

}  // namespace amity::detail
