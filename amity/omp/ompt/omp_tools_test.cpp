// omp-tools.h, which tools include, and hooks/tool_types.hpp, which Amity uses, say the same.
#include <gtest/gtest.h>

#include <type_traits>

#include "amity/omp/hooks/tool_types.hpp"
#include "amity/omp/ompt/omp-tools.h"

namespace amity::omp::ompt {
namespace {

template <typename Ours>
constexpr bool same(Ours ours, int theirs) {
  return static_cast<int>(ours) == theirs;
}

static_assert(same(event::thread_begin, ompt_callback_thread_begin) && same(event::masked, ompt_callback_masked) &&
              same(event::sync_region_wait, ompt_callback_sync_region_wait) &&
              same(event::dispatch, ompt_callback_dispatch) && same(event::error, ompt_callback_error));
static_assert(same(set_result::always, ompt_set_always) &&
              same(set_result::sometimes_paired, ompt_set_sometimes_paired));
static_assert(same(thread_kind::worker, ompt_thread_worker) && same(endpoint::begin_and_end, ompt_scope_beginend) &&
              same(dispatch_kind::distribute_chunk, ompt_dispatch_distribute_chunk));
static_assert(same(sync_kind::barrier_teams, ompt_sync_region_barrier_teams) &&
              same(sync_kind::barrier_explicit, ompt_sync_region_barrier_explicit) &&
              same(sync_kind::reduction, ompt_sync_region_reduction));
static_assert(same(work_kind::loop_other, ompt_work_loop_other) && same(work_kind::scope, ompt_work_scope) &&
              same(mutex_kind::ordered, ompt_mutex_ordered));
static_assert(same(task_undeferred, ompt_task_undeferred) && same(task_mergeable, ompt_task_mergeable) &&
              same(task_status::taskwait_complete, ompt_taskwait_complete));
static_assert(same(region_team, ompt_parallel_team) && same(region_league, ompt_parallel_league));
static_assert(same(dependence_type::inout_all_memory, ompt_dependence_type_inout_all_memory) &&
              same(dependence_type::inoutset, ompt_dependence_type_inoutset));
static_assert(same(cancel_discarded_task, ompt_cancel_discarded_task) && same(severity::fatal, ompt_fatal));
static_assert(static_cast<int>(target_kind::update) + target_nowait == ompt_target_update_nowait);
static_assert(same(state::wait_barrier_teams, ompt_state_wait_barrier_teams) &&
              same(state::wait_target_update, ompt_state_wait_target_update) &&
              same(state::undefined, ompt_state_undefined));

static_assert(sizeof(data) == sizeof(ompt_data_t) && sizeof(frame) == sizeof(ompt_frame_t) &&
              offsetof(frame, enter_frame_flags) == offsetof(ompt_frame_t, enter_frame_flags) &&
              sizeof(dependence) == sizeof(ompt_dependence_t) &&
              sizeof(dispatch_chunk) == sizeof(ompt_dispatch_chunk_t) &&
              sizeof(start_result) == sizeof(ompt_start_tool_result_t) &&
              offsetof(start_result, finalize) == offsetof(ompt_start_tool_result_t, finalize));

// A callback has as many parameters there as here, each of the same size.
template <typename... Ours, typename... Theirs>
constexpr bool fits(void (*)(Ours...), void (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs))
    return ((sizeof(Ours) == sizeof(Theirs)) && ...);
  else
    return false;
}
template <typename... Ours, typename... Theirs>
constexpr bool fits(int (*)(Ours...), int (*)(Theirs...)) {
  return fits(static_cast<void (*)(Ours...)>(nullptr), static_cast<void (*)(Theirs...)>(nullptr));
}
template <typename Ours, typename Theirs>
constexpr bool fit = fits(Ours(nullptr), Theirs(nullptr));

static_assert(fit<on_thread_begin, ompt_callback_thread_begin_t> && fit<on_thread_end, ompt_callback_thread_end_t>);
static_assert(fit<on_parallel_begin, ompt_callback_parallel_begin_t> &&
              fit<on_parallel_end, ompt_callback_parallel_end_t>);
static_assert(fit<on_work, ompt_callback_work_t> && fit<on_dispatch, ompt_callback_dispatch_t>);
static_assert(fit<on_task_create, ompt_callback_task_create_t> && fit<on_dependences, ompt_callback_dependences_t> &&
              fit<on_task_dependence, ompt_callback_task_dependence_t> &&
              fit<on_task_schedule, ompt_callback_task_schedule_t> &&
              fit<on_implicit_task, ompt_callback_implicit_task_t>);
static_assert(fit<on_masked, ompt_callback_masked_t> && fit<on_sync_region, ompt_callback_sync_region_t>);
static_assert(fit<on_mutex_acquire, ompt_callback_mutex_acquire_t> && fit<on_mutex, ompt_callback_mutex_t> &&
              fit<on_nest_lock, ompt_callback_nest_lock_t> && fit<on_flush, ompt_callback_flush_t>);
static_assert(fit<on_cancel, ompt_callback_cancel_t> && fit<on_control_tool, ompt_callback_control_tool_t> &&
              fit<on_error, ompt_callback_error_t>);
static_assert(fit<on_target, ompt_callback_target_t> && fit<on_target_emi, ompt_callback_target_emi_t>);

TEST(omp_tools, no_data_is_zero) { EXPECT_EQ(ompt_data_none.value, 0u); }

}  // namespace
}  // namespace amity::omp::ompt
