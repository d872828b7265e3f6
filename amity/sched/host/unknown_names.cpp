#include "amity/sched/host/unknown_names.hpp"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "amity/base/near_name.hpp"
#include "amity/sched/loop/upcalls.hpp"

namespace amity::sched {
namespace {

constexpr std::string_view prefix = "AMITY_";

// omp/settings/table.cpp has what they mean; its test compares.
constexpr const char* settings[] = {"AMITY_CACHE",
                                    "AMITY_COLLECTIVES",
                                    "AMITY_COLLECTIVE_LINES",
                                    "AMITY_COUNTERS",
                                    "AMITY_DEVICES",
                                    "AMITY_DISTRIBUTED_STEALING",
                                    "AMITY_HIGH_PRIORITY_QUEUES",
                                    "AMITY_IDENTITY",
                                    "AMITY_NET",
                                    "AMITY_NET_DEVICE",
                                    "AMITY_NET_RINGS",
                                    "AMITY_NODES_MEMORY",
                                    "AMITY_NODES_REGIONS",
                                    "AMITY_PROFILE",
                                    "AMITY_SCHEDULER",
                                    "AMITY_SEGMENT",
                                    "AMITY_SERIAL_CALLS",
                                    "AMITY_STACKSIZE",
                                    "AMITY_STALL",
                                    "AMITY_STATS",
                                    "AMITY_STEALING",
                                    "AMITY_THREADS",
                                    "AMITY_TRACE",
                                    "AMITY_TRACE_SIZE"};
constexpr std::string_view others[] = {"AMITY_NODES_MEMORY", "AMITY_REDIRECT", "AMITY_REDIRECT_REPORT",
                                       "AMITY_REPEAT_TIMEOUT", "AMITY_ROUNDS"};
constexpr std::string_view beginnings_of_others[] = {"AMITY_TEST_", "AMITY_FUZZ_", "AMITY_RUN_"};

std::atomic<bool> claimed{false};

bool are_silenced() noexcept {
  const char* const text = getenv("KMP_WARNINGS");
  if (text == nullptr) return false;
  for (const char* off : {"false", "no", "off", "0"})
    if (strcasecmp(text, off) == 0) return true;
  return false;
}

}  // namespace

bool claim_unknown_names() noexcept { return !claimed.exchange(true, std::memory_order_relaxed); }  // once; no more

bool is_known_amity_name(std::string_view name) noexcept {
  return std::find(std::begin(settings), std::end(settings), name) != std::end(settings) ||
         std::find(std::begin(others), std::end(others), name) != std::end(others) ||
         std::any_of(std::begin(beginnings_of_others), std::end(beginnings_of_others),
                     [&](std::string_view beginning) { return name.starts_with(beginning); }) ||
         base::is_for_build_systems(name);
}

void warn_of_unknown_names() noexcept {
  if (are_silenced() || !claim_unknown_names()) return;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    std::string_view const name(*variable, strcspn(*variable, "="));
    if (name.starts_with(prefix) && name != prefix && !is_known_amity_name(name))
      base::warn_of_unknown_variable(name, base::nearest_name(name, settings));
  }
}

}  // namespace amity::sched
