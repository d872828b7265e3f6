// What a teams construct without clauses gets: omp_set_*'s value, or the environment's. 0: nobody said.
#pragma once

#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"

namespace amity::omp {

[[nodiscard]] int default_num_teams() noexcept;
[[nodiscard]] int default_teams_thread_limit() noexcept;

// The initial thread at the root of the teams around `t`: it runs the league, if there is one.
[[nodiscard]] inline const thread& root_of(const thread& t) noexcept {
  const thread* up = &t;
  while (up->team->leader_outside != nullptr) up = up->team->leader_outside;
  return *up;
}

}  // namespace amity::omp
