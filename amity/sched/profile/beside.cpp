#include "amity/sched/profile/beside.hpp"

#include <string.h>

#include <atomic>
#include <mutex>
#include <new>

#include "amity/base/private_memory.hpp"
#include "amity/sched/profile/rows.hpp"
#include "amity/sched/profile/timeline.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched::profile {

namespace {

/// A name, for ever: its address is the row's place.
struct known_name {
  known_name* next;
  char text[];
};

/// Of `names`, and of the writer: events of all devices and of the monitor are in one order. Held for some hundred
/// nanoseconds, or while a chunk of the file gets its room.
sys::spin_lock lock;
known_name* names = nullptr;
timeline::writer writer;

/// Relaxed, all of them: sums, which order nothing.
struct cells {
  std::atomic<std::uint64_t> calls, ticks, bytes, by_host;
};
cells sums_of_rows[most_rows];

std::atomic<std::uint32_t> last_key{0};

/// The row of that name. Under the lock.
unsigned row_named(const char* name, construct what) noexcept {
  known_name* found = names;
  while (found != nullptr && strcmp(found->text, name) != 0) found = found->next;
  if (found == nullptr) {
    std::size_t const size = strlen(name) + 1;
    found = static_cast<known_name*>(base::take_private(sizeof(known_name) + size));
    if (found == nullptr) return others_row;
    memcpy(found->text, name, size);
    found->next = names;
    names = found;
  }
  return row_of(found->text, what);
}

}  // namespace

unsigned make_track(const char* name) noexcept {
  std::lock_guard const held(lock);
  return row_named(name, construct::track);
}

std::uint32_t note_handed_over(std::uint64_t ticks) noexcept {
  std::uint32_t const key = last_key.fetch_add(1, std::memory_order_relaxed) + 1;
  note_arrow(ticks, key);
  return key;
}

void note_operation(unsigned track, const operation_on_device& o) noexcept {
  std::lock_guard const held(lock);
  unsigned const row = row_named(o.name, construct::operation);
  std::uint64_t const end = o.end_ticks > o.begin_ticks ? o.end_ticks : o.begin_ticks;
  cells& to = sums_of_rows[row];
  to.calls.fetch_add(1, std::memory_order_relaxed);
  to.ticks.fetch_add(end - o.begin_ticks, std::memory_order_relaxed);
  to.bytes.fetch_add(o.bytes, std::memory_order_relaxed);
  if (!o.is_devices_own) to.by_host.fetch_add(1, std::memory_order_relaxed);
  if (timeline::is_open()) timeline::note_operation(writer, {row, track, o.key, o.begin_ticks, end});
}

void note_instant(const char* what) noexcept {
  if (!timeline::is_open()) return;
  std::lock_guard const held(lock);
  timeline::note_instant(writer, sys::ticks(), row_named(what, construct::instant));
}

void begin_beside_anew() noexcept {
  new (&lock) sys::spin_lock;  // it may have been a thread's that is not here
  writer = {};
  for (cells& c : sums_of_rows) new (&c) cells{};
}

bool device_sum_of(unsigned row, device_sums& into) noexcept {
  sums s{};
  if (!sum_of(row, s) || s.what != construct::operation) return false;
  const cells& of = sums_of_rows[row];
  into = {static_cast<const char*>(s.code), of.calls.load(std::memory_order_relaxed),
          nanoseconds_of(of.ticks.load(std::memory_order_relaxed)), of.bytes.load(std::memory_order_relaxed),
          of.by_host.load(std::memory_order_relaxed)};
  return true;
}

}  // namespace amity::sched::profile
