#include "amity/cli/page_report.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "amity/cli/child_process.hpp"
#include "amity/cli/source_lines.hpp"

namespace amity::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_lines = 20;

struct fault {
  std::uint64_t address, code, within;
  unsigned reads, writes;
  int node;
};

struct mapping {
  std::uint64_t from, to, offset;
  std::string path;
};

struct block {
  std::uint64_t from, bytes, code;
};

struct area {  // heaps and stacks
  std::uint64_t from, to;
  int node;
  bool is_stack;
};

struct trace {
  int nodes = 0;
  std::vector<mapping> mappings;  // by their addresses; the same on all nodes
  std::vector<area> areas;
  std::vector<block> blocks;  // in the order in which each node made them
  std::vector<fault> faults;
};

// "0x1000", or what is not understood: 0.
std::uint64_t number_of(std::istringstream& words) {
  std::string word;
  words >> word;
  return std::strtoull(word.c_str(), nullptr, 0);
}

void read_line(const std::string& line, int node, trace& all) {
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  if (kind == "module" && node == 0) {
    mapping m{number_of(words), number_of(words), number_of(words), {}};
    std::getline(words >> std::ws, m.path);
    all.mappings.push_back(m);
  } else if ((kind == "heap" || kind == "stacks") && node == 0) {
    area a{number_of(words), number_of(words), 0, kind == "stacks"};
    a.node = static_cast<int>(number_of(words));
    all.areas.push_back(a);
  } else if (kind == "block") {
    const std::uint64_t from = number_of(words), bytes = number_of(words);
    all.blocks.push_back({from, bytes, number_of(words)});
  } else if (kind == "fault") {
    fault f{number_of(words), number_of(words), number_of(words), 0, 0, node};
    f.reads = static_cast<unsigned>(number_of(words));
    f.writes = static_cast<unsigned>(number_of(words));
    all.faults.push_back(f);
  }
}

bool read_all(const fs::path& folder, trace& all, std::string& problem) {
  for (int node = 0;; ++node) {
    const fs::path path = folder / ("node." + std::to_string(node));
    std::ifstream file(path);
    if (!file) {
      if (node == 0 || node < all.nodes)
        problem = path.string() + " is not there: the program has not ended by exit() or from main(), or " +
                  folder.string() + " is not of --trace-pages";
      return problem.empty();
    }
    std::string line;
    while (std::getline(file, line)) {
      int own, of;
      if (std::sscanf(line.c_str(), "node %d of %d", &own, &of) == 2) all.nodes = of;
      read_line(line, node, all);
    }
    if (node + 1 >= all.nodes) return true;
  }
}

// --- names

struct variable {
  std::uint64_t from, bytes;
  std::string name;
};

// A file that was mapped.
class module_names {
 public:
  module_names(const std::string& path, std::uint64_t begin) : path_(path), lines_(path, begin) {}

  // Has the names of lines ready for these.
  void look_up_lines(const std::vector<std::uint64_t>& codes) { lines_.look_up(codes); }

  // "stencil.c:41 in main"
  [[nodiscard]] std::string line_of(std::uint64_t code) const {
    const source_lines::place& found = lines_.at(code);
    if (found.line.empty() && found.function.empty()) return name_of_file(path_) + "+" + in_hex(code - lines_.bias());
    if (found.line.empty() || found.function.empty()) return found.line + found.function;
    return found.line + " in " + found.function;
  }

  [[nodiscard]] std::string variable_at(std::uint64_t address) {
    if (!has_variables_) read_variables();
    const std::uint64_t own = address - lines_.bias();
    const auto next = std::upper_bound(variables_.begin(), variables_.end(), own,
                                       [](std::uint64_t at, const variable& v) { return at < v.from; });
    if (next != variables_.begin() && own - (next - 1)->from < std::max<std::uint64_t>((next - 1)->bytes, 1))
      return (next - 1)->name;
    return "data of " + name_of_file(path_);
  }

 private:
  void read_variables() {
    has_variables_ = true;
    std::istringstream said(output_of({"nm", "-n", "-S", "-C", "--defined-only", path_}));
    std::string line;
    while (std::getline(said, line)) {
      unsigned long long from, bytes;
      char kind;
      int name = 0;
      if (std::sscanf(line.c_str(), "%llx %llx %c %n", &from, &bytes, &kind, &name) != 3 || name == 0) continue;
      if (std::string("bBdDuVv").find(kind) != std::string::npos)
        variables_.push_back({from, bytes, line.substr(name)});
    }
  }

  std::string path_;
  source_lines lines_;
  std::vector<variable> variables_;  // by address
  bool has_variables_ = false;
};

class names {
 public:
  explicit names(const trace& of) : trace_(of) {
    for (const mapping& m : of.mappings)
      if (modules_.find(m.path) == modules_.end()) modules_.emplace(m.path, module_names(m.path, m.from - m.offset));
    std::map<std::string, std::vector<std::uint64_t>> wanted;
    const auto want = [&](std::uint64_t code) {
      if (const mapping* m = mapping_of(code)) wanted[m->path].push_back(code);
    };
    for (const fault& f : of.faults) want(code_of(f));
    for (const block& b : of.blocks) want(b.code - 1);
    for (auto& [path, codes] : wanted) {
      std::sort(codes.begin(), codes.end());
      codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
      modules_.at(path).look_up_lines(codes);
    }
  }

  [[nodiscard]] std::string line_of(const fault& f) const {
    const std::string by = f.within == 0 ? "" : ", by " + library_with(f.within);
    if (f.code == 0) return f.within == 0 ? "unknown" : library_with(f.within);
    return name_of_code(code_of(f)) + by;
  }

  [[nodiscard]] std::string what_is_at(std::uint64_t address) {
    for (const area& a : trace_.areas) {
      if (address < a.from || address >= a.to) continue;
      if (a.is_stack) return "stack of a thread of node " + std::to_string(a.node);
      return block_at(address);
    }
    const mapping* before = nullptr;
    for (const mapping& m : trace_.mappings)
      if (m.from <= address && (before == nullptr || m.from > before->from)) before = &m;
    return before == nullptr ? in_hex(address) : modules_.at(before->path).variable_at(address);
  }

 private:
  // Of a return address, the call before it.
  static std::uint64_t code_of(const fault& f) { return f.within == 0 || f.code == 0 ? f.code : f.code - 1; }

  [[nodiscard]] const mapping* mapping_of(std::uint64_t code) const {
    for (const mapping& m : trace_.mappings)
      if (code >= m.from && code < m.to) return &m;
    return nullptr;
  }

  [[nodiscard]] std::string name_of_code(std::uint64_t code) const {
    const mapping* m = mapping_of(code);
    return m == nullptr ? in_hex(code) : modules_.at(m->path).line_of(code);
  }

  // "libc.so.6"
  [[nodiscard]] std::string library_with(std::uint64_t code) const {
    const mapping* m = mapping_of(code);
    return m == nullptr ? in_hex(code) : name_of_file(m->path);
  }

  // The last one that had this place: blocks come and go.
  [[nodiscard]] std::string block_at(std::uint64_t address) const {
    for (auto b = trace_.blocks.rbegin(); b != trace_.blocks.rend(); ++b)
      if (address - b->from < b->bytes)
        return "block of " + std::to_string(b->bytes) + " bytes from " + name_of_code(b->code - 1);
    return "small blocks of the heap";
  }

  const trace& trace_;
  std::map<std::string, module_names> modules_;
};

// --- the report

struct row {
  std::string line, what;
  std::vector<unsigned long> of_node;
  unsigned long all = 0, writes = 0;
};

std::vector<row> rows_of(const trace& all) {
  names known(all);
  std::map<std::pair<std::string, std::string>, row> rows;
  for (const fault& f : all.faults) {
    const std::string line = known.line_of(f), what = known.what_is_at(f.address);
    row& r = rows[{line, what}];
    r.line = line;
    r.what = what;
    r.of_node.resize(static_cast<std::size_t>(all.nodes));
    r.of_node[static_cast<std::size_t>(f.node)] += f.reads + f.writes;
    r.all += f.reads + f.writes;
    r.writes += f.writes;
  }
  std::vector<row> sorted;
  for (auto& [key, r] : rows) sorted.push_back(std::move(r));
  std::stable_sort(sorted.begin(), sorted.end(), [](const row& a, const row& b) { return a.all > b.all; });
  return sorted;
}

}  // namespace

std::string report_of_pages(const fs::path& folder, std::string& problem) {
  trace all;
  if (!read_all(folder, all, problem)) return {};
  const std::vector<row> rows = rows_of(all);
  unsigned long sum = 0;
  for (const row& r : rows) sum += r.all;
  std::string text = "amity: threads of " + std::to_string(all.nodes) + " nodes have waited for pages " +
                     std::to_string(sum) + " times\n";
  if (rows.empty()) return text;
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "%9s %9s  %-14s", "times", "to write", "by node");
  text += std::string(numbers) + "  line and function; what it used\n";
  for (std::size_t i = 0; i < std::min(rows.size(), most_lines); ++i) {
    const row& r = rows[i];
    std::string by_node;
    for (const unsigned long n : r.of_node) by_node += (by_node.empty() ? "" : "/") + std::to_string(n);
    std::snprintf(numbers, sizeof numbers, "%9lu %9lu  %-14s", r.all, r.writes, by_node.c_str());
    text += std::string(numbers) + "  " + r.line + "; " + r.what + "\n";
  }
  if (rows.size() > most_lines)
    text += "and " + std::to_string(rows.size() - most_lines) + " more lines and variables\n";
  return text;
}

}  // namespace amity::cli
