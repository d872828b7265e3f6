#pragma once

/// All there is for senders, after C++26's std::execution (P2300).
///
///     namespace ex = amity::execution;
///     auto work = ex::when_all(ex::starts_on(amity::get_scheduler(), left), right)
///               | ex::let_value([](int& a, int& b) { return ex::just(a + b); })
///               | ex::upon_stopped([] { return 0; });
///     amity::finish([&] { ex::spawn(work | ex::then(print)); });
///
/// Each has its own header in execution/. Senders of a library and Amity's mix: execution/library.hpp.

#include "amity/future/execution/as_awaitable.hpp"
#include "amity/future/execution/as_sender.hpp"
#include "amity/future/execution/associate.hpp"
#include "amity/future/execution/bulk.hpp"
#include "amity/future/execution/closure.hpp"
#include "amity/future/execution/continues_on.hpp"
#include "amity/future/execution/counting_scope.hpp"
#include "amity/future/execution/inline_scheduler.hpp"
#include "amity/future/execution/just.hpp"
#include "amity/future/execution/let.hpp"
#include "amity/future/execution/run_loop.hpp"
#include "amity/future/execution/spawn.hpp"
#include "amity/future/execution/split.hpp"
#include "amity/future/execution/sync_wait.hpp"
#include "amity/future/execution/task_scheduler.hpp"
#include "amity/future/execution/then.hpp"
#include "amity/future/execution/when_all.hpp"
#include "amity/future/execution/with_awaitable_senders.hpp"
#include "amity/future/execution/write_env.hpp"
#include "amity/future/scheduler.hpp"

namespace amity::execution::experimental {

/// HPX's names for them, and its name for Amity's scheduler.
using thread_pool_scheduler = execution::task_scheduler;
using execution::as_sender;
using execution::bulk;
using execution::connect;
using execution::continues_on;
using execution::ensure_started;
using execution::get_completion_scheduler;
using execution::get_env;
using execution::get_scheduler;
using execution::get_stop_token;
using execution::into_variant;
using execution::just;
using execution::just_error;
using execution::just_stopped;
using execution::let_error;
using execution::let_stopped;
using execution::let_value;
using execution::make_future;
using execution::schedule;
using execution::schedule_from;
using execution::set_error;
using execution::set_stopped;
using execution::set_value;
using execution::split;
using execution::start;
using execution::start_detached;
using execution::starts_on;
using execution::sync_wait;
using execution::then;
using execution::transfer;
using execution::upon_error;
using execution::upon_stopped;
using execution::when_all;

}  // namespace amity::execution::experimental
