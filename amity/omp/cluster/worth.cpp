#include "amity/omp/cluster/worth.hpp"

#include <algorithm>

namespace amity::omp::cluster {
namespace {

// A way has to be so much better to take the other's place.
constexpr double clearly = 0.75;
// Pages that a window's first regions find elsewhere are of the way before.
constexpr int settling = 12;
constexpr int first_patience = 32, most_patience = 2048;  // windows
constexpr float of_the_new_one = 0.25F;

}  // namespace

judge::known& judge::of(const void* function) noexcept {
  std::size_t at = (reinterpret_cast<std::uintptr_t>(function) * 0x9E3779B97F4A7C15u) >> 54;
  for (std::size_t tried = 0; tried < 8; ++tried) {
    known& k = known_[(at + tried) % known_room];
    if (k.function == function) return k;
    if (k.function != nullptr) continue;
    k.function = function;
    return k;
  }
  known& k = known_[at % known_room];  // one of many: what is known of it is learnt anew
  k = {.function = function};
  return k;
}

void judge::end_step(std::int64_t now) noexcept {
  if (last_ == nullptr || window_.regions <= settling) return;
  auto const took = static_cast<float>(now - last_began_);
  known& k = of(last_);
  if (float const other = k.mean[1 - way_]; other > 0) {
    window_.took += took;
    window_.other_way += other;
  }
  float& mean = k.mean[way_];
  mean = mean == 0 ? took : mean + (took - mean) * of_the_new_one;
}

void judge::begin_window(way w, bool tries, std::int64_t now, std::uint64_t waited) noexcept {
  bool const changes = w != way_;
  way_ = w;
  tries_ = tries;
  window_ = {.began = now, .waited = waited, .regions = changes ? 0 : settling};
}

void judge::end_window(std::int64_t now, std::uint64_t waited) noexcept {
  if (tries_) {
    bool const is_better = window_.other_way > 0 && window_.took < clearly * window_.other_way;
    patience_ = is_better ? first_patience : std::min(2 * patience_, most_patience);
    until_try_ = patience_;
    return begin_window(is_better ? way_ : static_cast<way>(1 - way_), false, now, waited);
  }
  auto const in_window = static_cast<std::int64_t>(waited - window_.waited);
  bool const may_be_worth_it = way_ == here || in_window > (now - window_.began) / 4;
  if (until_try_ > 0) --until_try_;
  if (until_try_ == 0 && may_be_worth_it) return begin_window(static_cast<way>(1 - way_), true, now, waited);
  begin_window(way_, false, now, waited);
}

bool judge::spreads(const void* function, std::int64_t now, std::uint64_t waited) noexcept {
  end_step(now);
  bool const is_long_enough = now - window_.began >= least_window && window_.regions >= least_regions + settling;
  if (window_.began == 0)
    begin_window(way_, false, now, waited);
  else if (is_long_enough)
    end_window(now, waited);
  ++window_.regions;
  last_ = function;
  last_began_ = now;
  return way_ == spread;
}

}  // namespace amity::omp::cluster
