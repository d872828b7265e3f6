#include "amity/omp/settings/unknown.hpp"

#include <string.h>

#include <algorithm>
#include <string_view>

#include "amity/base/near_name.hpp"
#include "amity/omp/settings/table.hpp"
#include "amity/sched/host/unknown_names.hpp"

namespace amity::omp {
namespace {

constexpr std::string_view amitys = "AMITY_";
constexpr std::string_view prefixes[] = {"OMP_", "GOMP_", "KMP_", amitys};

// Read by others, or meant for them: libgomp's plugins for devices and OpenACC, the debug builds and the statistics of
// libomp, older versions of Intel's library.
constexpr std::string_view others[] = {"GOMP_OPENACC_DIM",          "KMP_ALL_THREADPRIVATE", "KMP_DIAG",
                                       "KMP_DUMP_CATALOG",          "KMP_FOR_TCHECK",        "KMP_FOR_TPROFILE",
                                       "KMP_IGNORE_MPPBEG",         "KMP_IGNORE_MPPEND",     "KMP_INITIAL_THREAD_BIND",
                                       "KMP_LOAD_BALANCE_INTERVAL", "KMP_PAR_RANGE",         "KMP_OMP_VERSION",
                                       "KMP_SPECULATIVE_STATSFILE"};
constexpr std::string_view beginnings_of_others[] = {"GOMP_NVPTX_", "GOMP_GCN_",   "GOMP_HSA_",   "KMP_DEBUG",
                                                     "KMP_A_DEBUG", "KMP_B_DEBUG", "KMP_C_DEBUG", "KMP_D_DEBUG",
                                                     "KMP_E_DEBUG", "KMP_F_DEBUG", "KMP_STATS_",  "KMP_ITT_"};

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
         base::is_for_build_systems(text) || (text.starts_with(amitys) && sched::is_known_amity_name(text));
}

const char* nearest_setting(const char* name, std::size_t length) noexcept {
  const char* names[most_rows];
  std::size_t count = 0;
  for (const setting_row& row : table())
    if (row.parse != nullptr) names[count++] = row.name;
  return base::nearest_name({name, length}, {names, count});
}

void warn_of_unknown(const char* const* variables) noexcept {
  bool const amitys_too = sched::claim_unknown_names();
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    std::string_view const name(*variables, strcspn(*variables, "="));
    if (!looks_like_a_setting(name.data(), name.size()) || is_known_name(name.data(), name.size())) continue;
    if (!amitys_too && name.starts_with(amitys)) continue;
    base::warn_of_unknown_variable(name, nearest_setting(name.data(), name.size()));
  }
}

}  // namespace amity::omp
