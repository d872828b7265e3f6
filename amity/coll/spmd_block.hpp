#pragma once

/// One function in several tasks of each process, which meet by their numbers: HPX's spmd_block.
///
///     void step(amity::lcos::spmd_block block, int rows) {
///       compute(block.this_image(), rows);
///       block.sync_all();
///     }
///     if (amity::rank_me() == 0) amity::lcos::define_spmd_block("step", 4, step, rows).get();
///
/// The tasks are *images*: with 4 in each process, rank 1 has the images 4 to 7. Each is a site of a communicator.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/coll/collectives.hpp"
#include "amity/coll/rpc_to_all.hpp"
#include "amity/future/async.hpp"
#include "amity/future/wait.hpp"

namespace amity::lcos {

/// What an image knows of its block. Of one image; copies mean the same.
class spmd_block {
 public:
  /// For define_spmd_block.
  spmd_block(std::string name, std::size_t in_each, std::size_t images, std::size_t mine)
      : name_(std::move(name)), in_each_(in_each), images_(images), mine_(mine), all_(sites(name_, images, mine)) {}

  /// How many images each process has.
  [[nodiscard]] std::size_t get_images_per_locality() const noexcept { return in_each_; }
  /// How many there are.
  [[nodiscard]] std::size_t get_num_images() const noexcept { return images_; }
  /// This one's number, from 0 on.
  [[nodiscard]] std::size_t this_image() const noexcept { return mine_; }

  /// Waits until all images have called it as often. Blocks the fiber. Throws collective_error.
  void sync_all() const { collectives::barrier(all_).get(); }
  /// The same as a future. Does not wait. `how`: launch::async.
  [[nodiscard]] future<void> sync_all(launch how) const {
    static_cast<void>(how);
    return collectives::barrier(all_);
  }
  /// Waits until the images of this list have called it as often with the same list. An image that is not in it does
  /// not wait. Blocks the fiber. Throws std::out_of_range if there is no such image, and collective_error.
  template <class Iterator>
  requires(!std::is_integral_v<Iterator>) void sync_images(Iterator first, Iterator last) const {
    std::vector<std::size_t> list(first, last);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (!list.empty() && list.back() >= images_)
      throw std::out_of_range("spmd_block::sync_images: image " + std::to_string(list.back()) + "; there are 0 to " +
                              std::to_string(images_ - 1));
    auto const at = std::find(list.begin(), list.end(), mine_);
    if (at == list.end()) return;
    std::string name = name_ + " images";
    for (std::size_t const i : list) name += ' ' + std::to_string(i);
    collectives::barrier(sites(name, list.size(), static_cast<std::size_t>(at - list.begin()))).get();
  }
  /// The same.
  void sync_images(const std::vector<std::size_t>& list) const { sync_images(list.begin(), list.end()); }
  /// The same.
  template <class... Number>
  requires(std::is_integral_v<Number>&&...) void sync_images(Number... images) const {
    std::initializer_list<std::size_t> const list = {static_cast<std::size_t>(images)...};
    sync_images(list.begin(), list.end());
  }

 private:
  static collectives::communicator sites(const std::string& name, std::size_t n, std::size_t mine) {
    return collectives::create_communicator(name.c_str(), collectives::num_sites_arg(static_cast<std::int64_t>(n)),
                                            collectives::this_site_arg(static_cast<std::int64_t>(mine)));
  }

  std::string name_;
  std::size_t in_each_, images_, mine_;
  collectives::communicator all_;
};

/// Runs `f(block, args...)` in `in_each` tasks of every process of the job; the future is ready when all are over, and
/// fails as that of lcos::broadcast. Called by one process. Two blocks at a time have different names. Function and
/// arguments are those of rpc. Does not wait.
template <class F, class... Args>
[[nodiscard]] future<void> define_spmd_block(const std::string& name, std::size_t in_each, const F& f,
                                             const Args&... args) {
  std::vector<int> ranks(static_cast<std::size_t>(rank_n()));
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int>(i);
  return broadcast(
      ranks,
      [](std::string its_name, std::size_t images_here, pgas::detail::traveller<std::decay_t<F>> its,
         pgas::detail::traveller<std::decay_t<Args>>... each) {
        auto const ranks_of_job = static_cast<std::size_t>(rank_n());
        std::vector<future<void>> all;
        for (std::size_t k = 0; k < images_here; ++k)
          all.push_back(async([&, k] {
            its(spmd_block(its_name, images_here, images_here * ranks_of_job,
                           static_cast<std::size_t>(rank_me()) * images_here + k),
                each...);
          }));
        wait_all(all);
      },
      name, in_each, f, args...);
}

}  // namespace amity::lcos
