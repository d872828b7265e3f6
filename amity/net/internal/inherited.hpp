#pragma once

namespace amity::net {

/// Closes sockets that listen on a network and that this process has from its parent, which has them still: MPICH's
/// launcher leaves its own to all that it starts. So nobody listens there once the launcher has gone.
void close_inherited_listeners() noexcept;

}  // namespace amity::net
