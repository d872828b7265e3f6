#include <gtest/gtest.h>

#include <set>
#include <string>

#include "amity/omp/ompt/emit.hpp"

namespace amity::omp::ompt {
namespace {

template <class F>
F* entry(const char* name) {
  function const f = lookup(name);
  EXPECT_NE(f, nullptr) << name;
  return reinterpret_cast<F*>(f);
}

TEST(OmptLookup, FindsEveryEntryPointOfTheHost) {
  for (const char* name :
       {"ompt_enumerate_states", "ompt_enumerate_mutex_impls", "ompt_set_callback", "ompt_get_callback",
        "ompt_get_thread_data", "ompt_get_num_procs", "ompt_get_num_places", "ompt_get_place_proc_ids",
        "ompt_get_place_num", "ompt_get_partition_place_nums", "ompt_get_proc_id", "ompt_get_state",
        "ompt_get_parallel_info", "ompt_get_task_info", "ompt_get_task_memory", "ompt_get_target_info",
        "ompt_get_num_devices", "ompt_get_unique_id", "ompt_finalize_tool"})
    EXPECT_NE(lookup(name), nullptr) << name;
}

TEST(OmptLookup, KnowsNoOtherName) {
  EXPECT_EQ(lookup("ompt_get_record_type"), nullptr);  // of a device's trace
  EXPECT_EQ(lookup("ompt_set"), nullptr);
  EXPECT_EQ(lookup(""), nullptr);
}

TEST(OmptLookup, EnumeratesStatesFromUndefinedOn) {
  auto* const next_of = entry<int(int, int*, const char**)>("ompt_enumerate_states");
  std::set<int> seen;
  std::set<std::string> names;
  int current = 0x102;
  const char* name = nullptr;
  while (next_of(current, &current, &name) != 0) {
    EXPECT_TRUE(seen.insert(current).second) << "twice: " << current;
    EXPECT_TRUE(names.insert(name).second) << "twice: " << name;
    EXPECT_EQ(std::string(name).rfind("ompt_state_", 0), 0u) << name;
    ASSERT_LT(seen.size(), 100u);
  }
  for (ompt::state s : {state::work_serial, state::work_parallel, state::work_reduction, state::wait_barrier_explicit,
                        state::wait_taskwait, state::wait_critical, state::idle, state::overhead})
    EXPECT_EQ(seen.count(static_cast<int>(s)), 1u) << static_cast<int>(s);
}

TEST(OmptLookup, EnumeratesMutexImplementations) {
  auto* const next_of = entry<int(int, int*, const char**)>("ompt_enumerate_mutex_impls");
  int kind = 0;
  const char* name = nullptr;
  ASSERT_EQ(next_of(0, &kind, &name), 1);
  EXPECT_NE(kind, 0);
  EXPECT_EQ(next_of(kind, &kind, &name), 0);
}

TEST(OmptLookup, SaysHowOftenACallbackIsCalled) {
  auto* const set = entry<set_result(event, function)>("ompt_set_callback");
  auto* const get = entry<int(event, function*)>("ompt_get_callback");
  function const any = [] {};
  function now = nullptr;
  for (event e : {event::thread_begin, event::parallel_begin, event::task_schedule, event::sync_region, event::error})
    EXPECT_EQ(set(e, any), set_result::always) << static_cast<int>(e);
  for (event e :
       {event::work, event::masked, event::mutex_acquire, event::reduction})  // gcc's code may do without a call
    EXPECT_EQ(set(e, any), set_result::sometimes_paired) << static_cast<int>(e);
  for (event e : {event::flush, event::dispatch}) EXPECT_EQ(set(e, any), set_result::sometimes) << static_cast<int>(e);
  EXPECT_EQ(get(event::work, &now), 1);
  EXPECT_EQ(now, any);
  for (int e = 1; e < events; ++e) set(static_cast<event>(e), nullptr);
  EXPECT_EQ(get(event::work, &now), 0);
}

TEST(OmptLookup, HasNoDevicesToTellOf) {
  auto* const set = entry<set_result(event, function)>("ompt_set_callback");
  auto* const get = entry<int(event, function*)>("ompt_get_callback");
  function now = nullptr;
  for (event e : {event::target_data_op, event::target_data_op_emi, event::device_initialize, event::target_map}) {
    EXPECT_EQ(set(e, [] {}), set_result::never) << static_cast<int>(e);
    EXPECT_EQ(get(e, &now), 0) << static_cast<int>(e);
  }
}

TEST(OmptLookup, RefusesWhatIsNoEvent) {
  auto* const set = entry<set_result(event, function)>("ompt_set_callback");
  for (int e : {-1, 0, events, 1000}) EXPECT_EQ(set(static_cast<event>(e), [] {}), set_result::error) << e;
}

TEST(OmptLookup, GivesEveryNumberOnce) {
  auto* const next = entry<std::uint64_t()>("ompt_get_unique_id");
  std::uint64_t const first = next();
  EXPECT_NE(first, 0u);
  EXPECT_NE(next(), first);
}

TEST(OmptLookup, ThreadsThatOpenMPDoesNotKnowWorkByThemselves) {
  auto* const state_of = entry<state(wait_id*)>("ompt_get_state");
  auto* const data_of = entry<data*()>("ompt_get_thread_data");
  auto* const task_info = entry<int(int, int*, data**, frame**, data**, int*)>("ompt_get_task_info");
  wait_id id = 7;
  EXPECT_EQ(state_of(&id), state::work_serial);
  EXPECT_EQ(id, 0u);
  EXPECT_EQ(data_of(), nullptr);
  EXPECT_EQ(task_info(0, nullptr, nullptr, nullptr, nullptr, nullptr), 0);
}

}  // namespace
}  // namespace amity::omp::ompt
