#pragma once

/// setuid, setgid, setgroups and their like, which must change every kernel thread of the process.

namespace amity::sched {

/// Sees to it that they do where kernel threads carry others' identities. After a thread has been made and before it
/// carries another's; under the pool's lock.
void follow_credentials() noexcept;

}  // namespace amity::sched
