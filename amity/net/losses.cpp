/// A loss is noted at once, wherever it is seen: under the engine's lock, within a poll. From then on nothing is sent
/// to that rank, and nothing taken from it. What follows is done by a task: README-end.md, S1 to S7.

#include "amity/net/losses.hpp"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "amity/base/report.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/net/handover.hpp"
#include "amity/net/internal/hooks.hpp"
#include "amity/net/internal/leaving.hpp"
#include "amity/net/internal/losses.hpp"
#include "amity/net/internal/transport.hpp"
#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/progress.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::net {

namespace detail {
std::atomic<int> losses{0};
}

namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

struct one_rank {
  std::atomic<bool> is_lost{false};
  std::string why;  ///< written before `is_lost`
  // Of losses that it was told of by this process. Relaxed, both: they are compared seconds later.
  std::atomic<int> told{0}, answers{0};
};
struct all_ranks {
  int own = 0;
  pid_t process = 0;  ///< a child of its has no part in the job
  sys::spin_lock lock;
  std::vector<one_rank> ranks;
  std::uint64_t mark = 0;
};
all_ranks& all() noexcept {
  static auto* const one = new all_ranks;
  return *one;
}

// Relaxed, both: a loss that is seen at the moment of the change may be taken either way.
std::atomic<bool> job_goes_on{false};
std::atomic<bool> are_expected{false};
std::atomic<bool> others_were_told{false};  ///< that the job goes on, by this process: go_on_after_losses
/// Why this process has left its job; null: it has not. Release, by lose_all.
std::atomic<const char*> why_left{nullptr};

/// False: that is known already.
bool note(int rank, const char* why) noexcept {
  all_ranks& a = all();
  std::lock_guard const held(a.lock);
  one_rank& its = a.ranks[static_cast<std::size_t>(rank)];
  if (its.is_lost.load(memory_order_relaxed)) return false;
  its.why = why;
  its.is_lost.store(true, memory_order_release);  // pairs with is_lost
  auto mixed = static_cast<std::uint64_t>(rank + 1) * 0x9e3779b97f4a7c15;
  a.mark += mixed ^ mixed >> 29;
  detail::losses.fetch_add(1, memory_order_release);  // pairs with count_losses
  return true;
}

/// The end of a rank that is no loss yet.
struct noted_end {
  int rank;
  std::string why;
  std::uint64_t since;  ///< in ticks
};
std::vector<noted_end>& noted_ends() noexcept {
  static auto* const all = new std::vector<noted_end>;
  return *all;
}

void take_going_on(arrival&) noexcept { job_goes_on.store(true, memory_order_relaxed); }

void take_answer_to_loss(arrival& m) noexcept {
  all().ranks[static_cast<std::size_t>(m.from)].answers.fetch_add(1, memory_order_relaxed);
}

void take_loss(arrival& m) noexcept {
  if (m.word >= all().ranks.size()) return end_job("a message tells of the loss of a rank that there is not");
  job_goes_on.store(true, memory_order_relaxed);  // where it comes earlier than take_going_on
  char why[60];
  snprintf(why, sizeof why, "rank %d has lost it", m.from);
  send(m.from, code_of<take_answer_to_loss>(), 0, nullptr, 0, effect::control);
  note_end(static_cast<int>(m.word), why);
}

void say(int rank) noexcept {
  char host[128] = "?";
  gethostname(host, sizeof host - 1);
  base::warn(
      "rank %d of %d (process %d on %s): %s; operations on its devices and calls that it has not answered fail, "
      "what is sent to it is dropped, and this process goes on",
      job().rank, job().size, static_cast<int>(getpid()), host, words_of_loss(rank).c_str());
}

void tell_others(int rank) noexcept {
  for (int r = 0; r < job().size; ++r) {
    if (r == job().rank || is_lost(r)) continue;
    all().ranks[static_cast<std::size_t>(r)].told.fetch_add(1, memory_order_relaxed);
    send(r, code_of<take_loss>(), static_cast<std::uint64_t>(rank), nullptr, 0, effect::control);
  }
}

/// Where an engine may be blocked after a loss, a rank that never answers would have this one wait for ever.
void expect_answers() noexcept {
  constexpr auto long_time = std::chrono::seconds(20);
  const char* const hazard = hazard_of_losses();
  if (hazard == nullptr) return;
  std::vector<int> told;
  for (const one_rank& r : all().ranks) told.push_back(r.told.load(memory_order_relaxed));
  sched::instant const end = sched::instant_after(long_time);
  while (sched::now() < end) sched::park_until(end);
  for (std::size_t r = 0; r < told.size(); ++r) {
    const one_rank& its = all().ranks[r];
    if (its.is_lost.load(memory_order_relaxed) || its.answers.load(memory_order_relaxed) >= told[r]) continue;
    std::string const why =
        "since a rank was lost, rank " + std::to_string(r) + " has not answered for 20 s; " + hazard;
    end_job(why.c_str());
  }
}

/// Those that wait for something from that rank are told.
void follow_up(int rank, bool is_news) noexcept {
  forget_rank(rank);
  if (is_news) {
    say(rank);
    tell_others(rank);
    for (const job_hook* h = first_hook(); h != nullptr; h = h->next)
      if (const char* const why = h->when_lost != nullptr ? h->when_lost(rank) : nullptr) {
        std::string const all_of_it = words_of_loss(rank) + ", and " + why;
        end_job(all_of_it.c_str());
      }
  }
  wake_leaver();
  if (is_news) expect_answers();
}

}  // namespace

void begin_losses(int rank, int size) noexcept {
  all().own = rank;
  all().process = getpid();
  all().ranks = std::vector<one_rank>(static_cast<std::size_t>(size));
}

void note_end(int rank, const char* why) noexcept {
  if (rank == all().own) return lose_rank(rank, why);
  std::vector<noted_end>& ends = noted_ends();
  bool const is_known =
      std::any_of(ends.begin(), ends.end(), [rank](const noted_end& each) { return each.rank == rank; });
  if (!is_known && !is_lost(rank)) ends.push_back({rank, why, sys::ticks()});
}

bool some_ends_are_noted() noexcept { return !noted_ends().empty(); }

/// The limit is for a connection that does not end with its process, as where a child of a fork holds it, too.
void count_ends(const deliveries& d) noexcept {
  constexpr std::uint64_t longest_us = 1'000'000;
  std::vector<noted_end>& ends = noted_ends();
  for (std::size_t i = 0; i < ends.size();) {
    bool is_through = d.has_handed_on(ends[i].rank);  // may add others' ends
    // Another rank may have said that the job goes on before that one ended (S7).
    for (int r = 0; r < static_cast<int>(all().ranks.size()) && !goes_on(); ++r)
      if (r != all().own) static_cast<void>(d.has_handed_on(r));
    if (!goes_on() && d.holds_some_back()) is_through = false;
    if (!is_through && sys::ticks() - ends[i].since < sys::ticks_of_microseconds(longest_us)) {
      ++i;
      continue;
    }
    noted_end const its = std::move(ends[i]);
    ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(i));
    lose_rank(its.rank, its.why.c_str());
  }
}

void lose_rank(int rank, const char* why) noexcept {
  bool const goes_on_here = goes_on(), expected = are_expected.load(memory_order_relaxed);
  if ((expected && !goes_on_here) || has_left_job()) return;
  char text[300];
  if (rank == all().own) {
    snprintf(text, sizeof text, "the others go on without this process: %s", why);
    end_job(text);
  }
  if (!goes_on_here) {
    snprintf(text, sizeof text, "rank %d can't be reached any more: %s", rank, why);
    end_job(text);
  }
  if (!note(rank, why)) return;
  sched::worker& w = sched::this_worker();
  auto rest = [rank, expected]() noexcept { follow_up(rank, !expected); };
  sched::enqueue_arrived(amity::detail::new_plain_task(w, nullptr, amity::detail::as_glue{std::move(rest)}));
}

/// One that was told by another rank tells the others as well: that one's messages to them may be on their way (S7).
void go_on_after_losses() noexcept {
  // Acquire: pairs with the store below. Each request to a device of another process comes by here.
  if (others_were_told.load(memory_order_acquire)) return;
  const job_view& j = job();
  if (j.size == 1 || !engine_can_forget() || has_left_job() || getpid() != all().process) return;
  job_goes_on.store(true, memory_order_relaxed);
  for (int r = 0; r < j.size; ++r)
    if (r != j.rank) send(r, code_of<take_going_on>(), 0, nullptr, 0);
  if (sched::is_polling()) return;
  for (int r = 0; r < j.size; ++r)
    if (r != j.rank) await_handover(r);
  others_were_told.store(true, memory_order_release);  // pairs with the load above
}

bool goes_on() noexcept { return job_goes_on.load(memory_order_relaxed); }

void expect_losses() noexcept { are_expected.store(true, memory_order_relaxed); }

bool is_lost(int rank) noexcept {
  if (count_losses() == 0) [[likely]]
    return false;
  return all().ranks[static_cast<std::size_t>(rank)].is_lost.load(memory_order_acquire);  // pairs with note
}

bool has_left_job() noexcept { return why_left.load(memory_order_acquire) != nullptr; }  // pairs with lose_all

void lose_all(const char* why) noexcept {
  why_left.store(why, memory_order_release);  // pairs with has_left_job
  int const size = static_cast<int>(all().ranks.size());
  for (int r = 0; r < size; ++r)
    if (r != all().own) note(r, why);
  // A task of the program's may wait yet. What ends a job that loses a rank ends nothing here.
  for (const job_hook* h = first_hook(); h != nullptr; h = h->next)
    for (int r = 0; r < size && h->when_lost != nullptr; ++r)
      if (r != all().own) static_cast<void>(h->when_lost(r));
}

std::string words_of_loss(int rank) {
  if (const char* const why = why_left.load(memory_order_acquire))  // pairs with lose_all
    return "rank " + std::to_string(rank) + " can't be reached any more: this process has left the job, as " + why;
  return "rank " + std::to_string(rank) + " was lost: " + all().ranks[static_cast<std::size_t>(rank)].why;
}

std::uint64_t mark_of_losses() noexcept {
  all_ranks& a = all();
  std::lock_guard const held(a.lock);
  return a.mark;
}

int lowest_rank() noexcept {
  int rank = 0;
  while (is_lost(rank)) ++rank;
  return rank;
}

}  // namespace amity::net
