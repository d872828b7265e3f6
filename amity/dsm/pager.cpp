#include "amity/dsm/pager.hpp"

#include <errno.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <mutex>

#include "amity/base/assert.hpp"
#include "amity/dsm/words.hpp"
#include "amity/sys/futex.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::dsm {
namespace {

std::int64_t now() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

// P7. A page that has come stays for a moment, so that the thread that wanted it gets to use it. Where it is wanted
// back at once again and again, threads of two processes take turns, as a rule. Or none of them gets on: each is too
// late, or needs two pages for one instruction. So now and then the page stays longer, for another time in each
// process.
constexpr std::int64_t usual_stay = 20'000, longer_stay = 100'000, longest_stay = 4'000'000;
constexpr std::uint16_t returns_to_longer = 16, returns_to_longest = 1024;
constexpr std::int64_t at_once = 1'000'000;
// Where a thread here waits for another page, it may need both: so the first one stays until the other has come. Only
// the one with the lower number does, or two processes would wait for each other; and not for ever, as it may be of
// another thread.
constexpr std::int64_t longest_together = 500'000;

constexpr std::int64_t longest_look = 100'000;

// Pages under way beyond which none is asked for ahead: they would wait in streams, before what threads wait for.
constexpr int most_ahead = 32;
// Of a wish, pages that are looked at before faults and messages have their turn: most of them may be here.
constexpr int most_at_a_time = 256;
constexpr int most_to_follow = 16;  // of those that came after one page, before

// The pager runs for a few microseconds at a time, while threads of the program may be busy on all cores, some of them
// only to see what it brings. With real-time scheduling, where the process may have that, it need not wait for them.
void be_soon_on_a_core() noexcept {
  sched_param first{};
  first.sched_priority = 1;
  static_cast<void>(sys::raw_syscall(SYS_sched_setscheduler, 0, SCHED_RR, reinterpret_cast<long>(&first)));
}

template <class T>
T* zeroed_room(std::size_t count) noexcept {
  long const got = sys::raw_syscall(SYS_mmap, 0, static_cast<long>(count * sizeof(T)), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (got < 0 && got > -4096) end_process("no address space for the states of %zu pages", count);
  return reinterpret_cast<T*>(got);
}

void count_one(std::atomic<std::uint64_t>& what) noexcept {
  what.store(what.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // one thread writes
}

}  // namespace

void pager::start(const setting& s) noexcept {
  setting_ = s;
  words_are_of(s.own);
  for (int p = 0; p < s.count; ++p)
    if (p != s.own) streams_[p].be(s.links[p]);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's handlers run on the program's threads
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread;
  if (int const error = pthread_create(&thread, &attributes, run_thread, this); error != 0)
    end_process("the thread for pages can't be made: %s", strerror(error));
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void pager::begin() noexcept {
  errand_.bell = descriptor_out_of_the_way(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (errand_.bell < 0) end_process("no descriptor for the thread for pages: %s", strerror(errno));
  copies_ = zeroed_room<copy>(pages_.page_count());
  entries_ = zeroed_room<entry>(pages_.page_count());
  pages_.begin_faults(setting_.note_fault != nullptr);
  may_begin_.store(1, std::memory_order_release);  // pairs with run
  sys::futex_wake(may_begin_, 1);
}

void* pager::run_thread(void* self) {
  prctl(PR_SET_NAME, "amity-pager");
  prctl(PR_SET_TIMERSLACK, 1000);  // else a stay of 20 us lasts 70
  be_soon_on_a_core();
  static_cast<pager*>(self)->run();
}

void pager::run() noexcept {
  while (may_begin_.load(std::memory_order_acquire) == 0) sys::futex_wait(may_begin_, 0);
  pollfd all[most_processes + 2];
  int const count = setting_.count;
  for (int p = 0; p < count; ++p) all[p] = {p == setting_.own ? -1 : streams_[p].descriptor(), POLLIN, 0};
  all[count] = {pages_.faults(), POLLIN, 0};
  all[count + 1] = {errand_.bell, POLLIN, 0};
  for (;;) {
    for (int p = 0; p < count; ++p)
      all[p].events = static_cast<short>(POLLIN | (streams_[p].has_more_to_send() ? POLLOUT : 0));
    std::int64_t left = nanoseconds_until_due();
    if (looks_without_sleep()) {
      sys::raw_syscall(SYS_sched_yield);  // to the pager of another process on this core
      left = 0;
    }
    if (may_fetch_ahead() || (ahead_.page == ahead_.end && !wishes_.is_empty())) left = 0;
    timespec until{0, left};
    sys::raw_syscall(SYS_ppoll, reinterpret_cast<long>(all), count + 2, left < 0 ? 0 : reinterpret_cast<long>(&until),
                     0, 8);
    if (held_count_ != 0) do_due_recalls();
    if (all[count].revents != 0) take_faults();
    if (all[count + 1].revents != 0) do_errand();  // a wish rings, too
    for (int p = 0; p < count; ++p) {
      if (all[p].revents == 0) continue;
      if ((all[p].revents & POLLOUT) != 0) streams_[p].send_more();
      if ((all[p].revents & ~POLLOUT) != 0) take_messages(p);
      if (streams_[p].is_over()) all[p].fd = -1;
    }
    fetch_ahead();
  }
}

// While a thread waits for a page its core has nothing to do, as a rule, and to wake a core that sleeps takes longer
// than a page's way.
bool pager::looks_without_sleep() const noexcept {
  return expected_.load(std::memory_order_relaxed) != 0 && now() - asked_ < longest_look;
}

// --- faults

void pager::take_faults() noexcept {
  uffd_msg all[16];
  long const n =
      sys::raw_syscall(SYS_read, pages_.faults(), reinterpret_cast<long>(all), static_cast<long>(sizeof all));
  for (long i = 0; i < n / static_cast<long>(sizeof *all); ++i) {
    if (all[i].event != UFFD_EVENT_PAGEFAULT) continue;
    auto const& of = all[i].arg.pagefault;
    take_fault(of.address, (of.flags & (UFFD_PAGEFAULT_FLAG_WRITE | UFFD_PAGEFAULT_FLAG_WP)) != 0,
               static_cast<int>(of.feat.ptid));
  }
}

void pager::take_fault(std::uintptr_t address, bool writes, int thread) noexcept {
  auto const where = pages_.find(address);
  AMITY_ASSERT(where.is_there);
  copy& c = copies_[where.page];
  place const at{setting_.own, where.home, where.page};
  bool const had_asked = c.asked != access::none;
  access const had = c.has;
  bool const asks = request(where.page, at, writes ? access::write : access::read);
  if (asks || had_asked) {
    wait_for(where.page);
    waits_.count(thread);
    if (setting_.note_fault != nullptr) setting_.note_fault(address, writes, thread);
  }
  if (had_asked) return;
  count_one(!asks ? counted_.local : had == access::read ? counted_.promoted : counted_.fetched);
  if (asks) fetch_what_follows(thread, {where.page, writes ? access::write : access::read});
}

// By a fault, or as if there had been one. Whether another process has to be asked.
bool pager::request(std::uint32_t page, const place& at, access how) noexcept {
  copy& c = copies_[page];
  bool const had_asked = c.asked != access::none;
  actions todo;
  fault(c, at, pages_.can_map_for_reading() ? how : access::write, todo);
  bool const asks = !had_asked && c.asked != access::none;
  if (asks) {
    expected_.fetch_add(1, std::memory_order_relaxed);
    asked_ = now();
  }
  carry_out(todo);
  hand_to_own();
  return asks;
}

// --- what will be used soon

void pager::will_use(const wish& w) noexcept {
  if (!wishes_.add(w)) return;
  std::uint64_t const one = 1;
  sys::raw_syscall(SYS_write, errand_.bell, reinterpret_cast<long>(&one), sizeof one);
}

void pager::fetch_what_follows(int thread, history::want w) noexcept {
  history_.note(thread, w, asked_);
  for (int i = 0; i < most_to_follow; ++i) {
    w = history_.follows(w);
    if (w.how == access::none) return;
    place const at = place_of(w.page);
    const copy& c = copies_[w.page];
    if (c.asked == access::none && !allows(c, at, w.how)) {
      count_one(counted_.ahead);
      static_cast<void>(request(w.page, at, w.how));
    }
    history_.pass_over(thread, w, asked_);
  }
}

bool pager::may_fetch_ahead() const noexcept {
  return ahead_.page != ahead_.end && expected_.load(std::memory_order_relaxed) < most_ahead;
}

bool pager::take_next_wish() noexcept {
  wish next;
  while (wishes_.take(next)) {
    auto const first = pages_.find(next.from);
    if (!first.is_there || next.bytes == 0) continue;
    std::size_t const pages = (next.from % page_size + next.bytes - 1) / page_size + 1;
    ahead_ = {first.page, first.page + static_cast<std::uint32_t>(std::min<std::size_t>(pages, first.pages)), next.how};
    return true;
  }
  return false;
}

void pager::fetch_ahead() noexcept {
  if (ahead_.page == ahead_.end && !take_next_wish()) return;
  for (int looked_at = 0; may_fetch_ahead() && looked_at < most_at_a_time; ++looked_at) {
    std::uint32_t const page = ahead_.page++;
    place const at = place_of(page);
    const copy& c = copies_[page];
    if (c.asked != access::none || allows(c, at, ahead_.how)) continue;
    count_one(counted_.ahead);
    static_cast<void>(request(page, at, ahead_.how));
  }
}

// --- messages

void pager::take_messages(int from) noexcept {
  stream& s = streams_[from];
  s.fill();
  message m;
  while (s.receive(m)) {
    if (setting_.before_message != nullptr) setting_.before_message();
    if (m.page >= pages_.page_count()) end_process("node %d speaks of page %u, which there is not", from, m.page);
    if (m.has_data) s.copy_contents(pages_.contents(m.page));
    take(from, m);
    hand_to_own();
  }
  if (s.is_over() && setting_.lost != nullptr) setting_.lost(from);
}

void pager::take(int from, const message& m) noexcept {
  place const at = place_of(m.page);
  actions todo;
  if (m.about == topic::ask || m.about == topic::give_back)
    step(entries_[m.page], at, from, m, todo);
  else
    step(copies_[m.page], at, m, todo);
  carry_out(todo);
  if (m.about != topic::grant) return;
  note_coming(m.page);
  stop_waiting_for(m.page);
  expected_.fetch_sub(1, std::memory_order_relaxed);
}

void pager::hand_to_own() noexcept {
  while (own_taken_ != own_added_) take(setting_.own, own_[own_taken_++ % own_room]);
}

void pager::send(int to, const message& m) noexcept {
  if (to == setting_.own) {
    AMITY_ASSERT(own_added_ - own_taken_ < own_room);
    own_[own_added_++ % own_room] = m;
    return;
  }
  count_one(counted_.messages);
  if (m.has_data) count_one(counted_.contents);
  streams_[to].send(m, m.has_data ? pages_.contents(m.page) : nullptr);
}

void pager::carry_out(const actions& todo) noexcept {
  for (const action& a : todo) switch (a.what) {
      case action::kind::send:
        send(a.to, a.m);
        break;
      case action::kind::open:
        pages_.open(a.m.page, a.m.what);
        break;
      case action::kind::close:
        pages_.close(a.m.page, a.m.what);
        break;
      case action::kind::hold:
        hold(a.m.page);
        break;
    }
}

// --- how long a page stays

void pager::note_coming(std::uint32_t page) noexcept {
  stay& s = stay_of(page);
  std::int64_t const t = now();
  bool const is_return = s.page == page && s.went != 0 && t - s.went < at_once;
  s = {.page = page, .returns = static_cast<std::uint16_t>(is_return ? s.returns + 1 : 0), .came = t};
}

std::int64_t pager::length_of(const stay& s) const noexcept {
  if (s.returns % returns_to_longest == returns_to_longest - 1) return longest_stay;
  if (s.returns % returns_to_longer == returns_to_longer - 1) return longer_stay * (setting_.own + 1);
  return usual_stay;
}

void pager::wait_for(std::uint32_t page) noexcept {
  for (int i = 0; i < awaited_count_; ++i)
    if (awaited_[i].page == page) return;
  if (awaited_count_ < awaited_room) awaited_[awaited_count_++] = {page, now()};
}

// It has come. Those that were kept for a thread that wants it, too, stay for a moment from now on.
void pager::stop_waiting_for(std::uint32_t page) noexcept {
  for (int i = 0; i < awaited_count_; ++i) {
    if (awaited_[i].page != page) continue;
    std::int64_t const t = now();
    counted_.waited_ns.store(
        counted_.waited_ns.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(t - awaited_[i].since),
        std::memory_order_relaxed);
    if (setting_.note_wait != nullptr) setting_.note_wait(t - awaited_[i].since);
    awaited_[i] = awaited_[--awaited_count_];
    for (int k = 0; k < held_count_; ++k)
      if (held_[k].page < page && t < held_[k].came + longest_together)
        held_[k].due = t + length_of(stay_of(held_[k].page));
    return;
  }
}

bool pager::waits_for_one_above(std::uint32_t page) const noexcept {
  for (int i = 0; i < awaited_count_; ++i)
    if (awaited_[i].page > page) return true;
  return false;
}

void pager::hold(std::uint32_t page) noexcept {
  const stay& s = stay_of(page);
  if (s.page == page && s.came != 0 && held_count_ < held_room) {
    std::int64_t const t = now(), due = s.came + length_of(s);
    if (t < due || (t < s.came + longest_together && waits_for_one_above(page))) {
      held_[held_count_++] = {page, s.came, due};
      count_one(counted_.held);
      return;
    }
  }
  do_recall(page);
}

void pager::do_recall(std::uint32_t page) noexcept {
  count_one(counted_.taken_away);
  actions todo;
  recall_is_due(copies_[page], place_of(page), todo);
  carry_out(todo);
  if (stay& s = stay_of(page); s.page == page) s.went = now();
}

void pager::do_due_recalls() noexcept {
  std::int64_t const t = now();
  for (int i = 0; i < held_count_;) {
    std::uint32_t const page = held_[i].page;
    std::int64_t const longest = held_[i].came + longest_together;
    if (held_[i].due <= t && t < longest && waits_for_one_above(page)) held_[i].due = longest;
    if (held_[i].due > t) {
      ++i;
      continue;
    }
    held_[i] = held_[--held_count_];
    do_recall(page);
  }
  hand_to_own();
}

std::int64_t pager::nanoseconds_until_due() const noexcept {
  if (held_count_ == 0) return -1;
  std::int64_t first = held_[0].due;
  for (int i = 1; i < held_count_; ++i) first = std::min(first, held_[i].due);
  return std::max<std::int64_t>(first - now(), 0);
}

// --- memory that is not needed any more

bool pager::forget(std::uintptr_t from, std::size_t bytes) noexcept {
  std::lock_guard const one_at_a_time(errand_.lock);
  errand_.from = from;
  errand_.bytes = bytes;
  errand_.state.store(wanted, std::memory_order_release);  // pairs with do_errand
  std::uint64_t const one = 1;
  sys::raw_syscall(SYS_write, errand_.bell, reinterpret_cast<long>(&one), sizeof one);
  while (errand_.state.load(std::memory_order_acquire) == wanted) sys::futex_wait(errand_.state, wanted);
  return errand_.was_all;
}

void pager::do_errand() noexcept {
  std::uint64_t rung;
  sys::raw_syscall(SYS_read, errand_.bell, reinterpret_cast<long>(&rung), sizeof rung);
  if (errand_.state.load(std::memory_order_acquire) != wanted) return;  // pairs with forget
  errand_.was_all = true;
  std::uint32_t const first = pages_.find(errand_.from).page;
  auto const end = first + static_cast<std::uint32_t>(errand_.bytes / page_size);
  std::uint32_t next = first;  // behind the last page that somebody else has
  for (std::uint32_t page = first; page <= end; ++page) {
    if (page < end && is_ours_alone(copies_[page], place_of(page))) continue;
    if (page > next) pages_.empty(next, page);
    next = page + 1;
    if (page < end) errand_.was_all = false;
  }
  errand_.state.store(done, std::memory_order_release);  // pairs with forget
  sys::futex_wake(errand_.state, 1);
}

}  // namespace amity::dsm
