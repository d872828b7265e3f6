#pragma once

/// A communicator: the sites of collective operations, their numbers, and the tree that they make.
///
///     namespace co = amity::collectives;
///     auto all = co::world();                                                    // every process, flat
///     auto c = co::create_hierarchical_communicator("name", co::num_sites_arg(n), co::this_site_arg(me),
///                                                   co::arity_arg(4), co::root_site_arg(2));
///
/// A **site** takes part in the operations of a communicator; sites are numbered from 0. Unless it is said otherwise,
/// each process is the site of its rank. Sites may be of any process, several of one too; they find one another by the
/// name.
///
/// All sites call the same operations in the same order. Several may be in flight. A name may be used again: each use
/// of it is a communicator of its own, and sites that come late join the use that is theirs by count.

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/base/config.hpp"
#include "amity/coll/placement.hpp"
#include "amity/coll/tree.hpp"
#include "amity/future/future.hpp"
#include "amity/net/job.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::collectives {

namespace detail {

class line_site;

/// A number that says what it is.
template <class Tag>
struct named_number {
  static constexpr std::int64_t unset = std::numeric_limits<std::int64_t>::min();
  std::int64_t value = unset;
  constexpr named_number() noexcept = default;
  constexpr explicit named_number(std::int64_t v) noexcept : value(v) {}
  [[nodiscard]] constexpr bool is_set() const noexcept { return value != unset; }
};

}  // namespace detail

/// How many sites take part: 1 to 1000000; default: as many as there are processes.
struct num_sites_arg : detail::named_number<num_sites_arg> {
  using named_number::named_number;
};
/// Which site the caller is: 0 to the number of sites - 1; default: the caller's rank. An operation may be given it,
/// too; then it must be that of the communicator.
struct this_site_arg : detail::named_number<this_site_arg> {
  using named_number::named_number;
};
/// HPX's name for the root of an operation, seen from another site: the same as root_site_arg.
struct that_site_arg : detail::named_number<that_site_arg> {
  using named_number::named_number;
};
/// Which site is the root: the one that gives (broadcast, scatter) or gets (reduce, gather); default: 0. An operation
/// that is given none takes that of its communicator.
struct root_site_arg : detail::named_number<root_site_arg> {
  using named_number::named_number;
};
/// Into how many parts each level of the tree is divided: 2 to 1000000; default: the table of algorithms says it.
struct arity_arg : detail::named_number<arity_arg> {
  using named_number::named_number;
};
/// Up to how many sites create_hierarchical_communicator makes no tree; 0, the default: it always makes one. HPX's
/// name.
struct flat_fallback_threshold_arg : detail::named_number<flat_fallback_threshold_arg> {
  using named_number::named_number;
};
/// Which operation of the communicator it is, or which use of its name, counted from 1 on; default: the next. For
/// programs of HPX's that count for themselves.
struct generation_arg : detail::named_number<generation_arg> {
  using named_number::named_number;
};
/// HPX's number for telling messages apart. No operation takes it.
struct tag_arg : detail::named_number<tag_arg> {
  using named_number::named_number;
};

/// A site's handle of a communicator. Copies mean the same one, which lives as long as one of them or an operation of
/// it. What is asked of one that was made by default throws std::invalid_argument. None of its members waits.
class communicator {
 public:
  /// Of no sites: not valid().
  communicator() noexcept = default;

  /// How many sites take part.
  [[nodiscard]] int num_sites() const { return checked().sites; }
  /// Which site this handle is of: 0 to num_sites() - 1.
  [[nodiscard]] int this_site() const { return checked().site; }
  /// The root of operations that are given none.
  [[nodiscard]] int root_site() const { return checked().root; }
  /// This site is root_site().
  [[nodiscard]] bool is_root() const { return checked().site == checked().root; }
  /// Number of sites and own site at once. HPX's name.
  [[nodiscard]] std::pair<num_sites_arg, this_site_arg> get_info() const {
    return {num_sites_arg(num_sites()), this_site_arg(this_site())};
  }
  /// The arity that it was created with; 0: none was given.
  [[nodiscard]] int arity() const { return checked().arity; }
  /// It has sites.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

  // --- for the operations

  /// What the handles of one site share.
  struct state {
    std::uint64_t id = 0;  ///< the same at all sites; known when `ranks` are
    int sites = 1, site = 0, root = 0, arity = 0;
    bool is_world = false;  ///< the one that world() gives
    std::string name;
    std::atomic<std::uint64_t> operations{0};
    std::atomic<std::uint64_t> splits{0};
    /// The process of each site, when all have met; not valid: site i is rank i. No ranks: they could not meet.
    shared_future<std::vector<int>> ranks;
    std::string why_not_met;
    int home = 0;  ///< where they meet, and as what this site is known there (meeting.hpp)
    std::uint64_t token = 0;
    bool is_local = false;
    std::atomic<bool> has_met{false};
    /// For small operations within a node; null: there are none. Its messages
    /// may outlive the handle.
    std::unique_ptr<detail::line_site> lines;
    /// The nodes of the sites; made by the first operation that asks
    /// (nodes_of_sites).
    mutable std::atomic<const placement*> nodes{nullptr};

    AMITY_API state() noexcept;
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    AMITY_API ~state();
    /// Requires: ranks.valid(). Waits until the sites have met; blocks the fiber.
    [[nodiscard]] const std::vector<int>& all_ranks() const { return ranks.is_ready() ? ranks.get() : wait_for_all(); }
    [[nodiscard]] AMITY_API const std::vector<int>& wait_for_all() const;
    /// The same.
    [[nodiscard]] std::uint64_t met_id() const {
      if (ranks.valid() && ranks.get().empty()) throw std::runtime_error("communicator '" + name + "': " + why_not_met);
      return id;
    }
  };
  /// For code that builds on it: a handle of `s`.
  explicit communicator(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}
  /// For code that builds on it. Throws std::invalid_argument if it is not valid().
  [[nodiscard]] state& checked() const {
    if (state_ == nullptr) throw std::invalid_argument("an operation of a communicator that was not created");
    return *state_;
  }

 private:
  std::shared_ptr<state> state_;
};

/// HPX's name for one that is a tree.
using hierarchical_communicator = communicator;

namespace detail {

struct wishes {
  num_sites_arg sites;
  this_site_arg site;
  root_site_arg root;
  arity_arg arity;
  generation_arg generation;
  flat_fallback_threshold_arg flat_up_to;
  bool local = false;  ///< all sites are of this process
};
inline void note(wishes& w, num_sites_arg a) { w.sites = a; }
inline void note(wishes& w, this_site_arg a) { w.site = a; }
inline void note(wishes& w, root_site_arg a) { w.root = a; }
inline void note(wishes& w, arity_arg a) { w.arity = a; }
inline void note(wishes& w, generation_arg a) { w.generation = a; }
inline void note(wishes& w, flat_fallback_threshold_arg a) { w.flat_up_to = a; }

/// Meets the other sites where that is needed. `problem`: what is wrong with the wishes.
[[nodiscard]] AMITY_API std::shared_ptr<communicator::state> create(const char* name, const wishes& w,
                                                                    std::string& problem);

/// Of sites whose processes are known already; `id` is the same at all of them.
[[nodiscard]] AMITY_API communicator of_known(std::string name, std::uint64_t id, int site, std::vector<int> ranks);
/// One number for a text and a count (Fowler, Noll, Vo).
[[nodiscard]] AMITY_API std::uint64_t hash_of(const std::string& text, std::uint64_t count) noexcept;

/// Which sites are on one node. `ranks`: the process of each site; null: site i is rank i.
[[nodiscard]] AMITY_API const placement& nodes_of_sites(const communicator::state& s, const std::vector<int>* ranks);

/// All processes of the job.
[[nodiscard]] AMITY_API communicator of_all_processes();

/// Each argument is given once.
template <class... Args>
inline constexpr bool are_different = true;
template <class First, class... Others>
inline constexpr bool are_different<First, Others...> =
    (!std::is_same_v<First, Others> && ...) && are_different<Others...>;

[[nodiscard]] inline std::int64_t sites_of(const wishes& w) {
  return w.sites.is_set() ? w.sites.value : net::detail::joined_job().size;
}

[[nodiscard]] inline communicator created(const char* name, const wishes& w) {
  static_cast<void>(net::detail::joined_job());
  std::string problem;
  std::shared_ptr<communicator::state> s = create(name, w, problem);
  if (s == nullptr) throw std::invalid_argument("a communicator named '" + std::string(name) + "': " + problem);
  return communicator(std::move(s));
}

template <class... Args>
[[nodiscard]] communicator create_with(const char* name, bool local, Args... args) {
  static_assert(are_different<Args...>, "an argument of a communicator is given twice");
  wishes w;
  w.local = local;
  (note(w, args), ...);
  return created(name, w);
}

}  // namespace detail

/// This site's handle of the communicator named `name`, whose sites are of any processes. The arguments are
/// num_sites_arg, this_site_arg, root_site_arg, arity_arg and generation_arg, each at most once and in any order. Every
/// site creates it with the same name. Does not wait for the others: the first operation does, within its future.
/// Throws std::invalid_argument for a number that is not allowed; the operations of the sites that wait for this one
/// fail then. Sites that say different numbers of sites can't meet: their operations throw collective_error, by their
/// futures.
template <class... Args>
communicator create_communicator(const char* name, Args... args) {
  return detail::create_with(name, false, args...);
}

/// The same, and operations go along a tree: sites are divided into as many parts as the arity says (default: 2), again
/// and again. For example, 16 sites with arity 4 are led by 0, 4, 8 and 12. HPX's name.
template <class... Args>
communicator create_hierarchical_communicator(const char* name, Args... args) {
  static_assert(detail::are_different<Args...>, "an argument of a communicator is given twice");
  detail::wishes w;
  w.arity = arity_arg(2);
  (detail::note(w, args), ...);
  if (w.flat_up_to.is_set() && detail::sites_of(w) <= w.flat_up_to.value) w.arity = arity_arg();
  return detail::created(name, w);
}

/// The same of sites that are all in this process, such as tasks: they meet without messages. Other processes may use
/// the name for communicators of their own. Say num_sites_arg and this_site_arg. HPX's name.
template <class... Args>
communicator create_local_communicator(const char* name, Args... args) {
  return detail::create_with(name, true, args...);
}

/// The communicator of all processes, each the site of its rank; the same one at each call. Joins the job.
[[nodiscard]] inline communicator world() {
  static_cast<void>(net::detail::joined_job());
  static const communicator all = detail::of_all_processes();
  return all;
}
/// The same as world(): HPX's name.
[[nodiscard]] inline communicator get_world_communicator() { return world(); }

}  // namespace amity::collectives
