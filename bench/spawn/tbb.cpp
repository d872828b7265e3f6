// oneTBB's task_group.
#include <oneapi/tbb/task_group.h>

#include "common/tbb_begin.hpp"
#include "spawn/task_group.hpp"

using groups = spawn::by_group<tbb::task_group>;

const spawn::idiom spawn::this_idiom = {
    .begin = bench::begin_tbb, .fib = groups::fib, .nqueens = groups::nqueens, .thread_per_task = false};
