// Timelines for viewers, of what `amity run --trace` has written (sched/profile/timeline_file.hpp).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "amity/cli/profile_report.hpp"

namespace amity::cli {

// From one moment to the next, who was where.
struct slice {
  std::int64_t begin_ns = 0, end_ns = 0;  // since 1970
  unsigned row = 0;
  profile_column column = profile_column::work;
};

struct track {
  std::uint32_t number = 0;     // of the core or of the OpenMP thread, from 1 on
  std::uint32_t os_thread = 0;  // of a core
  std::vector<slice> slices;    // in their order; they do not overlap
};

struct timeline {
  std::string program;
  int process = 0, rank = -1;  // -1: in no job
  std::uint64_t lost = 0;      // events for which there was no room
  bool is_cut = false;         // the oldest events are gone
  std::vector<profile_row> rows;
  std::vector<track> cores, threads;
};

// False, with words in `problem`: this is no trace.
[[nodiscard]] bool read_timeline(const std::string& path, timeline& into, std::string& problem);

// In the JSON format of Chrome's traces, which Perfetto reads: of each process two groups of tracks, its cores and its
// OpenMP threads. Times are those since the first slice of all.
void write_json(std::ostream& out, const std::vector<timeline>& all);

}  // namespace amity::cli
