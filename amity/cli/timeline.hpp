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

// One that was sent to another rank, or was handled when it came from there.
struct message {
  std::int64_t ns = 0;  // since 1970
  bool is_sent = false;
  int peer = 0;
  std::uint32_t key = 0;   // what both sides call it
  std::uint32_t core = 0;  // the number of the track
};

// Something that took no time.
struct instant {
  std::int64_t ns = 0;  // since 1970
  unsigned row = 0;
};

// Where an operation of a device was handed to the driver, and when the device ran it.
struct device_arrow {
  std::int64_t from_ns = 0, to_ns = 0;  // since 1970
  std::uint32_t core = 0;               // the number of the track
  unsigned queue = 0;                   // the row of the track
};

struct timeline {
  std::string program;
  int process = 0, rank = -1;  // -1: in no job
  bool is_node = false;        // the rank is the number of a node
  std::uint64_t lost = 0;      // events for which there was no room
  bool is_cut = false;         // the oldest events are gone
  std::vector<profile_row> rows;
  std::vector<track> cores, threads;
  std::vector<message> messages;  // in their order on each core
  std::vector<track> queues;      // of devices; their numbers are those of the rows that name them
  std::vector<device_arrow> device_arrows;
  std::vector<instant> instants;
};

// False, with words in `problem`: this is no trace.
[[nodiscard]] bool read_timeline(const std::string& path, timeline& into, std::string& problem);

// In the JSON format of Chrome's traces, which Perfetto reads: of each process two groups of tracks, its cores and its
// OpenMP threads; and arrows from where a message was sent to where it was handled. Times are those since the first
// slice of all.
void write_json(std::ostream& out, const std::vector<timeline>& all);

}  // namespace amity::cli
