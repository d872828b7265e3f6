// How much CPU time the control groups of this process allow it, as a number of CPUs. Containers limit by quota, not by
// mask: a container of one CPU on a machine of 64 still sees 64 in its affinity mask, and a runtime that believes the
// mask loses whole scheduling periods to throttling.
//
//   const amity::sys::cpu_quota quota = amity::sys::read_cpu_quota();
//   if (quota.cpus > 0) std::printf("%.2f CPUs by %s\n", quota.cpus, quota.source);
//
// Reads /proc/self/cgroup (which group) and /proc/self/mountinfo (where its files are), then cpu.max (version 2) or
// cpu.cfs_quota_us and cpu.cfs_period_us (version 1) of the group and all its ancestors; the smallest counts. Whatever
// cannot be read sets no limit. No allocation, no exceptions, 6 KiB of stack: it runs inside other people's processes.
#pragma once

#include <cstddef>

namespace amity::sys {

struct cpu_quota {
  double cpus = 0;        // 0: no limit
  char source[512] = {};  // the file that sets it; empty without a limit
};

// `root` stands before every path that is read (tests point it at a folder of their own); "" is the machine itself.
[[nodiscard]] cpu_quota read_cpu_quota(const char* root = "") noexcept;

// The parsers, by themselves for the tests. Text is null-terminated.
namespace cgroup {

// "150000 100000" -> 1.5; "max 100000", and what does not parse -> 0.
[[nodiscard]] double parse_cpu_max(const char* text) noexcept;
// A decimal number, perhaps negative, with white space around it. False leaves `value` alone.
[[nodiscard]] bool parse_integer(const char* text, long long& value) noexcept;

enum class version { none, v1, v2 };

// A line of /proc/self/cgroup: "0::/path" is version 2, "4:cpu,cpuacct:/path" is version 1 with the cpu controller.
// `path` points into the line. Other controllers give `none`.
struct membership {
  version kind = version::none;
  const char* path = nullptr;
};
[[nodiscard]] membership parse_membership(char* line) noexcept;

// A line of /proc/self/mountinfo. The pointers lead into the line, which is cut up and unescaped in place.
struct mount {
  version kind = version::none;
  const char* root = nullptr;  // the group that is seen at `point`
  const char* point = nullptr;
};
[[nodiscard]] mount parse_mount(char* line) noexcept;

// Where the files of group `path` are, given a mount: "/sys/fs/cgroup" + what `path` has beneath the mount's root.
// A group that the mount cannot show (another namespace) becomes the mount point itself: it is the nearest that can be
// read. False when the result does not fit.
bool folder_of(const mount& where, const char* path, char* into, std::size_t size) noexcept;
[[nodiscard]] bool shows(const mount& where, const char* path) noexcept;

}  // namespace cgroup
}  // namespace amity::sys
