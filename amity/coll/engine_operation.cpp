#include "amity/coll/engine_operation.hpp"

#include <chrono>
#include <mutex>

#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/timer.hpp"

namespace amity::collectives::detail {

bool is_for_mpi(const communicator& c, tuning::operation o, std::size_t bytes, std::size_t count) noexcept {
  if (!net::engine_has_collectives()) return false;
  const communicator::state& s = c.checked();
  return s.is_world && s.arity == 0 && s.sites > 1 && count <= net::most_of_engine_call &&
         !s.is_past_engine.load(std::memory_order_relaxed) &&  // pairs with nothing: see there
         tuning::choose(tuning::rules_here().rules, o, s.sites, bytes, 0, /*by_mpi=*/true).how == tuning::method::mpi;
}

void* begin_in_order(communicator::state& s, const net::engine_call& call, std::uint64_t& operation) noexcept {
  std::lock_guard const held(s.begins_in_order);
  operation = s.operations.fetch_add(1, std::memory_order_relaxed) + 1;
  net::begin_activity();  // the job does not end under it; await_engine_call ends it
  return net::begin_engine_call(call);
}

void await_engine_call(void* request, const communicator::state& s, std::uint64_t operation, const intention& what,
                       failure& problem) noexcept {
  using std::chrono::microseconds;
  constexpr microseconds first_nap(20), longest_nap(500);
  constexpr std::chrono::milliseconds lively_time(5), long_time(1000);
  sched::fiber& me = *sched::self();
  sched::wait_noted const noted(me, sched::wait_kind::barrier, nullptr, __builtin_return_address(0));
  struct to_the_end {
    ~to_the_end() { net::end_activity(); }
  } const activity;
  // MPI goes on with it while it is asked, and at no other time.
  sched::instant const lively = sched::instant_after(lively_time);
  sched::instant ask = sched::instant_after(long_time);
  for (microseconds nap = first_nap; !net::engine_call_is_over(request);) {
    if (net::poll_a_moment([request] { return net::engine_call_is_over(request); })) return;
    if (sched::now() < lively) {
      sched::yield_to_tasks();
      continue;
    }
    sched::park_until(sched::instant_after(nap));
    nap = std::min(2 * nap, longest_nap);
    if (is_disputed({s.id, operation, 0, s.site, 0, 0}, problem)) return;  // MPI keeps its request
    if (sched::now() < ask) continue;
    ask = sched::instant_after(long_time);
    for (int rank = 0; rank < s.sites; ++rank)
      if (rank != s.site) compare_with(rank, s.id, operation, rank, s.site, what);
  }
}

}  // namespace amity::collectives::detail
