#include "amity/cli/process_memory.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "amity/cli/source_lines.hpp"

namespace amity::cli {
namespace {

// A copy of the part of `bytes` that is a T; none beyond its end.
template <class T>
std::optional<T> part(const std::string& bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return {};
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string text(const std::string& bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  return {bytes.data() + offset, strnlen(bytes.data() + offset, bytes.size() - offset)};
}

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // else a variable `a` is taken for a type's name
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                          &std::free);
  return plain != nullptr && status == 0 ? plain.get() : name;
}

}  // namespace

symbol_file::symbol_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto header = part<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) return;
  for (unsigned i = 0; i < header->e_phnum; ++i)
    if (const auto p = part<Elf64_Phdr>(bytes, header->e_phoff + i * sizeof(Elf64_Phdr)); p && p->p_type == PT_LOAD)
      segments_.push_back({p->p_offset, p->p_vaddr, p->p_filesz, p->p_memsz});
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto table = part<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!table || (table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM)) continue;
    const auto names = part<Elf64_Shdr>(bytes, header->e_shoff + table->sh_link * sizeof(Elf64_Shdr));
    if (!names) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
      const auto s = part<Elf64_Sym>(bytes, table->sh_offset + at);
      if (!s) break;
      const unsigned type = ELF64_ST_TYPE(s->st_info);
      if (s->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_OBJECT)) continue;
      symbols_.push_back({s->st_value, s->st_size, text(bytes, names->sh_offset + s->st_name)});
    }
  }
  std::sort(symbols_.begin(), symbols_.end(), [](const symbol& a, const symbol& b) { return a.address < b.address; });
}

const symbol_file::symbol* symbol_file::at_offset(std::uint64_t offset, std::uint64_t& within) const {
  std::optional<std::uint64_t> address = address_at(offset);
  // Zeroed variables are behind what the file has of their segment, and have an offset as if the file went on.
  for (const segment& s : segments_)
    if (!address && offset >= s.offset && offset - s.offset < s.memory) address = offset - s.offset + s.address;
  if (!address) return nullptr;
  auto after = std::upper_bound(symbols_.begin(), symbols_.end(), *address,
                                [](std::uint64_t a, const symbol& b) { return a < b.address; });
  if (after == symbols_.begin()) return nullptr;
  --after;
  within = *address - after->address;
  return within < std::max<std::uint64_t>(after->size, 1) ? &*after : nullptr;
}

std::optional<std::uint64_t> symbol_file::offset_of(const std::string& name) const {
  for (const symbol& found : symbols_) {
    if (found.name != name) continue;
    for (const segment& s : segments_)
      if (found.address >= s.address && found.address - s.address < s.size) return found.address - s.address + s.offset;
  }
  return {};
}

std::optional<std::uint64_t> symbol_file::address_at(std::uint64_t offset) const {
  for (const segment& s : segments_)
    if (offset >= s.offset && offset - s.offset < s.size) return offset - s.offset + s.address;
  return {};
}

process_memory::process_memory(pid_t pid) : pid_(pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  if (!maps) {
    why_not_ = errno == ENOENT ? "there is no such process" : std::strerror(errno);
    return;
  }
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    mapping m;
    char dash;
    std::string rights, device, inode;
    words >> std::hex >> m.begin >> dash >> m.end >> rights >> m.offset >> device >> inode >> std::ws;
    std::getline(words, m.file);
    if (!m.file.empty() && m.file.front() == '/') mappings_.push_back(std::move(m));
  }
  char byte;
  if (mappings_.empty())
    why_not_ = "its mappings can't be read: it belongs to another user, or has ended";
  else if (!read(mappings_.front().begin, &byte, 1))
    why_not_ = errno == EPERM ? "the system does not let its memory be read: be the same user, and see "
                                "/proc/sys/kernel/yama/ptrace_scope (0 allows it), or be root"
                              : std::string("its memory can't be read: ") + std::strerror(errno);
}

bool process_memory::read(std::uint64_t address, void* to, std::size_t size) const {
  iovec local{to, size};
  iovec remote{reinterpret_cast<void*>(address), size};
  return process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

const process_memory::mapping* process_memory::mapping_at(std::uint64_t address) const {
  for (const mapping& m : mappings_)
    if (address >= m.begin && address < m.end) return &m;
  return nullptr;
}

std::string process_memory::file_at(std::uint64_t address) const {
  const mapping* m = mapping_at(address);
  return m == nullptr ? std::string() : m->file;
}

std::vector<std::string> process_memory::files_called(const std::string& begin) const {
  std::vector<std::string> files;
  for (const mapping& m : mappings_)
    if (std::filesystem::path(m.file).filename().string().starts_with(begin) &&
        std::find(files.begin(), files.end(), m.file) == files.end())
      files.push_back(m.file);
  return files;
}

const symbol_file& process_memory::symbols_of(const std::string& file) const {
  auto& entry = symbols_[file];
  if (entry == nullptr) entry = std::make_unique<symbol_file>(as_it_sees(file));
  return *entry;
}

std::string process_memory::as_it_sees(const std::string& file) const {
  return "/proc/" + std::to_string(pid_) + "/root" + file;
}

std::uint64_t process_memory::address_of(const std::string& file, const std::string& symbol) const {
  const auto offset = symbols_of(file).offset_of(symbol);
  if (!offset) return 0;
  // The last: where a page belongs to two segments, the writable one is what the program uses.
  std::uint64_t address = 0;
  for (const mapping& m : mappings_)
    if (m.file == file && *offset >= m.offset && *offset - m.offset < m.end - m.begin)
      address = m.begin + *offset - m.offset;
  return address;
}

const symbol_file::symbol* process_memory::symbol_at(std::uint64_t address, std::uint64_t& within) const {
  const mapping* m = mapping_at(address);
  return m == nullptr ? nullptr : symbols_of(m->file).at_offset(address - m->begin + m->offset, within);
}

std::string process_memory::function_at(std::uint64_t address) const {
  std::uint64_t within = 0;
  const auto* found = symbol_at(address, within);
  return found == nullptr ? std::string() : demangled(found->name);
}

std::string process_memory::variable_at(std::uint64_t address) const {
  // Zeroed pages have no file: they follow the mapping of their segment.
  const mapping* before = nullptr;
  for (const mapping& m : mappings_)
    if (m.begin <= address && (before == nullptr || m.begin > before->begin)) before = &m;
  if (before == nullptr) return {};
  std::uint64_t within = 0;
  const auto* found = symbols_of(before->file).at_offset(address - before->begin + before->offset, within);
  if (found == nullptr) return {};
  return demangled(found->name) + (within != 0 ? "+" + in_hex(within) : "");
}

std::string process_memory::name_of(std::uint64_t address) const {
  const mapping* m = mapping_at(address);
  if (m == nullptr) return in_hex(address);
  const std::string file = std::filesystem::path(m->file).filename().string();
  std::uint64_t within = 0;
  const auto* found = symbol_at(address, within);
  if (found == nullptr) return file + "+" + in_hex(address - m->begin + m->offset);
  return demangled(found->name) + "+" + in_hex(within) + " (" + file + ")";
}

void process_memory::look_up_lines(const std::vector<std::uint64_t>& addresses) {
  // By the file's own addresses: its code need not lie in memory as far from its first byte as in the file (lld).
  std::map<std::pair<std::string, std::uint64_t>, std::vector<std::uint64_t>> of_files;  // of a file and its bias
  for (const std::uint64_t address : addresses) {
    const mapping* m = mapping_at(address);
    if (m == nullptr) continue;
    if (const auto own = symbols_of(m->file).address_at(address - m->begin + m->offset))
      of_files[{m->file, address - *own}].push_back(address);
  }
  for (auto& [file, codes] : of_files) {
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    source_lines lines(as_it_sees(file.first), file.second);
    lines.look_up(codes);
    for (const std::uint64_t code : codes) lines_[code] = lines.at(code).line_around;
  }
}

std::string process_memory::line_of(std::uint64_t address) const {
  const auto found = lines_.find(address);
  return found != lines_.end() ? found->second : std::string();
}

}  // namespace amity::cli
