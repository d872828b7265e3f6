// amity::task_group.
#include <amity/finish/task_group.hpp>

#include "common/amity_begin.hpp"
#include "spawn/task_group.hpp"

using groups = spawn::by_group<amity::task_group>;

const spawn::idiom spawn::this_idiom = {
    .begin = bench::begin_amity, .fib = groups::fib, .nqueens = groups::nqueens, .thread_per_task = false};
