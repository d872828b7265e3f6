#include "amity/sched/fiber/fiber.hpp"

#include "amity/sched/fiber/wait_note.hpp"

namespace amity::sched {

__thread fiber* current_fiber = nullptr;

constinit std::atomic<const wait_observer*> observer_of_waits{nullptr};
constinit std::atomic<const wait_profiler*> profiler_of_waits{nullptr};

}  // namespace amity::sched
