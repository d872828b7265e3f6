#pragma once

/// The lines of a communicator at a site of this job: where the boards are, how a site waits, and which sites are on
/// its node. README-lines.md.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "amity/base/config.hpp"
#include "amity/coll/choice.hpp"
#include "amity/coll/communicator.hpp"
#include "amity/coll/fast_runs.hpp"
#include "amity/coll/intention.hpp"
#include "amity/coll/lines.hpp"
#include "amity/coll/mailbox.hpp"
#include "amity/coll/placement.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::collectives::detail {

/// How what sites give comes to the other nodes.
enum class flow : std::uint8_t {
  none,       ///< by lines it does not
  among_all,  ///< each node needs what all give
  from_root,
  to_root
};
[[nodiscard]] AMITY_API flow flow_of(kind k) noexcept;
/// What all give together whose values are needed, if each gives so many bytes.
[[nodiscard]] inline std::size_t all_bytes(flow f, int sites, std::size_t bytes) noexcept {
  return f == flow::from_root ? bytes : static_cast<std::size_t>(sites) * bytes;
}

class line_site {
 public:
  /// More sites of one node than that go by messages, and so do more in all.
  static constexpr int most_sites_of_a_node = 16, most_sites = 256;
  /// So do operations to which a site gives more, or, over several nodes, all together.
  static constexpr std::size_t most_bytes = 4096, most_between_nodes = 16384;

  /// An operation to which a site gives so many bytes goes by lines, as far as the table of algorithms and its room
  /// tell. The same at all sites.
  [[nodiscard]] AMITY_API bool is_for(kind k, std::size_t bytes) const noexcept;
  /// Operation `o` of all processes of the job, with so many bytes as the table counts them, can go by lines.
  [[nodiscard]] AMITY_API static bool is_at_hand(tuning::operation o, std::size_t bytes) noexcept;

  /// Null: the communicator's operations can't go by lines, at none of its sites.
  [[nodiscard]] AMITY_API static line_site* make(communicator::state& of);
  line_site(communicator::state& of);
  line_site(const line_site&) = delete;
  line_site& operator=(const line_site&) = delete;

  [[nodiscard]] std::uint64_t count() noexcept { return lines_.count(); }
  void start(turn& t) noexcept { lines_.start(t); }
  void give(turn& t) noexcept { lines_.give(t); }
  void pass(std::uint64_t operation) noexcept {
    lines_.pass(operation);
    wake_own();
  }

  /// Lines can be used at once.
  [[nodiscard]] bool is_ready() const noexcept { return state_.load(std::memory_order_acquire) == usable; }
  /// Opens the board, once the sites have met. False: no two of them are on one node, or too many are. Blocks the
  /// fiber. Throws bad_shared_alloc.
  [[nodiscard]] AMITY_API bool prepare();

  // --- once it is prepared
  /// The nodes of the sites; null: they are all on one.
  [[nodiscard]] const placement* nodes() const noexcept { return nodes_; }
  /// An operation for which is_for holds does go by lines, wherever the sites are. The same at all sites.
  [[nodiscard]] bool goes_by_lines(kind k, std::size_t bytes) const noexcept {
    return nodes_ == nullptr ||
           (flow_of(k) != flow::none && all_bytes(flow_of(k), sites_, bytes) <= most_between_nodes);
  }
  /// The site that speaks for a node.
  [[nodiscard]] int leader_of(int node, const intention& what) const noexcept {
    bool const has_root = flow_of(what.what) != flow::among_all;
    return has_root && nodes_->node_of(what.root) == node ? what.root : nodes_->sites_of(node).front();
  }
  [[nodiscard]] int own_node() const noexcept { return nodes_->node_of(site_); }
  /// This site speaks for its node, of several.
  [[nodiscard]] bool leads(const intention& what) const noexcept {
    return nodes_ != nullptr && leader_of(own_node(), what) == site_;
  }
  /// What this site looks for, and when it gives. `within_one`: what it needs where all are on one node.
  AMITY_API void set_out(turn& t, needed within_one) const noexcept;
  /// Of `site` of this node: its number among them, as in turns.
  [[nodiscard]] int near_number_of(int site) const noexcept {
    return nodes_ == nullptr ? site
                             : static_cast<int>(std::lower_bound(near_.begin(), near_.end(), site) - near_.begin());
  }

  /// In the call itself, with what was started: as far as it gets in a moment. Requires: is_ready(). True: it is
  /// complete, and nothing else was heard of it.
  [[nodiscard]] AMITY_API bool tries(turn& t) noexcept;
  /// Until it is over. Blocks the fiber. `problem` as in receive_mail.
  AMITY_API void await(turn& t, failure& problem);

  [[nodiscard]] const lines& all() const noexcept { return lines_; }
  void end(const turn& t) noexcept {
    lines_.end(t);
    wake_own();
  }
  /// It went well without the mailbox.
  void note(const turn& t) noexcept {
    fast_runs::run before;
    if (fast_.add(t.operation, t.what, before)) [[unlikely]]
      keep_run(before);
  }

  // --- for messages
  void know(int site, board& its) noexcept;
  AMITY_API void wake_all() noexcept;

  /// The site's handle is gone; others may still read.
  AMITY_API static void leave(std::unique_ptr<line_site> its) noexcept;

 private:
  enum readiness : int { unknown, usable, useless };
  AMITY_API void keep_run(const fast_runs::run& r) noexcept;
  [[nodiscard]] int rank_of(int site) const noexcept {
    return ranks_.empty() ? site : ranks_[static_cast<std::size_t>(site)];
  }
  [[nodiscard]] int site_of(int near_number) const noexcept { return near_[static_cast<std::size_t>(near_number)]; }
  [[nodiscard]] bool are_on_one_node() const noexcept;
  /// Those here that wait until an earlier operation of their line is over. Relaxed: who waits is counted, and looks
  /// then, under the lock of `lines_`; who ends has had that lock before.
  void wake_own() noexcept {
    if (sleeping_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake_all();
  }
  void open();
  void waits_a_moment(turn& t) noexcept;

  communicator::state& of_;
  int const sites_, site_;
  std::uint64_t id_ = 0;
  std::vector<int> ranks_;
  const placement* nodes_ = nullptr;
  std::vector<int> near_;  ///< the sites of this node, in order
  lines lines_;
  fast_runs fast_;
  std::atomic<int> state_{unknown};
  std::atomic<unsigned> vain_{0};  ///< tries in a row that came to nothing; relaxed: a guess
  std::atomic<unsigned> spared_{0};
  sync::mutex preparing_;

  std::atomic<int> sleeping_{0};
  sys::spin_lock lock_;
  std::vector<sched::fiber*> sleepers_;
};

}  // namespace amity::collectives::detail
