#include "amity/cli/function_lines.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "amity/cli/child_process.hpp"
#include "amity/cli/source_lines.hpp"

namespace amity::cli {
namespace {

struct symbol {
  std::uint64_t begin = 0, size = 0;
  std::string name;
};

// All functions of the file that have a size, by their address there.
std::vector<symbol> symbols_of(const std::string& file) {
  std::vector<symbol> all;
  std::istringstream said(output_of({"nm", "-C", "-S", "--defined-only", file}));
  for (std::string line; std::getline(said, line);) {
    std::istringstream words(line);
    std::string begin, size, kind;
    if (!(words >> begin >> size >> kind) || kind.size() != 1 || std::string("tTwWuiI").find(kind) == std::string::npos)
      continue;
    symbol s{std::strtoull(begin.c_str(), nullptr, 16), std::strtoull(size.c_str(), nullptr, 16), {}};
    std::getline(words >> std::ws, s.name);
    all.push_back(std::move(s));
  }
  return all;
}

// A name without the arguments of the function, which are the last thing in brackets.
std::string without_arguments(const std::string& name) {
  std::string short_name = name.substr(0, name.find(" [clone"));
  if (short_name.ends_with(" const")) short_name.resize(short_name.size() - 6);
  if (!short_name.ends_with(")")) return short_name;
  int depth = 0;
  for (std::size_t i = short_name.size(); i-- > 0;) {
    if (short_name[i] == ')') ++depth;
    if (short_name[i] == '(' && --depth == 0) return short_name.substr(0, i);
  }
  return short_name;
}

// Where the template's arguments begin and end that close a name like "call_task<void, F>::run".
std::optional<std::pair<std::size_t, std::size_t>> last_arguments(const std::string& name) {
  const std::size_t end = name.rfind(">::");
  if (end == std::string::npos) return {};
  int depth = 0;
  for (std::size_t i = end + 1; i-- > 0;) {
    const bool is_arrow = name[i] == '>' && i > 0 && name[i - 1] == '-';
    if (name[i] == '>' && !is_arrow) ++depth;
    if (name[i] == '<' && --depth == 0) return std::pair{i + 1, end};
  }
  return {};
}

// The type of a lambda whose "::{lambda(" is at `at` in a name.
std::string lambda_at(const std::string& name, std::size_t at) {
  const std::size_t end = name.find('}', at);
  if (end == std::string::npos) return {};
  // It begins behind what encloses it: "<", "(" or a comma outside of its own brackets.
  int depth = 0;
  std::size_t begin = at;
  for (; begin > 0; --begin) {
    const char c = name[begin - 1];
    if (c == ')' || c == '>' || c == '}') ++depth;
    if (c == '(' || c == '<' || c == '{') --depth;
    if (depth < 0 || (depth == 0 && c == ' ' && begin > 1 && name[begin - 2] == ',')) break;
  }
  return name.substr(begin, end + 1 - begin);
}

// The last type of a lambda of the program in a name, for example "main::{lambda(int)#1}". Empty: there is none.
std::string lambda_in(const std::string& name) {
  for (std::size_t at = name.rfind("::{lambda("); at != std::string::npos && at != 0;
       at = name.rfind("::{lambda(", at - 1)) {
    std::string lambda = lambda_at(name, at);
    if (!lambda.empty() && lambda.find("amity::") == std::string::npos) return lambda;
  }
  return {};
}

// Whether a name is of the lambda itself, or of a template that was made of it, and not of something within it.
bool is_made_of(const std::string& name, const std::string& lambda) {
  for (std::size_t at = name.find(lambda); at != std::string::npos; at = name.find(lambda, at + 1)) {
    const std::string rest = name.substr(at + lambda.size());
    if (!rest.starts_with("::")) return true;
    if (rest.starts_with("::operator()(") && rest.find("::{lambda(") == std::string::npos) return true;
  }
  return false;
}

// Where the program's function may be found: the symbol, those of the same template, and the lambda's own.
std::vector<symbol> family_of(const symbol& s, const std::vector<symbol>& all) {
  const std::string whole = without_arguments(s.name), lambda = lambda_in(whole);
  const std::size_t last = whole.rfind("::");
  const bool has_family = s.name.find("(amity::sched::task&") != std::string::npos && last != std::string::npos;
  const std::string prefix = has_family ? whole.substr(0, last + 2) : whole;
  const auto function = last_arguments(whole);
  const std::string called =
      has_family && function ? program_function_in(s.name) + "::operator()" : std::string("no such function");
  std::vector<symbol> family;
  for (const symbol& each : all)
    if (each.name.starts_with(prefix) || each.name.starts_with(called) ||
        (!lambda.empty() && is_made_of(each.name, lambda)))
      family.push_back(each);
  return family;
}

bool is_of_a_library(const std::string& path) {
  if (path.find("/include/c++/") != std::string::npos || path.starts_with("??")) return true;
  static const char* const modules[] = {"accel", "algo", "base",        "coll",  "finish", "future", "net",
                                        "omp",   "pgas", "partitioned", "sched", "sync",   "sys",    "trace"};
  return path.find(".hpp:") != std::string::npos && std::any_of(std::begin(modules), std::end(modules), [&](auto* m) {
           return path.find(std::string("/amity/") + m + "/") != std::string::npos;
         });
}

// Of some functions: the lines of the program in them, by path.
using lines_by_path = std::map<std::string, std::set<unsigned long>>;

// One address in a function.
struct probe {
  std::uint64_t address;
  std::size_t function;
};

// Asks for some addresses at once: a process that reads much debug information takes a second.
void look_up(const std::string& file, const std::vector<probe>& probes, std::vector<lines_by_path>& into) {
  constexpr std::size_t at_once = 5000;
  for (std::size_t first = 0; first < probes.size(); first += at_once) {
    std::vector<std::string> command{"addr2line", "-a", "-i", "-e", file};
    for (std::size_t i = first; i < std::min(first + at_once, probes.size()); ++i)
      command.push_back(in_hex(probes[i].address));
    std::istringstream said(output_of(command));
    // Of each address, that itself, then the lines: of an inlined function those around it after its own.
    std::size_t next = first;
    std::string outermost;
    const auto note = [&] {
      const std::size_t colon = outermost.rfind(':');
      const auto line = colon == std::string::npos ? 0 : std::strtoul(&outermost[colon + 1], nullptr, 10);
      if (line != 0 && next > first) into[probes[next - 1].function][outermost.substr(0, colon)].insert(line);
      outermost.clear();
    };
    for (std::string text; std::getline(said, text);) {
      if (text.starts_with("0x")) {
        note();
        if (++next > probes.size()) return;
      } else if (!is_of_a_library(text)) {
        outermost = text.substr(0, text.find(" ("));  // "a.cpp:7 (discriminator 2)"
      }
    }
    note();
  }
}

// The first line in the file of which there are most.
std::string first_line(const lines_by_path& lines) {
  const auto most = std::max_element(lines.begin(), lines.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most == lines.end()) return {};
  return name_of_file(most->first) + ":" + std::to_string(*most->second.begin());
}

}  // namespace

std::string program_function_in(const std::string& symbol_name) {
  std::string name = without_arguments(symbol_name);
  if (const auto arguments = last_arguments(name)) {
    auto [begin, end] = *arguments;
    int depth = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const char c = name[i];
      if (c == '(' || c == '<' || c == '{') ++depth;
      if (c == ')' || c == '>' || c == '}') --depth;
      if (c == ',' && depth == 0) begin = i + 2;
    }
    name = name.substr(begin, end - begin);
  }
  while (name.ends_with(" ")) name.pop_back();
  return name;
}

namespace {

// What a user is told of a function that has no line.
std::string name_for(const std::string& symbol_name) {
  const bool is_task = symbol_name.find("(amity::sched::task&") != std::string::npos;
  std::string name = lambda_in(without_arguments(symbol_name));
  if (is_task || name.empty()) name = program_function_in(symbol_name);
  for (std::size_t at; (at = name.find("(anonymous namespace)::")) != std::string::npos;) name.erase(at, 23);
  constexpr std::size_t most = 100;
  if (name.size() > most) name.replace(most - 3, std::string::npos, "...");
  return name;
}

}  // namespace

std::map<std::uint64_t, function_place> places_of_functions(const std::string& file, std::uint64_t begin,
                                                            const std::vector<std::uint64_t>& codes) {
  const std::uint64_t bias = source_lines(file, begin).bias();
  const std::vector<symbol> all = symbols_of(file);
  std::vector<std::uint64_t> known;
  std::vector<std::string> names;
  std::vector<probe> probes;
  for (const std::uint64_t code : codes) {
    const auto own = std::find_if(all.begin(), all.end(), [&](const symbol& s) { return s.begin == code - bias; });
    if (own == all.end()) continue;
    const std::vector<symbol> family = family_of(*own, all);
    std::uint64_t bytes = 0;
    for (const symbol& s : family) bytes += s.size;
    constexpr std::uint64_t most_probes = 400;
    const std::uint64_t step = std::max<std::uint64_t>(4, bytes / most_probes + 1);
    for (const symbol& s : family)
      for (std::uint64_t at = 0; at < s.size; at += step) probes.push_back({s.begin + at, known.size()});
    known.push_back(code);
    names.push_back(name_for(own->name));
  }
  std::vector<lines_by_path> lines(known.size());
  look_up(file, probes, lines);
  std::map<std::uint64_t, function_place> places;
  for (std::size_t i = 0; i < known.size(); ++i) places[known[i]] = {first_line(lines[i]), std::move(names[i])};
  return places;
}

}  // namespace amity::cli
