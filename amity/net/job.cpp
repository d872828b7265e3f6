/// How a process joins its job, and how it leaves.
///
/// *Joining.* The launcher's process manager carries, for each rank: where it is, how it is reached by each engine, and
/// the build of its program. Rank 0 adds a secret. All meet at two fences. After the first, each knows the node of
/// every rank, and chooses the address at which other nodes are to reach it; after the second, it knows all the rest.
///
/// *Leaving* (README-end.md, L1 to L4). A process that ends goes on serving messages until all others have come to
/// their ends and no message, nor what one has led to, is left anywhere.

#include "amity/net/job.hpp"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amity/base/hex.hpp"
#include "amity/base/report.hpp"
#include "amity/launch/host.hpp"
#include "amity/launch/membership.hpp"
#include "amity/launch/networks.hpp"
#include "amity/launch/wire_up.hpp"
#include "amity/net/code.hpp"
#include "amity/net/internal/before_main.hpp"
#include "amity/net/internal/engines.hpp"
#include "amity/net/internal/hooks.hpp"
#include "amity/net/internal/inherited.hpp"
#include "amity/net/internal/leaving.hpp"
#include "amity/net/internal/losses.hpp"
#include "amity/net/internal/standstill.hpp"
#include "amity/net/internal/transport.hpp"
#include "amity/net/internal/watch.hpp"
#include "amity/sched/loop/park.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/progress.hpp"
#include "amity/sched/monitor/standstill.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sys/environment.hpp"
#include "amity/sys/launcher.hpp"
#include "amity/sys/rebind.hpp"

// glibc's: has a function called when the calling thread ends. `exit` calls those of its own thread before all exit
// handlers and destructors of static objects (__run_exit_handlers).
extern "C" int __cxa_thread_atexit_impl(void (*)(void*), void*, void*) noexcept __attribute__((weak));
extern "C" void* __dso_handle;

namespace amity::net {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

constexpr std::size_t secret_digits = 32;
/// A program that asks for net::job() is a process of its job, and others may wait for it.
constexpr char uses_processes[] = "_ZN5amity3net3job";

job_view this_job;
std::atomic<bool> joined{false};
/// What this process is to its job. It only goes on, but for `ending`, which may come at any time.
enum class stage : int { member, leaving, left, ending };
std::atomic<stage> stage_of_job{stage::member};
/// Relaxed: of the fiber that leaves, or the thread that ends the job, each compares it with itself.
std::atomic<sched::fiber*> who_leaves{nullptr};
std::atomic<pid_t> who_ends{0};
/// Relaxed: a setting, which hands nothing over.
std::atomic<void (*)() noexcept> libraries_in_use{nullptr};
const launching::wire_up* wires = nullptr;
pid_t process_of_program = 0;  ///< a child of a fork is another one
pid_t process_of_job = 0;
sync::mutex joining;
/// Complete before the process has joined.
std::vector<int>& nodes_of_job() noexcept {
  static auto* const one = new std::vector<int>;
  return *one;
}
/// Complete before an engine is opened.
std::vector<bool>& sharers_of_memory() noexcept {
  static auto* const one = new std::vector<bool>;
  return *one;
}
bool shares_memory(void*, int rank) noexcept { return sharers_of_memory()[static_cast<std::size_t>(rank)]; }
constinit job_hook* hooks = nullptr;  ///< complete before the process joins

[[noreturn]] void refuse(const char* launcher, const std::string& why) noexcept {
  base::fatal("this process can't join the job that %s has started: %s", launcher, why.c_str());
}

void check(const char* launcher, const char* error) noexcept {
  if (error != nullptr) refuse(launcher, error);
}

// --- joining

/// The process that has started this one is the launcher or its deputy on this node. If that is killed, nobody ends the
/// processes of the job: each sees to that itself, also one that has come to its end and serves the others.
void end_without_launcher(pid_t launcher) noexcept {
  char why[100];
  snprintf(why, sizeof why, "the launcher (process %d) has gone", static_cast<int>(launcher));
  wires = nullptr;  // it would wait for an answer
  end_job(why);
}

/// Of "NODE|MEMORY|NETWORKS", which a process says of itself.
struct whereabouts {
  std::string node, memory, networks;
  explicit whereabouts(const std::string& text)
      : node(text.substr(0, text.find('|'))), memory(text.substr(0, text.rfind('|'))) {
    networks = text.substr(std::min(memory.size() + 1, text.size()));
  }
};

/// Ranks of one node reach one another without a network. What the launcher calls a node may have several (containers).
/// The address by which the other nodes are to reach this one; empty: there is none, or no other.
std::string learn_nodes(const launching::membership& l) {
  const char* const device = getenv("AMITY_NET_DEVICE");
  std::string const networks = launching::own_networks(device);
  if (networks.empty() && device != nullptr && *device != '\0')
    refuse(l.launcher, "AMITY_NET_DEVICE='" + std::string(base::quoted(device).text) +
                           "' is neither a network device of this machine that is up and has an address of IPv4, nor "
                           "such an address (`ip -4 addr` lists them)");
  std::string const own = launching::network_host() + "|" + launching::memory_host() + "|" + networks;
  check(l.launcher, wires->put("amity-host", own.c_str()));
  check(l.launcher, wires->fence());
  whereabouts const mine(own);
  std::unordered_map<std::string, int> numbers;
  std::vector<int> nodes;
  std::vector<std::string> networks_of_others;
  const char* value = nullptr;
  for (int r = 0; r < l.size; ++r) {
    check(l.launcher, wires->get(r, "amity-host", &value));
    whereabouts const its(value);
    auto const [number, is_new] = numbers.emplace(its.node, static_cast<int>(numbers.size()));
    nodes.push_back(number->second);
    sharers_of_memory().push_back(its.memory == mine.memory);
    if (is_new && its.node != mine.node) networks_of_others.push_back(its.networks);
  }
  if (numbers.size() == 1) return {};
  nodes_of_job() = std::move(nodes);
  return launching::choose_address(networks, networks_of_others);
}

/// What each rank has said of its engines. All must run the same build.
std::vector<std::string> read_others(const launching::membership& l) {
  std::vector<std::string> engines_of_ranks;
  const char* value = nullptr;
  for (int r = 0; r < l.size; ++r) {
    check(l.launcher, wires->get(r, "amity-build", &value));
    if (strtoul(value, nullptr, 10) != mark_of_program())
      refuse(l.launcher, "rank " + std::to_string(r) + " runs another program, or another build of it, than rank " +
                             std::to_string(l.rank) + "; all ranks of a job run the same");
    check(l.launcher, wires->get(r, "amity-net", &value));
    engines_of_ranks.emplace_back(value);
  }
  return engines_of_ranks;
}

void put_own(const launching::membership& l, const std::string& engines) {
  if (l.rank == 0) {
    unsigned char random[secret_digits / 2];
    if (getrandom(random, sizeof random, 0) != sizeof random) refuse(l.launcher, "the system has no random numbers");
    check(l.launcher, wires->put("amity-secret", hex(random, sizeof random).c_str()));
  }
  check(l.launcher, wires->put("amity-build", std::to_string(mark_of_program()).c_str()));
  check(l.launcher, wires->put("amity-net", engines.c_str()));
  check(l.launcher, wires->put("amity-life", own_life().c_str()));
  check(l.launcher, wires->fence());
}

/// Those of this machine; the engine sees to the others.
void watch_others(const launching::membership& l) {
  const char* life = nullptr;
  for (int r = 0; r < l.size; ++r) {
    if (r == l.rank) continue;
    check(l.launcher, wires->get(r, "amity-life", &life));
    watch_rank(r, life);
  }
}

void join_network(const launching::membership& l, net_wish wish) {
  static char secret[secret_digits + 1];
  static std::string tcp_address;
  tcp_address = learn_nodes(l);
  engine_facts facts{};
  facts.rank = l.rank;
  facts.size = l.size;
  facts.one_node = nodes_of_job().empty();
  facts.is_watched = [](void*, int rank) noexcept { return is_watched(rank); };
  facts.shares_memory = shares_memory;
  if (!tcp_address.empty()) facts.tcp_address = tcp_address.c_str();
  facts.secret = secret;
  facts.secret_bytes = secret_digits;
  facts.events = &transport_events;
  if (wish == net_wish::best || wish == net_wish::ucx) choose_ucx_transports(facts);
  const std::vector<bool>& sharers = sharers_of_memory();
  bool const all_share = std::find(sharers.begin(), sharers.end(), false) == sharers.end();
  known_engines engines = candidates(wish, l.by, all_share);
  std::string const own = open_engines(engines, facts);
  if (own == "|" || (wish != net_wish::best && engines.all[0].table == nullptr))
    refuse(l.launcher, std::string("AMITY_NET=") + engines.all[0].name + ": " + engines.all[0].why_not);
  put_own(l, own);
  const char* text = nullptr;
  check(l.launcher, wires->get(0, "amity-secret", &text));
  snprintf(secret, sizeof secret, "%s", text);
  open_engine const chosen = choose_engine(engines, read_others(l), facts, &text);
  check(l.launcher, text);
  if (chosen.table == nullptr)
    refuse(l.launcher, "the ranks have no network in common (AMITY_NET chooses one; `amity info` says what there is)");
  begin_losses(l.rank, l.size);
  watch_others(l);  // before the first message: the engine connects to those that are watched in another way
  if (int const error = start_transport(chosen, l.rank, l.size))
    refuse(l.launcher, std::string("the system refuses to watch its network: ") + strerror(error));
}

void join_processes(launching::membership& l) {
  net_wish wish;
  if (!read_net_wish(wish) && l.size != 1)
    refuse(l.launcher, "AMITY_NET='" + std::string(getenv("AMITY_NET")) +
                           "' is no network; allowed: 'ucx', 'sockets', 'mpi', or nothing");
  bool const by_mpi = wish == net_wish::mpi && l.size != 1;  // 0: the launcher's process manager knows it
  sched::outsiders const before = sched::list_outsiders();   // UCX has a signal handler as soon as it is loaded
  const char* why = nullptr;
  wires = by_mpi ? mpi_wire_up(l.by, &why) : launching::find_wire_up(l.by, &why);
  if (wires == nullptr) refuse(l.launcher, (by_mpi ? "AMITY_NET=mpi: " : "") + std::string(why));
  if (l.by == launching::wiring::pmi1) close_inherited_listeners();
  sys::keep_environment();  // an MPI sets variables as it begins
  check(l.launcher, wires->open(l));
  this_job = {l.rank, l.size, l.local_rank, l.local_size};
  process_of_job = getpid();
  watch_launcher(l.size, end_without_launcher);
  if (l.size == 1) return;
  join_network(l, wish);
  begin_to_watch_standstill(before);
}

void at_exit() noexcept;

[[gnu::cold, gnu::noinline]] void join() noexcept {
  std::lock_guard const held(joining);  // of fibers: joining blocks
  if (joined.load(memory_order_relaxed)) return;
  static_cast<void>(sched::this_worker());
  const char* problem = nullptr;
  launching::membership l = launching::read_membership(&problem);
  if (problem != nullptr) base::fatal("%s", problem);
  if (l.by != launching::wiring::none) {
    join_processes(l);
    atexit(at_exit);
    at_quick_exit(at_exit);
  }
  joined.store(true, memory_order_release);  // pairs with job
  if (this_job.size > 1)
    for (job_hook* h = hooks; h != nullptr; h = h->next)
      if (h->when_joined != nullptr) h->when_joined();
}

// --- leaving

/// Joined, and not alone.
bool is_one_of_several() noexcept { return joined.load(memory_order_acquire) && this_job.size > 1; }  // pairs with join

/// The program ends on two threads, or as the job is ended: only one of them may go on.
void await_other_leaver() noexcept {
  sched::fiber* const me = sched::self();
  if (who_leaves.load(memory_order_relaxed) == me) return;  // in the midst of it: MPI calls back
  for (;;) {
    stage const now = stage_of_job.load(memory_order_acquire);  // pairs with leave
    if (now == stage::left) return;
    if (now == stage::ending) {
      if (who_ends.load(memory_order_relaxed) == gettid()) return;  // MPI's way to abort may be exit()
      for (;;) pause();
    }
    sched::park_until(sched::instant_after(std::chrono::milliseconds(1)));
  }
}

/// What libraries still do for this process comes to its end.
void end_of_use() noexcept {
  if (auto* const wait = libraries_in_use.exchange(nullptr, memory_order_relaxed)) wait();
}

/// `goes_on_because`: null, or the program goes on without its job, and why.
void leave(const char* goes_on_because = nullptr) noexcept {
  for (job_hook* h = hooks; h != nullptr && goes_on_because == nullptr; h = h->next)
    if (h->when_leaving != nullptr) h->when_leaving();
  stage before = stage::member;
  if (!stage_of_job.compare_exchange_strong(before, stage::leaving, memory_order_relaxed)) return await_other_leaver();
  who_leaves.store(sched::self(), memory_order_relaxed);
  end_time_before_main();  // by exit() in a constructor
  serve_until_all_leave();
  if (goes_on_because == nullptr) end_of_use();
  for (job_hook* h = hooks; h != nullptr; h = h->next)
    if (h->at_last != nullptr) h->at_last();
  expect_losses();
  flush_transport();
  // All have sent and received the last message. The launcher's fence waits for lost ranks, too; and it fails where the
  // program has said goodbye to the launcher, for all ranks, by MPI_Finalize.
  if (goes_on() || wires->fence() != nullptr) {
    meet_by_messages();
    flush_transport();
  }
  if (goes_on_because == nullptr) end_watch();
  lose_all(goes_on_because != nullptr ? goes_on_because : "its program has ended");
  stop_transport(goes_on_because);
  wires->close();
  wires = nullptr;
  stage now = stage::leaving;
  // Unless the job is ended just now. Pairs with await_other_leaver.
  stage_of_job.compare_exchange_strong(now, stage::left, memory_order_release, memory_order_relaxed);
}

void at_exit() noexcept {
  if (getpid() != process_of_job) return;  // the child of a fork is no rank
  if (this_job.size > 1) {
    leave();
    if (stage_of_job.load(memory_order_acquire) != stage::left) return;  // pairs with end_job
    end_of_use();                                                        // where MPI_Finalize has ended the job before
    end_watch();
    drop_what_comes_late();
  } else if (wires != nullptr) {
    std::exchange(wires, nullptr)->close();
  }
}

/// A program that uses processes, and has not joined: others may wait for it.
void join_at_last() noexcept {
  if (joined.load(memory_order_acquire) || getpid() != process_of_program) return;
  if (!sys::program_asks_for(uses_processes)) return;
  const char* problem = nullptr;
  launching::membership const l = launching::read_membership(&problem);
  if (problem == nullptr && l.by != launching::wiring::none && l.size != 1) join();
}

/// Before any static object is destroyed, if that can be: a library that others are served with may make one with any
/// call, and so may one that is first used while this process serves.
void end_of_program() noexcept {
  if (getpid() != process_of_program) return;  // the child of a fork
  // By identity: the fiber that leaves may come back on another OS thread. Relaxed: who is first, and nothing else.
  static std::atomic<pthread_t> who_exits{};
  pthread_t first{};
  bool const is_first = who_exits.compare_exchange_strong(first, pthread_self(), memory_order_relaxed) ||
                        pthread_equal(first, pthread_self()) != 0;
  join_at_last();
  if (is_one_of_several())
    at_exit();
  else
    end_of_use();
  // Two threads in glibc's exit run over one list of handlers (until 2.41). So the second one waits for the end of the
  // process, as POSIX.1-2024 has it.
  while (!is_first && stage_of_job.load(memory_order_acquire) != stage::ending) pause();  // pairs with end_job
}

/// On the main thread: within its exit(), or as main returns. pthread_exit there does not call it.
void at_beginning_of_exit(void*) noexcept { end_of_program(); }

/// In place of the C library's, also where another thread calls it: what is registered for the end of a thread is
/// called for that one alone.
[[noreturn]] void exit_of_program(int status) {
  end_of_program();
  sys::not_rebound<&exit>(status);
  abort();  // it does not return
}

[[gnu::constructor]] void be_called_at_beginning_of_exit() noexcept {
  process_of_program = getpid();
  if (sys::program_asks_for(uses_processes))
    sys::rebind_calls("exit", reinterpret_cast<void*>(exit_of_program), nullptr);
  if (__cxa_thread_atexit_impl != nullptr && gettid() == getpid())
    __cxa_thread_atexit_impl(at_beginning_of_exit, nullptr, &__dso_handle);
}

/// Where another thread than the main one has called exit().
[[gnu::destructor]] void leave_unjoined() noexcept {
  if (!joined.load(memory_order_acquire)) end_of_program();
}

}  // namespace

void leave_before_network() noexcept {
  if (getpid() != process_of_job) return;
  leave("the program has called MPI_Finalize, and MPI carried the messages of its processes (AMITY_NET=mpi)");
}

void serve_before_libraries_end(void (*until_unused)() noexcept) noexcept {
  libraries_in_use.store(until_unused, memory_order_relaxed);
  // Where another thread calls exit(): the handler that is registered last is called first. It acts once.
  atexit(end_of_program);
}

const job_hook* first_hook() noexcept { return hooks; }

void add_job_hook(job_hook& h) noexcept {
  h.next = hooks;
  hooks = &h;
}

std::span<const int> nodes_of_ranks() noexcept {
  static_cast<void>(job());
  return nodes_of_job();
}

const job_view& job() noexcept {
  if (!joined.load(memory_order_acquire)) [[unlikely]]  // pairs with join
    join();
  return this_job;
}

namespace {

/// Waits until the launcher has read what this process has written to stderr: a launcher that is told to abort
/// (MPICH's) kills at once and drops what it has not read. Limited, since the reader may be somebody who does not read.
void let_launcher_read() noexcept {
  constexpr int longest_us = 500'000, nap_us = 500;
  struct stat what;
  if (fstat(STDERR_FILENO, &what) != 0) return;
  unsigned long const question = S_ISFIFO(what.st_mode) ? FIONREAD : S_ISSOCK(what.st_mode) ? TIOCOUTQ : 0;
  for (int napped = 0; question != 0 && napped < longest_us; napped += nap_us) {
    int unread = 0;
    if (ioctl(STDERR_FILENO, question, &unread) != 0 || unread == 0) break;
    usleep(nap_us);
  }
}

}  // namespace

void end_job(const char* why) noexcept {
  static std::atomic<bool> ending{false};
  if (ending.exchange(true)) {
    for (;;) pause();  // another thread ends it
  }
  char host[128] = "?";
  gethostname(host, sizeof host - 1);
  base::warn("rank %d of %d (process %d on %s): %s; the job is ended", this_job.rank, this_job.size,
             static_cast<int>(getpid()), host, why);
  let_launcher_read();
  signal(SIGABRT, SIG_DFL);
  who_ends.store(gettid(), memory_order_relaxed);
  stage_of_job.store(stage::ending, memory_order_release);  // nobody serves any more; pairs with await_other_leaver
  end_watch();
  if (wires != nullptr && this_job.size > 1) wires->abort(134, why);
  abort();
}

}  // namespace amity::net
