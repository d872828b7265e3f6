#include "amity/sched/monitor/counters.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amity/base/report.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/upcalls.hpp"
#include "amity/sched/monitor/internal/report.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/clock.hpp"

namespace amity::counters {
namespace {

using std::memory_order_relaxed;
using trace::totals;

/// Adds up what `part` finds with each worker: anybody's queue and counts, read while they change.
template <class Part>
std::uint64_t over_workers(Part part) noexcept {
  std::uint64_t sum = 0;
  for (const sched::worker* w = sched::first_worker(); w != nullptr; w = w->next) sum += part(*w);
  return sum;
}

template <class Part>
std::uint64_t over_fibers(Part part) noexcept {
  std::uint64_t sum = 0;
  for (const sched::fiber* f = sched::first_known(); f != nullptr; f = f->next_known) sum += part(*f) ? 1 : 0;
  return sum;
}

template <std::uint64_t totals::*Member>
std::uint64_t total() noexcept {
  return trace::sum_counters().*Member;
}

std::uint64_t cumulative() noexcept { return over_workers(sched::ended_by) + trace::sum_counters().tasks; }

std::uint64_t pending() noexcept {
  return sched::tasks_in_domains() + sched::tasks_in_common_queues() +
         over_workers([](const sched::worker& w) noexcept {
           return std::uint64_t{w.queue.size()} + w.aside.count.load(memory_order_relaxed);
         });
}

std::uint64_t suspended() noexcept {
  return over_fibers([](const sched::fiber& f) noexcept {
    sched::wait_kind const kind = f.waits.kind.load(memory_order_relaxed);
    return kind != sched::wait_kind::none && kind != sched::wait_kind::tasks;
  });
}

std::uint64_t uptime_ticks() noexcept {
  std::uint64_t const begin = sched::started_at();
  return begin == 0 ? 0 : sys::ticks() - begin;
}

std::uint64_t nanoseconds(std::uint64_t ticks) noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(ticks) * 1000 /
                                    static_cast<double>(sys::ticks_per_microsecond));
}

/// Not of shells: each sleeps while its fiber runs elsewhere.
std::uint64_t asleep_ticks() noexcept {
  std::uint64_t sum = 0, now = sys::ticks();
  for (const sched::carrier* c = sched::first_scheduler(); c != nullptr; c = c->next_scheduler) {
    sum += c->stats.asleep.load(memory_order_relaxed);
    if (std::uint64_t const since = c->asleep_since.load(memory_order_relaxed); since != 0 && since < now)
      sum += now - since;  // its sleep is not over
  }
  return sum;
}

/// As HPX: in units of 0.01 %.
std::uint64_t idle_rate() noexcept {
  constexpr double whole = 10'000;
  double const all = static_cast<double>(uptime_ticks()) * sched::concurrency();
  if (all == 0) return 0;
  double const rate = whole * static_cast<double>(asleep_ticks()) / all;
  return static_cast<std::uint64_t>(rate > whole ? whole : rate);
}

std::uint64_t (*const values[])() noexcept = {
    cumulative,
    total<&totals::steals>,
    pending,
    suspended,
    total<&totals::waits>,
    total<&totals::switches>,
    total<&totals::sleeps>,
    total<&totals::rescues>,
    []() noexcept { return nanoseconds(asleep_ticks()); },
    idle_rate,
    total<&totals::regions>,
    total<&totals::serial>,
    []() noexcept { return static_cast<std::uint64_t>(sched::concurrency()); },
    []() noexcept { return nanoseconds(uptime_ticks()); },
};

constexpr std::string_view hundredths_of_a_percent = "0.01%";

constexpr counter table[] = {
    {"/threads/count/cumulative", "", "tasks that have ended: of C++, and explicit ones of OpenMP"},
    {"/threads/count/stolen", "", "tasks and fibers taken from another thread"},
    {"/threads/count/instantaneous/pending", "", "tasks of C++ that are queued now"},
    {"/threads/count/instantaneous/suspended", "", "fibers that wait for a mutex, a future and the like now"},
    {"/threads/count/suspensions", "", "waits that outlasted the spinning"},
    {"/threads/count/switches", "", "switches from one fiber to another"},
    {"/threads/count/sleeps", "", "times that an OS thread went to sleep"},
    {"/threads/count/rescues", "", "fibers sent to an OS thread of their own"},
    {"/threads/time/idle", "ns", "time that the workers, and threads of the program, slept in the runtime, added up"},
    {"/threads/idle-rate", hundredths_of_a_percent, "the same, of the time that all cores have had; at most 10000"},
    {"/openmp/count/regions", "", "parallel regions begun with more than one thread"},
    {"/openmp/count/serial-regions", "", "parallel regions begun with one thread"},
    {"/runtime/count/cores", "", "OS threads that may run at the same time"},
    {"/runtime/uptime", "ns", "time since the runtime was first used"},
};
static_assert(std::size(values) == std::size(table));

/// The same text, without what stands in braces.
bool is_same(std::string_view asked, std::string_view name) noexcept {
  while (!asked.empty()) {
    if (asked.front() == '{') {
      auto const end = asked.find('}');
      if (end == std::string_view::npos) return false;
      asked.remove_prefix(end + 1);
      continue;
    }
    if (name.empty() || asked.front() != name.front()) return false;
    asked.remove_prefix(1);
    name.remove_prefix(1);
  }
  return name.empty();
}

/// AMITY_COUNTERS as it was when the pool started: at the end the environment may be another.
char wanted[1024];

/// For people: a share in percent. read() has it in the whole numbers of its unit.
void print_value(char* into, std::size_t size, const counter& c, std::uint64_t value) noexcept {
  if (c.unit == hundredths_of_a_percent)
    snprintf(into, size, "%.1f %%", static_cast<double>(value) / 100);
  else
    snprintf(into, size, "%llu%s%.*s", static_cast<unsigned long long>(value), c.unit.empty() ? "" : " ",
             static_cast<int>(c.unit.size()), c.unit.data());
}

void print_one(std::size_t i) noexcept {
  char value[64], line[256];
  print_value(value, sizeof value, table[i], values[i]());
  int const length = snprintf(line, sizeof line, "amity: %.*s %s\n", static_cast<int>(table[i].name.size()),
                              table[i].name.data(), value);
  if (length > 0) static_cast<void>(!write(STDERR_FILENO, line, static_cast<std::size_t>(length)));
}

[[gnu::destructor]] void print_counters() {
  std::string_view rest = wanted;
  while (!rest.empty()) {
    auto const end = rest.find(',');
    std::string_view const name = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    for (std::size_t i = 0; i < std::size(table); ++i)
      if (name == "all" || is_same(name, table[i].name)) print_one(i);
  }
}

void check_wanted() noexcept {
  std::string_view rest = wanted;
  while (!rest.empty()) {
    auto const end = rest.find(',');
    std::string_view const name = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    bool known = name == "all";
    for (const counter& c : table) known = known || is_same(name, c.name);
    if (known) continue;
    char text[128];
    snprintf(text, sizeof text, "%.*s", static_cast<int>(name.size()), name.data());
    base::warn(
        "AMITY_COUNTERS: '%s' is no counter; allowed: 'all', or names such as /threads/count/cumulative with "
        "commas between them; it is left out",
        base::quoted(text).text);
  }
}

}  // namespace

std::span<const counter> all() noexcept { return table; }

std::optional<std::uint64_t> read(std::string_view name) noexcept {
  for (std::size_t i = 0; i < std::size(table); ++i)
    if (is_same(name, table[i].name)) return values[i]();
  return {};
}

}  // namespace amity::counters

namespace amity::sched {

void read_counters_setting() noexcept {
  const char* const text = getenv("AMITY_COUNTERS");
  if (text == nullptr) return;
  snprintf(counters::wanted, sizeof counters::wanted, "%s", text);
  counters::check_wanted();
}

}  // namespace amity::sched
