#pragma once

/// A memory barrier on all threads of the process, so that one side of a Dekker pair need have none (membarrier(2)).

#include "amity/base/config.hpp"

namespace amity::sys {

/// To be called before the first thread is made: Linux lets a process that has threads wait for some 10 ms when it
/// announces that it will use the barrier below. One that has threads already will wait at the first use.
void prepare_barriers() noexcept;

/// Makes every running thread of the process pass a full memory barrier. False: the system can't.
[[nodiscard]] AMITY_API bool barrier_on_all_threads() noexcept;

/// The same where there has to be one: a system that can't is given the time in which stores leave their buffers, many
/// times over. True: it could.
AMITY_API bool await_all_stores() noexcept;

}  // namespace amity::sys
