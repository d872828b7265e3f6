#pragma once

/// setuid, setgid, setgroups and their like, which must change every OS thread of the process.

namespace amity::sched {

/// `context`: a signal handler's. The interrupted code is the C library's, in the midst of telling one OS thread
/// after the other to take new ids: it must not go on elsewhere, where the signal has come already.
[[nodiscard]] bool is_telling_all(const void* context) noexcept;

}  // namespace amity::sched
