#pragma once

/// The policies that have names from the start, one file each. policy.cpp has the table; README-policies.md says what
/// each promises.

#include "amity/sched/tasks/policy.hpp"

namespace amity::sched::policies {

[[nodiscard]] scheduling_policy* make_priority_local_lifo(const policy_options& o);
[[nodiscard]] scheduling_policy* make_priority_local_fifo(const policy_options& o);
[[nodiscard]] scheduling_policy* make_static_priority(const policy_options& o);
[[nodiscard]] scheduling_policy* make_local(const policy_options& o);
[[nodiscard]] scheduling_policy* make_static(const policy_options& o);
[[nodiscard]] scheduling_policy* make_global(const policy_options& o);
[[nodiscard]] scheduling_policy* make_abp_lifo(const policy_options& o);
[[nodiscard]] scheduling_policy* make_abp_fifo(const policy_options& o);
[[nodiscard]] scheduling_policy* make_hierarchical(const policy_options& o);
[[nodiscard]] scheduling_policy* make_periodic_priority(const policy_options& o);

}  // namespace amity::sched::policies
