// The table that `amity run --profile` prints at a program's end, of what the runtime writes (sched/profile/write.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace amity::cli {

enum class profile_column { work, waiting, runtime, stolen };
inline constexpr std::size_t profile_columns = 4;

struct profile_row {
  unsigned construct = 0;  // sched/profile/rows.hpp numbers them
  std::uint64_t calls = 0;
  std::array<std::uint64_t, profile_columns> ns{};
  std::uint64_t code = 0, file_begin = 0;  // in memory; 0: the row has no place
  std::string file;
  // "stencil.c:41", or "lulesh+0x2f41" where there is no debug information; of a task then its function. Of the time
  // outside of all rows: outside of what.
  std::string place;

  [[nodiscard]] std::uint64_t total() const { return ns[0] + ns[1] + ns[2] + ns[3]; }
};

// The operations of one name on a device.
struct device_row {
  std::uint64_t calls = 0, ns = 0, bytes = 0;
  std::uint64_t by_host = 0;  // of the calls: those whose times the device has not told
  std::string name;           // "sum, opencl device 0 (PoCL)"
};

struct profile {
  std::string program;
  int process = 0, rank = -1;  // -1: no job
  bool is_node = false;        // the rank is the number of a node
  std::uint64_t wall_ns = 0;
  unsigned carriers = 0;
  std::vector<profile_row> rows;
  std::vector<device_row> devices;
};

// False, with words in `problem`: this is no profile.
[[nodiscard]] bool read_profile(std::istream& in, profile& into, std::string& problem);
// Finds the places of rows, by addr2line.
void name_places(std::vector<profile_row>& rows);
// "stencil.c:41, parallel region". Requires: name_places.
[[nodiscard]] std::string title_of(const profile_row& row);
// The table and what is to be said of it.
[[nodiscard]] std::string report_of(const profile& all);

}  // namespace amity::cli
