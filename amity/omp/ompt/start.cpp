/// Finding a tool, starting it, ending it.

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amity/base/report.hpp"
#include "amity/omp/hooks/race_detector.hpp"
#include "amity/omp/ompt/emit.hpp"
#include "amity/omp/profile/profile.hpp"
#include "amity/omp/rt/initial.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sched/loop/pool.hpp"
#include "amity/sched/profile/setting.hpp"

extern "C" {

/// A tool that wants to wrap another finds this one where there is no other: it passes the question on. The exported
/// name is an alias, because the name itself means a tool's definition, if the program has one.
[[gnu::visibility("hidden")]] amity::omp::ompt::start_result* amity_ompt_start_tool(unsigned omp_version,
                                                                                    const char* runtime_version) {
  void* const next = dlsym(RTLD_NEXT, "ompt_start_tool");
  if (next == nullptr || next == reinterpret_cast<void*>(&amity_ompt_start_tool)) return nullptr;
  return reinterpret_cast<amity::omp::ompt::start_function>(next)(omp_version, runtime_version);
}
[[gnu::alias("amity_ompt_start_tool")]] amity::omp::ompt::start_result* ompt_start_tool(unsigned omp_version,
                                                                                        const char* runtime_version);

}  // extern "C"

namespace amity::omp {

constinit cold::lonely_word cold::word{{cold::undecided}};

namespace ompt {

constinit std::atomic<function> callbacks[events] = {};

namespace {

constexpr unsigned openmp_version = 202111;  // 5.2
constexpr const char* runtime_name = "Amity";
constexpr const char* start_name = "ompt_start_tool";

start_result* tool = nullptr;
std::atomic<bool> finishing{false};

/// OMP_TOOL_VERBOSE_INIT, in the words that tools' tests know.
class report {
 public:
  report() noexcept {
    const char* const where = environment().tool_verbose_init;
    if (where[0] == '\0') return;
    if (strcasecmp(where, "stdout") == 0) {
      out_ = stdout;
    } else if (strcasecmp(where, "stderr") == 0) {
      out_ = stderr;
    } else if (sched::profile::is_traced_to(where)) {
      base::warn("OMP_TOOL_VERBOSE_INIT='%s' is the file of AMITY_TRACE, which must be another; stdout is used",
                 base::quoted(where).text);
      out_ = stdout;
    } else if ((out_ = own_ = fopen(where, "w")) == nullptr) {
      base::warn("OMP_TOOL_VERBOSE_INIT='%s' can't be opened for writing: %s; stdout is used", base::quoted(where).text,
                 strerror(errno));
      out_ = stdout;
    }
    say("----- START LOGGING OF TOOL REGISTRATION -----\n");
  }
  ~report() {
    say("----- END LOGGING OF TOOL REGISTRATION -----\n");
    if (own_ != nullptr)
      fclose(own_);
    else if (out_ != nullptr)
      fflush(out_);
  }
  report(const report&) = delete;
  report& operator=(const report&) = delete;

  [[gnu::format(printf, 2, 3)]] void say(const char* format, ...) noexcept {
    if (out_ == nullptr) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out_, format, arguments);
    va_end(arguments);
  }

 private:
  FILE* out_ = nullptr;
  FILE* own_ = nullptr;
};

/// The first definition in the process that is not this library's own.
start_function another_definition() noexcept {
  auto const own = reinterpret_cast<void*>(&amity_ompt_start_tool);
  void* found = dlsym(RTLD_DEFAULT, start_name);
  if (found == own) found = dlsym(RTLD_NEXT, start_name);
  return found == own ? nullptr : reinterpret_cast<start_function>(found);
}

/// One entry of OMP_TOOL_LIBRARIES. `unusable`: it is no library, or no tool.
start_result* try_library(const char* name, report& log, bool& unusable) noexcept {
  log.say("Opening %s... ", name);
  void* const library = dlopen(name, RTLD_LAZY);
  if (library == nullptr) {
    log.say("Failed: %s\n", dlerror());
    unusable = true;
    return nullptr;
  }
  log.say("Success. \nSearching for %s in %s... ", start_name, name);
  dlerror();
  void* const found = dlsym(library, start_name);
  if (found == nullptr || found == reinterpret_cast<void*>(&amity_ompt_start_tool)) {
    const char* const why = dlerror();
    log.say("Failed: %s\n", why != nullptr ? why : "it has none of its own");
    dlclose(library);
    unusable = true;
    return nullptr;
  }
  start_result* const result = reinterpret_cast<start_function>(found)(openmp_version, runtime_name);
  if (result == nullptr) {
    log.say("Found but not using the OMPT interface.\nContinuing search...\n");
    return nullptr;
  }
  log.say("Success. \n");
  return result;
}

start_result* search_libraries(const char* list, report& log) noexcept {
  log.say("Searching tool libraries...\nOMP_TOOL_LIBRARIES = %s\n", list);
  char names[settings::text_size];
  snprintf(names, sizeof names, "%s", list);
  char* rest = nullptr;
  bool unusable = false;
  for (char* name = strtok_r(names, ":", &rest); name != nullptr; name = strtok_r(nullptr, ":", &rest))
    if (start_result* const result = try_library(name, log, unusable)) return result;
  if (unusable)
    base::warn(
        "OMP_TOOL_LIBRARIES='%s': none of them is a tool that can be used; there is none (OMP_TOOL_VERBOSE_INIT "
        "says why)",
        base::quoted(list).text);
  return nullptr;
}

start_result* search(report& log) noexcept {
  log.say("Search for OMP tool in current address space... ");
  if (start_function const f = another_definition())
    if (start_result* const result = f(openmp_version, runtime_name)) {
      log.say("Success. \n");
      return result;
    }
  log.say("Failed. \n");
  const char* const list = environment().tool_libraries;
  if (list[0] == '\0')
    log.say("No OMP_TOOL_LIBRARIES defined.\n");
  else if (start_result* const result = search_libraries(list, log))
    return result;
  log.say("...searching tool libraries failed.\nNo OMP tool loaded.\n");
  return nullptr;
}

void at_exit() { finish(); }

/// The tool that is to be used; null: none.
start_result* find_tool() noexcept {
  report log;
  start_result* const result = search(log);
  if (result != nullptr) log.say("Tool was started and is using the OMPT interface.\n");
  return result;
}

void start_once() {
  race::start();
  // For tests: nobody is told anything, and everybody goes the cold way.
  if (getenv("AMITY_TEST_COLD") != nullptr) cold::word.bits.fetch_or(cold::distributed, std::memory_order_relaxed);
  constexpr int initial_device = 0;  // there is no other
  start_result* result = environment().tool ? find_tool() : nullptr;
  if (start_result* const own = profile::tool(); own != nullptr) {
    if (result == nullptr) {
      result = own;
    } else {
      sched::profile::drop();
      base::warn(
          "there is an OMPT tool, which gets the events; so there is no profile and no trace (AMITY_PROFILE, "
          "AMITY_TRACE)");
    }
  }
  if (result == nullptr || result->initialize(lookup, initial_device, &result->tool_data) == 0) {
    cold::observers_are(race::is_on() ? cold::races : 0);
    return;
  }
  tool = result;
  // Not at this library's end: the tool's may come before.
  atexit(at_exit);
  cold::observers_are(cold::tool);
}

void end_own_idle_worker() {
  if (thread_record* const r = known_self(); r != nullptr && r->kind == thread_kind::worker && !r->serves)
    thread_ends(*r);
}

/// Workers that the pool has kept for the next team say it themselves. For those that serve C++ tasks by now the
/// caller does.
void end_idle_workers() noexcept {
  sched::run_on_idle_shells(end_own_idle_worker);
  for (thread_record* r = all_threads(); r != nullptr; r = r->next) {
    if (!r->alive || r->kind != thread_kind::worker || r->serves) continue;
    impersonate(r);
    thread_ends(*r);
  }
  impersonate(nullptr);
}

}  // namespace

bool is_finishing() noexcept { return finishing.load(std::memory_order_acquire); }  // pairs with finish

void start() noexcept {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_once);
}

void finish() noexcept {
  if (!is_running() || finishing.exchange(true, std::memory_order_acq_rel)) return;
  thread* const t = current_thread;
  bool const is_outermost = t != nullptr && t->team->leader_outside == nullptr;
  if (is_outermost) {
    release_teams(*t);  // its workers end themselves
    end_idle_workers();
    initial_thread_ends(*t);
  } else if (t == nullptr) {  // OpenMP was other threads', which have ended
    end_idle_workers();
  }
  cold::observers_are(cold::finished);
  if (tool->finalize != nullptr) tool->finalize(&tool->tool_data);
}

}  // namespace ompt
}  // namespace amity::omp
