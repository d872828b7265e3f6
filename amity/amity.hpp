/// The whole C++ interface of Amity, but for what distributed.hpp and accel.hpp have. Each part has its own header.
///
///     amity::finish([] { amity::async([] { work(); }); });
///     static_assert(amity::version_major == 0);
#pragma once

#include <mutex>  // std::unique_lock and the like, for amity::mutex

#include "amity/algo/by_key.hpp"
#include "amity/algo/compare.hpp"
#include "amity/algo/copy.hpp"
#include "amity/algo/executor.hpp"
#include "amity/algo/executor_properties.hpp"
#include "amity/algo/filter.hpp"
#include "amity/algo/find.hpp"
#include "amity/algo/for_each.hpp"
#include "amity/algo/for_loop.hpp"
#include "amity/algo/heap.hpp"
#include "amity/algo/merge.hpp"
#include "amity/algo/minmax.hpp"
#include "amity/algo/own_chunker.hpp"
#include "amity/algo/own_executor.hpp"
#include "amity/algo/partitioning.hpp"
#include "amity/algo/reduce.hpp"
#include "amity/algo/reduce_deterministic.hpp"
#include "amity/algo/resilient_executor.hpp"
#include "amity/algo/rotate.hpp"
#include "amity/algo/run_on_all.hpp"
#include "amity/algo/scan.hpp"
#include "amity/algo/scheduler_executor.hpp"
#include "amity/algo/set_operations.hpp"
#include "amity/algo/sort.hpp"
#include "amity/algo/task_block.hpp"
#include "amity/algo/team_executor.hpp"
#include "amity/algo/transform.hpp"
#include "amity/algo/uninitialized.hpp"
#include "amity/base/language.hpp"
#include "amity/finish/accumulator.hpp"
#include "amity/finish/finish.hpp"
#include "amity/finish/forasync.hpp"
#include "amity/finish/fork_join.hpp"
#include "amity/finish/habanero.hpp"
#include "amity/finish/habanero/habanero_cpp.hpp"
#include "amity/finish/phaser.hpp"
#include "amity/finish/phaser_accumulator.hpp"
#include "amity/finish/task_group.hpp"
#include "amity/future/async.hpp"
#include "amity/future/async_rw_mutex.hpp"
#include "amity/future/attend.hpp"
#include "amity/future/combine.hpp"
#include "amity/future/coroutine.hpp"
#include "amity/future/future.hpp"
#include "amity/future/generator.hpp"
#include "amity/future/one_element_channel.hpp"
#include "amity/future/packaged_task.hpp"
#include "amity/future/resilience.hpp"
#include "amity/future/senders.hpp"
#include "amity/future/thread.hpp"
#include "amity/future/timed.hpp"
#include "amity/sched/monitor/counters.hpp"
#include "amity/sched/tasks/place.hpp"
#include "amity/sched/tasks/policy.hpp"
#include "amity/sync/barrier.hpp"
#include "amity/sync/channel.hpp"
#include "amity/sync/condition_variable.hpp"
#include "amity/sync/event.hpp"
#include "amity/sync/inplace_stop.hpp"
#include "amity/sync/latch.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/sync/once.hpp"
#include "amity/sync/recursive_mutex.hpp"
#include "amity/sync/semaphore.hpp"
#include "amity/sync/shared_mutex.hpp"
#include "amity/sync/sliding_semaphore.hpp"
#include "amity/sync/this_task.hpp"
#include "amity/sync/try_channel.hpp"
#include "amity/sync/upgrade_lock.hpp"
#ifdef AMITY_DISTRIBUTED  // by Amity::distributed: it is a quarter more to compile
#include "amity/distributed.hpp"
#endif

/// Versions follow semantic versioning; before 1.0 a minor version may break.
#define AMITY_VERSION_MAJOR 0
/// The second number of the version.
#define AMITY_VERSION_MINOR 1
/// The third number of the version.
#define AMITY_VERSION_PATCH 0

namespace amity {

/// AMITY_VERSION_MAJOR as a constant.
inline constexpr int version_major = AMITY_VERSION_MAJOR;
/// AMITY_VERSION_MINOR as a constant.
inline constexpr int version_minor = AMITY_VERSION_MINOR;
/// AMITY_VERSION_PATCH as a constant.
inline constexpr int version_patch = AMITY_VERSION_PATCH;

using sync::barrier;
using sync::binary_semaphore;
using sync::call_once;
using sync::channel;
using sync::channel_status;
using sync::condition_variable;
using sync::condition_variable_any;
using sync::counting_semaphore;
using sync::event;
using sync::latch;
using sync::mutex;
using sync::once_flag;
using sync::recursive_mutex;
using sync::recursive_timed_mutex;
using sync::shared_mutex;
using sync::shared_timed_mutex;
using sync::sliding_semaphore;
using sync::spinlock;
using sync::timed_mutex;
using sync::upgrade_lock;
using sync::upgrade_mutex;
using sync::upgrade_to_unique_lock;

}  // namespace amity
