#pragma once

/// Whether regions are worth spreading over processes. Where threads write to the same pages, a region may take longer
/// on two nodes than on one, by far. So process 0 tries both, and keeps to what is faster.
///
///     judge j;
///     j.spreads(function, nanoseconds(), waited)     // before each region
///
/// Time goes in *windows* of some dozens of regions. While threads wait for pages most of the time, one window is run
/// in process 0 alone, and is compared with how long the same functions took before, spread. The winner is kept, for
/// longer and longer, before the other is tried again. README.md has the rules (J1 to J5).
///
/// By the thread that forks. No effects, no clock of its own.

#include <cstddef>
#include <cstdint>

namespace amity::omp::cluster {

class judge {
 public:
  /// A region of `function` begins at `now` (nanoseconds). `waited`: how long threads have waited for memory so far, in
  /// each process, on the average. Whether it is to be spread.
  [[nodiscard]] bool spreads(const void* function, std::int64_t now, std::uint64_t waited) noexcept;

  static constexpr std::int64_t least_window = 20'000'000;  ///< nanoseconds
  static constexpr int least_regions = 32;

 private:
  enum way : std::uint8_t { spread, here, ways };

  struct known {
    const void* function = nullptr;
    float mean[ways] = {};  ///< nanoseconds from its begin to the next region's; 0: not known
  };
  static constexpr std::size_t known_room = 1024;

  [[nodiscard]] known& of(const void* function) noexcept;
  void end_step(std::int64_t now) noexcept;
  void begin_window(way w, bool tries, std::int64_t now, std::uint64_t waited) noexcept;
  void end_window(std::int64_t now, std::uint64_t waited) noexcept;

  known known_[known_room];
  const void* last_ = nullptr;
  std::int64_t last_began_ = 0;

  way way_ = spread;
  bool tries_ = false;  // the other way was the better one up to now
  int patience_ = 32;   // windows before the other way is tried next time
  int until_try_ = 1;
  struct {
    std::int64_t began = 0;
    std::uint64_t waited = 0;
    int regions = 0;
    double took = 0, other_way = 0;  // of the regions that are known both ways: nanoseconds
  } window_;
};

}  // namespace amity::omp::cluster
