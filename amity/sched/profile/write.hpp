#pragma once

namespace amity::sched::profile {

/// Writes the profile as it is now: into a file (a process of a job adds its rank to the name), or, where `where` is
/// "|PROGRAM", to the standard input of `PROGRAM profile -`, whose end it waits for. A process that had no region
/// and no task writes nothing.
///
/// Lines of words with tabs between them:
///
///     amity profile	2
///     program	lulesh	4711	-1	rank                             its name, the process, and its number in a job
///     time	3420000000	2                                    nanoseconds, and how many carriers
///     row	3	120	6100000	220000	1000	0	2f41	10	/usr/bin/lulesh
///     device	100	41000000	400000	0	sum, opencl device 0 (PoCL)
///
/// A row: the construct's number (rows.hpp), how often, nanoseconds of work, waiting, runtime, stolen, the place of the
/// code in hexadecimal within its file and the address where the file begins in memory, and the file. Rows without a
/// place have "-" in place of these three. A device's operations of one name: how often, nanoseconds, bytes, how often
/// the times are those of the host, and the name.
void write_profile(const char* where) noexcept;

}  // namespace amity::sched::profile
