#include "amity/cli/profile_report.hpp"

#include <algorithm>
#include <cstdio>
#include <istream>
#include <map>
#include <sstream>

#include "amity/cli/function_lines.hpp"
#include "amity/cli/source_lines.hpp"

namespace amity::cli {
namespace {

constexpr unsigned idle = 0, serial = 1, others = 2, region = 3, loop_static = 4, loop_dynamic = 5, loop_guided = 6,
                   loop_other = 7, sections = 8, task = 12, barrier = 13, taskwait = 14, taskgroup = 15, critical = 16,
                   lock = 17, cpp_task = 20, handler = 23, operation = 24;

constexpr std::array names = {"idle",         "outside of regions", "other places", "parallel region", "static loop",
                              "dynamic loop", "guided loop",        "loop",         "sections",        "single",
                              "distribute",   "taskloop",           "tasks",        "barrier",         "taskwait",
                              "taskgroup",    "critical",           "lock",         "ordered",         "reduction",
                              "tasks",        "parallel algorithm", "remote calls", "message handler"};

std::string in_seconds(std::uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(ns) * 1e-9);
  return text;
}

int percent(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? 0 : static_cast<int>(100.0 * static_cast<double>(part) / static_cast<double>(of) + 0.5);
}

std::uint64_t of(const profile_row& row, profile_column c) { return row.ns[static_cast<std::size_t>(c)]; }

// It is of a device, a track or the monitor, and `file` is its name.
bool is_beside(const profile_row& row) { return row.construct >= operation; }
bool has_place(const profile_row& row) { return row.construct > others && !is_beside(row); }
bool is_of_tasks(const profile_row& row) { return row.construct >= cpp_task && row.construct <= handler; }

// Tasks of Amity's own, for example those that hand out the chunks of an algorithm.
bool is_of_amity(const std::string& file) { return name_of_file(file).starts_with("libamity.so"); }

// What the program does when it is in no row with a place.
std::string outside_of(const std::vector<profile_row>& rows) {
  bool tasks = false, regions = false;
  for (const profile_row& row : rows) {
    tasks = tasks || is_of_tasks(row);
    regions = regions || (has_place(row) && !is_of_tasks(row));
  }
  return !tasks ? "outside of regions" : regions ? "outside of regions and tasks" : "outside of tasks";
}

std::string advice_on_waiting(unsigned construct) {
  switch (construct) {
    case region:
    case loop_static:
      return "waiting: its threads end at different times; if it is a loop, try schedule(dynamic)";
    case loop_dynamic:
    case loop_guided:
    case loop_other:
      return "waiting: its last chunks take long; try smaller chunks";
    case sections:
      return "waiting: its sections take different times, or are fewer than the threads";
    case task:
    case taskwait:
    case taskgroup:
      return "waiting: there were too few tasks at times; make more and smaller ones";
    case barrier:
      return "waiting: threads come to it at different times";
    case cpp_task:
      return "waiting for other tasks or for a lock; begin earlier what it needs, or go on with then() and dataflow()";
    case critical:
    case lock:
      return "waiting for one another: do less in it, or use a reduction or atomic";
    default:
      return "waiting";
  }
}

// What a user can do about the time of a row. None: nothing is to be said.
std::vector<std::string> advice_for(const profile_row& row) {
  constexpr int much = 20, some = 10;  // percent
  const auto share = [&row](profile_column c) { return percent(of(row, c), row.total()); };
  const auto with_share = [&share](profile_column c, const std::string& words) {
    return std::to_string(share(c)) + " % " + words;
  };
  std::vector<std::string> all;
  if (share(profile_column::waiting) >= much)
    all.push_back(with_share(profile_column::waiting, advice_on_waiting(row.construct)));
  if (share(profile_column::runtime) >= much && row.calls != 0) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "forking and joining: a region takes %.1f us in all; put several into one, or give it fewer threads",
                  static_cast<double>(row.total()) * 1e-3 / static_cast<double>(row.calls));
    all.push_back(with_share(profile_column::runtime, text));
  }
  if (share(profile_column::stolen) >= some)
    all.push_back(with_share(profile_column::stolen, "without a core: other programs or threads had it"));
  return all;
}

struct number_in {
  std::uint64_t value = 0;
  bool ok = false;
};
number_in number(const std::string& text, int base) {
  number_in n;
  std::size_t used = 0;
  try {
    n.value = std::stoull(text, &used, base);
  } catch (const std::exception&) {
    return n;
  }
  n.ok = used == text.size() && !text.starts_with('-');
  return n;
}

bool read_row(const std::vector<std::string>& words, profile_row& row) {
  if (words.size() != 10) return false;
  std::array<number_in, 6> n;
  for (std::size_t i = 0; i < n.size(); ++i) {
    n[i] = number(words[i + 1], 10);
    if (!n[i].ok) return false;
  }
  row.construct = static_cast<unsigned>(n[0].value);
  row.calls = n[1].value;
  for (std::size_t i = 0; i < profile_columns; ++i) row.ns[i] = n[i + 2].value;
  if (words[9] == "-") return true;
  number_in const code = number(words[7], 16), begin = number(words[8], 16);
  row.code = code.value;
  row.file_begin = begin.value;
  row.file = words[9];
  return code.ok && begin.ok;
}

bool read_device_row(const std::vector<std::string>& words, device_row& row) {
  if (words.size() != 6) return false;
  std::array<std::uint64_t*, 4> const into = {&row.calls, &row.ns, &row.bytes, &row.by_host};
  for (std::size_t i = 0; i < into.size(); ++i) {
    number_in const n = number(words[i + 1], 10);
    if (!n.ok) return false;
    *into[i] = n.value;
  }
  row.name = words[5];
  return true;
}

// What devices did, the longest first. Their times are no core's, and those of several queues may be at once.
std::string table_of_devices(const profile& all) {
  if (all.devices.empty()) return {};
  std::vector<device_row> rows = all.devices;
  std::sort(rows.begin(), rows.end(), [](const device_row& a, const device_row& b) { return a.ns > b.ns; });
  char line[256];
  std::snprintf(line, sizeof line, "%7s %10s %10s %10s  %s\n", "of time", "s", "MB", "calls", "beside the cores");
  std::string text = line;
  bool has_hosts_times = false;
  for (const device_row& row : rows) {
    std::snprintf(line, sizeof line, "%5.1f %% %10s %10.1f %10llu  ",
                  all.wall_ns == 0 ? 0.0 : 100.0 * static_cast<double>(row.ns) / static_cast<double>(all.wall_ns),
                  in_seconds(row.ns).c_str(), static_cast<double>(row.bytes) * 1e-6,
                  static_cast<unsigned long long>(row.calls));
    text += line + row.name + (row.by_host != 0 ? " *" : "") + "\n";
    has_hosts_times = has_hosts_times || row.by_host != 0;
  }
  if (has_hosts_times) text += "*: from its hand-over until its end was seen; the driver tells no times.\n";
  return text;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
  return words;
}

}  // namespace

std::string title_of(const profile_row& row) {
  if (row.construct == serial && !row.place.empty()) return row.place;
  if (is_beside(row)) return row.file;
  std::string const what = row.construct < names.size() ? names[row.construct] : "construct";
  return has_place(row) ? row.place + ", " + what : what;
}

bool read_profile(std::istream& in, profile& into, std::string& problem) {
  std::string line;
  if (!std::getline(in, line) || line != "amity profile\t2") {
    problem = "it does not begin with 'amity profile' and the number 2, as AMITY_PROFILE's files of this version do";
    return false;
  }
  bool has_program = false, has_time = false;
  for (int number_of_line = 2; std::getline(in, line); ++number_of_line) {
    std::vector<std::string> const words = split(line);
    bool good = !words.empty();
    if (good && words[0] == "program" && words.size() == 5) {
      into.program = words[1];
      into.process = std::atoi(words[2].c_str());
      into.rank = std::atoi(words[3].c_str());
      into.is_node = words[4] == "node";
      has_program = true;
    } else if (good && words[0] == "time" && words.size() == 3) {
      number_in const wall = number(words[1], 10), carriers = number(words[2], 10);
      good = has_time = wall.ok && carriers.ok;
      into.wall_ns = wall.value;
      into.carriers = static_cast<unsigned>(carriers.value);
    } else if (good && words[0] == "row") {
      into.rows.emplace_back();
      good = read_row(words, into.rows.back());
    } else if (good && words[0] == "device") {
      into.devices.emplace_back();
      good = read_device_row(words, into.devices.back());
    } else {
      good = false;
    }
    if (!good) {
      problem = "line " + std::to_string(number_of_line) + " can't be read: '" + line.substr(0, 100) + "'";
      return false;
    }
  }
  if (has_program && has_time) return true;
  problem = "it is cut off: there are no lines 'program' and 'time'";
  return false;
}

void name_places(std::vector<profile_row>& rows) {
  std::map<std::pair<std::string, std::uint64_t>, std::vector<std::uint64_t>> by_file;
  std::map<std::pair<std::string, std::uint64_t>, std::vector<std::uint64_t>> functions;
  for (const profile_row& row : rows)
    if (!row.file.empty() && !is_beside(row) && !(is_of_tasks(row) && is_of_amity(row.file)))
      (is_of_tasks(row) ? functions : by_file)[{row.file, row.file_begin}].push_back(row.code);
  std::map<std::uint64_t, function_place> named;
  for (const auto& [file, codes] : functions) named.merge(places_of_functions(file.first, file.second, codes));
  std::string const outside = outside_of(rows);
  std::map<std::string, source_lines> lines;
  for (const auto& [file, codes] : by_file)
    lines.try_emplace(file.first, file.first, file.second).first->second.look_up(codes);
  for (profile_row& row : rows) {
    if (row.construct == serial) row.place = outside;
    if (!has_place(row)) continue;
    if (row.file.empty()) {
      row.place = "?";
      continue;
    }
    if (is_of_tasks(row)) {
      const function_place& found = named[row.code];
      row.place = is_of_amity(row.file) ? "libamity.so" : !found.line.empty() ? found.line : found.name;
      if (row.place.empty())
        row.place = name_of_file(row.file) + "+" + in_hex(row.code - source_lines(row.file, row.file_begin).bias());
      continue;
    }
    const source_lines& known = lines.at(row.file);
    row.place = known.at(row.code).line;
    if (row.place.empty()) row.place = name_of_file(row.file) + "+" + in_hex(row.code - known.bias());
  }
}

std::string report_of(const profile& all) {
  // One line for each place and construct: a line of the source may have several calls.
  std::map<std::pair<std::string, unsigned>, profile_row> merged;
  for (const profile_row& row : all.rows) {
    profile_row& into = merged.try_emplace({row.place, row.construct}).first->second;
    profile_row sum = row;
    sum.calls += into.calls;
    for (std::size_t i = 0; i < profile_columns; ++i) sum.ns[i] += into.ns[i];
    into = sum;
  }
  std::vector<profile_row> rows;
  profile_row whole;
  for (const auto& [where, row] : merged) {
    if (row.total() == 0 && row.calls == 0) continue;
    rows.push_back(row);
    for (std::size_t i = 0; i < profile_columns; ++i) whole.ns[i] += row.construct == idle ? 0 : row.ns[i];
  }
  std::uint64_t const cores_time = all.wall_ns * all.carriers;
  std::sort(rows.begin(), rows.end(), [](const profile_row& a, const profile_row& b) { return a.total() > b.total(); });

  std::string text = "amity: profile of " + all.program + " (pid " + std::to_string(all.process);
  if (all.rank >= 0) text += (all.is_node ? ", node " : ", rank ") + std::to_string(all.rank);
  text += "): " + in_seconds(all.wall_ns) + " s on " + std::to_string(all.carriers) +
          (all.carriers == 1 ? " core" : " cores") + ", " + in_seconds(cores_time) + " s of cores\n";
  char line[256];
  std::snprintf(line, sizeof line, "%7s %10s %10s %10s %10s %10s  %s\n", "of all", "work s", "waiting s", "runtime s",
                "stolen s", "calls", "where");
  text += line;
  constexpr std::size_t most_lines = 20;
  std::size_t shown = 0;
  for (const profile_row& row : rows) {
    if (++shown > most_lines) break;
    std::array<std::string, profile_columns> cells;
    for (std::size_t i = 0; i < profile_columns; ++i) cells[i] = row.construct == idle ? "" : in_seconds(row.ns[i]);
    std::string const calls = has_place(row) ? std::to_string(row.calls) : "";
    std::snprintf(line, sizeof line, "%5.1f %% %10s %10s %10s %10s %10s  ",
                  cores_time == 0 ? 0.0 : 100.0 * static_cast<double>(row.total()) / static_cast<double>(cores_time),
                  cells[0].c_str(), cells[1].c_str(), cells[2].c_str(), cells[3].c_str(), calls.c_str());
    text += line + title_of(row) + "\n";
  }
  if (rows.size() > most_lines) text += "  and " + std::to_string(rows.size() - most_lines) + " lines more\n";
  text += table_of_devices(all);

  constexpr int worth_words = 5;  // percent of all
  for (const profile_row& row : rows) {
    if (!has_place(row) || percent(row.total(), cores_time) < worth_words) continue;
    for (const std::string& advice : advice_for(row)) text += title_of(row) + ": " + advice + ".\n";
  }
  for (const profile_row& row : rows)
    if (row.construct == serial && all.carriers > 1 && percent(row.total(), all.wall_ns) >= 30 &&
        row.total() <= all.wall_ns)
      text += std::to_string(percent(row.total(), all.wall_ns)) + " % of the time one thread computes alone, " +
              (row.place.empty() ? "outside of regions" : row.place) + ".\n";
  return text;
}

}  // namespace amity::cli
