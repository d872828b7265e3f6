#include "amity/trace/events.hpp"

namespace amity::trace {

std::atomic<listener> current_listener{nullptr};

void listen(listener l) noexcept { current_listener.store(l, std::memory_order_relaxed); }

}  // namespace amity::trace
