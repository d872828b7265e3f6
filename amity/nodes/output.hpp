#pragma once

/// What the other processes print, where mpirun or srun has started them: it goes by messages to process 0, which
/// writes it. The launcher gathers what each process writes by a way of its own, and lines of two nodes would change
/// places.
///
///     process 1                              process 0
///     printf(), into stdout's buffer
///     a barrier, or the region's end:
///       stdout goes into a pipe, what is
///       in the pipe goes ---- prints ------>  write(2)
///     ---- arrived, or joined ------------->  so its own next line comes later

#include <cstddef>

namespace amity::nodes::output {

/// In a process above 0, before the program's threads: its standard output becomes a pipe. Nothing where all processes
/// write to one place anyway.
void begin() noexcept;

/// The pipe's end to read from; -1: there is none.
[[nodiscard]] int descriptor() noexcept;

/// By any thread: what is in the pipe goes to process 0, before whatever the caller sends it next.
void hand_on() noexcept;

/// The same, by the thread that takes messages, which does not wait for another one that sends. Requires the pipe.
void hand_on_if_nobody_does() noexcept;

/// In process 0: it has come.
void write(const void* text, std::size_t bytes) noexcept;

}  // namespace amity::nodes::output
