#include "amity/sched/idle/wake_cost.hpp"

namespace amity::sched {

std::atomic<std::uint64_t> wake_cost{0};

}  // namespace amity::sched
