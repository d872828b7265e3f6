#pragma once

/// The streams to the other processes of the program. Until service begins, the first constructor reads them itself;
/// from then on a thread of the library does, which hands each message to the OpenMP library.

#include <cstddef>
#include <cstdint>

#include "amity/omp/cluster/processes.hpp"

namespace amity::nodes {

/// At the start: all of `bytes`, or the process ends.
void write_to(int process, const void* data, std::size_t bytes) noexcept;
void read_from(int process, void* data, std::size_t bytes) noexcept;

/// `process` is gone: the program ends, or has ended. Returns only where that is nothing to this process.
void end_with(int process) noexcept;

/// Makes the thread that will take messages. It begins to when it is let.
void make_service_thread() noexcept;
void let_service_begin() noexcept;

/// As omp::cluster::processes::ask_when_due.
void wake_service() noexcept;

/// As omp::cluster::processes::send.
void send_message(int to, const omp::cluster::message& m, const omp::cluster::piece* pieces, int count) noexcept;

/// How many messages this process has sent for constructs of OpenMP.
[[nodiscard]] unsigned long long messages_sent() noexcept;

/// --stats: a line of what this process has sent, for each kind of construct.
void print_figures() noexcept;

/// By process 0, when the program is at its end: the others end, too.
void end_others();

/// What this library says to its like; the others' topics are the OpenMP library's.
inline constexpr auto ends = static_cast<omp::cluster::topic>(1000);       ///< 0 -> others: the program is at its end
inline constexpr auto exits = static_cast<omp::cluster::topic>(1001);      ///< others -> 0: exit(a) was called here
inline constexpr auto has_ended = static_cast<omp::cluster::topic>(1004);  ///< others -> 0: its figures are out
inline constexpr auto prints = static_cast<omp::cluster::topic>(1003);  ///< others -> 0: what follows was printed here
/// To any: threads there will soon use b bytes from a on; c: to write to them.
inline constexpr auto uses_soon = static_cast<omp::cluster::topic>(1002);

}  // namespace amity::nodes
