// Lines of sources for addresses of code, by addr2line (Debian's binutils). Without it, or without debug information,
// there are none.
//
//   source_lines lines("/usr/bin/program", begin_of_its_mapping);
//   lines.look_up({code});
//   lines.at(code).line;                                   // "stencil.c:41"
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace amity::cli {

class source_lines {
 public:
  // `begin`: where address 0 of the file lies in memory. Ignored for a program that has fixed addresses.
  source_lines(std::string path, std::uint64_t begin);

  // Has the lines of these ready. Starts a process, of which an object file with much debug information takes seconds.
  void look_up(const std::vector<std::uint64_t>& codes);

  struct place {
    std::string line;      // "stencil.c:41"; empty: unknown
    std::string function;  // "main", without arguments; empty: unknown
    // Where these lie in a function that was inlined: the line that has called it, in the function of the symbol table.
    std::string line_around;
  };
  // What look_up has found.
  [[nodiscard]] const place& at(std::uint64_t code) const;

  // What is to be added to the file's own addresses.
  [[nodiscard]] std::uint64_t bias() const { return bias_; }

 private:
  std::string path_;
  std::uint64_t bias_ = 0;
  std::map<std::uint64_t, place> places_;
};

// The last part of a path.
[[nodiscard]] std::string name_of_file(const std::string& path);
// "0x1f".
[[nodiscard]] std::string in_hex(std::uint64_t value);

}  // namespace amity::cli
