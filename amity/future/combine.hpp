#pragma once

/// Futures of futures, all of it: what waits for several of them, mostly without a thread that waits.
///
///     auto sum = amity::dataflow([](int a, int b) { return a + b; }, std::move(f), amity::async(g));
///     for (auto& f : amity::when_all(std::move(many)).get()) total += f.get();
///     amity::wait_all(left, right);

#include "amity/future/dataflow.hpp"
#include "amity/future/split_future.hpp"
#include "amity/future/wait.hpp"
#include "amity/future/when.hpp"
