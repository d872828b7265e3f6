// Worksharing loops of a team over several processes: process 0 deals out the chunks, and knows whose turn it is in an
// ordered one.
#include <cstdint>
#include <mutex>

#include "amity/omp/cluster/job.hpp"
#include "amity/omp/cluster/pool.hpp"
#include "amity/omp/cluster/waits.hpp"
#include "amity/omp/hooks/cluster.hpp"
#include "amity/omp/hooks/race_detector.hpp"
#include "amity/omp/rt/loop.hpp"
#include "amity/omp/rt/team.hpp"
#include "amity/omp/rt/thread.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::omp::cluster {
namespace {

// What a loop is, with each question: process 0 may hear of it before its own members have come there.
struct loop_question {
  std::uint64_t number = 0;  // of the region's loops
  std::uint64_t total = 0, chunk = 0, unit = 0;
  std::uint64_t chunks = 0;  // dynamic: how many to take at once
  std::uint64_t threads = 0;
  schedule_kind kind = schedule_kind::dynamic;
};

// Iterations; none: begin == end. Or a schedule in two words, or another answer
// in `begin`.
struct chunk_answer : answer {
  std::uint64_t begin = 0, end = 0;
};

// A member that waits for its turn.
struct turn_waiter {
  std::uint64_t begin;    // of its chunk
  std::uint64_t address;  // of its answer
  int process;
  turn_waiter* next;
};

// What a static loop's members have, to know whose an iteration is.
struct static_share {
  std::uint64_t total = 0;    // 0: it is no such loop
  std::uint64_t chunk = 0;    // 0: one block each
  std::uint64_t threads = 0;  // of the team

  struct part {
    std::uint64_t owner, end;
  };
  [[nodiscard]] part part_from(std::uint64_t begin) const noexcept {
    if (chunk != 0) return {begin / chunk % threads, total - begin < chunk ? total : begin + chunk};
    std::uint64_t const block = total / threads, rest = total % threads, longer = rest * (block + 1);
    if (begin < longer) return {begin / (block + 1), begin + block + 1};
    return {rest + (begin - longer) / block, begin + block};
  }
};

struct loop_entry {
  std::uint64_t number;
  std::uint64_t next = 0;   // iteration that nobody has yet
  std::uint64_t turn = 0;   // ordered: the chunk that begins there goes on
  static_share share = {};  // of an ordered loop in a region that may be cancelled
  bool is_agreed = false;   // on how
  schedule how = {};
  std::uint64_t memory = 0;  // that all use
  int left = 0;              // processes that no longer do
  turn_waiter* waiters = nullptr;
  loop_entry* chained = nullptr;
};

// --- in process 0: the loops since the last barrier or the region's begin

constexpr std::size_t buckets = 256;
struct {
  sys::spin_lock lock;
  loop_entry* first[buckets] = {};
  bool some = false;
  std::uint64_t forgotten = 0;  // all below it: nobody but who attends after a cancellation may ask for one
} loops;
pool<loop_entry> entries;
pool<turn_waiter> waiters;

// --- in each process: blocks that all use, and this one gives back

struct kept_block {
  void* memory;
  kept_block* next;
};
sys::spin_lock kept_lock;
kept_block* kept = nullptr;
pool<kept_block> kept_blocks;

loop_entry& entry_of(std::uint64_t number) noexcept {  // under the lock
  loop_entry*& first = loops.first[number % buckets];
  for (loop_entry* e = first; e != nullptr; e = e->chained)
    if (e->number == number) return *e;
  loop_entry* const made = entries.take();
  *made = {.number = number, .chained = first};
  loops.some = true;
  return *(first = made);
}

void deal(const loop_question& q, std::uint64_t& begin, std::uint64_t& end) noexcept {
  std::lock_guard const guard(loops.lock);
  loop_entry& e = entry_of(q.number);
  std::uint64_t const left = q.total - e.next;
  std::uint64_t size;
  if (q.kind == schedule_kind::guided) {
    size = guided_size(left, q.chunk, q.threads);
    if (q.unit > 1 && size < left) size -= size % q.unit;
  } else {
    size = q.chunks > left / q.chunk ? left : q.chunks * q.chunk;
  }
  begin = e.next;
  end = e.next += size;
}

schedule first_of(std::uint64_t number, const schedule& how) noexcept {
  std::lock_guard const guard(loops.lock);
  loop_entry& e = entry_of(number);
  if (!e.is_agreed) e.how = how;
  e.is_agreed = true;
  return e.how;
}

// A schedule in two words of a message: the kind with its flags, and the chunk.
std::uint64_t kind_in_word(const schedule& s) noexcept {
  return static_cast<std::uint64_t>(s.kind) | (s.monotonic ? 0x100u : 0u) | (s.of_icv ? 0x200u : 0u);
}
schedule schedule_of_words(std::uint64_t kind, std::uint64_t chunk) noexcept {
  schedule s(static_cast<schedule_kind>(kind & 0xff), (kind & 0x100) != 0, static_cast<std::int64_t>(chunk));
  s.of_icv = (kind & 0x200) != 0;
  return s;
}

std::uint64_t first_memory(std::uint64_t number, std::uint64_t offered) noexcept {
  std::lock_guard const guard(loops.lock);
  loop_entry& e = entry_of(number);
  if (e.memory == 0) e.memory = offered;
  return e.memory;
}

bool has_left(std::uint64_t number) noexcept {
  std::lock_guard const guard(loops.lock);
  loop_entry& e = entry_of(number);
  bool const is_last = ++e.left == parts();
  if (is_last) e.memory = 0;  // the asker gives it back
  return is_last;
}

void answer_turn(const turn_waiter& w) noexcept {
  if (w.process == 0)
    answer::at(w.address).give(0);
  else
    tell(w.process, {.about = topic::turn_is, .b = w.address});
}

// Takes who waits for the entry's turn off its list, into a copy. Under the lock.
bool take_next(loop_entry& e, turn_waiter& next) noexcept {
  turn_waiter** at = &e.waiters;
  while (*at != nullptr && (*at)->begin != e.turn) at = &(*at)->next;
  turn_waiter* const w = *at;
  if (w == nullptr) return false;
  *at = w->next;
  next = *w;
  waiters.give_back(w);
  return true;
}

// The turn goes past members that are at the region's end, and don't come. Under the lock.
void pass_over_absent(loop_entry& e) noexcept {
  while (e.turn < e.share.total) {
    auto const [owner, end] = e.share.part_from(e.turn);
    if (!is_through(process_of_member(owner))) return;
    e.turn = end;
  }
}

// Outside of the lock.
void answer_turns(turn_waiter* all) noexcept {
  while (turn_waiter* const w = all) {
    all = w->next;
    answer_turn(*w);
    std::lock_guard const guard(loops.lock);
    waiters.give_back(w);
  }
}

// The chunk from `begin` may go on now, or is to be told when it may.
void ask_turn(std::uint64_t number, std::uint64_t begin, const static_share& share, int process,
              std::uint64_t address) noexcept {
  turn_waiter const asker{begin, address, process, nullptr};
  if (std::lock_guard const guard(loops.lock); number >= loops.forgotten) {
    loop_entry& e = entry_of(number);
    e.share = share;
    pass_over_absent(e);
    if (e.turn < begin) {  // it is past it where the asker's process was passed over
      turn_waiter* const w = waiters.take();
      *w = asker;
      w->next = e.waiters;
      e.waiters = w;
      return;
    }
  }
  answer_turn(asker);
}

void turn_goes_to(std::uint64_t number, std::uint64_t begin) noexcept {
  turn_waiter next;
  {
    std::lock_guard const guard(loops.lock);
    if (number < loops.forgotten) return;
    loop_entry& e = entry_of(number);
    if (begin <= e.turn) return;
    e.turn = begin;
    pass_over_absent(e);
    if (!take_next(e, next)) return;
  }
  answer_turn(next);
}

static_share share_of(const thread& t) noexcept {
  const loop_state& l = t.loop;
  if (!t.team->cancellable || l.kind != schedule_kind::static_) return {};
  return {l.total, l.chunk, static_cast<std::uint64_t>(t.team->size)};
}

std::uint64_t number_of(const thread& t) noexcept { return t.loop.number_across; }

}  // namespace

void forget_loops() noexcept {
  turn_waiter* due = nullptr;
  {
    std::lock_guard const guard(loops.lock);
    if (!loops.some) return;
    loops.some = false;
    for (loop_entry*& first : loops.first)
      for (loop_entry** at = &first; *at != nullptr;) {
        loop_entry* const e = *at;
        bool const is_loop = e->number < first_of_reductions;
        if (is_loop && e->number >= loops.forgotten) loops.forgotten = e->number + 1;
        // What is left is for members who attend: turns that nobody else waits for, and memory that they leave later.
        while (turn_waiter* const w = e->waiters) {
          e->waiters = w->next;
          w->next = due;
          due = w;
        }
        if (is_loop && e->memory != 0) {
          at = &e->chained;
          loops.some = true;
          continue;
        }
        *at = e->chained;
        entries.give_back(e);
      }
  }
  answer_turns(due);
}

void begin_loops() noexcept {
  loop_entry* of_before = nullptr;
  {
    std::lock_guard const guard(loops.lock);
    loops.forgotten = 0;
    if (!loops.some) return;
    loops.some = false;
    for (loop_entry*& first : loops.first)
      while (loop_entry* const e = first) {
        first = e->chained;
        e->chained = of_before;
        of_before = e;
      }
  }
  while (loop_entry* const e = of_before) {
    of_before = e->chained;
    // The region was cancelled, and a process whose members did not come to the loop has not left it.
    if (e->memory != 0 && e->number < first_of_reductions) race::free_unseen(reinterpret_cast<void*>(e->memory));
    std::lock_guard const guard(loops.lock);
    entries.give_back(e);
  }
}

void pass_over_loops() noexcept {
  turn_waiter* due = nullptr;
  {
    std::lock_guard const guard(loops.lock);
    if (!loops.some) return;
    for (loop_entry* const first : loops.first)
      for (loop_entry* e = first; e != nullptr; e = e->chained) {
        pass_over_absent(*e);
        turn_waiter next;
        if (!take_next(*e, next)) continue;
        turn_waiter* const w = waiters.take();
        *w = next;
        w->next = due;
        due = w;
      }
  }
  answer_turns(due);
}

void next_chunks(thread& t, std::uint64_t chunks, std::uint64_t& begin, std::uint64_t& end) noexcept {
  loop_state const& l = t.loop;
  loop_question const q{number_of(t),  l.total, l.chunk, l.unit, chunks, static_cast<std::uint64_t>(t.team->size),
                        l.dealt_across};
  if (others->own == 0) {
    deal(q, begin, end);
  } else {
    chunk_answer ours;
    piece const body{&q, sizeof q};
    others->send(0, {.about = topic::asks_chunk, .bytes = sizeof q, .b = ours.address()}, &body, 1);
    static_cast<void>(ours.await());
    begin = ours.begin;
    end = ours.end;
  }
  waits::does(begin < end ? during::loops : during::regions);
}

schedule agree_on(std::uint64_t number, const schedule& ours) noexcept {
  if (others->own == 0) return first_of(number, ours);
  chunk_answer theirs;
  loop_question const q{.number = number, .total = kind_in_word(ours), .chunk = static_cast<std::uint64_t>(ours.chunk)};
  piece const body{&q, sizeof q};
  others->send(0, {.about = topic::asks_schedule, .bytes = sizeof q, .b = theirs.address()}, &body, 1);
  static_cast<void>(theirs.await());
  return schedule_of_words(theirs.begin, theirs.end);
}

void* agree_on_memory(std::uint64_t number, void* ours) noexcept {
  auto const offered = reinterpret_cast<std::uint64_t>(ours);
  if (others->own == 0) return reinterpret_cast<void*>(first_memory(number, offered));
  chunk_answer theirs;
  tell(0, {.about = topic::offers_memory, .a = number, .b = theirs.address(), .c = offered});
  static_cast<void>(theirs.await());
  return reinterpret_cast<void*>(theirs.begin);
}

void keep(void* memory) noexcept {
  std::lock_guard const guard(kept_lock);
  kept_block* const k = kept_blocks.take();
  *k = {memory, kept};
  kept = k;
}

bool has_kept(void* memory) noexcept {
  std::lock_guard const guard(kept_lock);
  for (kept_block** at = &kept; *at != nullptr; at = &(*at)->next) {
    kept_block* const k = *at;
    if (k->memory != memory) continue;
    *at = k->next;
    kept_blocks.give_back(k);
    return true;
  }
  return false;
}

bool is_last_to_leave(std::uint64_t number) noexcept {
  if (others->own == 0) return has_left(number);
  chunk_answer theirs;
  tell(0, {.about = topic::leaves_memory, .a = number, .b = theirs.address()});
  static_cast<void>(theirs.await());
  return theirs.begin != 0;
}

void await_turn(thread& t) noexcept {
  answer ours;
  static_share const share = share_of(t);
  if (others->own == 0) {
    ask_turn(number_of(t), t.loop.begin, share, 0, ours.address());
  } else {
    piece const body{&share, sizeof share};
    others->send(
        0,
        {.about = topic::asks_turn, .bytes = sizeof share, .a = number_of(t), .b = ours.address(), .c = t.loop.begin},
        &body, 1);
  }
  static_cast<void>(ours.await());
  waits::does(during::ordered);
}

void pass_turn(thread& t) noexcept {
  waits::does(during::loops);
  others->hand_on_output();
  if (others->own == 0) return turn_goes_to(number_of(t), t.loop.end);
  tell(0, {.about = topic::passes_turn, .a = number_of(t), .c = t.loop.end});
}

void take_chunk_question(int from, const message& m, const void* body) noexcept {
  message reply{.about = topic::chunk_is, .b = m.b};
  deal(*static_cast<const loop_question*>(body), reply.a, reply.c);
  tell(from, reply);
}

void take_schedule_question(int from, const message& m, const void* body) noexcept {
  auto const& q = *static_cast<const loop_question*>(body);
  schedule const how = first_of(q.number, schedule_of_words(q.total, q.chunk));
  tell(from, {.about = topic::chunk_is, .a = kind_in_word(how), .b = m.b, .c = static_cast<std::uint64_t>(how.chunk)});
}

void take_memory_offer(int from, const message& m) noexcept {
  tell(from, {.about = topic::chunk_is, .a = first_memory(m.a, m.c), .b = m.b});
}

void take_leaving(int from, const message& m) noexcept {
  tell(from, {.about = topic::chunk_is, .a = has_left(m.a), .b = m.b});
}

void take_chunk_answer(const message& m) noexcept {
  auto& asked = static_cast<chunk_answer&>(answer::at(m.b));
  asked.begin = m.a;
  asked.end = m.c;
  asked.give(0);
}

void take_turn_question(int from, const message& m, const void* body) noexcept {
  ask_turn(m.a, m.c, *static_cast<const static_share*>(body), from, m.b);
}
void take_turn(const message& m) noexcept { turn_goes_to(m.a, m.c); }
void take_turn_answer(const message& m) noexcept { answer::at(m.b).give(0); }

}  // namespace amity::omp::cluster
