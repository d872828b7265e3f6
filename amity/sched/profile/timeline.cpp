#include "amity/sched/profile/timeline.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/sched/profile/place.hpp"
#include "amity/sched/profile/setting.hpp"
#include "amity/sched/profile/timeline_file.hpp"
#include "amity/sys/clock.hpp"

namespace amity::sched::profile::timeline {

namespace {

/// Null: none is open. Release where it is set, acquire where it is looked at: the head behind it is whole.
std::atomic<timeline_head*> file{nullptr};
int descriptor = -1;
std::uint64_t mapped_bytes = 0;
char given_path[1024];
std::uint64_t given_bytes = 0;
std::atomic<std::uint32_t> carriers{0}, threads{0};
/// In the child of a fork: it will open a file of its own when it has something to write.
std::atomic<bool> is_to_be_opened{false};

/// The calling OpenMP thread's number, from 1 on, or no_thread. Thread-local variables belong to it, and not to its
/// carrier.
__thread std::uint32_t own_number = no_thread;

std::uint64_t wall_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

/// Relaxed: who reads the file has the last of them, or one before.
void set(clock_pair& to) noexcept {
  to.ticks.store(sys::ticks(), std::memory_order_relaxed);
  to.ns.store(wall_ns(), std::memory_order_relaxed);
}

char* base_of(timeline_head& head) noexcept { return reinterpret_cast<char*>(&head); }
timeline_row& row_in(timeline_head& head, unsigned row) noexcept {
  return reinterpret_cast<timeline_row*>(base_of(head) + rows_at)[row];
}
timeline_chunk& chunk_in(timeline_head& head, std::uint64_t number) noexcept {
  return *reinterpret_cast<timeline_chunk*>(base_of(head) + chunks_at + number * chunk_bytes);
}
timeline_event* events_of(timeline_chunk& c) noexcept { return reinterpret_cast<timeline_event*>(&c + 1); }

/// Has room for `bytes` at `at` of the file, so that to write there does not end the process on a full disk.
bool make_room(std::uint64_t at, std::uint64_t bytes) noexcept {
  int error = 0;
  do error = posix_fallocate(descriptor, static_cast<off_t>(at), static_cast<off_t>(bytes));
  while (error == EINTR);
  if (error == 0) return true;
  errno = error;
  return false;
}

/// One warning, and no more events.
[[gnu::cold]] void give_up(const char* why) noexcept {
  if (timeline_head* const head = file.exchange(nullptr, std::memory_order_acq_rel); head != nullptr)
    base::warn("the trace '%s' ends here: %s", base::quoted(given_path).text, why);
}

/// The carrier has one chunk more of its own, which it will write over when the file is full.
bool remember(writer& w, std::uint64_t number) noexcept {
  if (w.mine_count == w.mine_room) {
    std::uint32_t const room = w.mine_room == 0 ? 64 : 2 * w.mine_room;
    auto* const larger = static_cast<std::uint64_t*>(base::take_private(room * sizeof(std::uint64_t)));
    if (larger == nullptr) return false;
    std::copy_n(w.mine, w.mine_count, larger);
    base::give_back(w.mine);
    w.mine = larger;
    w.mine_room = room;
  }
  w.mine[w.mine_count++] = number;
  return true;
}

/// The chunk that the carrier fills next, empty. Null: there is none.
[[gnu::cold, gnu::noinline]] timeline_chunk* next_chunk(timeline_head& head, writer& w) noexcept {
  if (w.carrier == 0) w.carrier = carriers.fetch_add(1, std::memory_order_relaxed) + 1;
  std::uint64_t number = head.chunks.load(std::memory_order_relaxed);
  // Relaxed: each number is given once.
  while (number < head.most_chunks &&
         !head.chunks.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) {
  }
  bool const is_new = number < head.most_chunks;
  if (is_new) {
    if (!make_room(chunks_at + number * chunk_bytes, chunk_bytes)) {
      give_up(strerror(errno));
      return nullptr;
    }
    if (!remember(w, number)) return nullptr;
  } else {
    if (w.mine_count == 0) return nullptr;
    number = w.mine[w.oldest];
    w.oldest = (w.oldest + 1) % w.mine_count;
  }
  timeline_chunk& c = chunk_in(head, number);
  c.used.store(0, std::memory_order_release);  // a reader of a killed program's file believes no old events
  c.carrier = w.carrier;
  c.os_thread = static_cast<std::uint32_t>(gettid());
  c.round = w.round++;
  set(head.last);
  return &c;
}

/// Opens a file that no other process writes. A program that this one has started, or that runs at the same time with
/// the same variable, may have the file: then this one adds its number to the name.
int open_own(char* path, std::size_t size) noexcept {
  for (bool again : {false, true}) {
    int const opened = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (opened < 0 || flock(opened, LOCK_EX | LOCK_NB) == 0) return opened;
    ::close(opened);
    std::size_t const length = strlen(path);
    if (!again) snprintf(path + length, size - length, ".%d", static_cast<int>(getpid()));
  }
  errno = EBUSY;
  return -1;
}

bool open_file() noexcept {
  descriptor = open_own(given_path, sizeof given_path);
  void* memory = MAP_FAILED;
  rlimit most{};  // beyond it SIGXFSZ would end the program
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < given_bytes) given_bytes = most.rlim_cur;
  if (descriptor >= 0 && given_bytes <= chunks_at) errno = EFBIG;
  if (descriptor >= 0 && given_bytes > chunks_at && ftruncate(descriptor, 0) == 0 &&
      ftruncate(descriptor, static_cast<off_t>(given_bytes)) == 0 && make_room(0, chunks_at))
    memory = mmap(nullptr, given_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    base::warn("AMITY_TRACE='%s' can't be written: %s; there is no trace", base::quoted(given_path).text,
               strerror(errno));
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
    return false;
  }
  mapped_bytes = given_bytes;
  auto& head = *static_cast<timeline_head*>(memory);
  head.process = static_cast<std::uint32_t>(getpid());
  process_number const own = profile::own_number();
  head.rank = own.number;
  head.is_node = own.is_node ? 1 : 0;
  head.ticks_in_us = sys::ticks_per_microsecond;
  head.most_chunks = (given_bytes - chunks_at) / chunk_bytes;
  snprintf(head.program, sizeof head.program, "%s", program_invocation_short_name);
  set(head.first);
  set(head.last);
  head.magic = timeline_magic;
  file.store(&head, std::memory_order_release);
  describe_rows();
  return true;
}

/// The open file's head; in a fork's child that has none yet, that of a new one. Null: there is none.
timeline_head* head_now() noexcept {
  if (timeline_head* const head = file.load(std::memory_order_acquire); head != nullptr) return head;  // see `file`
  // Relaxed: one of the child's threads opens it; others miss their events meanwhile.
  if (!is_to_be_opened.load(std::memory_order_relaxed) || !is_to_be_opened.exchange(false, std::memory_order_relaxed))
    return nullptr;
  return open_file() ? file.load(std::memory_order_relaxed) : nullptr;
}

}  // namespace

bool open(const char* path, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t fewest_chunks = 64;
  given_bytes = std::max<std::uint64_t>(bytes, chunks_at + fewest_chunks * chunk_bytes);
  int const rank = profile::own_number().number;
  if (rank >= 0)
    snprintf(given_path, sizeof given_path, "%.1000s.%d", path, rank);
  else
    snprintf(given_path, sizeof given_path, "%s", path);
  return open_file();
}

bool is_open() noexcept {
  return file.load(std::memory_order_relaxed) != nullptr || is_to_be_opened.load(std::memory_order_relaxed);
}

namespace {

void put(writer& w, std::uint64_t ticks, unsigned row, unsigned kind, std::uint32_t thread) noexcept {
  timeline_head* const head = head_now();
  if (head == nullptr) return;
  auto* c = static_cast<timeline_chunk*>(w.chunk);
  std::uint32_t used = c == nullptr ? 0 : c->used.load(std::memory_order_relaxed);
  if (c == nullptr || used == events_of_chunk) {
    c = next_chunk(*head, w);
    w.chunk = c;
    used = 0;
    if (c == nullptr) {
      head->lost.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  events_of(*c)[used] = {ticks, std::uint64_t{row} << 40 | std::uint64_t{kind} << 32 | thread};
  // Release: the event is there before it counts, also for who reads the file of a killed program.
  c->used.store(used + 1, std::memory_order_release);
}

}  // namespace

void name_thread() noexcept {
  if (own_number == no_thread && is_open()) own_number = threads.fetch_add(1, std::memory_order_relaxed) + 1;
}

void note(writer& w, std::uint64_t ticks, unsigned row, column in) noexcept {
  put(w, ticks, row, static_cast<unsigned>(in), own_number);
}

void note_idle(writer& w, std::uint64_t ticks) noexcept {
  put(w, ticks, idle_row, static_cast<unsigned>(column::work), no_thread);
}

void note_message(writer& w, std::uint64_t ticks, bool is_sent, unsigned peer, std::uint32_t key) noexcept {
  constexpr unsigned most = (1u << 24) - 1;
  put(w, ticks, std::min(peer, most), is_sent ? kind_sent : kind_handled, key);
}

void note_arrow(writer& w, std::uint64_t ticks, std::uint32_t key) noexcept { put(w, ticks, 0, kind_arrow, key); }

void note_operation(writer& w, const device_operation& o) noexcept {
  put(w, o.begin, o.row, kind_begun, o.track);
  put(w, o.end, o.row, kind_ended, o.key);
}

void note_instant(writer& w, std::uint64_t ticks, unsigned row) noexcept { put(w, ticks, row, kind_instant, 0); }

void describe(unsigned row, const void* code, construct what) noexcept {
  timeline_head* const head = file.load(std::memory_order_acquire);  // pairs with open_file
  if (head == nullptr) return;
  timeline_row& r = row_in(*head, row);
  r.what = static_cast<std::uint64_t>(what);
  if (is_beside(what)) {
    snprintf(r.file, sizeof r.file, "%s", static_cast<const char*>(code));
  } else if (std::uintptr_t begin = 0; find_place(code, r.file, sizeof r.file, begin)) {
    r.code = address_in(code, what);
    r.file_begin = begin;
  }
  r.is_there.store(1, std::memory_order_release);  // pairs with nothing here: who reads the file finds a whole row
}

void close() noexcept {
  is_to_be_opened.store(false, std::memory_order_relaxed);
  timeline_head* const head = file.exchange(nullptr, std::memory_order_acq_rel);
  if (head == nullptr) return;
  set(head->last);
  // The mapping stays, and a carrier may be in the midst of an event: while the file is cut no chunk is given, so that
  // none which somebody writes to is cut away.
  std::uint64_t const chunks =
      std::min(head->chunks.exchange(head->most_chunks, std::memory_order_acq_rel), head->most_chunks);
  if (ftruncate(descriptor, static_cast<off_t>(chunks_at + chunks * chunk_bytes)) != 0)
    base::warn("the trace '%s' could not be cut to its length: %s", base::quoted(given_path).text, strerror(errno));
  head->chunks.store(chunks, std::memory_order_relaxed);
}

void discard() noexcept {
  bool const was_open = is_open();
  close();
  if (was_open && descriptor >= 0) unlink(given_path);
}

void reopen_in_child() noexcept {
  timeline_head* const parents = file.exchange(nullptr, std::memory_order_acq_rel);
  if (parents == nullptr) return;
  munmap(parents, mapped_bytes);
  ::close(descriptor);
  descriptor = -1;
  std::size_t const length = strlen(given_path);
  snprintf(given_path + length, sizeof given_path - length, ".%d", static_cast<int>(getpid()));
  is_to_be_opened.store(true, std::memory_order_relaxed);  // many children begin another program, or write nothing
}

}  // namespace amity::sched::profile::timeline
