#include "amity/sched/profile/beside.hpp"

#include <stdio.h>
#include <string.h>

#include <atomic>
#include <mutex>
#include <new>

#include "amity/base/hash.hpp"
#include "amity/base/private_memory.hpp"
#include "amity/sched/profile/rows.hpp"
#include "amity/sched/profile/setting.hpp"
#include "amity/sched/profile/timeline.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::sched::profile {

namespace {

/// A name, for ever: its address is the row's place.
struct known_name {
  known_name* next;
  std::uint64_t hash;
  char text[];
};

/// A name as its caller gave it, read before the lock is taken: it may lie in a page of another node, and a thread that
/// waits for a page must not keep others from the lock.
class given_name {
 public:
  explicit given_name(const char* name) noexcept {
    while (size_ + 1 < most_of_a_name && name[size_] != 0) text_[size_] = name[size_], ++size_;
    text_[size_] = 0;
    hash_ = hash_of(text_, size_);
  }
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
  [[nodiscard]] bool is(const known_name& k) const noexcept { return k.hash == hash_ && strcmp(k.text, text_) == 0; }
  [[nodiscard]] known_name* kept(known_name* next) const noexcept {
    auto* const to = static_cast<known_name*>(base::take_private(sizeof(known_name) + size_ + 1));
    if (to == nullptr) return nullptr;
    *to = {.next = next, .hash = hash_};
    memcpy(to->text, text_, size_ + 1);
    return to;
  }

 private:
  char text_[most_of_a_name];
  std::size_t size_ = 0;
  std::uint64_t hash_ = 0;
};

/// Of `names`, and of the writer: events of all devices and of the monitor are in one order. Held for some hundred
/// nanoseconds, or while a chunk of the file gets its room.
sys::spin_lock lock;
constexpr std::size_t buckets = 64;  ///< a program has some dozens of kernels, and some dozens of queues
known_name* names[buckets] = {};
timeline::writer writer;

/// Relaxed, all of them: sums, which order nothing.
struct cells {
  std::atomic<std::uint64_t> calls, ticks, bytes, by_host;
};
cells sums_of_rows[most_rows];

std::atomic<std::uint32_t> last_key{0};

/// The row of that name. Under the lock.
unsigned row_named(const given_name& name, construct what) noexcept {
  known_name*& bucket = names[name.hash() % buckets];
  known_name* found = bucket;
  while (found != nullptr && !name.is(*found)) found = found->next;
  if (found == nullptr) {
    found = name.kept(bucket);
    if (found == nullptr) return others_row;
    bucket = found;
  }
  return row_of(found->text, what);
}

// --- pages: of the thread for pages

constexpr int most_page_tracks = 64;
/// On each, waits come one after the other.
struct page_track {
  char name[24];
  unsigned row = 0;
  std::uint64_t free_from = 0;  ///< ticks
} page_tracks[most_page_tracks];
timeline::writer writer_of_pages;

/// Where nothing else was since then. Null: all are full.
page_track* track_free_since(std::uint64_t ticks) noexcept {
  for (int i = 0; i < most_page_tracks; ++i) {
    page_track& t = page_tracks[i];
    if (t.free_from > ticks) continue;
    if (t.row == 0) {
      snprintf(t.name, sizeof t.name, "waits for pages, %d", i + 1);
      t.row = row_of(t.name, construct::track);
    }
    return &t;
  }
  return nullptr;
}

}  // namespace

void note_wait_for_page(std::uint64_t begin_ticks, std::uint64_t end_ticks, std::uint64_t bytes) noexcept {
  if (!is_on()) return;
  static constexpr char name[] = "waits for pages of other nodes (of the work above)";
  unsigned const row = row_of(name, construct::operation);
  cells& to = sums_of_rows[row];
  to.calls.fetch_add(1, std::memory_order_relaxed);
  to.ticks.fetch_add(end_ticks - begin_ticks, std::memory_order_relaxed);
  to.bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (!timeline::is_open()) return;
  if (page_track* const on = track_free_since(begin_ticks); on != nullptr) {
    on->free_from = end_ticks;
    timeline::note_operation(writer_of_pages, {row, on->row, 0, begin_ticks, end_ticks});
  }
}

unsigned make_track(const char* name) noexcept {
  given_name const given(name);
  std::lock_guard const held(lock);
  return row_named(given, construct::track);
}

std::uint32_t note_handed_over(std::uint64_t ticks) noexcept {
  std::uint32_t const key = last_key.fetch_add(1, std::memory_order_relaxed) + 1;
  note_arrow(ticks, key);
  return key;
}

void note_operation(unsigned track, const operation_on_device& o) noexcept {
  if (!is_on()) return;
  given_name const given(o.name);
  std::lock_guard const held(lock);
  unsigned const row = row_named(given, construct::operation);
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
  given_name const given(what);
  std::lock_guard const held(lock);
  timeline::note_instant(writer, sys::ticks(), row_named(given, construct::instant));
}

void begin_beside_anew() noexcept {
  new (&lock) sys::spin_lock;  // it may have been a thread's that is not here
  writer = writer_of_pages = {};
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
