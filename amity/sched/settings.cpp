/// Variables that begin with AMITY_. Each is read where it is needed; here is only which there are, for those that are
/// mistyped.

#include "amity/sched/settings.hpp"

#include <string.h>
#include <unistd.h>

#include "amity/base/nearest_name.hpp"

namespace amity::sched {
namespace {

// What the runtime, `amity` and this project's own scripts and tests read; settings_test.cpp of `omp` compares.
constexpr const char* known[] = {"AMITY_THREADS",       "AMITY_STACKSIZE",       "AMITY_STATS",
                                 "AMITY_SCHEDULER",     "AMITY_STEALING",        "AMITY_HIGH_PRIORITY_QUEUES",
                                 "AMITY_STALL",         "AMITY_COUNTERS",        "AMITY_IDENTITY",
                                 "AMITY_REDIRECT",      "AMITY_REDIRECT_REPORT", "AMITY_ROUNDS",
                                 "AMITY_REPEAT_TIMEOUT"};
constexpr const char* known_prefixes[] = {"AMITY_TEST_", "AMITY_FUZZ_"};

}  // namespace

bool is_setting(const char* name) noexcept {
  for (const char* each : known)
    if (strcmp(each, name) == 0) return true;
  for (const char* prefix : known_prefixes)
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  return false;
}

void name_unknown_settings() noexcept {
  constexpr char prefix[] = "AMITY_";
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (strncmp(*entry, prefix, sizeof prefix - 1) != 0) continue;
    const char* const end = strchr(*entry, '=');
    char name[64];
    if (end == nullptr || static_cast<std::size_t>(end - *entry) >= sizeof name) continue;
    memcpy(name, *entry, static_cast<std::size_t>(end - *entry));
    name[end - *entry] = '\0';
    if (is_setting(name)) continue;
    base::nearest_name nearest(name);
    for (const char* each : known) nearest.look_at(each);
    base::warn_of_unknown_setting(name, nearest.found());
  }
}

}  // namespace amity::sched
