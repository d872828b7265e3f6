#include "amity/omp/settings/unknown.hpp"

#include <string.h>

#include <algorithm>
#include <string_view>

#include "amity/base/report.hpp"
#include "amity/omp/settings/table.hpp"

namespace amity::omp {
namespace {

constexpr std::size_t longest_name = 63;  // a longer one is near none

constexpr std::string_view prefixes[] = {"OMP_", "GOMP_", "KMP_", "AMITY_"};

// Read by others, or meant for them: libgomp's plugins for devices and OpenACC, the debug builds and the statistics of
// libomp, older versions of Intel's library, Amity's own parts, its tests and scripts.
constexpr std::string_view others[] = {"GOMP_OPENACC_DIM",
                                       "KMP_ALL_THREADPRIVATE",
                                       "KMP_DIAG",
                                       "KMP_DUMP_CATALOG",
                                       "KMP_FOR_TCHECK",
                                       "KMP_FOR_TPROFILE",
                                       "KMP_IGNORE_MPPBEG",
                                       "KMP_IGNORE_MPPEND",
                                       "KMP_INITIAL_THREAD_BIND",
                                       "KMP_LOAD_BALANCE_INTERVAL",
                                       "KMP_PAR_RANGE",
                                       "KMP_OMP_VERSION",
                                       "KMP_SPECULATIVE_STATSFILE",
                                       "AMITY_REDIRECT",
                                       "AMITY_REDIRECT_VERBOSE",
                                       "AMITY_ROUNDS",
                                       "AMITY_REPEAT_TIMEOUT"};
constexpr std::string_view beginnings_of_others[] = {
    "GOMP_NVPTX_", "GOMP_GCN_",   "GOMP_HSA_",   "KMP_DEBUG",  "KMP_A_DEBUG", "KMP_B_DEBUG", "KMP_C_DEBUG",
    "KMP_D_DEBUG", "KMP_E_DEBUG", "KMP_F_DEBUG", "KMP_STATS_", "KMP_ITT_",    "AMITY_TEST_", "AMITY_FUZZ_"};
// What build systems and module files tell each other: OMP_CFLAGS, AMITY_ROOT.
constexpr std::string_view ends_of_others[] = {"FLAGS", "_LIB",     "_LIBS", "_LIBRARY", "_LIBRARIES", "_INC",
                                               "_DIR",  "_INCLUDE", "_ROOT", "_HOME",    "_PATH",      "_PREFIX"};

// The end of a name that says for which devices the variable is (OpenMP 5.2, 21): its length, 0 where there is none.
std::size_t device_suffix(std::string_view name) noexcept {
  if (name.ends_with("_ALL") || name.ends_with("_DEV")) return 4;
  std::size_t const last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == name.size()) return 0;
  return name.substr(0, last + 1).ends_with("_DEV_") ? name.size() - (last + 1) + 5 : 0;
}

bool is_row(std::string_view name) noexcept {
  return std::any_of(table().begin(), table().end(), [&](const setting_row& row) { return name == row.name; });
}

// Letters to be put in, left out, or changed.
std::size_t distance(std::string_view a, std::string_view b) noexcept {
  std::size_t line[longest_name + 1];
  for (std::size_t j = 0; j <= b.size(); ++j) line[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t before = line[0];  // of the line above, one to the left
    line[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const above = line[j];
      line[j] = std::min({above + 1, line[j - 1] + 1, before + (a[i - 1] == b[j - 1] ? 0 : 1)});
      before = above;
    }
  }
  return line[b.size()];
}

// Beyond that another name is not what was meant.
std::size_t farthest(std::string_view name) noexcept {
  std::size_t const own = name.size() - (name.find('_') + 1);  // without the prefix
  return own < 4 ? 1 : own < 9 ? 2 : 3;
}

}  // namespace

bool looks_like_a_setting(const char* name, std::size_t length) noexcept {
  std::string_view const text(name, length);
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return text.starts_with(prefix) && text != prefix; });
}

bool is_known_name(const char* name, std::size_t length) noexcept {
  std::string_view const text(name, length);
  if (is_row(text)) return true;
  if (std::size_t const suffix = device_suffix(text); text.starts_with("OMP_") && suffix != 0)
    if (is_row(text.substr(0, length - suffix))) return true;
  return std::find(std::begin(others), std::end(others), text) != std::end(others) ||
         std::any_of(std::begin(beginnings_of_others), std::end(beginnings_of_others),
                     [&](std::string_view beginning) { return text.starts_with(beginning); }) ||
         std::any_of(std::begin(ends_of_others), std::end(ends_of_others),
                     [&](std::string_view end) { return text.ends_with(end); });
}

const char* nearest_name(const char* name, std::size_t length) noexcept {
  std::string_view const text(name, length);
  if (length > longest_name) return nullptr;
  const char* nearest = nullptr;
  std::size_t least = farthest(text) + 1;
  for (const setting_row& row : table()) {
    if (row.parse == nullptr || strlen(row.name) > longest_name) continue;
    std::size_t const far = distance(text, row.name);
    if (far >= least) continue;
    least = far;
    nearest = row.name;
  }
  return nearest;
}

void warn_of_unknown(const char* const* variables) noexcept {
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    std::size_t const length = strcspn(*variables, "=");
    if (!looks_like_a_setting(*variables, length) || is_known_name(*variables, length)) continue;
    char name[128];
    std::size_t const shown = std::min(length, sizeof name - 1);
    memcpy(name, *variables, shown);
    name[shown] = '\0';
    const char* const nearest = nearest_name(*variables, length);
    base::warn("%s is not a setting that is known here%s%s%s It is ignored (KMP_WARNINGS=0 silences this)",
               base::quoted(name).text, nearest != nullptr ? "; did you mean " : ".", nearest != nullptr ? nearest : "",
               nearest != nullptr ? "?" : "");
  }
}

}  // namespace amity::omp
