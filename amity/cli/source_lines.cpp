#include "amity/cli/source_lines.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>
#include <utility>

#include "amity/cli/child_process.hpp"

namespace amity::cli {
namespace {

source_lines::place place_of(std::string function, const std::string& line) {
  source_lines::place found;
  if (const std::size_t arguments = function.find('('); arguments != std::string::npos && arguments != 0)
    function.resize(arguments);
  if (function != "??") found.function = std::move(function);
  const std::string name = name_of_file(line.substr(0, line.find(" (")));  // "a.c:7 (discriminator 2)"
  const bool is_known = !line.starts_with("??") && !name.ends_with(":?") && !name.ends_with(":0");
  if (is_known) found.line = name;  // else it was compiled without -g
  return found;
}

}  // namespace

std::string name_of_file(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string in_hex(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

source_lines::source_lines(std::string path, std::uint64_t begin) : path_(std::move(path)) {
  std::ifstream file(path_, std::ios::binary);
  Elf64_Ehdr head{};
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  bias_ = head.e_type == ET_DYN ? begin : 0;
}

void source_lines::look_up(const std::vector<std::uint64_t>& codes) {
  constexpr std::size_t at_once = 500;
  for (std::size_t i = 0; i < codes.size(); i += at_once) {
    std::vector<std::string> command{"addr2line", "-a", "-f", "-i", "-C", "-e", path_};
    for (std::size_t k = i; k < std::min(i + at_once, codes.size()); ++k) command.push_back(in_hex(codes[k] - bias_));
    std::istringstream said(output_of(command));
    // Of each address, that itself, then a function and a line, the innermost first.
    place* of = nullptr;
    for (std::string text, line; std::getline(said, text);) {
      if (text.starts_with("0x")) {
        of = &(places_[std::strtoull(text.c_str(), nullptr, 16) + bias_] = {});
        continue;
      }
      if (of == nullptr || !std::getline(said, line)) break;
      place found = place_of(text, line);
      of->line_around = found.line;
      if (of->line.empty() && of->function.empty())
        std::tie(of->line, of->function) = std::tie(found.line, found.function);
    }
  }
}

const source_lines::place& source_lines::at(std::uint64_t code) const {
  static const place unknown;
  const auto found = places_.find(code);
  return found != places_.end() ? found->second : unknown;
}

}  // namespace amity::cli
