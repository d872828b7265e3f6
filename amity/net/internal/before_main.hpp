#pragma once

#include "amity/net/before_main.hpp"

namespace amity::net {

/// `main` begins, or the program ends without it: what was kept is queued. Does nothing the second time.
void end_time_before_main() noexcept;

/// A handler was registered: messages that wait for it are looked at again (messages.cpp).
void look_again_at_unknown() noexcept;

}  // namespace amity::net
