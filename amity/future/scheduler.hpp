#pragma once

/// Amity as a scheduler of senders, as C++26's std::execution (P2300) has them, without depending on it.
///
///     namespace ex = amity::execution;
///     auto work = ex::schedule(amity::get_scheduler()) | ex::then([] { return 6 * 7; });
///     auto [answer] = *ex::sync_wait(std::move(work));
///
/// A sender says what is to be done; connect(sender, receiver) makes an operation of it, start(operation) begins it,
/// and one of the receiver's set_value, set_error or set_stopped is called once. schedule() ends on a task of Amity, in
/// the finish around start(). Where that finish was asked to stop, or the stop token in the receiver's environment, it
/// ends with set_stopped.
///
/// A library of senders takes get_scheduler() for a scheduler of its own if its headers come before this one:
/// execution/library.hpp. Here are the scheduler and what goes with it most often; senders.hpp has all the rest.

#include "amity/future/async.hpp"
#include "amity/future/execution/continues_on.hpp"
#include "amity/future/execution/just.hpp"
#include "amity/future/execution/sync_wait.hpp"
#include "amity/future/execution/task_scheduler.hpp"
#include "amity/future/execution/then.hpp"
