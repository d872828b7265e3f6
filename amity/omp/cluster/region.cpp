// A region over several processes. Process 0 forks it and tells the others, which lead their members through it; each
// says when it is over there.
//
//     process 0: team_for -> opens its dock -> region ........................ joined from all -> the region ends
//     process 1:                                 \-> a part led here -> joined /
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "amity/base/report.hpp"
#include "amity/omp/cluster/job.hpp"
#include "amity/omp/cluster/waits.hpp"
#include "amity/omp/cluster/worth.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/cold.hpp"
#include "amity/omp/hooks/tool.hpp"
#include "amity/omp/rt/members.hpp"
#include "amity/omp/rt/outside.hpp"
#include "amity/omp/rt/placement.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sys/float_control.hpp"
#include "amity/sys/stack.hpp"

namespace amity::omp::cluster {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

// What a region is, for those elsewhere. The values of its arguments follow.
struct region_terms_everywhere {
  region_call call;
  region_terms terms;
  icv_set icv;  // of the implicit tasks
  proc_bind policy = proc_bind::false_;
  int size = 0;
  bool has_inner = false;  // num_threads with a list: `inner` numbers for the regions within follow the arguments
  int inner = 0;
  std::uint64_t float_control = 0;
  const void* code = nullptr;  // where the program called for it, for tools and profiles
};
static_assert(std::is_trivially_copyable_v<region_terms_everywhere>);

// --- process 0

struct {
  team* tm = nullptr;
  int parts = 1;  // processes
  proc_bind policy = proc_bind::false_;
  std::atomic<int> joins{0};  // processes that have yet to join. acq_rel: the last passes on what all did
} region;

int threads_before(int process) noexcept {
  int sum = 0;
  for (int q = 0; q < process; ++q) sum += others->threads[q];
  return sum;
}

// The number of the first member of process `p` in a team of `size`: as many as it has threads, then the next one's
// turn comes. Where there are more than all have, they are dealt in proportion.
int first_number(int p, int size) noexcept {
  int const all = threads_before(others->count), before = threads_before(p);
  return size <= all ? std::min(size, before) : static_cast<int>(static_cast<long>(size) * before / all);
}

int share_of(int p, int size) noexcept { return first_number(p + 1, size) - first_number(p, size); }

// --- what is not worth its messages and pages

struct {
  judge by_time;
  // How long threads of each process had waited when it was through with its part of the last region. Relaxed: hints.
  std::atomic<std::uint64_t> waited[most_processes];
  std::atomic<bool> is_off{false};  // relaxed: what it is about is between the caller and itself
  std::uint64_t spread = 0, kept = 0;
} worth;

bool is_worth_it(const region_work& work) noexcept {
  if (others->waited == nullptr || worth.is_off.load(memory_order_relaxed)) return true;
  std::uint64_t waited = others->waited();
  for (int p = 1; p < others->count; ++p) waited += worth.waited[p].load(memory_order_relaxed);
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  std::int64_t const now = t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
  return worth.by_time.spreads(reinterpret_cast<const void*>(work.function), now,
                               waited / static_cast<std::uint64_t>(others->count));
}

bool is_known_everywhere(const region_work& work) noexcept {
  if (others->is_everywhere(reinterpret_cast<const void*>(work.function))) return true;
  static std::atomic<bool> said{false};
  if (!said.exchange(true, memory_order_relaxed))
    base::warn(
        "a parallel region is in a library that was opened after the program's start; such regions run on one node");
  return false;
}

}  // namespace

team* part_here() noexcept { return region.tm; }
int parts() noexcept { return region.parts; }

int process_of_member(std::uint64_t number) noexcept {
  int p = 0;
  while (p + 1 < region.parts && static_cast<std::uint64_t>(first_number(p + 1, region.tm->size)) <= number) ++p;
  return p;
}

// Only the outermost active region of main()'s thread: not those of target regions and leagues, which have `enclosing`.
team* team_for_region(thread& t, int threads, const region_work& work) noexcept {
  bool const outermost = t.team->leader_outside == nullptr && t.team->active_level == 0 && t.enclosing == nullptr;
  if (!outermost || others->own != 0 || share_of(0, threads) == threads || !others->is_mains_thread()) return nullptr;
  if (!is_known_everywhere(work)) return nullptr;
  if (!sched::ensure_monitor()) return nullptr;  // those elsewhere report by a thread that can start none
  bool const spreads = is_worth_it(work);
  ++(spreads ? worth.spread : worth.kept);
  if (!spreads) return nullptr;
  int const wanted = share_of(0, threads);
  region.policy = policy_for(t, work.policy);
  team& tm = hot_team_across(t, wanted, region.policy, true);
  if (tm.here < wanted)
    base::fatal("node 0: the system refused threads, so a region of %d threads over %d nodes cannot be", threads,
                others->count);
  region.tm = &tm;
  region.parts = 1;
  while (region.parts < others->count && share_of(region.parts, threads) > 0) ++region.parts;
  spread(tm, 0, threads);
  // Not when the others are told: members here may run by then.
  begin_meetings(region.parts);
  begin_singles();
  begin_loops();
  forget_posts();
  begin_cancels();
  region.joins.store(region.parts - 1, memory_order_relaxed);
  return &tm;
}

void tell_of_region(team& tm) noexcept {
  waits::does(during::regions);
  others->print_all();
  region_terms_everywhere all{
      tm.work, tm.work, tm.icv, region.policy, tm.size, tm.inner.next != nullptr, tm.inner.left, sys::float_control()};
  if (cold::any()) all.code = ompt::code();
  all.call.run = tm.run_of_abi;
  std::size_t const arguments = static_cast<std::size_t>(tm.work.argc) * sizeof(void*);
  std::size_t const inner = static_cast<std::size_t>(tm.inner.left) * sizeof(int);
  piece const pieces[] = {{&all, sizeof all}, {tm.work.argv, arguments}, {tm.inner.next, inner}};
  message m{.about = topic::region,
            .bytes = static_cast<std::uint32_t>(sizeof all + arguments + inner),
            .c = others->environment()};
  for (int p = 1; p < region.parts; ++p) {
    m.a = static_cast<std::uint64_t>(share_of(p, tm.size));
    m.b = static_cast<std::uint64_t>(first_number(p, tm.size));
    others->send(p, m, pieces, 3);
  }
  region_is_told();
}

void threads_have_data() noexcept { worth.is_off.store(true, memory_order_relaxed); }

void count_regions(std::uint64_t& spread, std::uint64_t& kept) noexcept {
  spread = worth.spread;
  kept = worth.kept;
}

void take_join(int from, const message& m) noexcept {
  worth.waited[from].store(m.a, memory_order_relaxed);
  if (m.b != 0) threads_have_data();
  if (region.joins.fetch_sub(1, std::memory_order_acq_rel) == 1) join_from_outside(*region.tm);
}

// --- the others

namespace {

// The region to lead next. Written by the thread that takes messages, while nobody leads: `due` is released then.
struct {
  region_terms_everywhere terms;
  void** arguments = nullptr;
  std::size_t room = 0;  // bytes
  int here = 0, from = 0;
  int had = 0;  // members here in regions before
  std::atomic<std::uint32_t> due{0};
  std::atomic<sched::fiber*> leader{nullptr};
} mailbox;

// The thread that takes messages takes no memory from malloc.
bool make_room(std::size_t bytes) noexcept {
  if (bytes <= mailbox.room) return true;
  std::size_t const room = (bytes + 0xffff) & ~std::size_t{0xffff};
  sys::stack const pages = sys::map_stack(room);
  if (!pages) return false;
  mailbox.arguments = reinterpret_cast<void**>(pages.base);
  mailbox.room = room;
  return true;
}

void lead_part(thread& t) noexcept {
  region_work work;
  static_cast<region_call&>(work) = mailbox.terms.call;
  static_cast<region_terms&>(work) = mailbox.terms.terms;
  work.argv = mailbox.arguments;
  // Those who have been in no region yet begin with the floating-point control of who forks; the others keep theirs.
  std::uint64_t const own_control = sys::float_control();
  sys::set_float_control(mailbox.terms.float_control);
  team& tm = hot_team_across(t, mailbox.here, mailbox.terms.policy, false);
  if (mailbox.had != 0) sys::set_float_control(own_control);
  mailbox.had = std::max(mailbox.had, mailbox.here);
  if (mailbox.terms.has_inner)
    tm.inner = {reinterpret_cast<const int*>(mailbox.arguments + work.argc), mailbox.terms.inner, nullptr};
  if (tm.here < mailbox.here)
    base::fatal("node %d: the system refused threads, so a region of %d threads over %d nodes cannot be", others->own,
                mailbox.terms.size, others->count);
  spread(tm, mailbox.from, mailbox.terms.size);
  region.tm = &tm;
  begin_part(tm);
  if (cold::any())
    ompt::enter(mailbox.terms.code, __builtin_dwarf_cfa(), [&] { run_part(t, tm, work, mailbox.terms.icv); });
  else
    run_part(t, tm, work, mailbox.terms.icv);
  others->print_all();
  tell(0, {.about = topic::joined,
           .a = others->waited == nullptr ? 0 : others->waited(),
           .b = worth.is_off.load(memory_order_relaxed) ? 1u : 0u});
}

}  // namespace

void take_region(const message& m, const void* body) noexcept {
  std::memcpy(&mailbox.terms, body, sizeof mailbox.terms);
  std::size_t const arguments = m.bytes - sizeof mailbox.terms;
  if (!make_room(arguments)) base::fatal("out of memory for the arguments of a region (%zu bytes)", arguments);
  if (arguments != 0)
    std::memcpy(mailbox.arguments, static_cast<const std::byte*>(body) + sizeof mailbox.terms, arguments);
  others->environment_is(m.c);
  mailbox.here = static_cast<int>(m.a);
  mailbox.from = static_cast<int>(m.b);
  announce_part();
  // Dekker with serve_regions: seq_cst. The leader sets itself first, then looks; or it is there already.
  mailbox.due.store(1, std::memory_order_seq_cst);
  if (sched::fiber* const leader = mailbox.leader.load(std::memory_order_seq_cst); leader != nullptr)
    sched::unpark(leader);
}

void serve_regions() noexcept {
  thread& t = this_thread();
  static_cast<void>(sched::ensure_monitor());
  mailbox.leader.store(t.fiber, std::memory_order_seq_cst);
  for (;;) {
    auto const is_due = [] { return mailbox.due.load(std::memory_order_seq_cst) != 0; };
    static_cast<void>(yield_until(is_due));
    while (!is_due()) sched::park(*t.fiber);
    mailbox.due.store(0, memory_order_relaxed);  // the next region comes after this one has been reported
    lead_part(t);
  }
}

}  // namespace amity::omp::cluster
