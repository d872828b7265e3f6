#pragma once

/// Keys of thread-specific data (pthread_key_create, tss_create): one that a thread has made is good in all processes.
///
/// libc knows keys by process. So each process makes the same ones at its start, and which of these are in use is said
/// in memory that all have. A key that was deleted is not used again, as its values in other threads would be there
/// still.

#include <cstddef>

namespace amity::nodes::keys {

/// Makes this process's keys, before it has threads of the program; `memory`: table_size() bytes that all processes
/// have, and that are zero.
void begin(void* memory) noexcept;
[[nodiscard]] std::size_t table_size() noexcept;

/// As pthread_key_create.
int make(unsigned* key, void (*destroy)(void*)) noexcept;
/// Its values are not destroyed any more. False: it is none of these keys.
bool forget(unsigned key) noexcept;

/// All processes must have the same.
[[nodiscard]] unsigned first_key() noexcept;

}  // namespace amity::nodes::keys
