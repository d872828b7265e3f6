#pragma once

/// How one worker takes tasks of another: how many at a time, which it lets lie, and when it stops looking for a while.
/// README.md has the reasons. Who is asked, and when, is the engine's.

#include <cstdint>

#include "amity/sched/tasks/task.hpp"

namespace amity::sched {

struct search_result {
  task* found = nullptr;
  worker* hiding = nullptr;  ///< one who keeps all that he has to himself
};

/// A way in which `w` takes from `v`. True: r.found is to be run by `w`, with run_stolen.
using theft = bool(worker& w, worker& v, search_result& r) noexcept;

/// Whatever is public there, as many as thefts by `w` have been found to be worth.
theft steal_from;
/// The same, but a lone task only if it has lain there for a few looks.
theft steal_what_stays;
/// After it has made public what is hidden. Null: others were faster.
[[nodiscard]] task* raid(worker& w, worker& v) noexcept;
/// Of what was put aside where it was made, the first. Null: nothing.
[[nodiscard]] task* take_aside(worker& v) noexcept;

void run_stolen(worker& w, task& t) noexcept;
/// What the last theft brought, with all the tasks that those made, is done at `now`: should the next one bring more?
void weigh_theft(worker& w, std::uint64_t now) noexcept;

}  // namespace amity::sched
