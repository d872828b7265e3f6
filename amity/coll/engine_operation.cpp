#include "amity/coll/engine_operation.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <deque>
#include <mutex>
#include <tuple>
#include <utility>

#include "amity/coll/line_site.hpp"
#include "amity/coll/rules.hpp"
#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
#include "amity/sched/fiber/wait_note.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/timer.hpp"
#include "amity/sync/mutex.hpp"

namespace amity::collectives::detail {

bool is_for_mpi(const communicator& c, tuning::operation o, std::size_t bytes, std::size_t count) noexcept {
  if (!net::engine_has_collectives()) return false;
  const communicator::state& s = c.checked();
  if (!s.is_world || s.arity != 0 || s.sites < 2 || count > net::most_of_engine_call) return false;
  bool const lines = s.lines != nullptr && line_site::is_at_hand(o, bytes);
  return tuning::choose(tuning::rules_here().of(o), o, s.sites, bytes, 0, {.mpi = true, .lines = lines}).how ==
         tuning::method::mpi;
}

namespace {

/// What each site gives to a round: the operation's number, its intention, and the mark of its table of algorithms. The
/// engine finds the least of each word and of its complement, which is the complement of the greatest.
using words_of_turn = std::array<std::uint64_t, 5>;
using words_of_round = std::array<std::uint64_t, 2 * std::tuple_size_v<words_of_turn>>;

enum class turn_state : std::uint8_t { waits, begun, differs };

}  // namespace

struct engine_turn {
  engine_turn(std::uint64_t number, const words_of_turn& w, const net::engine_call& c) noexcept
      : operation(number), words(w), its(c) {}

  std::uint64_t operation;
  words_of_turn words;
  net::engine_call its;
  bool is_given_up = false;           ///< nobody here waits for it; under the lock of the rounds
  std::shared_ptr<engine_turn> self;  ///< of its call
  // Released by whoever sees the round's end, under that lock; acquired by the fiber that waits.
  std::atomic<turn_state> now{turn_state::waits};
  void* request = nullptr;  ///< the engine's, once it is begun
};

namespace {

words_of_turn words_of(std::uint64_t operation, intention what, bool is_refused) noexcept {
  if (is_refused) return {operation, 0, 0, 0, static_cast<std::uint64_t>(net::job().rank)};  // like nobody else's
  what.unordered = 0;  // sites drop it where it makes no difference
  auto const parts = std::bit_cast<std::array<std::uint64_t, 3>>(what);
  return {operation, parts[0], parts[1], parts[2], tuning::rules_here().mark};
}

/// The operations of this site that wait for the others' agreement, in their order, and the round that goes on. One
/// goes on at a time, so all sites have all rounds, and what they begin, in one order (E2).
class round_of_turns {
 public:
  engine_turn& add(const call& k, const net::engine_call& its) noexcept {
    std::lock_guard const held(lock_);
    std::uint64_t const operation = k.number();
    turns_.push_back(
        std::make_shared<engine_turn>(operation, words_of(operation, k.what(), !k.refused().empty()), its));
    engine_turn& made = *turns_.back();
    made.self = turns_.back();
    go_on_locked();
    return made;
  }
  void go_on() noexcept {
    std::unique_lock const held(lock_, std::try_to_lock);
    if (held.owns_lock()) go_on_locked();
  }
  /// False: it is begun already.
  bool give_up(engine_turn& t) noexcept {
    std::lock_guard const held(lock_);
    t.is_given_up = true;
    return t.now.load(std::memory_order_relaxed) != turn_state::begun;
  }

 private:
  void go_on_locked() noexcept {
    for (;;) {
      if (request_ == nullptr) {
        // After a round in which others were behind it needs no other: its number is passed by the next one's (E3).
        while (!turns_.empty() && has_been_in_round_ && turns_.front()->is_given_up) pop();
        if (turns_.empty()) return;
        begin_round();
      }
      if (!net::engine_call_is_over(request_)) return;
      request_ = nullptr;
      end_round();
    }
  }
  void pop() noexcept {
    turns_.pop_front();
    has_been_in_round_ = false;
  }
  void begin_round() noexcept {
    const words_of_turn& mine = turns_.front()->words;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      words_[i] = mine[i];
      words_[mine.size() + i] = ~mine[i];
    }
    request_ = net::begin_engine_call({net::engine_operation::all_reduce, 0, net::combination::minimum,
                                       net::number::u64, nullptr, words_.data(), words_.size()});
    has_been_in_round_ = true;
  }
  void end_round() noexcept {
    engine_turn& mine = *turns_.front();
    bool is_agreed = true;
    for (std::size_t i = 0; i < mine.words.size(); ++i)
      is_agreed = is_agreed && words_[i] == ~words_[mine.words.size() + i];
    if (!is_agreed && words_[0] != mine.operation) return;  // others were behind (E3): once more
    if (is_agreed && mine.is_given_up)                      // the others begin it
      return net::end_job("a collective operation that MPI does was cancelled here, and all others wait for it there");
    if (is_agreed) mine.request = net::begin_engine_call(mine.its);
    mine.now.store(is_agreed ? turn_state::begun : turn_state::differs, std::memory_order_release);  // pairs with look
    pop();
  }

  sync::mutex lock_;
  std::deque<std::shared_ptr<engine_turn>> turns_;
  bool has_been_in_round_ = false;  ///< the first of them
  void* request_ = nullptr;         ///< the round's
  words_of_round words_{};
};

round_of_turns& rounds() noexcept {
  static auto* const one = new round_of_turns;
  return *one;
}

/// True: MPI has done it, or the sites do not agree.
bool look(engine_turn& t) noexcept {
  if (t.now.load(std::memory_order_acquire) == turn_state::waits) rounds().go_on();  // pairs with end_round
  turn_state const now = t.now.load(std::memory_order_acquire);
  return now == turn_state::differs || (now == turn_state::begun && net::engine_call_is_over(t.request));
}

}  // namespace

own_turn take_turn(const call& k, const net::engine_call& its) noexcept {
  net::begin_activity();  // give_up_turn ends it
  return own_turn(&rounds().add(k, its));
}

void give_up_turn::operator()(engine_turn* t) const noexcept {
  static_cast<void>(rounds().give_up(*t));
  t->self.reset();  // the rounds may have it still
  net::end_activity();
}

std::uint64_t number_of(const engine_turn& turn) noexcept { return turn.operation; }

void await_engine_turn(engine_turn& turn, const communicator::state& s, const intention& what,
                       failure& problem) noexcept {
  using std::chrono::microseconds;
  constexpr microseconds first_nap(20), longest_nap(500);
  constexpr std::chrono::milliseconds lively_time(5), long_time(1000), between_questions(20);
  sched::fiber& me = *sched::self();
  sched::wait_noted const noted(me, sched::wait_kind::barrier, nullptr, __builtin_return_address(0));
  // MPI goes on with it while it is asked, and at no other time.
  sched::instant const lively = sched::instant_after(lively_time);
  sched::instant ask = sched::instant_after(long_time);
  microseconds nap = first_nap;
  for (bool is_over = false;;) {
    is_over = is_over || net::poll_a_moment([&turn] { return look(turn); });
    bool const differs = is_over && turn.now.load(std::memory_order_relaxed) == turn_state::differs;
    if (is_over && !differs) return;
    if (!differs && sched::now() < lively) {
      sched::yield_to_tasks();
      continue;
    }
    if (is_disputed({s.id, turn.operation, 0, s.site, 0, 0}, problem) && (differs || rounds().give_up(turn))) return;
    problem = failure();
    if (differs || sched::now() >= ask) {  // where they differ, who and how is in the answers
      ask = sched::instant_after(long_time);
      for (int rank = 0; rank < s.sites; ++rank)
        if (rank != s.site) compare_with(rank, s.id, turn.operation, rank, s.site, what);
    }
    sched::park_until(sched::instant_after(differs ? microseconds(between_questions) : nap));
    nap = std::min(2 * nap, longest_nap);
  }
}

}  // namespace amity::collectives::detail
