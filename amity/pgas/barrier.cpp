/// A dissemination barrier (Hensgen, Finkel, Manber: "Two algorithms for barrier synchronization", 1988): in round r
/// each of n ranks tells the one 2^r further, and waits for the one 2^r before. After ceil(log2 n) rounds, each has
/// heard of all. The words that a rank has heard go along.

#include "amity/pgas/barrier.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "amity/net/archive.hpp"
#include "amity/net/handover.hpp"
#include "amity/net/losses.hpp"
#include "amity/net/messages.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/monitor_state.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::pgas::detail {
namespace {

struct step {
  std::uint64_t barrier = 0;
  std::uint32_t round = 0;
  bool operator<(const step& other) const noexcept {
    return barrier != other.barrier ? barrier < other.barrier : round < other.round;
  }
};

struct message {
  bool has_come = false;
  error_words words;
  std::vector<std::uint64_t> numbers;  ///< of the sender and those after it
  sched::fiber* awaits = nullptr;
};

struct barriers {
  sys::spin_lock lock;
  std::uint64_t begun = 0;
  std::map<step, message> messages;
};
barriers& all() noexcept {
  static auto* const one = new barriers;
  return *one;
}

/// The lowest rank's.
void merge(error_words& mine, error_words&& other) noexcept {
  if (other.rank >= 0 && (mine.rank < 0 || other.rank < mine.rank)) mine = std::move(other);
}

void take_message(net::arrival& m) noexcept {
  step at;
  error_words words;
  std::vector<std::uint64_t> numbers;
  try {
    in_archive in(m.bytes, m.size);
    in(at, numbers, words.rank);
    if (words.rank >= 0) in(words.type, words.text);
  } catch (const std::exception& e) {
    return net::end_job(e.what());
  }
  barriers& b = all();
  sched::fiber* awaits = nullptr;
  {
    std::lock_guard const held(b.lock);
    message& its = b.messages[at];
    its.has_come = true;
    its.words = std::move(words);
    its.numbers = std::move(numbers);
    awaits = its.awaits;
  }
  if (awaits != nullptr) sched::unpark(awaits);
}

[[noreturn]] void end_without(const std::string& why) noexcept {
  net::end_job(("it waits for all processes to meet (barrier_all, finish_spmd), and " + why).c_str());
}

/// Waits for the message of one round, from rank `from`. One whose program has ended, by std::exit for instance, never
/// comes to the barrier.
message await(const step& at, int from) noexcept {
  constexpr auto long_time = std::chrono::seconds(1);
  sched::fiber& me = *sched::self();
  sched::wait_noted const noted(me, sched::wait_kind::barrier, nullptr, __builtin_return_address(0));
  barriers& b = all();
  sched::instant look = sched::instant_after(long_time);
  bool is_gone = false, was_gone = false;
  for (;;) {
    // Before the look at the message, which is handled before the loss of its sender counts (S6 in net/README-end.md).
    bool const is_lost = net::is_lost(from);
    {
      std::lock_guard const held(b.lock);
      message& m = b.messages[at];
      if (m.has_come) {
        message got = std::move(m);
        b.messages.erase(at);
        return got;
      }
      m.awaits = &me;
    }
    if (is_lost) end_without(net::words_of_loss(from));
    // Not at once: the message may have come after the answer.
    if (is_gone && was_gone) end_without("the program of rank " + std::to_string(from) + " has ended");
    if (net::poll_a_moment([&b, &at] {
          std::lock_guard const held(b.lock);
          return b.messages[at].has_come;
        }))
      continue;
    sched::park_to_ask(look);
    if (sched::now() < look) continue;
    look = sched::instant_after(long_time);
    was_gone = std::exchange(is_gone, net::is_known_to_be_gone(from));
    net::ask_whether_gone(from);
  }
}

step begin_barrier() noexcept {
  barriers& b = all();
  std::lock_guard const held(b.lock);
  return {++b.begun, 0};
}

void tell(int rank, const step& at, const std::vector<std::uint64_t>& numbers, const error_words& words) noexcept {
  out_archive out;
  out(at, numbers, words.rank);
  if (words.rank >= 0) out(words.type, words.text);
  net::send(rank, net::code_of<take_message>(), 0, out.data(), out.size());
}

/// A rank may be killed once it has come out of a barrier, and the others come out, too.
void see_off(int to) noexcept {
  sched::wait_noted const noted(*sched::self(), sched::wait_kind::barrier, nullptr, __builtin_return_address(0));
  net::await_handover(to);
}

}  // namespace

void meet(error_words& words) noexcept {
  int const me = net::job().rank, n = net::job().size;
  step at = begin_barrier();
  for (int distance = 1; distance < n; distance *= 2, ++at.round) {
    tell((me + distance) % n, at, {}, words);
    merge(words, std::move(await(at, (me + n - distance) % n).words));
  }
  for (int distance = 1; distance < n; distance *= 2) see_off((me + distance) % n);
}

std::vector<std::uint64_t> exchange(std::uint64_t mine) {
  int const me = net::job().rank, n = net::job().size;
  step at = begin_barrier();
  std::vector<std::uint64_t> have{mine};  // of me, me + 1, ... (Bruck)
  for (int distance = 1; distance < n; distance *= 2, ++at.round) {
    auto const count = static_cast<std::size_t>(std::min(distance, n - distance));
    tell((me + n - distance) % n, at, {have.begin(), have.begin() + static_cast<std::ptrdiff_t>(count)}, {});
    std::vector<std::uint64_t> const more = await(at, (me + distance) % n).numbers;
    have.insert(have.end(), more.begin(), more.end());
  }
  for (int distance = 1; distance < n; distance *= 2) see_off((me + n - distance) % n);
  have.resize(static_cast<std::size_t>(n));
  std::rotate(have.begin(), have.begin() + (n - me) % n, have.end());
  return have;
}

}  // namespace amity::pgas::detail
