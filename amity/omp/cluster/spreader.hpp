#pragma once

#include <cstdint>

/// The way to whoever spreads teams over processes: a library that this one does not know.

namespace amity::omp {
struct region_work;
struct team;
struct thread;
enum class cancel_kind : std::uint8_t;
}  // namespace amity::omp

namespace amity::omp::cluster {

/// What it does when `rt` asks (hooks/cluster.hpp has the meanings). None may be null.
struct spreader {
  team* (*team_for)(thread& t, int threads, const region_work& work) noexcept;
  void (*has_begun)(team& tm) noexcept;
  void (*all_are_here)(team& tm) noexcept;
  void (*cancels)(team& tm, cancel_kind what, std::uint32_t round, std::uint64_t loop) noexcept;
  void (*all_are_through)(team& tm) noexcept;
  void (*part_is_over)(team& tm) noexcept;
};

/// From here on `s` is asked, for as long as the process lives. To be called before any OpenMP construct runs, at most
/// once; a second call changes who is asked, which a test may want.
void spread_teams_by(const spreader& s) noexcept;

}  // namespace amity::omp::cluster
