#pragma once

namespace amity::net {

/// Says that somebody who is none of the job was turned away; where many are, only now and then, with their number.
/// Called under the engine's lock.
void say_stranger(const char* who, const char* why) noexcept;

}  // namespace amity::net
