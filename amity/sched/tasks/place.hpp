#pragma once

/// The parts of the machine, as a tree: the machine, its sockets, NUMA domains, last-level caches and cores. Tasks can
/// be sent to any of them, and then run on one of its CPUs.
///
///     for (amity::place socket : amity::place::all(amity::place_kind::socket))
///       amity::post(amity::at(socket), [] { ... });                 // async_at(socket, f): with a future
///     amity::place near = amity::place::here();                     // the core; near.parent(), near.children()
///
/// If a task at a place makes another one without naming a place, that goes to the same place. The workers that run
/// such tasks are each bound to a core (or to several, where AMITY_THREADS has fewer workers than there are cores), and
/// take what is nearest first: what is for their core, then for the cache, and so on. hwloc says how the machine is
/// built; without it there is the machine with its CPUs. Only the CPUs that the process may use are there.

#include <cstdint>
#include <span>
#include <vector>

#include "amity/base/config.hpp"
#include "amity/sched/tasks/policy.hpp"

namespace amity {

/// What a place is; a machine has all kinds, or some of them only.
enum class place_kind : std::uint8_t { machine, socket, numa_domain, cache, core };

namespace sched {
/// Never freed or changed.
struct place_node {
  place_kind kind = place_kind::machine;
  int index = 0;   ///< among all
  int number = 0;  ///< among those of its kind
  const place_node* parent = nullptr;
  const place_node* first_child = nullptr;
  const place_node* next_sibling = nullptr;
  const place_node* next = nullptr;  ///< all, each after its parent
  std::span<const int> cpus;
};
/// The machine; all others follow by `next`. Reads the topology at the first call.
[[nodiscard]] AMITY_API const place_node* first_place() noexcept;
/// The smallest in which the caller runs.
[[nodiscard]] AMITY_API const place_node* place_of_caller() noexcept;
}  // namespace sched

/// A node of the tree. Copies are the same place; it is cheap to copy, and valid for as long as the process lives.
class place {
 public:
  /// The root. The first call reads the topology, which may take milliseconds.
  [[nodiscard]] static place machine() noexcept { return place(sched::first_place()); }
  /// Where the caller runs now: its core. Unless it is a task at a place, the system may move it.
  [[nodiscard]] static place here() noexcept { return place(sched::place_of_caller()); }
  /// Those of one kind, in the order of the system's numbers; empty: this machine has none, or they are not known.
  [[nodiscard]] static std::vector<place> all(place_kind kind) {
    std::vector<place> found;
    for (const sched::place_node* n = sched::first_place(); n != nullptr; n = n->next)
      if (n->kind == kind) found.push_back(place(n));
    return found;
  }

  /// What it is.
  [[nodiscard]] place_kind kind() const noexcept { return node_->kind; }
  /// 0, 1, ... among all places.
  [[nodiscard]] int index() const noexcept { return node_->index; }
  /// 0, 1, ... among those of its kind.
  [[nodiscard]] int number() const noexcept { return node_->number; }
  /// The machine's is itself.
  [[nodiscard]] place parent() const noexcept { return place(node_->parent != nullptr ? node_->parent : node_); }
  /// The parts that it has; none, if it is a core.
  [[nodiscard]] std::vector<place> children() const {
    std::vector<place> found;
    for (const sched::place_node* n = node_->first_child; n != nullptr; n = n->next_sibling) found.push_back(place(n));
    return found;
  }
  /// The cores in it; itself, if it is one.
  [[nodiscard]] std::vector<place> cores() const {
    std::vector<place> found;
    for (place core : all(place_kind::core))
      if (contains(core)) found.push_back(core);
    return found;
  }
  /// As the system numbers them, in ascending order.
  [[nodiscard]] std::span<const int> cpus() const noexcept { return node_->cpus; }
  /// Whether `other` is a part of it, or itself.
  [[nodiscard]] bool contains(place other) const noexcept {
    for (const sched::place_node* n = other.node_; n != nullptr; n = n->parent)
      if (n == node_) return true;
    return false;
  }
  /// Whether they are the same place.
  [[nodiscard]] friend bool operator==(place a, place b) noexcept { return a.node_ == b.node_; }

 private:
  explicit place(const sched::place_node* n) noexcept : node_(n) {}
  const sched::place_node* node_;
};

/// async(at(p), f), post(at(p), f): by a worker of that place.
[[nodiscard]] inline scheduling at(place p) noexcept {
  scheduling how;
  how.place = p.index();
  return how;
}

}  // namespace amity
