#pragma once

/// Leagues of teams on the host. A team's region runs on an initial thread of its own: at level 0, with ICVs and a
/// contention group of its own.
///
/// Teams run side by side as far as there are carriers for them. The thread that meets the construct forks as many
/// leaders (fork_league); each enters a root of its own as for a target region, and runs one team after another there.
/// A league inside of a target region of gcc's is looped over by the compiler's code on one thread, one team after
/// another.

namespace amity::omp {

struct thread;

/// How many teams num_teams(least : most) makes: as many as can run side by side, within these limits.
[[nodiscard]] int choose_teams(thread& t, int least, int most) noexcept;

/// Runs `run(context)` for each of `teams` teams, of which there is at least one; they start with the ICVs of the
/// encountering task. `thread_limit` 0: as these say.
void run_league(int teams, int thread_limit, void (*run)(void*), void* context) noexcept;

/// For compilers that loop over the league themselves: begins it, and goes on to the next team; false after the last
/// one.
void begin_league(thread& initial, int teams, int thread_limit) noexcept;
[[nodiscard]] bool next_team(thread& initial) noexcept;

}  // namespace amity::omp
