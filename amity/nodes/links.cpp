#include "amity/nodes/links.hpp"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "amity/dsm/memory.hpp"
#include "amity/nodes/heap.hpp"
#include "amity/nodes/job.hpp"
#include "amity/nodes/late_wakes.hpp"
#include "amity/nodes/memory.hpp"
#include "amity/nodes/output.hpp"
#include "amity/nodes/page_trace.hpp"
#include "amity/nodes/start.hpp"
#include "amity/sched/profile/setting.hpp"
#include "amity/sys/clock.hpp"
#include "amity/sys/futex.hpp"
#include "amity/sys/raw_syscall.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::nodes {
namespace {

using omp::cluster::message;
using omp::cluster::piece;

std::atomic<std::uint32_t> may_serve{0};
int bell = -1;  // eventfd(2): wakes the thread that takes messages
sys::spin_lock sending[most_processes];

// For --stats. Relaxed: numbers that order nothing.
constexpr unsigned topics = static_cast<unsigned>(omp::cluster::topic::last) + 1;
struct {
  std::atomic<unsigned long long> messages{0}, bytes{0};
} sent[topics];

// Set by process 0 when it tells the others that the program ends. Relaxed: by the thread that ends it, or so late
// that all is over.
std::atomic<bool> is_ending{false};
// In process 0: others that have printed what they print at their ends. Relaxed: nothing else depends on it.
std::atomic<int> ended{0};

// `process` is gone, and what it would have said is wanted.
[[noreturn]] void be_without(int process) noexcept {
  end_with(process);
  for (;;) pause();  // process 0 ends all
}

// Raw calls throughout: what the program calls `read` may be watched by the scheduler, and none of these may be.
std::size_t read_some(int process, void* data, std::size_t bytes) noexcept {
  for (;;) {
    long const n =
        sys::raw_syscall(SYS_read, us.links[process], reinterpret_cast<long>(data), static_cast<long>(bytes));
    if (n > 0) return static_cast<std::size_t>(n);
    if (n != -EINTR) be_without(process);
  }
}

bool is_at_end(int process) noexcept {
  char next;
  return sys::raw_syscall(SYS_recvfrom, us.links[process], reinterpret_cast<long>(&next), 1, MSG_PEEK | MSG_DONTWAIT) ==
         0;
}

void read_all(int process, void* data, std::size_t bytes) noexcept {
  for (auto* at = static_cast<std::byte*>(data); bytes > 0;) {
    std::size_t const n = read_some(process, at, bytes);
    at += n;
    bytes -= n;
  }
}

void write_all(int process, iovec* parts, int count) noexcept {
  while (count > 0) {
    msghdr head{};
    head.msg_iov = parts;
    head.msg_iovlen = static_cast<std::size_t>(count);
    long n = sys::raw_syscall(SYS_sendmsg, us.links[process], reinterpret_cast<long>(&head), MSG_NOSIGNAL);
    if (n == -EINTR) continue;
    if (n < 0) be_without(process);
    for (; count > 0 && static_cast<std::size_t>(n) >= parts->iov_len; --count)
      n -= static_cast<long>(parts++->iov_len);
    if (count > 0) {
      parts->iov_base = static_cast<std::byte*>(parts->iov_base) + n;
      parts->iov_len -= static_cast<std::size_t>(n);
    }
  }
}

// --- the thread that takes messages

struct {
  std::byte* at = nullptr;
  std::size_t size = 0;
} body_room;

void* room_for(std::size_t bytes) noexcept {
  if (bytes <= body_room.size) return body_room.at;
  std::size_t const size = (bytes + 0xffff) & ~std::size_t{0xffff};
  long const got =
      sys::raw_syscall(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (got < 0) refuse("no memory for a message of %zu bytes", bytes);
  if (body_room.at != nullptr)
    sys::raw_syscall(SYS_munmap, reinterpret_cast<long>(body_room.at), static_cast<long>(body_room.size));
  body_room = {reinterpret_cast<std::byte*>(got), size};
  return body_room.at;
}

// False: it has ended, and that is nothing to this process.
bool take_from(int process, bool may_be_at_end) noexcept {
  message m;
  if (may_be_at_end && is_at_end(process) && (us.own != 0 ? process != 0 : is_ending.load(std::memory_order_relaxed)))
    return false;
  read_all(process, &m, sizeof m);
  void* const body = m.bytes == 0 ? nullptr : room_for(m.bytes);
  if (m.bytes != 0) read_all(process, body, m.bytes);
  if (m.about == ends) {
    if (us.prints_figures) print_figures();
    page_trace::write();
    sched::profile::end();
    output::hand_on();
    send_message(0, {.about = has_ended}, nullptr, 0);
    if (kernel_knows_it_as_one()) _exit(0);
    return true;  // until process 0 is gone it may want pages from here
  }
  if (m.about == exits)
    exit_here(static_cast<int>(m.a));
  else if (m.about == has_ended)
    ended.fetch_add(1, std::memory_order_relaxed);
  else if (m.about == prints)
    output::write(body, m.bytes);
  else if (m.about == uses_soon)
    will_use(m.a, m.b, m.c != 0);
  else
    amity_omp_over_processes()->take(process, m, body);
  return true;
}

void* serve(void*) {
  prctl(PR_SET_NAME, "amity-nodes");
  while (may_serve.load(std::memory_order_acquire) == 0) sys::futex_wait(may_serve, 0);
  const omp::cluster::over_processes& of_openmp = *amity_omp_over_processes();
  pollfd all[most_processes + 2];
  for (int p = 0; p < us.count; ++p) all[p] = {us.links[p], POLLIN, 0};  // the own one is -1
  all[us.count] = {bell, POLLIN, 0};
  all[us.count + 1] = {output::descriptor(), POLLIN, 0};
  std::uint64_t looked = 0;  // at those that sleep, in ticks
  for (;;) {
    int const due = of_openmp.milliseconds_until_due();
    long const ready =
        sys::raw_syscall(SYS_poll, reinterpret_cast<long>(all), us.count + 2, due < 0 ? late_wake_ms : due);
    if (ready == 0 || sys::ticks() - looked > sys::ticks_of_microseconds(late_wake_ms * 1000)) {
      wake_late_ones();
      looked = sys::ticks();
    }
    if (std::uint64_t rung; all[us.count].revents != 0)
      sys::raw_syscall(SYS_read, bell, reinterpret_cast<long>(&rung), sizeof rung);
    if (all[us.count + 1].revents != 0) output::hand_on_if_nobody_does();
    for (int p = 0; p < us.count; ++p)
      if (all[p].revents != 0 && !take_from(p, (all[p].revents & POLLHUP) != 0)) all[p].fd = -1;
    of_openmp.look_at_time();
  }
}

}  // namespace

void end_with(int process) noexcept {
  if (us.own != 0) {
    if (process == 0) _exit(0);
    return;
  }
  if (is_ending.load(std::memory_order_relaxed)) return;
  usleep(1'000'000);  // `amity run` has seen it too, says more, and ends all
  refuse("node %d is gone; the program ends", process);
}

void write_to(int process, const void* data, std::size_t bytes) noexcept {
  iovec part{const_cast<void*>(data), bytes};
  write_all(process, &part, 1);
}

void read_from(int process, void* data, std::size_t bytes) noexcept { read_all(process, data, bytes); }

void make_service_thread() noexcept {
  bell = dsm::descriptor_out_of_the_way(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (bell < 0) refuse("no descriptor for the thread for messages: %s", strerror(errno));
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread;
  if (int const error = pthread_create(&thread, &attributes, serve, nullptr); error != 0)
    refuse("the thread for messages can't be made: %s", strerror(error));
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void wake_service() noexcept {
  std::uint64_t const one = 1;
  sys::raw_syscall(SYS_write, bell, reinterpret_cast<long>(&one), sizeof one);
}

void let_service_begin() noexcept {
  may_serve.store(1, std::memory_order_release);  // pairs with serve
  sys::futex_wake(may_serve, 1);
}

void end_others() {
  if (us.prints_figures) print_figures();
  page_trace::write();
  is_ending.store(true, std::memory_order_relaxed);
  for (int p = 1; p < us.count; ++p) send_message(p, {.about = ends}, nullptr, 0);
  // A process that sees that this one is gone ends at once, with its figures unsaid.
  bool const says_something = us.prints_figures || page_trace::is_on() || sched::profile::was_on();
  for (int ms = 0; says_something && ended.load(std::memory_order_relaxed) < us.count - 1 && ms < 10'000; ++ms)
    usleep(1'000);
}

unsigned long long messages_sent() noexcept {
  unsigned long long sum = 0;
  for (auto const& s : sent) sum += s.messages.load(std::memory_order_relaxed);
  return sum;
}

void print_figures() noexcept {
  using omp::cluster::construct_of;
  using omp::cluster::topic;
  char line[600];
  int length =
      snprintf(line, sizeof line, "amity: node %d of %d sent %llu messages", us.own, us.count, messages_sent());
  // Topics of one construct stand next to one another.
  for (unsigned t = 0; t < topics; ++t) {
    const char* const construct = construct_of(static_cast<topic>(t));
    unsigned long long number = sent[t].messages.load(std::memory_order_relaxed);
    unsigned long long bytes = sent[t].bytes.load(std::memory_order_relaxed);
    for (; t + 1 < topics && construct_of(static_cast<topic>(t + 1)) == construct; ++t) {
      number += sent[t + 1].messages.load(std::memory_order_relaxed);
      bytes += sent[t + 1].bytes.load(std::memory_order_relaxed);
    }
    if (number != 0 && length < static_cast<int>(sizeof line) - 160)
      length += snprintf(line + length, sizeof line - static_cast<std::size_t>(length), "; %s: %llu (%llu bytes)",
                         construct, number, bytes);
  }
  std::uint64_t spread, kept;
  amity_omp_over_processes()->count_regions(spread, kept);
  if (kept != 0)
    length += snprintf(line + length, sizeof line - static_cast<std::size_t>(length),
                       "; %llu regions were spread, and %llu kept on node 0, where they took less time",
                       static_cast<unsigned long long>(spread), static_cast<unsigned long long>(kept));
  line[length++] = '\n';
  static_cast<void>(!write(STDERR_FILENO, line, static_cast<std::size_t>(length)));
  print_page_figures();
}

void send_message(int to, const message& m, const piece* pieces, int count) noexcept {
  iovec parts[4] = {{const_cast<message*>(&m), sizeof m}};
  int used = 1;
  for (int i = 0; i < count; ++i)
    if (pieces[i].bytes != 0) parts[used++] = {const_cast<void*>(pieces[i].data), pieces[i].bytes};
  if (auto const t = static_cast<unsigned>(m.about); t < topics) {
    sent[t].messages.fetch_add(1, std::memory_order_relaxed);
    sent[t].bytes.fetch_add(sizeof m + m.bytes, std::memory_order_relaxed);
  }
  std::lock_guard const guard(sending[to]);
  write_all(to, parts, used);
}

}  // namespace amity::nodes
