#include "amity/omp/settings/settings.hpp"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <new>

#include "amity/base/private_memory.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/settings/internal/state.hpp"
#include "amity/omp/settings/table.hpp"
#include "amity/omp/settings/unknown.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/loop/stack_size.hpp"

namespace amity::omp {
namespace {

// name: the variable's, which need not be the row's.
void warn_of_value(const setting_row& row, const char* name, const char* value, const settings& s) noexcept {
  char used[settings::text_size];
  row.show(s, used, sizeof used);
  const base::quoted given(value);
  if (used[0] == '\0')
    base::warn("%s='%s' is not %s; %s is used", name, given.text, row.allowed,
               row.otherwise != nullptr ? row.otherwise : "the default");
  else
    base::warn("%s='%s' is not %s; '%s' is used", name, given.text, row.allowed, used);
}

class reader {
 public:
  explicit reader(settings_state& state) noexcept : state_(state) {}

  void read(const setting_row& row, std::size_t index) noexcept {
    const char* name = row.name;
    const char* value = getenv(name);
    if (value == nullptr && (name = name_for_all_devices(row)) != nullptr) {
      value = getenv(name);
      if (value != nullptr) state_.why[index] = name;
    }
    setting_source& source = state_.source[index];
    source = setting_source::default_;
    if (value == nullptr) return;
    if (row.parse == nullptr) {
      source = setting_source::ineffective;
      return;
    }
    winner& best = best_[static_cast<int>(row.group)];
    if (row.group != rivals::none && best.rank > row.rank) {
      override_by(index, best.index);
      return;
    }
    if (!row.parse(value, state_.values)) {
      source = setting_source::refused;
      if (!row.quiet) warn_of_value(row, name, value, state_.values);
      return;
    }
    source = row.idle ? setting_source::ineffective : setting_source::environment;
    if (row.group == rivals::none) return;
    if (best.rank > 0) override_by(best.index, index);
    best = {row.rank, index};
  }

 private:
  struct winner {
    int rank = 0;
    std::size_t index = 0;
  };
  void override_by(std::size_t loser, std::size_t by) noexcept {
    state_.source[loser] = setting_source::overridden;
    state_.why[loser] = table().rows[by].name;
  }

  settings_state& state_;
  winner best_[static_cast<int>(rivals::count)];
};

// One place for each CPU, as libgomp has it where threads are to be bound and nobody said where.
void place_on_each_cpu(settings& s) noexcept {
  const sys::cpu_mask mine = s.hw_subset.empty() ? sys::cpu_mask::of_calling_thread() : s.hw_subset.copy();
  for (int cpu = mine.first(); cpu >= 0; cpu = mine.next(cpu)) {
    sys::cpu_mask one;
    if (!one.add(cpu) || !s.places.add(static_cast<sys::cpu_mask&&>(one))) return;
  }
}

void conclude_levels(settings& s) noexcept {
  if (!s.max_active_levels_given) {
    const bool lists = s.num_threads_levels > 1 || s.bind_levels > 1;
    s.max_active_levels = (s.nested_given ? s.nested : lists) ? settings::most_active_levels : 1;
  }
  s.nested = s.max_active_levels > 1;
}

// Where a device must be used and there is none, nothing stands for it unless the user names one: omp_invalid_device.
void conclude_device(settings& s) noexcept {
  if (!s.default_device_given) s.default_device = s.target_offload == offload::mandatory ? device_number::invalid : 0;
}

// What follows from several variables together.
void conclude(settings& s) noexcept {
  conclude_levels(s);
  conclude_device(s);
  if (s.serial) {
    s.num_threads[0] = 1;
    s.num_threads_levels = 1;
  }
  if (s.bind_levels == 0 && s.places.size() != 0) s.bind[s.bind_levels++] = proc_bind::true_;
  if (s.bind_levels != 0 && s.bind[0] != proc_bind::false_ && s.places.size() == 0) place_on_each_cpu(s);
}

void name_what_is_missed(const settings_state& state) noexcept {
  if (!state.values.warnings) return;
  std::size_t index = 0;
  for (const setting_row& row : table()) {
    if (row.missed && state.source[index] == setting_source::ineffective)
      base::warn("%s is set, but Amity does not support it: it has no effect (KMP_WARNINGS=0 silences this)", row.name);
    ++index;
  }
  warn_of_unknown(environ);
}

settings_state* the_state = nullptr;

void read_environment() {
  auto* state = static_cast<settings_state*>(base::take_private(sizeof(settings_state)));
  if (state == nullptr) base::fatal("out of memory for the settings");
  new (state) settings_state;
  reader all(*state);
  std::size_t index = 0;
  for (const setting_row& row : table()) all.read(row, index++);
  conclude(state->values);
  name_what_is_missed(*state);
  the_state = state;
}

}  // namespace

const settings_state& current_settings() noexcept {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_environment);
  return *the_state;
}

namespace {

const setting_row* row_of(const char* name) noexcept {
  for (const setting_row& row : table())
    if (strcmp(row.name, name) == 0) return &row;
  return nullptr;
}

// What threads, teams and tools are made by, or what is printed, when OpenMP starts.
bool is_used_at_start(const setting_row& row) noexcept {
  if (row.group == rivals::places || row.group == rivals::display || row.group == rivals::stack) return true;
  if (strncmp(row.name, "AMITY_", 6) == 0 || strncmp(row.name, "OMP_TOOL", 8) == 0) return true;
  for (const char* name :
       {"KMP_HW_SUBSET", "KMP_LIBRARY", "KMP_WARNINGS", "KMP_ENABLE_TASK_THROTTLING", "KMP_INHERIT_FP_CONTROL",
        "OMP_PROC_BIND", "OMP_CANCELLATION", "OMP_DISPLAY_AFFINITY", "OMP_DEBUG"})
    if (strcmp(row.name, name) == 0) return true;
  return row.group == rivals::thread_limit;  // teams are counted by it
}

}  // namespace

setting_change change_of(const char* name) noexcept {
  const setting_row* const row = row_of(name);
  if (row == nullptr || row->parse == nullptr) return setting_change::unknown;
  return is_used_at_start(*row) ? setting_change::before_start : setting_change::any_time;
}

bool change_setting(const char* name, const char* value) noexcept {
  static_cast<void>(current_settings());
  const setting_row* const row = row_of(name);
  if (row == nullptr || row->parse == nullptr) return false;
  if (!row->parse(value, the_state->values)) {
    warn_of_value(*row, row->name, value, the_state->values);
    return false;
  }
  the_state->source[row - table().rows] = setting_source::environment;
  conclude_levels(the_state->values);
  conclude_device(the_state->values);
  if (row->group == rivals::spin) sched::spin_setting = the_state->values.spin;
  return true;
}

const settings& environment() noexcept { return current_settings().values; }

namespace {

// The variable that decided for its group.
const char* decisive(rivals group) noexcept {
  const settings_state& state = current_settings();
  std::size_t index = 0;
  for (const setting_row& row : table()) {
    if (row.group == group && state.source[index] == setting_source::environment)
      return state.why[index] != nullptr ? state.why[index] : row.name;
    ++index;
  }
  return "?";
}

std::size_t stack_size_for(const settings& s) noexcept {
  if (s.stack_size >= sched::least_stack_size) return s.stack_size;
  base::warn("%s: a stack of %zu bytes is too small; one of %zu is used", decisive(rivals::stack), s.stack_size,
             sched::least_stack_size);
  return sched::least_stack_size;
}

}  // namespace

void apply_settings() noexcept {
  const settings& s = environment();
  // The threads that are made from now on inherit it, and the number of cores that may be used is counted from it.
  if (!s.hw_subset.empty() && sched_setaffinity(0, s.hw_subset.bytes(), s.hw_subset.native()) != 0)
    base::warn("KMP_HW_SUBSET='%s': the system refuses to keep this process there; it runs where it did",
               base::quoted(s.hw_subset_text).text);
  sched::setting.stack_size = s.stack_size != 0 ? stack_size_for(s) : sched::stack_size_of_the_kernel();
  if (s.workers != 0) sched::setting.carriers = s.workers;
  sched::spin_setting = s.spin;
  if (s.display_env != display_mode::off) display_environment(stderr, s.display_env == display_mode::verbose);
}

icv_set initial_icvs() noexcept {
  const settings& s = environment();
  icv_set icv;
  icv.num_threads = s.num_threads_levels > 0 ? s.num_threads[0] : sched::concurrency();
  icv.thread_limit = s.thread_limit;
  icv.max_active_levels = s.max_active_levels;
  icv.run_schedule = s.run_schedule;
  icv.schedule_chosen = s.run_schedule_given;
  icv.dynamic = s.dynamic;
  icv.bind = bind_at(s, 0, proc_bind::false_);
  icv.default_device = s.default_device;
  icv.default_allocator =
      s.allocator.traits == 0 ? s.allocator.predefined : 0;  // 0: the environment's own, made at first use
  return icv;
}

int num_threads_at(const settings& s, int level, int otherwise) noexcept {
  if (s.num_threads_levels == 0) return otherwise;
  return s.num_threads[level < s.num_threads_levels ? level : s.num_threads_levels - 1];
}

proc_bind bind_at(const settings& s, int level, proc_bind otherwise) noexcept {
  if (s.bind_levels == 0) return otherwise;
  return s.bind[level < s.bind_levels ? level : s.bind_levels - 1];
}

}  // namespace amity::omp
