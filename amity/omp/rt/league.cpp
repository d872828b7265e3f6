#include "amity/omp/rt/league.hpp"

#include <atomic>

#include "amity/omp/hooks/race.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/rt/placement.hpp"
#include "amity/omp/rt/task_run.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/omp/settings/settings.hpp"

namespace amity::omp {
namespace {

/// Bound threads: the teams of a league are distributed over the places as the threads of a region are
/// (KMP_TEAMS_PROC_BIND), and the thread that runs them goes from one to the next.
[[gnu::cold, gnu::noinline]] void move_team(thread& initial, thread_place to) noexcept {
  bool const moves = initial.bound != binding::none && initial.place.number != to.number;
  initial.place = to;
  if (moves) initial.bound = binding::due;
  settle(initial);
}

}  // namespace

void begin_league(thread& initial, int teams, int thread_limit) noexcept {
  if (initial.place.number >= 0) [[unlikely]] {
    initial.team->placed = {environment().teams_bind, initial.place};
    move_team(initial, distribute(initial.place, teams > 1 ? teams : 1, environment().teams_bind, 0));
  }
  if (thread_limit > 0) own_icvs(initial).thread_limit = thread_limit;
  initial.team->icv = icvs(initial);
  initial.league_size = teams > 1 ? teams : 1;
  initial.league_number = 0;
}

bool next_team(thread& initial) noexcept {
  complete_descendants(initial);
  if (++initial.league_number < initial.league_size) {
    own_icvs(initial) = initial.team->icv;  // what one team sets is nothing to the next
    if (team_placement const& league = initial.team->placed; league.leader.number >= 0) [[unlikely]]
      move_team(initial, distribute(league.leader, initial.league_size, league.policy, initial.league_number));
    return true;
  }
  if (initial.team->placed.leader.number >= 0) [[unlikely]] {
    move_team(initial, initial.team->placed.leader);
    initial.team->placed = {};
  }
  initial.league_size = 1;
  initial.league_number = 0;
  return false;
}

namespace {

/// What the leaders of a league share.
struct league {
  int teams;
  void (*run)(void*);
  void* context;
  icv_set icv;                              ///< what each team starts with
  bool shares_threads;                      ///< nobody said how many threads a team has
  ompt::parallel_record* traced = nullptr;  ///< for an OMPT tool
  /// Teams given out, besides the first one of each leader. Relaxed: a number that orders nothing.
  std::atomic<unsigned> given{0};
};

void run_team(thread& initial, const league& l) noexcept {
  if (cold::any()) [[unlikely]] {
    ompt::team_begins(initial, l.traced);
    l.run(l.context);
    complete_descendants(initial);
    race::descendants_end(initial);
    ompt::team_ends(initial);
    return;
  }
  l.run(l.context);
  complete_descendants(initial);
}

int share_of(int threads, int leaders) noexcept { return threads > leaders ? threads / leaders : 1; }

/// A leader's part. The first teams are dealt by number, so that each is on a thread of its own; the others go to
/// leaders that are free. Where threads are bound, each leader runs the teams that belong to its place.
void lead_teams(thread& t, const region_work& work) noexcept {
  league& l = *static_cast<league*>(work.data);
  int const leaders = t.team->here;
  icv_set icv = l.icv;
  if (l.shares_threads) icv.num_threads = share_of(icv.num_threads, leaders);
  thread& before = enter_device();
  thread& initial = *current_thread;
  initial.league_size = l.teams;
  auto const run = [&](int number) {
    initial.league_number = number;
    own_icvs(initial) = icv;  // what one team sets is nothing to the next
    run_team(initial, l);
  };
  if (t.place.number >= 0) [[unlikely]] {
    run_of_numbers const own =
        part_of(t.team->leader_outside->place, l.teams, leaders, environment().teams_bind, t.number);
    for (int i = 0; i < own.count; ++i) run(own.first + i);
  } else {
    auto const end = static_cast<unsigned>(l.teams);  // unsigned: a number beyond the last may be beyond all int
    for (auto number = static_cast<unsigned>(t.number); number < end;
         number = static_cast<unsigned>(leaders) + l.given.fetch_add(1, std::memory_order_relaxed))
      run(static_cast<int>(number));
  }
  initial.league_size = 1;
  initial.league_number = 0;
  leave_device(before);
}

void run_in_sequence(league& l) noexcept {
  thread& before = enter_device();
  thread& initial = *current_thread;
  own_icvs(initial) = l.icv;
  begin_league(initial, l.teams, 0);
  do run_team(initial, l);
  while (next_team(initial));
  leave_device(before);
}

/// The default of num_threads, which the program did not choose for these teams, is for all of them.
bool shares_threads(const icv_set& icv, int thread_limit) noexcept {
  return thread_limit <= 0 && icv.num_threads == initial_icvs().num_threads;
}

}  // namespace

int choose_teams(thread& t, int least, int most) noexcept {
  if (least >= most) return most;
  int const possible = carriers_for(t, most);
  return possible > least ? possible : least;
}

void run_league(int teams, int thread_limit, void (*run)(void*), void* context) noexcept {
  thread& t = this_thread();
  icv_set const& icv = icvs(t);
  bool const limited = icv.thread_limit != unlimited_threads;
  league l{teams > 1 ? teams : 1, run, context, icv, shares_threads(icv, thread_limit)};
  if (thread_limit > 0) l.icv.thread_limit = thread_limit;
  if (cold::any()) [[unlikely]]
    l.traced = ompt::league_begins(t, l.teams);
  int const most = limited && icv.thread_limit < l.teams ? icv.thread_limit : l.teams;
  int const leaders = most > 1 ? carriers_for(t, most) : 1;
  region_work work;
  work.run = lead_teams;
  work.data = &l;
  work.league = true;
  if (leaders == 1 || !fork_league(t, leaders, work)) run_in_sequence(l);
  if (cold::any()) [[unlikely]]
    ompt::league_ends(t, l.traced);
}

}  // namespace amity::omp
