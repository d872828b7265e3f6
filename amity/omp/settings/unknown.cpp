// Variables that look like settings and are none: a mistyped name is silent otherwise.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amity/base/nearest_name.hpp"
#include "amity/base/report.hpp"
#include "amity/omp/settings/internal/state.hpp"
#include "amity/omp/settings/table.hpp"

namespace amity::omp {
namespace {

// What others' runtimes read, and what means nothing for any of them but messages for their makers.
constexpr const char* of_others[] = {"GOMP_OPENACC_DIM",
                                     "KMP_ALL_THREADPRIVATE",
                                     "KMP_A_DEBUG",
                                     "KMP_B_DEBUG",
                                     "KMP_C_DEBUG",
                                     "KMP_D_DEBUG",
                                     "KMP_E_DEBUG",
                                     "KMP_F_DEBUG",
                                     "KMP_DEBUG",
                                     "KMP_DEBUG_BUF",
                                     "KMP_DEBUG_BUF_ATOMIC",
                                     "KMP_DEBUG_BUF_CHARS",
                                     "KMP_DEBUG_BUF_LINES",
                                     "KMP_DIAG",
                                     "KMP_DUMP_CATALOG",
                                     "KMP_FOR_TCHECK",
                                     "KMP_FOR_TPROFILE",
                                     "KMP_IGNORE_MPPBEG",
                                     "KMP_IGNORE_MPPEND",
                                     "KMP_INITIAL_THREAD_BIND",
                                     "KMP_LOAD_BALANCE_INTERVAL",
                                     "KMP_PAR_RANGE"};

bool begins_with(const char* text, const char* prefix) noexcept { return strncmp(text, prefix, strlen(prefix)) == 0; }

// Without the suffix that says for which devices a variable is: _ALL, _DEV, _DEV_ and a number (OpenMP 5.2, 21).
void cut_devices(char* name) noexcept {
  std::size_t length = strlen(name);
  while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9') --length;
  if (length > 0 && name[length] != '\0' && name[length - 1] == '_') --length;
  for (const char* suffix : {"_DEV", "_ALL"}) {
    std::size_t const at = strlen(suffix);
    bool const has_number = name[length] != '\0';
    if (length <= at || strncmp(name + length - at, suffix, at) != 0 || (has_number && suffix[1] == 'A')) continue;
    name[length - at] = '\0';
    return;
  }
}

bool is_known(const char* name) noexcept {
  for (const setting_row& row : table())
    if (strcmp(row.name, name) == 0) return true;
  for (const char* each : of_others)
    if (strcmp(each, name) == 0) return true;
  return false;
}

}  // namespace

void name_what_is_unknown() noexcept {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    bool const may_be_one = begins_with(*entry, "OMP_") || begins_with(*entry, "KMP_") || begins_with(*entry, "GOMP_");
    const char* const end = may_be_one ? strchr(*entry, '=') : nullptr;
    char name[64];
    if (end == nullptr || static_cast<std::size_t>(end - *entry) >= sizeof name) continue;
    memcpy(name, *entry, static_cast<std::size_t>(end - *entry));
    name[end - *entry] = '\0';
    char whole[sizeof name];
    memcpy(whole, name, sizeof name);
    if (begins_with(name, "OMP_")) cut_devices(name);
    if (is_known(name)) continue;
    base::nearest_name nearest(name);
    for (const setting_row& row : table()) nearest.look_at(row.name);
    base::warn_of_unknown_setting(whole, nearest.found());
  }
}

}  // namespace amity::omp
