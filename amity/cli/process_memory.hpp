// Another process, looked at from outside: its memory, which file lies where in it, and what the functions there are
// called. It goes on meanwhile and notices nothing.
//
//   process_memory process(pid);
//   if (!process.why_not().empty()) ...
//   auto head = process.read<std::uint64_t>(address);
//   process.name_of(address);                              // "work(int)+0x1b (program)"
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace amity::cli {

// The functions and exported variables of an ELF file, by the addresses that the file gives them.
class symbol_file {
 public:
  explicit symbol_file(const std::string& path);

  struct symbol {
    std::uint64_t address, size;
    std::string name;  // as the linker has it
  };
  // By offset in the file, not by address in memory.
  [[nodiscard]] const symbol* at_offset(std::uint64_t offset, std::uint64_t& within) const;
  [[nodiscard]] std::optional<std::uint64_t> offset_of(const std::string& name) const;
  // The address that the file gives what lies at this offset.
  [[nodiscard]] std::optional<std::uint64_t> address_at(std::uint64_t offset) const;

 private:
  struct segment {
    std::uint64_t offset, address, size;
    std::uint64_t memory;  // bytes in memory: the file's, and zeroed ones behind them
  };
  std::vector<segment> segments_;
  std::vector<symbol> symbols_;  // sorted by address
};

class process_memory {
 public:
  explicit process_memory(pid_t pid);

  // Why it can't be looked at, in the user's words; empty if it can.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  [[nodiscard]] bool read(std::uint64_t address, void* to, std::size_t size) const;
  template <class T>
  [[nodiscard]] T read(std::uint64_t address) const {
    T value{};
    static_cast<void>(read(address, &value, sizeof value));
    return value;
  }

  // The file that lies there; empty: none.
  [[nodiscard]] std::string file_at(std::uint64_t address) const;
  // Files that are there whose names begin so.
  [[nodiscard]] std::vector<std::string> files_called(const std::string& begin) const;
  // Where a symbol of such a file lies; 0: nowhere.
  [[nodiscard]] std::uint64_t address_of(const std::string& file, const std::string& symbol) const;
  // The function there, demangled, without or with how far in it; empty: unknown.
  [[nodiscard]] std::string function_at(std::uint64_t address) const;
  [[nodiscard]] std::string name_of(std::uint64_t address) const;
  // Of a variable that is no local one: "lock", or "locks+0x10"; empty: there is none.
  [[nodiscard]] std::string variable_at(std::uint64_t address) const;
  // Has the lines of these ready, by a process for each file: with much debug information that takes seconds.
  void look_up_lines(const std::vector<std::uint64_t>& addresses);
  // The line of the source, as "main.cpp:12", that look_up_lines has found; empty: unknown.
  [[nodiscard]] std::string line_of(std::uint64_t address) const;

 private:
  struct mapping {
    std::uint64_t begin, end, offset;
    std::string file;
  };
  [[nodiscard]] const mapping* mapping_at(std::uint64_t address) const;
  // Under which path this process finds that file: the other one may live in a container.
  [[nodiscard]] std::string as_it_sees(const std::string& file) const;
  [[nodiscard]] const symbol_file& symbols_of(const std::string& file) const;
  [[nodiscard]] const symbol_file::symbol* symbol_at(std::uint64_t address, std::uint64_t& within) const;

  pid_t pid_;
  std::string why_not_;
  std::vector<mapping> mappings_;
  mutable std::map<std::string, std::unique_ptr<symbol_file>> symbols_;
  std::map<std::uint64_t, std::string> lines_;  // by code
};

}  // namespace amity::cli
