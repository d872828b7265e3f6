// What is known at compile time: export marks, the cache line, which sanitizer watches.
//
//   class AMITY_API runtime { ... };  // seen outside its shared library; everything else is hidden
//   alignas(base::cache_line) atomic<std::uint64_t> head_;
#pragma once

#include <cstddef>

#include "amity/base/language.hpp"

// Marks what another shared library or a user's program may link to.
#define AMITY_API [[gnu::visibility("default")]]

#if defined(__has_feature)
#define AMITY_HAS_FEATURE(x) __has_feature(x)
#else
#define AMITY_HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_THREAD__) || AMITY_HAS_FEATURE(thread_sanitizer)
#define AMITY_TSAN 1
#else
#define AMITY_TSAN 0
#endif

#if defined(__SANITIZE_ADDRESS__) || AMITY_HAS_FEATURE(address_sanitizer)
#define AMITY_ASAN 1
#else
#define AMITY_ASAN 0
#endif

// A function that ThreadSanitizer must not instrument: it runs between two stacks, or races by design and says why it
// may.
#define AMITY_NO_SANITIZE_THREAD __attribute__((no_sanitize("thread")))

// The same for AddressSanitizer: a function that reads stacks that are not its own.
#define AMITY_NO_SANITIZE_ADDRESS __attribute__((no_sanitize("address")))

namespace amity::base {

// Two atomics that different cores write stand this far apart. Stated rather than taken from
// std::hardware_destructive_interference_size, whose value depends on -mtune and so would be part of the ABI.
inline constexpr std::size_t cache_line = 64;

inline constexpr bool thread_sanitizer = AMITY_TSAN != 0;
inline constexpr bool address_sanitizer = AMITY_ASAN != 0;

}  // namespace amity::base
