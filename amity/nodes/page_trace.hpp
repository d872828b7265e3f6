#pragma once

/// `amity run --trace-pages`: which lines of the program wait for pages, and what lies in these.
///
/// Each fault that needs another process is counted by where the thread was and what it wanted. At the end each process
/// writes what it has counted into a file of the folder AMITY_NODES_TRACE, `node.0`, `node.1`, ..., with what is needed
/// to name it: where the modules lie, and which code has asked for the blocks of the heap. `amity pages FOLDER` reads
/// them (amity/cli/page_report.hpp, which has the format).

#include <cstddef>
#include <cstdint>

namespace amity::nodes::page_trace {

/// Before there are faults. `folder`: good as long as the process.
void begin(const char* folder) noexcept;
[[nodiscard]] bool is_on() noexcept;

/// By the pager: thread `thread` (its kernel number) has to wait for what is at `address`.
void note_fault(std::uintptr_t address, bool writes, int thread) noexcept;

/// By malloc: the calling thread has got this block. Small ones are not noted: many share a page.
void note_block(const void* block, std::size_t bytes) noexcept;

/// Once, when the program is at its end. Tells on stderr if the file can't be written.
void write() noexcept;

}  // namespace amity::nodes::page_trace
