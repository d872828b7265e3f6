#include "amity/sched/profile/rows.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "amity/base/private_memory.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/fiber/fiber.hpp"
#include "amity/sched/profile/timeline.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched::profile {

namespace {

/// A row's place of the code and its construct in one word; 0: the row is free. Addresses have 57 bits at most.
using key = std::uint64_t;
constexpr int construct_at = 58;
key key_of(const void* code, construct what) noexcept {
  return reinterpret_cast<std::uintptr_t>(code) | key{static_cast<std::uint8_t>(what)} << construct_at;
}

const void* place_of(key k) noexcept { return reinterpret_cast<const void*>(k & ((key{1} << construct_at) - 1)); }
construct construct_of(key k) noexcept { return static_cast<construct>(k >> construct_at); }

constexpr unsigned first_free_row = others_row + 1;

/// Relaxed: a row's number is all that it tells.
std::atomic<key> keys[most_rows];

/// Written by its carrier alone, and read at the end. Relaxed: sums, which order nothing.
struct cells {
  std::atomic<std::uint64_t> ticks[columns];
  std::atomic<std::uint64_t> calls;
};

void add(std::atomic<std::uint64_t>& to, std::uint64_t n) noexcept {
  to.store(to.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

/// What is known of a carrier.
struct block {
  block* next;
  const sched::carrier* of;
  std::uint32_t life;               ///< which process it belongs to: a fork's child, or its parent
  std::atomic<std::uint64_t> turn;  ///< the number of its turn
  /// A member that waited on this carrier goes on elsewhere: it has waited here until `left_at`, in turn `left_turn`.
  /// Written by the other carrier; release, which pairs with the acquire in charge().
  std::atomic<std::uint64_t> left_at, left_turn;
  // The carrier's own, and close_rows' when it has stopped the clock for all.
  std::atomic<std::uint64_t> since;  ///< ticks; relaxed: at the end it may be another's time that is missed
  std::atomic<std::uint32_t> state;  ///< the row, and the column beneath it
  int os_thread;                     ///< whose `account` it is
  int account;                       ///< the kernel's of this OS thread (schedstat); -1: there is none
  std::uint64_t delay;               ///< for how long it had been ready without a core at the last look, nanoseconds
  std::uint64_t owed;                ///< ticks that were stolen from times too short to be looked at
  timeline::writer writer;
  cells rows[most_rows];
};

std::atomic<block*> blocks{nullptr};
std::uint64_t begun_at;  // ticks
std::chrono::steady_clock::time_point begun;
std::atomic<bool> is_closed{false};
std::uint32_t life_now = 1;

/// Where the calling member had its last turn: with its identity it goes from carrier to carrier.
__thread block* was_on = nullptr;
__thread std::uint64_t was_turn = 0;
__thread std::uint32_t was_in = 0;  // the row, and the column beneath it
__thread std::uint32_t around = serial_row;

double ns_per_tick = 0;

constexpr std::uint64_t worth_a_look_us = 100;  ///< to ask the kernel takes about one

/// For how long the OS thread has been ready to run without a core.
std::uint64_t delay_of(const block& b) noexcept {
  char text[96];
  ssize_t const length = b.account < 0 ? -1 : pread(b.account, text, sizeof text - 1, 0);
  if (length <= 0) return b.delay;
  text[length] = '\0';
  unsigned long long ran = 0, delayed = 0;
  return sscanf(text, "%llu %llu", &ran, &delayed) == 2 ? delayed : b.delay;
}

std::uint32_t packed(unsigned row, column to) noexcept { return row << 8 | static_cast<std::uint8_t>(to); }

/// Has the kernel's account of the calling OS thread, which is `c`.
void open_account(block& b, const sched::carrier& c) noexcept {
  if (b.account >= 0) close(b.account);
  b.os_thread = c.thread_id.load(std::memory_order_relaxed);
  b.account = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  b.delay = 0;
  b.delay = delay_of(b);
}

/// Counts the time up to `now` where the carrier was.
void charge(block& b, std::uint64_t now, bool by_itself) noexcept {
  std::uint64_t const since = b.since.load(std::memory_order_relaxed);
  std::uint64_t passed = now > since ? now - since : 0;
  b.since.store(since + passed, std::memory_order_relaxed);
  std::uint32_t const state = b.state.load(std::memory_order_relaxed);
  cells& row = b.rows[state >> 8];
  if ((state & 0xff) == static_cast<unsigned>(column::waiting) &&
      b.left_turn.load(std::memory_order_acquire) == b.turn.load(std::memory_order_relaxed)) {
    // The member that waited here has left: from then on there was nothing to do.
    std::uint64_t const left = std::clamp(b.left_at.load(std::memory_order_relaxed), since, since + passed);
    add(b.rows[idle_row].ticks[static_cast<unsigned>(column::work)], since + passed - left);
    if (by_itself && timeline::is_open()) timeline::note_idle(b.writer, left);
    passed = left - since;
  }
  std::uint64_t stolen = 0;
  if (by_itself && passed > sys::ticks_of_microseconds(worth_a_look_us)) {
    std::uint64_t const delay = delay_of(b);
    b.owed += (delay - b.delay) * sys::ticks_per_microsecond / 1000;
    b.delay = delay;
    stolen = std::min(b.owed, passed);
    b.owed -= stolen;
  }
  add(row.ticks[state & 0xff], passed - stolen);
  add(row.ticks[static_cast<unsigned>(column::stolen)], stolen);
}

/// Until its first event a carrier was idle, since the profile's begin.
block* make_block(const sched::carrier& c) noexcept {
  void* const memory = base::take_private_zeroed(sizeof(block));
  if (memory == nullptr) return nullptr;
  auto* const b = new (memory) block{};
  b->of = &c;
  b->since.store(begun_at, std::memory_order_relaxed);
  b->state.store(packed(idle_row, column::work), std::memory_order_relaxed);
  b->life = life_now;
  b->turn.store(1, std::memory_order_relaxed);
  b->account = -1;
  open_account(*b, c);
  b->next = blocks.load(std::memory_order_relaxed);
  while (!blocks.compare_exchange_weak(b->next, b, std::memory_order_release,
                                       std::memory_order_relaxed)) {  // pairs with close_rows and find_block
  }
  return b;
}

block* find_block(const sched::carrier& c) noexcept {
  for (block* b = blocks.load(std::memory_order_acquire); b != nullptr; b = b->next)  // pairs with make_block
    if (b->of == &c) return b;
  return make_block(c);
}

/// The calling carrier's. Null: there is no carrier, or no memory.
block* own_block() noexcept {
  sched::fiber* const f = sched::current_fiber;
  if (f == nullptr || f->on == nullptr) return nullptr;
  sched::carrier& c = *f->on;
  auto* b = static_cast<block*>(c.profiled);
  if (b == nullptr || b->life != life_now) c.profiled = b = find_block(c);
  if (b != nullptr && b->os_thread != c.thread_id.load(std::memory_order_relaxed)) [[unlikely]]
    open_account(*b, c);  // another thread of the program has that carrier now
  return b;
}

void turn_in(block* b, unsigned row, column to) noexcept {
  if (b == nullptr || is_closed.load(std::memory_order_relaxed)) return;
  std::uint64_t const now = sys::ticks();
  if (was_on != nullptr && was_on != b && was_on->life == life_now) {
    was_on->left_at.store(now, std::memory_order_relaxed);
    was_on->left_turn.store(was_turn, std::memory_order_release);
  }
  charge(*b, now, true);
  was_on = b;
  was_turn = b->turn.load(std::memory_order_relaxed) + 1;
  b->turn.store(was_turn, std::memory_order_relaxed);
  was_in = packed(row, to);
  b->state.store(was_in, std::memory_order_relaxed);
  if (timeline::is_open()) timeline::note(b->writer, now, row, to);
}

}  // namespace

unsigned row_of(const void* code, construct what) noexcept {
  key const wanted = key_of(code, what);
  std::uint64_t const mixed = wanted * 0x9e3779b97f4a7c15u;
  for (unsigned i = 0; i < most_rows - first_free_row; ++i) {
    auto const row = first_free_row + static_cast<unsigned>(((mixed >> 32) + i) % (most_rows - first_free_row));
    key there = keys[row].load(std::memory_order_relaxed);
    if (there == 0 && keys[row].compare_exchange_strong(there, wanted, std::memory_order_relaxed)) {
      timeline::describe(row, code, what);
      return row;
    }
    if (there == wanted) return row;
  }
  return others_row;
}

void turn_to(unsigned row, column to) noexcept { turn_in(own_block(), row, to); }

void begin_in(unsigned row, column to) noexcept {
  block* const b = own_block();
  turn_in(b, row, to);
  if (b != nullptr) add(b->rows[row].calls, 1);
}

void note_message(bool is_sent, unsigned peer, std::uint32_t key) noexcept {
  if (!timeline::is_open()) return;
  if (block* const b = own_block()) timeline::note_message(b->writer, sys::ticks(), is_sent, peer, key);
}

void note_arrow(std::uint64_t ticks, std::uint32_t key) noexcept {
  if (!timeline::is_open()) return;
  if (block* const b = own_block()) timeline::note_arrow(b->writer, ticks, key);
}

void count(unsigned row) noexcept {
  if (block* const b = own_block()) add(b->rows[row].calls, 1);
}

turn last_turn() noexcept { return {was_in >> 8, static_cast<column>(was_in & 0xff)}; }

bool has_turned() noexcept { return was_on != nullptr; }

unsigned row_around() noexcept { return around; }

unsigned set_row_around(unsigned row) noexcept { return std::exchange(around, row); }

void describe_rows() noexcept {
  for (unsigned row = 0; row < most_rows; ++row)
    if (key const k = keys[row].load(std::memory_order_relaxed); k != 0 || row < first_free_row)
      timeline::describe(row, place_of(k), construct_of(k));
}

void begin_rows() noexcept {
  // In the child of a fork: what the parent had is the parent's, and so are its carriers.
  ++life_now;
  for (block* b = blocks.exchange(nullptr, std::memory_order_acquire); b != nullptr; b = b->next)
    if (b->account >= 0) close(b->account);
  keys[idle_row].store(key_of(nullptr, construct::idle), std::memory_order_relaxed);
  keys[serial_row].store(key_of(nullptr, construct::serial), std::memory_order_relaxed);
  keys[others_row].store(key_of(nullptr, construct::others), std::memory_order_relaxed);
  describe_rows();
  begun = std::chrono::steady_clock::now();
  begun_at = sys::ticks();
}

overview close_rows() noexcept {
  std::uint64_t const now = sys::ticks();
  std::chrono::nanoseconds const passed = std::chrono::steady_clock::now() - begun;
  is_closed.store(true, std::memory_order_relaxed);
  overview all{static_cast<std::uint64_t>(passed.count()), 0};
  for (block* b = blocks.load(std::memory_order_acquire); b != nullptr; b = b->next) {  // pairs with make_block
    ++all.carriers;
    charge(*b, now, false);
  }
  ns_per_tick = now == begun_at ? 0 : static_cast<double>(all.wall_ns) / static_cast<double>(now - begun_at);
  return all;
}

std::uint64_t nanoseconds_of(std::uint64_t ticks) noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(ticks) * ns_per_tick);
}

bool sum_of(unsigned row, sums& into) noexcept {
  key const k = keys[row].load(std::memory_order_relaxed);
  if (row >= first_free_row && k == 0) return false;
  into = {place_of(k), construct_of(k), 0, {}};
  for (block* b = blocks.load(std::memory_order_acquire); b != nullptr; b = b->next) {
    into.calls += b->rows[row].calls.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < columns; ++i)
      into.ns[i] += nanoseconds_of(b->rows[row].ticks[i].load(std::memory_order_relaxed));
  }
  return true;
}

}  // namespace amity::sched::profile
