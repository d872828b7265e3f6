// What the programs of this folder have in common: which messages they measure.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "messages/ranks.hpp"

namespace messages {

inline constexpr int window = 64;       // messages on their way at once
inline constexpr int small_bytes = 40;  // of a small one: as many as a call without arguments takes
inline constexpr std::size_t most_bytes = std::size_t{1} << 20;
inline constexpr std::array<std::size_t, 3> round_trip_sizes = {1024, 32768, most_bytes};
inline constexpr std::array<std::size_t, 4> transfer_sizes = {8, 1024, 32768, most_bytes};
inline constexpr std::chrono::milliseconds idle_time{2};
inline constexpr int wakes_for_a_sample = 40;

[[nodiscard]] inline std::string sized(const char* what, std::size_t bytes) {
  return std::string(what) + "/" + std::to_string(bytes);
}

/// Two figures of one measurement: `wakes` gives rank 0 the microseconds of each wake, other ranks nothing.
using wakes_function = std::vector<double> (*)(ranks::job&, const ranks::settings&);
inline void add_wakes(std::vector<ranks::item>& all, wakes_function wakes) {
  auto const seen = std::make_shared<std::vector<double>>();
  auto const measured = std::make_shared<bool>(false);
  for (int const percent : {50, 99}) {
    auto const measure = [=](ranks::job& j, const ranks::settings& how) {
      if (!*measured) *seen = wakes(j, how);
      *measured = true;
      return ranks::figure{seen->empty() ? 0 : ranks::percentile(*seen, percent), 0, 1, 1};
    };
    all.push_back(ranks::measured("wake_p" + std::to_string(percent), "", measure));
  }
}

}  // namespace messages
