#pragma once

/// Every number that the monitor goes by. "near", "far": two cores of a virtual machine that share a cache, or do not;
/// decision 15 has the figures.
///
/// | limit | value | why so much | seen on |
/// |---|---|---|---|
/// | look_every | 5 ms | a look costs 10 to 50 us; a fiber that waits less than two looks is not missed | near, far |
/// | hurried | 1 ms | code that needs one rescue needs the next soon: OpenBLAS spins in each phase | near, far |
/// | hurried_looks | 20 | a product of matrices takes 5 to 20 ms | near |
/// | quiet_looks | 2 | a look costs a wake by the clock, and arming anew little more | near |
/// | rest | 1 s | for what no rule foresees | - |
/// | rest_at_the_end | 50 ms | nobody wakes the monitor when the program's last thread ends | - |
/// | most_of_a_look | 4 of 5 | the clock that wakes the monitor and a thread's own don't agree exactly | near, far |
/// | some_switches, moment | 3, 50 us | a yielding loop uses some us between two; page faults are few | far, one busy |
/// | hardly | 0.5 ms | of 1 ms at least: members that sleep 2 ms in turn | near |
/// | blocked_looks | 2 | one that is short of a core may meet a page fault at the moment of a look | far, one busy |
/// | trial_looks | 3 | with the look before, 4 ms: after one, parts of 1.3 ms seemed to spin | near, 8 threads |
/// | most_looks | 48 | parts of 25 ms are left alone after three rescues; spinning costs that once | near, 4 threads |
/// | rescues_in_a_row | 4 | one in five may be a trial: it costs a spinning program 3 of 20 ms | near |
/// | soon | 4 ms | each that was sent may wait for a slice of the kernel's first | far, 16 threads |
/// | sure | 2 | chance makes one; two of three rescues of code that computes are late | near, 8 threads |
/// | longest_spinning | 1 s | phases of a program last longer; a mistake costs a thread beside, no more | near |
/// | first_patience | 200 ms | tasks longer than that are rare, and one more thread costs them a share | near |
/// | least_patience | 10 ms | two looks | - |
/// | longest_patience | 10 s | where tasks are that long, threads beside the cores never help | - |
/// | least_share | 16 | a worker beside 18 busy loops has a 20th of a core | far, 18 busy |
/// | look_for_attendant | 1 ms | a message while all compute waits for that: 1.5 ms in 99 of 100 | near |
/// | extra_for | 50 ms to 2 s | workers that were blocked will be when the next tasks come | near |
/// | guests_go_first | 1 s | as longest_spinning | near |

#include <cstdint>

#include "amity/base/language.hpp"

namespace amity::sched::monitor_limits {

// When it looks.
inline constexpr long look_every_ns = 5'000'000;
inline constexpr long hurried_ns = 1'000'000;
inline constexpr int hurried_looks = 20;
inline constexpr int quiet_looks = 2;
inline constexpr long rest_ns = 1'000'000'000;
inline constexpr long rest_at_the_end_ns = 50'000'000;
inline constexpr long look_for_attendant_ns = 1'000'000;

// Is a carrier stuck?
inline constexpr std::uint64_t most_of_a_look = 4, of_a_look = 5;
inline constexpr std::uint64_t some_switches = 3;
inline constexpr std::uint64_t moment_ns = 50'000;
inline constexpr std::uint64_t hardly_ns = 500'000;
inline constexpr int blocked_looks = 2;

// Does it spin?
inline constexpr int trial_looks = 3;
inline constexpr int most_looks = 48;
inline constexpr int rescues_in_a_row = 4;
inline constexpr std::uint64_t soon_us = 4'000;
inline constexpr int sure = 2;
inline constexpr std::uint64_t longest_spinning_us = 1'000'000;
inline constexpr std::uint64_t guests_go_first_us = 1'000'000;

// Do tasks need one more OS thread?
inline constexpr std::uint64_t first_patience_us = 200'000;
inline constexpr std::uint64_t least_patience_us = 10'000;
inline constexpr std::uint64_t longest_patience_us = 10'000'000;
inline constexpr std::uint64_t least_share = 16;
inline constexpr std::uint64_t extra_for_us = 50'000, extra_for_at_most_us = 2'000'000;

}  // namespace amity::sched::monitor_limits
