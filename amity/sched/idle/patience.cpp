#include "amity/sched/idle/patience.hpp"

namespace amity::sched {

spin_limits spin_setting;

}  // namespace amity::sched
