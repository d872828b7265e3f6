#include "amity/sched/idle/patience.hpp"

namespace amity::sched {

spin_limits spin_setting;
std::atomic<bool> processes_share_cores{false};

}  // namespace amity::sched
