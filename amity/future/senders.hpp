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
#include "amity/future/execution/bulk.hpp"
#include "amity/future/execution/closure.hpp"
#include "amity/future/execution/continues_on.hpp"
#include "amity/future/execution/just.hpp"
#include "amity/future/execution/let.hpp"
#include "amity/future/execution/spawn.hpp"
#include "amity/future/execution/split.hpp"
#include "amity/future/execution/sync_wait.hpp"
#include "amity/future/execution/task_scheduler.hpp"
#include "amity/future/execution/then.hpp"
#include "amity/future/execution/when_all.hpp"
#include "amity/future/scheduler.hpp"
