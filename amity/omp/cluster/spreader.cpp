#include "amity/omp/cluster/spreader.hpp"

#include <atomic>

#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/cold.hpp"

namespace amity::omp::cluster {
namespace {

// Release when it is set, acquire where it is read: what the spreader needs is there before it is asked.
std::atomic<const spreader*> asked{nullptr};

}  // namespace

void spread_teams_by(const spreader& s) noexcept {
  asked.store(&s, std::memory_order_release);
  cold::word.bits.fetch_or(cold::distributed, std::memory_order_relaxed);
}

team* team_for(thread& t, int threads, const region_work& work) noexcept {
  const spreader* const s = asked.load(std::memory_order_acquire);
  return s == nullptr ? nullptr : s->team_for(t, threads, work);
}

void has_begun(team& tm) noexcept {
  if (const spreader* const s = asked.load(std::memory_order_acquire); s != nullptr) s->has_begun(tm);
}

void all_are_here(team& tm) noexcept {
  if (const spreader* const s = asked.load(std::memory_order_acquire); s != nullptr) s->all_are_here(tm);
}

void cancels(team& tm, cancel_kind what, std::uint32_t round, std::uint64_t loop) noexcept {
  if (const spreader* const s = asked.load(std::memory_order_acquire); s != nullptr) s->cancels(tm, what, round, loop);
}

void all_are_through(team& tm) noexcept {
  if (const spreader* const s = asked.load(std::memory_order_acquire); s != nullptr) s->all_are_through(tm);
}

void part_is_over(team& tm) noexcept {
  if (const spreader* const s = asked.load(std::memory_order_acquire); s != nullptr) s->part_is_over(tm);
}

}  // namespace amity::omp::cluster
