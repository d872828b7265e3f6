/// Policies by name, and the choice of the one for the process.

#include "amity/sched/tasks/policy.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <iterator>
#include <mutex>

#include "amity/base/report.hpp"
#include "amity/sched/fiber/carrier.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/tasks/internal/domain.hpp"
#include "amity/sched/tasks/internal/engine.hpp"
#include "amity/sched/tasks/policies/policies.hpp"
#include "amity/sched/tasks/task.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity {

using sched::domain;

namespace {

constexpr std::size_t longest_name = 31;
constexpr int most_policies = 64;

struct named_policy {
  char name[longest_name + 1];
  policy_factory make;
};

namespace built_in = sched::policies;

// The first is the default.
constexpr named_policy built_ins[] = {
    {"priority-local", built_in::make_priority_local_lifo},
    {"priority-local-lifo", built_in::make_priority_local_lifo},
    {"priority-local-fifo", built_in::make_priority_local_fifo},
    {"static-priority", built_in::make_static_priority},
    {"local", built_in::make_local},
    {"static", built_in::make_static},
    {"global", built_in::make_global},
    {"abp", built_in::make_abp_lifo},
    {"abp-fifo", built_in::make_abp_fifo},
    {"hierarchical", built_in::make_hierarchical},
    {"periodic-priority", built_in::make_periodic_priority},
};

/// What --hpx:queuing calls them.
struct other_name {
  const char *name, *means;
};
constexpr other_name other_names[] = {
    {"local-priority", "priority-local"},
    {"local-priority-lifo", "priority-local-lifo"},
    {"local-priority-fifo", "priority-local-fifo"},
    {"abp-priority-lifo", "abp"},
    {"abp-priority-fifo", "abp-fifo"},
    {"abp-lifo", "abp"},
    {"hierarchy", "hierarchical"},
};

sys::spin_lock names_lock;  // guards the rest
named_policy of_programs[most_policies];
int programs_policies = 0;
char all_names[(most_policies + std::size(built_ins)) * (longest_name + 3)];
/// What use_scheduler() was called with; no name: it was not.
char chosen_name[longest_name + 1];
policy_options chosen_options;
const char* name_in_use = built_ins[0].name;

bool is(std::string_view asked, const char* name) noexcept {
  return asked.size() == strlen(name) && strncasecmp(asked.data(), name, asked.size()) == 0;
}

const named_policy* find_locked(std::string_view asked) noexcept {
  for (const other_name& o : other_names)
    if (is(asked, o.name)) asked = o.means;
  for (const named_policy& p : built_ins)
    if (is(asked, p.name)) return &p;
  for (int i = 0; i < programs_policies; ++i)
    if (is(asked, of_programs[i].name)) return &of_programs[i];
  return nullptr;
}

const named_policy* find(std::string_view asked) noexcept {
  std::lock_guard const held(names_lock);
  return find_locked(asked);
}

void add_name(const char* name) noexcept {
  std::size_t const used = strlen(all_names);
  snprintf(all_names + used, sizeof all_names - used, "%s%s", used == 0 ? "" : ", ", name);
}

const char* names_locked() noexcept {
  if (all_names[0] == '\0')
    for (const named_policy& p : built_ins) add_name(p.name);
  return all_names;
}

void warn_of(const char* setting, std::string_view name, const char* instead) noexcept {
  char text[128];
  snprintf(text, sizeof text, "%.*s", static_cast<int>(name.size() < 100 ? name.size() : 100), name.data());
  base::warn("%s='%s' is not the name of a scheduling policy; there are: %s; %s", setting, base::quoted(text).text,
             policy_names(), instead);
}

/// Warns if the number is not one that can be had.
void settle_workers(policy_options& o) noexcept {
  int const most = sched::concurrency();
  if (o.workers < 0 || o.workers > most)
    base::warn("a scheduling policy for %d workers: there are 1 to %d; there will be %d", o.workers, most, most);
  if (o.workers <= 0 || o.workers > most) o.workers = most;
}

domain* open_domain_of(const named_policy& p, policy_options options) noexcept {
  settle_workers(options);
  scheduling_policy* const policy = p.make(options);
  if (policy != nullptr) return sched::new_domain(policy, p.make, options, nullptr, nullptr);
  base::warn("the scheduling policy '%s' could not be made; it is not used", p.name);
  return nullptr;
}

bool stealing_from_environment() noexcept {
  const char* const text = getenv("AMITY_STEALING");
  if (text == nullptr) return true;
  for (const char* off : {"false", "no", "off", "0", ".false."})
    if (strcasecmp(text, off) == 0) return false;
  for (const char* on : {"true", "yes", "on", "1", ".true."})
    if (strcasecmp(text, on) == 0) return true;
  base::warn("AMITY_STEALING='%s' is not 'true' or 'false'; idle workers steal", base::quoted(text).text);
  return true;
}

int high_queues_from_environment() noexcept {
  const char* const text = getenv("AMITY_HIGH_PRIORITY_QUEUES");
  if (text == nullptr) return 0;
  char* end = nullptr;
  long const value = strtol(text, &end, 10);
  if (end != text && *end == '\0' && value >= 1 && value <= domain::most_workers) return static_cast<int>(value);
  base::warn("AMITY_HIGH_PRIORITY_QUEUES='%s' is not a number from 1 to %d; the policy's own number is used",
             base::quoted(text).text, domain::most_workers);
  return 0;
}

}  // namespace

bool register_policy(std::string_view name, policy_factory make) noexcept {
  std::lock_guard const held(names_lock);
  if (name.empty() || name.size() > longest_name || make == nullptr || programs_policies == most_policies ||
      find_locked(name) != nullptr)
    return false;
  static_cast<void>(names_locked());
  named_policy& p = of_programs[programs_policies];
  name.copy(p.name, longest_name);
  p.make = make;
  ++programs_policies;
  add_name(p.name);
  return true;
}

const char* policy_names() noexcept {
  std::lock_guard const held(names_lock);
  return names_locked();
}

scheduler_choice use_scheduler(std::string_view name, const policy_options& options) noexcept {
  if (find(name) == nullptr) {
    warn_of("use_scheduler: name", name, "nothing is changed");
    return scheduler_choice::unknown_name;
  }
  if (sched::engine_has_started()) return scheduler_choice::too_late;
  std::lock_guard const held(names_lock);
  chosen_name[name.copy(chosen_name, longest_name)] = '\0';
  chosen_options = options;
  return scheduler_choice::done;
}

const char* scheduler_name() noexcept {
  static_cast<void>(sched::this_worker());
  std::lock_guard const held(names_lock);
  return name_in_use;
}

int this_worker_number() noexcept {
  const sched::worker* const w = sched::current_worker;
  if (w == nullptr) return no_worker;
  if (w->policy.of != nullptr) return w->policy.number;
  // Queues of threads have no numbers, but each carrier has one.
  int const slot = w->self->on->slot;
  return slot >= 0 && slot < sched::concurrency() ? slot : no_worker;
}

bool task_ref::is_within(const sched::scope& s) const noexcept { return task_->within == &s; }

namespace sched {

domain* open_domain(std::string_view policy, const policy_options& options) noexcept {
  static_cast<void>(this_worker());
  if (const named_policy* p = find(policy)) return open_domain_of(*p, options);
  warn_of("policy", policy, "it is not used");
  return nullptr;
}

void choose_domain_of_process() noexcept {
  policy_options options{0, stealing_from_environment(), high_queues_from_environment()};
  const named_policy* wanted = &built_ins[0];
  if (chosen_name[0] != '\0') {
    wanted = find(chosen_name);
    options = chosen_options;
  } else if (const char* const text = getenv("AMITY_SCHEDULER"); text != nullptr) {
    if (const named_policy* p = find(text))
      wanted = p;
    else
      warn_of("AMITY_SCHEDULER", text, "priority-local is used");
  }
  {
    std::lock_guard const held(names_lock);
    name_in_use = wanted->name;
  }
  // The usual one needs no policy's queues: those of the threads do the same.
  if (wanted->make == built_in::make_priority_local_lifo && options.stealing && options.workers == 0) return;
  set_domain_of_process(open_domain_of(*wanted, options));
}

}  // namespace sched

}  // namespace amity
