#include "amity/coll/lines.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

namespace amity::collectives::detail {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_seq_cst;

lines::lines(int sites, int site, const surroundings& around) : around_(around) {
  for (queue& q : of_line_) q.pending.reserve(2);
  among(sites, site);
}

void lines::among(int sites, int site) {
  sites_ = sites;
  site_ = site;
  boards_ = std::vector<std::atomic<board*>>(static_cast<std::size_t>(sites));
  known_through_.resize(static_cast<std::size_t>(sites) * apart);
}

lines::~lines() {
  for (void* memory : outgrown_) around_.release(around_.of, memory);
  if (values_ != nullptr) around_.release(around_.of, values_);
}

void lines::know(int site, board& its) noexcept {
  boards_[static_cast<std::size_t>(site)].store(&its, memory_order_seq_cst);
  // It may have fallen asleep when this site did not know where to look (L5). seq_cst: Dekker with ring_sleepers, which
  // has found no board, and falls_asleep.
  if (its.sleeps.load(memory_order_seq_cst) != 0 && its.sleeps.exchange(0, memory_order_seq_cst) != 0)
    around_.ring(around_.of, site);
}

std::uint64_t lines::count_locked() noexcept {
  std::uint64_t const operation = ++counted_;
  of_line_[index_of(operation)].pending.push_back(operation);
  return operation;
}

std::uint64_t lines::count() noexcept {
  std::lock_guard const held(lock_);
  return count_locked();
}

void lines::pass(std::uint64_t operation) noexcept {
  turn t;
  t.operation = operation;
  end(t);
}

void lines::open(board& own) noexcept {
  std::lock_guard const held(lock_);
  for (std::size_t i = 0; i < apart; ++i) own.through[i].store(of_line_[i].over, memory_order_relaxed);
  boards_[static_cast<std::size_t>(site_)].store(&own, memory_order_relaxed);
  own_.store(&own, std::memory_order_release);  // pairs with is_open
}

bool lines::has_room(turn& t) noexcept {
  std::size_t const index = index_of(t.operation);
  std::uint64_t const before = of_line_[index].written;
  if (before == 0) return true;
  for (int s = 0; s < sites_; ++s) {
    if (s == site_) continue;
    std::uint64_t* const known = &known_through_[static_cast<std::size_t>(s) * apart];
    if (known[index] >= before) continue;
    t.site = s;
    const board* const its = boards_[static_cast<std::size_t>(s)].load(memory_order_acquire);  // pairs with know
    if (its == nullptr) return false;
    // Acquire: it has read what is about to be overwritten. All of them: the other lines' turns come next.
    for (std::size_t i = 0; i < apart; ++i) known[i] = its->through[i].load(memory_order_acquire);  // pairs with end
    if (known[index] < before) return false;
  }
  return true;
}

bool lines::write(const turn& t) noexcept {
  std::size_t const index = index_of(t.operation), bytes = t.value.size();
  board& own = *own_.load(memory_order_relaxed);
  line& mine = own.of[index];
  if (bytes <= line::room) {
    if (bytes != 0) std::memcpy(mine.value, t.value.data(), bytes);
  } else {
    if (bytes > room_) {
      std::size_t const room = std::bit_ceil(std::max<std::size_t>(bytes, 1024));
      void* const more = around_.allocate(around_.of, room * apart);
      if (more == nullptr) return false;
      if (values_ != nullptr) outgrown_.push_back(values_);  // others may be reading it
      values_ = static_cast<std::byte*>(more);
      room_ = room;
    }
    std::byte* const at = values_ + index * room_;
    std::memcpy(at, t.value.data(), bytes);
    std::int64_t const distance = at - reinterpret_cast<std::byte*>(&own);
    std::memcpy(mine.value, &distance, sizeof distance);
  }
  mine.what = t.what;
  of_line_[index].written = t.operation;
  // Release for those who read it; seq_cst: Dekker with falls_asleep.
  mine.operation.store(t.operation, memory_order_seq_cst);
  return true;
}

bool lines::is_there(int site, turn& t) const noexcept {
  if (site == site_) return true;
  const board* const its = boards_[static_cast<std::size_t>(site)].load(memory_order_acquire);  // pairs with know
  t.site = site;
  if (its == nullptr) return false;
  const line& one = its->of[index_of(t.operation)];
  if (one.operation.load(memory_order_acquire) != t.operation) return false;  // pairs with write
  if (!(one.what == t.what)) t.at = turn::stage::differs;
  return true;
}

void lines::look(turn& t) const noexcept {
  int const root = t.root;
  int const first = t.needs == needed::root ? root : 0;
  int const end = t.needs == needed::none   ? 0
                  : t.needs == needed::root ? root + 1
                  : t.needs == needed::all  ? sites_
                                            : site_;
  // From the one that was missing last: those before it are there.
  for (int s = t.at == turn::stage::waits_for_lines ? std::max(first, t.site) : first; s < end; ++s) {
    if (!is_there(s, t)) {
      t.at = turn::stage::waits_for_lines;
      return;
    }
    if (t.at == turn::stage::differs) return;
  }
  t.at = turn::stage::complete;
}

bool lines::begin_locked(turn& t) noexcept {
  if (of_line_[index_of(t.operation)].pending.front() != t.operation) {
    t.site = site_;
    return false;
  }
  if (t.gives_last) return true;
  t.at = turn::stage::waits_for_room;
  return has_room(t) && write(t);
}

void lines::has_begun(turn& t) const noexcept {
  if (!t.gives_last) ring_sleepers();
  t.site = 0;
  t.at = turn::stage::waits_for_lines;
  look(t);
}

void lines::start(turn& t) noexcept {
  {
    std::lock_guard const held(lock_);
    t.operation = count_locked();
    if (!is_open() || !begin_locked(t)) return;
  }
  has_begun(t);
}

void lines::go_on(turn& t) noexcept {
  if (!t.may_look()) {
    {
      std::lock_guard const held(lock_);
      if (!begin_locked(t)) return;
    }
    has_begun(t);
  } else if (t.at == turn::stage::waits_for_lines) {
    look(t);
  }
}

void lines::give(turn& t) noexcept {
  t.gives_last = false;
  t.needs = needed::none;
  t.at = turn::stage::waits_for_room;
  go_on(t);
}

const std::byte* lines::value_of(int site, const turn& t, std::size_t bytes) const noexcept {
  // It is known, and written: the turn is complete.
  const board* const its = boards_[static_cast<std::size_t>(site)].load(memory_order_relaxed);
  const line& one = its->of[index_of(t.operation)];
  if (bytes <= line::room) return one.value;
  std::int64_t distance;
  std::memcpy(&distance, one.value, sizeof distance);
  return reinterpret_cast<const std::byte*>(its) + distance;
}

intention lines::what_of(int site, const turn& t) const noexcept {
  return boards_[static_cast<std::size_t>(site)].load(memory_order_relaxed)->of[index_of(t.operation)].what;
}

void lines::end(const turn& t) noexcept {
  std::size_t const index = index_of(t.operation);
  {
    std::lock_guard const held(lock_);
    queue& q = of_line_[index];
    bool const was_first = q.pending.front() == t.operation;
    std::erase(q.pending, t.operation);
    if (!was_first) return;
    // All before the first that is pending, or all.
    q.over = q.pending.empty() ? last_of(index) : q.pending.front() - apart;
    board* const own = own_.load(memory_order_relaxed);
    if (own == nullptr) return;
    // Release: what was read; pairs with has_room. seq_cst: Dekker with falls_asleep.
    own->through[index].store(q.over, memory_order_seq_cst);
  }
  ring_sleepers();
}

void lines::ring_sleepers() const noexcept {
  for (int s = 0; s < sites_; ++s) {
    if (s == site_) continue;
    board* const its = boards_[static_cast<std::size_t>(s)].load(memory_order_seq_cst);
    if (its == nullptr || its->sleeps.load(memory_order_seq_cst) == 0) continue;  // pairs with falls_asleep
    if (its->sleeps.exchange(0, memory_order_seq_cst) != 0) around_.ring(around_.of, s);
  }
}

}  // namespace amity::collectives::detail
