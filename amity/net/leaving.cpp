/// The end of a job, by waves of counting (Mattern: "Algorithms for distributed termination detection", 1987, the four
/// counters). README-end.md has the steps, L1 to L5.

#include "amity/net/internal/leaving.hpp"

#include <string.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "amity/net/internal/losses.hpp"
#include "amity/net/internal/transport.hpp"
#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::net {
namespace {

using std::memory_order_acquire;
using std::memory_order_release;

/// Which ranks have said something. Written by handlers, read by the fiber that leaves.
class roll {
 public:
  roll() : said_(static_cast<std::size_t>(job().size)) {}
  void note(int rank) noexcept { said_[static_cast<std::size_t>(rank)].store(true, memory_order_release); }
  /// Pairs with note.
  [[nodiscard]] bool has(int rank) const noexcept {
    return said_[static_cast<std::size_t>(rank)].load(memory_order_acquire);
  }
  /// All but the lost ones.
  [[nodiscard]] bool is_complete() const noexcept {
    for (std::size_t r = 0; r < said_.size(); ++r)
      if (!said_[r].load(memory_order_acquire) && !is_lost(static_cast<int>(r))) return false;
    return true;
  }

 private:
  std::vector<std::atomic<bool>> said_;
};
/// Those that have come to their ends, as far as they have said so here (L1); the same of the last meeting (L4); those
/// that have answered that their programs have ended.
roll& come() noexcept {
  static auto* const one = new roll;
  return *one;
}
roll& met() noexcept {
  static auto* const one = new roll;
  return *one;
}
roll& gone() noexcept {
  static auto* const one = new roll;
  return *one;
}

/// The coordinator's count. Written by handlers; an answer to an older wave counts no more.
struct wave {
  sys::spin_lock lock;
  std::uint64_t number = 0;
  int answers = 0;
  bool agree = true;  ///< all know of the same losses
  traffic sum;
};
wave current;
std::atomic<bool> is_over{false};
std::atomic<bool> all_have_met{false};
std::atomic<sched::fiber*> leaver{nullptr};
// Relaxed, but for the monitor: it looks twice, and a change in between is all that counts.
std::atomic<int> arrival_sent_to{-1};
std::atomic<bool> awaits_wave{false};

void send_control(int rank, std::uint64_t code, std::uint64_t word = 0) noexcept {
  send(rank, code, word, nullptr, 0, effect::control);
}

void send_to_others(std::uint64_t code, std::uint64_t word = 0) noexcept {
  for (int r = 0, n = job().size; r < n; ++r)
    if (r != job().rank) send_control(r, code, word);
}

/// L4, at all ranks.
void end(arrival&) noexcept {
  is_over.store(true, memory_order_release);  // pairs with serve_until_all_leave
  wake_leaver();
}

/// L1, at the coordinator: a rank has come to its end.
void note_arrival(arrival& m) noexcept {
  come().note(m.from);
  if (is_over.load(memory_order_acquire)) send_control(m.from, code_of<end>());  // L5
  wake_leaver();
}

/// L3, at the coordinator: what a rank has counted.
void add_counts(arrival& m) noexcept {
  traffic t;
  if (m.size != sizeof t) return;
  memcpy(&t, m.bytes, sizeof t);
  {
    std::lock_guard const held(current.lock);
    if (m.word != current.number) return;
    current.sum.sent += t.sent;
    current.sum.handled += t.handled;
    current.sum.active += t.active;
    current.agree = current.agree && t.losses == current.sum.losses;
    ++current.answers;
  }
  wake_leaver();
}

/// L2, at all ranks.
void answer_wave(arrival& m) noexcept {
  traffic const t = traffic_so_far();
  send(m.from, code_of<add_counts>(), m.word, reinterpret_cast<const std::byte*>(&t), sizeof t, effect::control);
}

/// L4, at the coordinator. A rank that has come so far knows that all is over, even if the one that said so is lost.
void note_meeting(arrival& m) noexcept {
  met().note(m.from);
  is_over.store(true, memory_order_release);  // pairs with serve_until_all_leave
  wake_leaver();
}

void end_meeting(arrival&) noexcept {
  all_have_met.store(true, memory_order_release);  // pairs with meet_by_messages
  wake_leaver();
}

void note_gone(arrival& m) noexcept { gone().note(m.from); }

void answer_whether_gone(arrival& m) noexcept {
  if (leaver.load(memory_order_acquire) != nullptr) send_control(m.from, code_of<note_gone>());
}

/// A wave; what it has found. Its `losses` differ from those known here where ranks did not agree on them, or some was
/// lost meanwhile.
traffic count_all() noexcept {
  std::uint64_t const losses = mark_of_losses();  // before the number: a loss in between ends this wave
  int const ranks = job().size - count_losses();
  std::uint64_t number = 0;
  {
    std::lock_guard const held(current.lock);
    number = ++current.number;
    current.answers = 0;
    current.agree = true;
    current.sum = {};
    current.sum.losses = losses;
  }
  awaits_wave.store(true, std::memory_order_relaxed);
  send_control(job().rank, code_of<answer_wave>(), number);
  send_to_others(code_of<answer_wave>(), number);
  traffic found;
  for (bool is_answered = false; !is_answered;) {
    {
      std::lock_guard const held(current.lock);
      found = current.sum;
      if (!current.agree) found.losses = ~losses;
      is_answered = current.answers == ranks;
    }
    if (mark_of_losses() != losses) break;
    if (!is_answered) sched::park();
  }
  awaits_wave.store(false, std::memory_order_relaxed);
  return found;
}

/// Counts until two waves in a row found the same, as many messages sent as handled, and nothing going on. False: a
/// rank was lost meanwhile.
bool count_until_quiet() noexcept {
  constexpr std::chrono::microseconds first_pause(200), longest_pause(100'000);
  std::uint64_t const losses = mark_of_losses();
  std::uint64_t sent_before = ~std::uint64_t{0};
  auto pause = first_pause;
  while (mark_of_losses() == losses) {
    traffic const t = count_all();
    bool const quiet = t.losses == losses && t.active == 0 && t.sent == t.handled;
    if (quiet && t.sent == sent_before) return mark_of_losses() == losses;
    sent_before = quiet ? t.sent : ~std::uint64_t{0};
    if (quiet) continue;
    sched::park_to_ask(sched::instant_after(pause));
    pause = std::min(2 * pause, longest_pause);  // what goes on may take as long as it likes
  }
  return false;
}

/// Tells the coordinator, and again whenever that is another, since it was lost. True: it is this rank.
bool tell_coordinator(int& told, std::uint64_t code) noexcept {
  int const coordinator = lowest_rank();
  if (std::exchange(told, coordinator) != coordinator) {
    if (code == code_of<note_arrival>()) arrival_sent_to.store(coordinator, std::memory_order_relaxed);
    send_control(coordinator, code);
  }
  return coordinator == job().rank;
}

}  // namespace

void wake_leaver() noexcept {
  if (sched::fiber* const f = leaver.load(memory_order_acquire)) sched::unpark(f);
}

arrivals arrivals_so_far() noexcept {
  arrivals all;
  int const to = arrival_sent_to.load(std::memory_order_relaxed);
  if (to >= 0 && !is_lost(to)) all.sent = 1;
  for (int r = 0; r < job().size; ++r)
    if (come().has(r) && !is_lost(r)) ++all.handled;
  return all;
}
bool leaving_goes_on() noexcept {
  return is_over.load(memory_order_acquire) || awaits_wave.load(std::memory_order_relaxed);
}

void ask_whether_gone(int rank) noexcept { send_control(rank, code_of<answer_whether_gone>()); }

bool is_known_to_be_gone(int rank) noexcept { return gone().has(rank); }

void serve_until_all_leave() noexcept {
  leaver.store(sched::self(), memory_order_release);
  for (int told = -1; !is_over.load(memory_order_acquire);) {  // pairs with end, note_meeting
    if (!tell_coordinator(told, code_of<note_arrival>()) || !come().is_complete())
      sched::park();
    else if (count_until_quiet())
      is_over.store(true, memory_order_release);
  }
  if (lowest_rank() == job().rank) send_to_others(code_of<end>());
}

void meet_by_messages() noexcept {
  for (int told = -1; !all_have_met.load(memory_order_acquire);) {  // pairs with end_meeting
    if (!tell_coordinator(told, code_of<note_meeting>()) || !met().is_complete())
      sched::park();
    else
      all_have_met.store(true, memory_order_release);
  }
  if (lowest_rank() == job().rank) send_to_others(code_of<end_meeting>());
}

}  // namespace amity::net
