/// A dissemination barrier (Hensgen, Finkel, Manber: "Two algorithms for barrier synchronization", 1988): in round r
/// each rank tells the one 2^r further, and waits for the one 2^r before. After log2 of all rounds, each has heard of
/// all. The words that a rank has heard go along.

#include "amity/pgas/barrier.hpp"

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "amity/net/archive.hpp"
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
  try {
    in_archive in(m.bytes, m.size);
    in(at, words.rank);
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
    awaits = its.awaits;
  }
  if (awaits != nullptr) sched::unpark(awaits);
}

/// Waits for the message of one round, from rank `from`. One whose program has ended, by std::exit for instance, never
/// comes to the barrier.
void await(const step& at, int from, error_words& words) noexcept {
  constexpr auto long_time = std::chrono::seconds(1);
  sched::fiber& me = *sched::self();
  sched::wait_noted const noted(me, sched::wait_kind::barrier, nullptr, __builtin_return_address(0));
  barriers& b = all();
  sched::instant look = sched::instant_after(long_time);
  for (;;) {
    {
      std::lock_guard const held(b.lock);
      message& m = b.messages[at];
      if (m.has_come) {
        merge(words, std::move(m.words));
        b.messages.erase(at);
        return;
      }
      m.awaits = &me;
    }
    sched::park_until(look);
    if (sched::now() < look) continue;
    look = sched::instant_after(long_time);
    if (net::is_known_to_be_gone(from)) {
      std::string const why =
          "it waits for all processes to meet (barrier_all, finish_spmd), and the program of rank " +
          std::to_string(from) + " has ended";
      net::end_job(why.c_str());
    }
    net::ask_whether_gone(from);
  }
}

}  // namespace

void meet(error_words& words) noexcept {
  int const me = net::job().rank, n = net::job().size;
  barriers& b = all();
  step at;
  {
    std::lock_guard const held(b.lock);
    at.barrier = ++b.begun;
  }
  for (int distance = 1; distance < n; distance *= 2, ++at.round) {
    out_archive out;
    out(at, words.rank);
    if (words.rank >= 0) out(words.type, words.text);
    net::send((me + distance) % n, net::code_of<take_message>(), 0, out.data(), out.size());
    await(at, (me + n - distance) % n, words);
  }
}

}  // namespace amity::pgas::detail
