#include "amity/sys/cpus.hpp"

#include <cstring>

#include "amity/sys/cpu_mask.hpp"

namespace amity::sys {

int cut_by_quota(int in_mask, double quota) noexcept {
  const int most = in_mask > 1 ? in_mask : 1;
  if (quota <= 0 || quota >= most) return most;
  const int whole = static_cast<int>(quota);
  return whole < quota ? whole + 1 : whole;
}

cpu_budget usable_cpus(const char* root) noexcept {
  cpu_budget budget;
  const int in_mask = cpu_mask::of_calling_thread().count();
  budget.in_mask = in_mask > 1 ? in_mask : 1;
  const cpu_quota quota = read_cpu_quota(root);
  budget.quota = quota.cpus;
  static_assert(sizeof budget.quota_source == sizeof quota.source);
  std::memcpy(budget.quota_source, quota.source, sizeof budget.quota_source);
  budget.usable = cut_by_quota(budget.in_mask, budget.quota);
  return budget;
}

}  // namespace amity::sys
