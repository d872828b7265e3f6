// What `amity run` wants to know of a program before it starts it: is it an ELF file of this machine, has it a loader
// (else it is statically linked), which libraries does it name, which functions does it import.
//
//   const elf_file file("/usr/bin/convert");
//   if (file.kind() == elf_kind::dynamic) for (const std::string &name : file.needed()) ...
//
// Only files of the machine's own class and byte order are taken apart; every offset of the file is checked against its
// size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace amity::cli {

enum class elf_kind {
  unreadable,     // cannot be opened or mapped
  not_elf,        // a script, or something else that only the kernel can judge
  other_machine,  // an ELF file for another processor
  bits_32,        // an ELF file of 32 bits
  damaged,        // an ELF file whose headers lead beyond its end
  static_linked,  // no loader is named: its libraries are inside of it
  dynamic,
};

class elf_file {
 public:
  explicit elf_file(const std::string& path);
  ~elf_file();
  elf_file(const elf_file&) = delete;
  elf_file& operator=(const elf_file&) = delete;

  [[nodiscard]] elf_kind kind() const { return kind_; }
  // The loader, "/lib64/ld-linux-x86-64.so.2"; empty for a library, too.
  [[nodiscard]] const std::string& interpreter() const { return interpreter_; }
  [[nodiscard]] const std::vector<std::string>& needed() const { return needed_; }
  // Bytes of thread-local memory that the file must have at its threads' start, because its code has the offsets fixed
  // (DF_STATIC_TLS); else 0.
  [[nodiscard]] std::size_t static_tls() const { return fixed_tls_ ? tls_ : 0; }
  // Whether one of `names` is a function that the file takes from its libraries. True when the file does not tell.
  [[nodiscard]] bool imports_any_of(const std::vector<std::string_view>& names) const;

 private:
  template <class T>
  [[nodiscard]] const T* at(std::size_t offset, std::size_t count = 1) const;
  [[nodiscard]] std::string text_at(std::size_t offset) const;
  [[nodiscard]] std::size_t offset_of_address(std::size_t address) const;
  [[nodiscard]] elf_kind classify() const;
  // False: some of what they say is not in the file.
  bool read_segments();
  void read_dynamic(std::size_t offset, std::size_t size);

  const char* data_ = nullptr;
  std::size_t size_ = 0;
  elf_kind kind_ = elf_kind::unreadable;
  std::string interpreter_;
  std::vector<std::string> needed_;
  std::size_t tls_ = 0;
  bool fixed_tls_ = false;
};

}  // namespace amity::cli
