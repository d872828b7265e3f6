// What a teams construct without clauses gets: omp_set_*'s value, or the environment's. 0: nobody said.
#pragma once

namespace amity::omp {

[[nodiscard]] int default_num_teams() noexcept;
[[nodiscard]] int default_teams_thread_limit() noexcept;

}  // namespace amity::omp
