#pragma once

/// What a tool may ask of the regions and tasks around: ompt_get_parallel_info and ompt_get_task_info. Level 0 is the
/// innermost. They answer 2 if there is one, 1 if it can't be told of now, 0 if there is none.

#include "amity/omp/hooks/tool_types.hpp"

namespace amity::omp::ompt {

int get_parallel_info(int level, data** parallel, int* size);
int get_task_info(int level, int* flags, data** task_data, frame** task_frame, data** parallel, int* number);

}  // namespace amity::omp::ompt
