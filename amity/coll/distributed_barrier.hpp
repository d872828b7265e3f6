#pragma once

/// HPX's barrier and latch over processes, as objects.
///
///     amity::distributed::barrier step("step");                     // all processes
///     step.wait();
///
///     amity::distributed::latch done;
///     if (amity::rank_me() == 0) { done = amity::distributed::latch(n); done.register_as("done"); }
///     else done.connect_to("done");
///     done.arrive_and_wait();

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "amity/coll/collectives.hpp"
#include "amity/net/job.hpp"
#include "amity/pgas/object.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/this_task.hpp"

namespace amity::distributed {

/// A barrier of sites that have made one of the same name.
class barrier {
 public:
  /// Of all processes.
  explicit barrier(const std::string& name) : sites_(collectives::create_communicator(name.c_str())) {}
  /// Of `num` sites; this one has the rank of its process. Throws as create_communicator.
  barrier(const std::string& name, std::size_t num)
      : sites_(collectives::create_communicator(name.c_str(), collectives::num_sites_arg(number(num)))) {}
  /// Of `num` sites, of which this one is number `site`.
  barrier(const std::string& name, std::size_t num, std::size_t site)
      : sites_(collectives::create_communicator(name.c_str(), collectives::num_sites_arg(number(num)),
                                                collectives::this_site_arg(number(site)))) {}
  /// Of the processes that `ranks` lists; `rank` is the caller's. Throws std::invalid_argument if the list lacks it.
  barrier(const std::string& name, const std::vector<std::size_t>& ranks, std::size_t rank)
      : barrier(name, ranks.size(), place_in(ranks, rank)) {}

  /// Waits until all sites have called it as often. Blocks the fiber. Throws collective_error.
  void wait() const { collectives::barrier(sites_).get(); }
  /// The same as a future. Does not wait. `how`: launch::async.
  [[nodiscard]] future<void> wait(launch how) const {
    static_cast<void>(how);
    return collectives::barrier(sites_);
  }
  /// Waits until all processes have called it. Blocks the fiber.
  static void synchronize() { collectives::barrier(collectives::world()).get(); }

 private:
  static std::int64_t number(std::size_t n) noexcept { return static_cast<std::int64_t>(n); }
  static std::size_t place_in(const std::vector<std::size_t>& ranks, std::size_t rank) {
    auto const at = std::find(ranks.begin(), ranks.end(), rank);
    if (at == ranks.end())
      throw std::invalid_argument("a barrier of some processes, made by process " + std::to_string(rank) +
                                  ", which is none of them");
    return static_cast<std::size_t>(at - ranks.begin());
  }
  collectives::communicator sites_;
};

/// A latch of one process that others use by its name. A handle: copies mean the same latch, and may travel as
/// arguments of calls.
class latch {
 public:
  /// Of nothing: connect_to makes it one.
  latch() = default;
  /// A new one in this process, which waits for `count` arrivals. Blocks the fiber.
  explicit latch(std::ptrdiff_t count) : of_(new_<sync::latch>(rank_me(), count).get()) {}

  /// Makes it known by a name in all processes. Blocks the fiber. Throws std::invalid_argument if the name is taken.
  void register_as(const std::string& name) { register_object(name, of_); }
  /// The latch of that name, once there is one: waits for that, and blocks the fiber.
  void connect_to(const std::string& name) {
    constexpr auto longest = std::chrono::milliseconds(10);
    for (auto pause = std::chrono::microseconds(50);; pause = std::min<std::chrono::microseconds>(2 * pause, longest)) {
      of_ = find_object<sync::latch>(name);
      if (of_.valid()) return;
      this_task::sleep_for(pause);
    }
  }

  /// Counts `n` arrivals. Blocks the fiber until the latch's process has answered.
  void count_down(std::ptrdiff_t n) { count_down_async(n).get(); }
  /// Counts one, and waits for all others. Blocks the fiber.
  void arrive_and_wait() { count_down_and_wait_async().get(); }
  /// The same.
  void count_down_and_wait() { arrive_and_wait(); }
  /// Waits until all have arrived. Blocks the fiber.
  void wait() const { wait_async().get(); }
  /// All have arrived. Blocks the fiber until the latch's process has answered.
  [[nodiscard]] bool is_ready() const { return is_ready_async().get(); }
  /// The same.
  [[nodiscard]] bool try_wait() const { return is_ready(); }

  /// count_down as a future, which fails with lost_rank. Does not wait.
  [[nodiscard]] future<void> count_down_async(std::ptrdiff_t n) {
    return of_.call([](sync::latch& l, std::ptrdiff_t by) { l.count_down(by); }, n);
  }
  /// arrive_and_wait as a future, which fails with lost_rank. Does not wait.
  [[nodiscard]] future<void> count_down_and_wait_async() {
    return of_.call([](sync::latch& l) { l.arrive_and_wait(); });
  }
  /// is_ready as a future, which fails with lost_rank. Does not wait.
  [[nodiscard]] future<bool> is_ready_async() const {
    return of_.call([](sync::latch& l) { return l.try_wait(); });
  }
  /// wait as a future, which fails with lost_rank. Does not wait.
  [[nodiscard]] future<void> wait_async() const {
    return of_.call([](sync::latch& l) { l.wait(); });
  }

  /// For calls, whose argument or result it may be.
  void save(out_archive& ar) const { of_.save(ar); }
  /// For calls.
  void load(in_archive& ar) { of_.load(ar); }

 private:
  object_ref<sync::latch> of_;
};

}  // namespace amity::distributed
