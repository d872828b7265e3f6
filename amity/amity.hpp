// Amity's version.
//
//   static_assert(amity::version_major == 0);
#pragma once

#define AMITY_VERSION_MAJOR 0
#define AMITY_VERSION_MINOR 1
#define AMITY_VERSION_PATCH 0

namespace amity {

inline constexpr int version_major = AMITY_VERSION_MAJOR;
inline constexpr int version_minor = AMITY_VERSION_MINOR;
inline constexpr int version_patch = AMITY_VERSION_PATCH;

}  // namespace amity
