#pragma once

/// The thread that gives a process its pages. It takes page faults from the kernel and messages from other pagers, and
/// does what the protocol wants (protocol.hpp).
///
///     static pager p;
///     p.start({.own = 0, .count = 2, .links = {-1, fd}});  // the thread; it sleeps
///     p.pages().make(bytes); p.pages().add(...);           // what all processes have
///     p.begin();                                           // from here on pages are asked for
///
/// It touches no page, takes no lock that others take, and no memory from malloc: threads may be in a fault while they
/// hold any of that.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/dsm/history.hpp"
#include "amity/dsm/memory.hpp"
#include "amity/dsm/protocol.hpp"
#include "amity/dsm/stream.hpp"
#include "amity/dsm/wait_counts.hpp"
#include "amity/dsm/wishes.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::dsm {

/// Written by the pager; relaxed, as they order nothing.
struct figures {
  std::atomic<std::uint64_t> fetched{0};     ///< faults that wanted a page from elsewhere
  std::atomic<std::uint64_t> promoted{0};    ///< faults that wanted to write to a page that was here for reading
  std::atomic<std::uint64_t> local{0};       ///< faults that needed nobody else
  std::atomic<std::uint64_t> taken_away{0};  ///< pages that others took from here
  std::atomic<std::uint64_t> messages{0};    ///< sent
  std::atomic<std::uint64_t> contents{0};    ///< of them, with a page's contents
  std::atomic<std::uint64_t> held{0};        ///< recalls that waited for a moment
  std::atomic<std::uint64_t> ahead{0};       ///< pages that were asked for before a thread used them
  std::atomic<std::uint64_t> waited_ns{0};   ///< for pages that threads waited for: from the first fault to its end
};

class pager {
 public:
  struct setting {
    int own = 0, count = 1;
    int links[most_processes] = {};  ///< streams to the other pagers; the own one is not looked at
    /// A process's stream is over. Null, or if it returns: nothing is expected from there any more.
    void (*lost)(int process) noexcept = nullptr;
    /// A thread has to wait for what is at `address`; `thread`: its kernel number. Null: nobody wants to know.
    void (*note_fault)(std::uintptr_t address, bool writes, int thread) noexcept = nullptr;
    /// Threads have waited for a page, for so long. By the pager's thread. Null: nobody wants to know.
    void (*note_wait)(std::int64_t nanoseconds) noexcept = nullptr;
    /// For tests: called before each message is taken.
    void (*before_message)() noexcept = nullptr;
  };

  /// Makes the thread. Ends the process, in words, where that can't be done.
  void start(const setting& s) noexcept;
  [[nodiscard]] memory& pages() noexcept { return pages_; }
  void begin() noexcept;
  [[nodiscard]] const figures& counted() const noexcept { return counted_; }

  /// By any thread: a page has been asked for that has not come yet, so that a thread waits for it.
  [[nodiscard]] bool expects_pages() const noexcept { return expected_.load(std::memory_order_relaxed) != 0; }

  /// How often the calling thread, `thread` for the kernel, has waited for a page.
  [[nodiscard]] std::uint64_t waits_of(int thread) noexcept { return waits_.of(thread); }

  /// By any thread: the contents of these whole pages are not needed any more. Those that only this process has become
  /// zero, and their memory goes back to the system. Whether that is true of all. Waits for the pager.
  bool forget(std::uintptr_t from, std::size_t bytes) noexcept;

  /// By any thread: threads of this process will soon use this memory so, and its pages begin to come. A hint: it waits
  /// for nothing, and is dropped where many are waiting. What is in no range is passed over.
  void will_use(const wish& w) noexcept;

 private:
  static void* run_thread(void* self);
  [[noreturn]] void run() noexcept;
  [[nodiscard]] place place_of(std::uint32_t page) const noexcept { return {setting_.own, pages_.home_of(page), page}; }
  void take_faults() noexcept;
  void take_fault(std::uintptr_t address, bool writes, int thread) noexcept;
  void take_messages(int from) noexcept;
  void take(int from, const message& m) noexcept;
  void carry_out(const actions& todo) noexcept;
  void send(int to, const message& m) noexcept;
  void hand_to_own() noexcept;
  void hold(std::uint32_t page) noexcept;
  void do_recall(std::uint32_t page) noexcept;
  void do_due_recalls() noexcept;
  void do_errand() noexcept;
  void fetch_ahead() noexcept;
  bool take_next_wish() noexcept;
  [[nodiscard]] bool may_fetch_ahead() const noexcept;
  void fetch_what_follows(int thread, history::want w) noexcept;
  void wait_for(std::uint32_t page) noexcept;
  void stop_waiting_for(std::uint32_t page) noexcept;
  [[nodiscard]] bool waits_for_one_above(std::uint32_t page) const noexcept;
  bool request(std::uint32_t page, const place& at, access how) noexcept;
  [[nodiscard]] std::int64_t nanoseconds_until_due() const noexcept;
  [[nodiscard]] bool looks_without_sleep() const noexcept;

  setting setting_;
  memory pages_;
  std::atomic<std::uint32_t> may_begin_{0};
  copy* copies_ = nullptr;    // by page
  entry* entries_ = nullptr;  // by page; only those whose home is here are used
  stream streams_[most_processes];

  enum : std::uint32_t { nothing, wanted, done };
  // What a thread wants done: one at a time. `state`: released by who changes it, acquired by who waits for that.
  struct {
    sys::spin_lock lock;
    std::atomic<std::uint32_t> state{nothing};
    std::uintptr_t from = 0;
    std::size_t bytes = 0;
    bool was_all = false;
    int bell = -1;  // eventfd(2): there is one
  } errand_;

  wishes wishes_;
  struct {
    std::uint32_t page = 0, end = 0;  // what is left of the wish under way
    access how = access::read;
  } ahead_;

  history history_;

  // What threads here wait for. A page beyond this room is kept no longer than others.
  static constexpr int awaited_room = 64;
  struct {
    std::uint32_t page;
    std::int64_t since;
  } awaited_[awaited_room];
  int awaited_count_ = 0;

  // What this process says to itself, as home and as holder.
  static constexpr std::uint32_t own_room = 1024;
  message own_[own_room];
  std::uint32_t own_taken_ = 0, own_added_ = 0;

  // When pages came and went, for how long to keep them: a table by page, in which one may push out another.
  struct stay {
    std::uint32_t page = 0;
    std::uint16_t returns = 0;  // how often, in a row, it was wanted again at once
    std::int64_t came = 0, went = 0;
  };
  static constexpr std::uint32_t stays_room = 1024;
  stay stays_[stays_room];
  [[nodiscard]] stay& stay_of(std::uint32_t page) noexcept { return stays_[page % stays_room]; }
  void note_coming(std::uint32_t page) noexcept;
  [[nodiscard]] std::int64_t length_of(const stay& s) const noexcept;

  struct held {
    std::uint32_t page;
    std::int64_t came, due;
  };
  static constexpr int held_room = 4096;
  held held_[held_room];
  int held_count_ = 0;

  figures counted_;
  wait_counts waits_;
  std::atomic<int> expected_{0};  // relaxed: a hint
  std::int64_t asked_ = 0;        // when a page was asked for last
};

}  // namespace amity::dsm
