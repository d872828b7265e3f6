// The room's door for the library that starts the processes.
#include "amity/omp/cluster/job.hpp"
#include "amity/omp/cluster/spreader.hpp"
#include "amity/omp/cluster/tokens.hpp"
#include "amity/omp/cluster/waits.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"

namespace amity::omp::cluster {

bool spans_processes() noexcept { return others->count > 1; }
void lock_everywhere(const void* name) noexcept { tokens::lock(name); }
void unlock_everywhere(const void* name) noexcept { tokens::unlock(name); }
void ends_part(const thread& t) noexcept {
  bool const goes_on_alone =
      others->own == 0 && t.team->active_level <= 1 && others->is_mains_thread != nullptr && others->is_mains_thread();
  waits::does(goes_on_alone ? during::serial_part : during::regions);
}

namespace {

constexpr spreader by_processes{team_for_region,      tell_of_region, all_are_at_barrier,
                                tell_of_cancellation, all_are_at_end, part_ends};

void begin(const processes& p) noexcept {
  others = &p;
  spread_teams_by(by_processes);
}

void take(int from, const message& m, const void* body) noexcept {
  switch (m.about) {
    case topic::region:
      return take_region(m, body);
    case topic::joined:
      return take_join(from, m);
    case topic::arrived:
      return take_arrival(m);
    case topic::go_on:
      return take_release(m);
    case topic::asks_single:
      return take_single_question(from, m);
    case topic::single_is:
      return take_single_answer(m);
    case topic::single_begins:
      return take_single_begin();
    case topic::asks_chunk:
      return take_chunk_question(from, m, body);
    case topic::asks_schedule:
      return take_schedule_question(from, m, body);
    case topic::offers_memory:
      return take_memory_offer(from, m);
    case topic::leaves_memory:
      return take_leaving(from, m);
    case topic::chunk_is:
      return take_chunk_answer(m);
    case topic::asks_turn:
      return take_turn_question(from, m, body);
    case topic::turn_is:
      return take_turn_answer(m);
    case topic::passes_turn:
      return take_turn(m);
    case topic::posts:
      return take_post(body);
    case topic::asks_post:
      return take_post_question(from, m, body);
    case topic::post_is:
      return take_post_answer(m);
    case topic::cancels:
      return take_cancellation(from, m);
    case topic::through:
      return take_through(from);
    case topic::all_through:
      return take_all_through();
    default:
      return take_token_message(from, m);
  }
}

constexpr over_processes all{begin,
                             take,
                             milliseconds_until_due,
                             look_at_time,
                             serve_regions,
                             threads_have_data,
                             count_regions,
                             waits::counted,
                             tokens::lock,
                             tokens::unlock,
                             tokens::try_lock,
                             tokens::nest_lock,
                             tokens::nest_unlock,
                             tokens::nest_try_lock};

}  // namespace
}  // namespace amity::omp::cluster

extern "C" const amity::omp::cluster::over_processes* amity_omp_over_processes() { return &amity::omp::cluster::all; }
