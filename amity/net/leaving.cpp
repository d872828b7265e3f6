/// The end of a job, by waves of counting (Mattern: "Algorithms for distributed termination detection", 1987, the four
/// counters). README.md has the steps, L1 to L4.

#include "amity/net/internal/leaving.hpp"

#include <string.h>

#include <atomic>
#include <vector>

#include "amity/net/internal/transport.hpp"
#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/timer.hpp"

namespace amity::net {
namespace {

using std::memory_order_acquire;
using std::memory_order_release;

/// Rank 0's: written by handlers, one at a time, and read by the fiber that leaves.
struct wave {
  std::atomic<int> answers{0};
  std::atomic<std::uint64_t> sent{0}, handled{0};
  std::atomic<long> active{0};
};

std::atomic<int> have_come{0};
wave current;
std::atomic<bool> is_over{false};
std::atomic<sched::fiber*> leaver{nullptr};

void wake_leaver() noexcept {
  if (sched::fiber* const f = leaver.load(memory_order_acquire)) sched::unpark(f);
}

/// L1, at rank 0: a rank has come to its end.
void note_arrival(arrival&) noexcept {
  have_come.fetch_add(1, memory_order_release);
  wake_leaver();
}

/// L3, at rank 0: what a rank has counted.
void add_counts(arrival& m) noexcept {
  traffic t;
  if (m.size != sizeof t) return;
  memcpy(&t, m.bytes, sizeof t);
  current.sent.fetch_add(t.sent);
  current.handled.fetch_add(t.handled);
  current.active.fetch_add(t.active);
  current.answers.fetch_add(1, memory_order_release);
  wake_leaver();
}

/// L2, at all ranks.
void answer_wave(arrival& m) noexcept {
  traffic const t = traffic_so_far();
  send(m.from, code_of<add_counts>(), 0, reinterpret_cast<const std::byte*>(&t), sizeof t, effect::control);
}

/// L4, at all ranks.
void end(arrival&) noexcept {
  is_over.store(true, memory_order_release);
  wake_leaver();
}

// --- L4 without the launcher

std::atomic<int> have_met{0};
std::atomic<bool> all_have_met{false};

void note_meeting(arrival&) noexcept {
  have_met.fetch_add(1, memory_order_release);  // pairs with meet_by_messages
  wake_leaver();
}

void end_meeting(arrival&) noexcept {
  all_have_met.store(true, memory_order_release);  // pairs with meet_by_messages
  wake_leaver();
}

// --- who has come to its end

std::vector<std::atomic<bool>>& gone() noexcept {
  static auto* const one = new std::vector<std::atomic<bool>>(static_cast<std::size_t>(job().size));
  return *one;
}

void note_gone(arrival& m) noexcept { gone()[m.from].store(true, memory_order_release); }

void answer_whether_gone(arrival& m) noexcept {
  if (leaver.load(memory_order_acquire) != nullptr) send(m.from, code_of<note_gone>(), 0, nullptr, 0, effect::control);
}

void send_to_all(std::uint64_t code, int size) noexcept {
  for (int r = 0; r < size; ++r) send(r, code, 0, nullptr, 0, effect::control);
}

template <class Done>
void wait_until(Done done) noexcept {
  while (!done()) sched::park();
}

/// Counts until two waves in a row found the same, as many messages sent as handled, and nothing going on.
void count_until_quiet(int size) noexcept {
  std::uint64_t sent_before = ~std::uint64_t{0};
  for (;;) {
    current.answers = 0;
    current.sent = current.handled = 0;
    current.active = 0;
    send_to_all(code_of<answer_wave>(), size);
    wait_until([size] { return current.answers.load(memory_order_acquire) == size; });
    bool const quiet = current.active == 0 && current.sent == current.handled;
    if (quiet && current.sent == sent_before) return;
    sent_before = quiet ? current.sent.load() : ~std::uint64_t{0};
    if (!quiet) sched::park_until(sched::instant_after(std::chrono::microseconds(200)));
  }
}

}  // namespace

void ask_whether_gone(int rank) noexcept { send(rank, code_of<answer_whether_gone>(), 0, nullptr, 0, effect::control); }

bool is_known_to_be_gone(int rank) noexcept { return gone()[rank].load(memory_order_acquire); }

void serve_until_all_leave(int rank, int size) noexcept {
  leaver.store(sched::self(), memory_order_release);
  send(0, code_of<note_arrival>(), 0, nullptr, 0, effect::control);
  if (rank == 0) {
    wait_until([size] { return have_come.load(memory_order_acquire) == size; });
    count_until_quiet(size);
    send_to_all(code_of<end>(), size);
  }
  wait_until([] { return is_over.load(memory_order_acquire); });
}

void meet_by_messages(int rank, int size) noexcept {
  send(0, code_of<note_meeting>(), 0, nullptr, 0, effect::control);
  if (rank == 0) {
    wait_until([size] { return have_met.load(memory_order_acquire) == size; });
    send_to_all(code_of<end_meeting>(), size);
  }
  wait_until([] { return all_have_met.load(memory_order_acquire); });
}

}  // namespace amity::net
