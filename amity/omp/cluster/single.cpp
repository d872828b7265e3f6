// single in a team over several processes: the first member to come, of the whole team, runs the block. The first one
// of each process asks process 0, where they are decided in the order in which they ask. Nobody passes before the one
// that runs the block has begun: README.md, S1 to S3.
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "amity/omp/cluster/job.hpp"
#include "amity/omp/cluster/waits.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::omp::cluster {
namespace {

// Somebody who waits to be told that it is not its. In process 0 also for processes.
struct latecomer {
  int process;
  std::uint64_t address;  // of its answer
  latecomer* next;
};

// The single that somebody has, and those who have come to it since. There is one at most: nobody passes it.
struct open_single {
  bool is_open = false;
  latecomer* waiting = nullptr;
};

// One for who is first here and for the question, so that questions leave in the order of the singles.
sys::spin_lock asking;
open_single here;  // asked for, and not answered; not in process 0

// In process 0: how many singles of the region have been given away; the last of them is open until it has begun.
sys::spin_lock deciding;
std::uint32_t given = 0;
open_single everywhere;
latecomer of_process[most_processes];

// --- in the process that has one: its block begins a moment after the member has been told. The member says so when it
// enters the runtime next, so that no other passes while it may not have run a line of it; or the thread that takes
// messages does, after a while.
std::atomic<bool> block_is_due{false};            // it was told that it is its; until the block has begun
std::atomic<const thread*> who_runs_it{nullptr};  // changes under `running`; relaxed: each member asks for itself

// Of that member.
sys::spin_lock running;
struct {
  std::uint64_t since = 0;     // ticks
  clockid_t of_its_thread{};   // the time that its OS thread has had a core
  std::uint64_t had_core = 0;  // then, ns
} run;
constexpr std::uint64_t a_while_us = 1000, too_long_us = 100'000, enough_ns = 500'000;

std::uint64_t core_time(clockid_t of_thread) noexcept {
  timespec t{};
  clock_gettime(of_thread, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

// pthread_getcpuclockid's would be of the OS thread that pthread_self() had first, and another one may carry it.
clockid_t core_clock_of_this_thread() noexcept {
  constexpr clockid_t by_thread = 4, of_time_on_a_core = 2;  // linux/posix-timers.h
  return static_cast<clockid_t>((~static_cast<unsigned>(gettid()) << 3) | by_thread | of_time_on_a_core);
}

void begins_to_run_it(const thread& t) noexcept {
  waits::does(during::singles);
  std::lock_guard const guard(running);
  block_is_due.store(true, std::memory_order_relaxed);
  run.since = sys::ticks();
  run.of_its_thread = core_clock_of_this_thread();
  run.had_core = core_time(CLOCK_THREAD_CPUTIME_ID);
  who_runs_it.store(&t, std::memory_order_relaxed);
}

// Whether the member has had a core and its memory for long enough to have run the first line of its block. One that
// sleeps in it never has.
bool has_run_a_line() noexcept {
  std::uint64_t const now = sys::ticks();
  if (now - run.since > sys::ticks_of_microseconds(too_long_us)) return true;
  if (others->memory_travels && others->waits_for_memory()) return false;
  return now - run.since > sys::ticks_of_microseconds(a_while_us) &&
         core_time(run.of_its_thread) - run.had_core > enough_ns;
}

enum class outcome { ours, others, to_be_told };

void tell_of_it(const latecomer& l, bool is_its) noexcept {
  if (l.process == others->own)
    answer::at(l.address).give(is_its);
  else
    tell(l.process, {.about = topic::single_is, .a = is_its, .b = l.address});
}

// A process asks for each single, in order. So no earlier one is open when one is asked for.
outcome decide(std::uint32_t number, latecomer& asker) noexcept {
  std::lock_guard const guard(deciding);
  if (number == given) {
    ++given;
    everywhere.is_open = true;
    return outcome::ours;
  }
  if (!everywhere.is_open || number + 1 != given) return outcome::others;
  asker.next = everywhere.waiting;
  everywhere.waiting = &asker;
  return outcome::to_be_told;
}

// It has begun, or is not this process's.
void close(open_single& s, sys::spin_lock& lock) noexcept {
  latecomer* waiting;
  {
    std::lock_guard const guard(lock);
    waiting = s.waiting;
    s = {};
  }
  while (waiting != nullptr) {
    latecomer const l = *waiting;  // gone when it is told
    waiting = l.next;
    tell_of_it(l, false);
  }
}

// In process 0, by each member: the one before it may be waiting to be told.
bool is_first_in_home(const thread& t, std::uint32_t number) noexcept {
  answer ours;
  latecomer me{0, ours.address(), nullptr};
  switch (decide(number, me)) {
    case outcome::ours:
      begins_to_run_it(t);
      return true;
    case outcome::to_be_told:
      others->ask_when_due();  // it may be this process's
      return ours.await() != 0;
    case outcome::others:
      break;
  }
  return false;
}

}  // namespace

void begin_singles() noexcept {
  std::lock_guard const guard(deciding);
  given = 0;
}

bool is_first(thread& t) noexcept {
  team& tm = *t.team;
  std::uint32_t const mine = t.singles_met++;
  std::uint32_t const number = mine - tm.first.single;
  if (others->own == 0) return is_first_in_home(t, number);
  answer ours;
  latecomer me{others->own, ours.address(), nullptr};
  bool asks;
  {
    std::lock_guard const guard(asking);
    asks = tm.single_taken.load(std::memory_order_relaxed) == mine;
    if (asks) {
      tm.single_taken.store(mine + 1, std::memory_order_relaxed);
      here.is_open = true;
      tell(0, {.about = topic::asks_single, .a = number, .b = ours.address()});
    } else if (here.is_open) {  // this one: an earlier one nobody has passed
      me.next = here.waiting;
      here.waiting = &me;
    } else {
      return false;
    }
  }
  bool const is_its = ours.await() != 0;
  if (is_its) {
    begins_to_run_it(t);
  } else if (asks) {
    close(here, asking);
  }
  return is_its;
}

// Of a member that was said to run it no more.
static void has_begun() noexcept {
  if (others->own == 0) {
    close(everywhere, deciding);
  } else {
    tell(0, {.about = topic::single_begins});
    close(here, asking);
  }
}

// Whether `if_so` was true, and it was this caller that has put an end to it.
template <class Condition>
static bool takes_end(Condition if_so) noexcept {
  std::lock_guard const guard(running);
  if (who_runs_it.load(std::memory_order_relaxed) == nullptr || !if_so()) return false;
  who_runs_it.store(nullptr, std::memory_order_relaxed);
  block_is_due.store(false, std::memory_order_relaxed);
  return true;
}

void enters() noexcept {
  waits::enters();
  const thread* const runs = who_runs_it.load(std::memory_order_relaxed);
  if (runs == nullptr || runs != current_thread) return;
  if (takes_end([] { return who_runs_it.load(std::memory_order_relaxed) == current_thread; })) has_begun();
}

int milliseconds_until_due() noexcept { return block_is_due.load(std::memory_order_relaxed) ? 1 : -1; }

void look_at_time() noexcept {
  if (takes_end(has_run_a_line)) has_begun();
}

void take_single_question(int from, const message& m) noexcept {
  latecomer& asker = of_process[from];
  asker = {from, m.b, nullptr};
  outcome const o = decide(static_cast<std::uint32_t>(m.a), asker);
  if (o != outcome::to_be_told) tell_of_it(asker, o == outcome::ours);
}

void take_single_answer(const message& m) noexcept {
  if (m.a != 0) block_is_due.store(true, std::memory_order_relaxed);  // also where the member is slow to hear of it
  answer::at(m.b).give(static_cast<std::uint32_t>(m.a));
}

void take_single_begin() noexcept { close(everywhere, deciding); }

}  // namespace amity::omp::cluster
