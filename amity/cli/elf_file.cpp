#include "amity/cli/elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace amity::cli {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half own_machine = EM_AARCH64;
#endif
constexpr unsigned char own_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

}  // namespace

elf_file::elf_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // it may be a pipe that nobody writes to
  if (file < 0) return;
  struct stat status {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::size_t>(status.st_size);
    void* mapped = size_ == 0 ? MAP_FAILED : mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) data_ = static_cast<const char*>(mapped);
    if (data_ != nullptr || size_ == 0) kind_ = elf_kind::not_elf;
  }
  close(file);
  if (data_ == nullptr) return;
  kind_ = classify();
  if (kind_ != elf_kind::dynamic) return;
  if (!read_segments())
    kind_ = elf_kind::damaged;
  else if (interpreter_.empty())
    kind_ = elf_kind::static_linked;
}

elf_file::~elf_file() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

// Null when the file is too short for it, or it would not be aligned.
template <class T>
const T* elf_file::at(std::size_t offset, std::size_t count) const {
  if (offset > size_ || count > (size_ - offset) / sizeof(T) || offset % alignof(T) != 0) return nullptr;
  return reinterpret_cast<const T*>(data_ + offset);
}

std::string elf_file::text_at(std::size_t offset) const {
  if (offset >= size_) return {};
  return {data_ + offset, strnlen(data_ + offset, size_ - offset)};
}

elf_kind elf_file::classify() const {
  if (size_ < EI_NIDENT || std::memcmp(data_, ELFMAG, SELFMAG) != 0) return elf_kind::not_elf;
  if (data_[EI_CLASS] == ELFCLASS32) return elf_kind::bits_32;
  const auto* header = at<Elf64_Ehdr>(0);
  if (header == nullptr) return elf_kind::damaged;
  if (header->e_ident[EI_DATA] != own_order || header->e_machine != own_machine) return elf_kind::other_machine;
  if (header->e_type != ET_EXEC && header->e_type != ET_DYN) return elf_kind::not_elf;
  return elf_kind::dynamic;  // until no interpreter is found
}

bool elf_file::read_segments() {
  const auto* header = at<Elf64_Ehdr>(0);
  const auto* segments = at<Elf64_Phdr>(header->e_phoff, header->e_phnum);
  if (segments == nullptr || header->e_phnum == 0) return false;
  for (const Elf64_Phdr* segment = segments; segment != segments + header->e_phnum; ++segment) {
    if (segment->p_type == PT_INTERP) {
      interpreter_ = text_at(segment->p_offset);
      if (interpreter_.empty()) return false;
    }
    if (segment->p_type == PT_TLS) tls_ = segment->p_memsz + segment->p_align;
    if (segment->p_type == PT_DYNAMIC) read_dynamic(segment->p_offset, segment->p_filesz);
  }
  return true;
}

// Where in the file the byte is that will be loaded to `address`; the file's size when there is none.
std::size_t elf_file::offset_of_address(std::size_t address) const {
  const auto* header = at<Elf64_Ehdr>(0);
  const auto* segments = at<Elf64_Phdr>(header->e_phoff, header->e_phnum);
  for (const Elf64_Phdr* segment = segments; segment != segments + header->e_phnum; ++segment)
    if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)
      return segment->p_offset + (address - segment->p_vaddr);
  return size_;
}

void elf_file::read_dynamic(std::size_t offset, std::size_t size) {
  const std::size_t count = size / sizeof(Elf64_Dyn);
  const auto* entries = at<Elf64_Dyn>(offset, count);
  if (entries == nullptr) return;
  std::size_t strings = size_;
  for (std::size_t i = 0; i != count; ++i) {
    if (entries[i].d_tag == DT_STRTAB) strings = offset_of_address(entries[i].d_un.d_ptr);
    if (entries[i].d_tag == DT_FLAGS) fixed_tls_ = (entries[i].d_un.d_val & DF_STATIC_TLS) != 0;
  }
  for (std::size_t i = 0; i != count && entries[i].d_tag != DT_NULL; ++i)
    if (entries[i].d_tag == DT_NEEDED && strings < size_ && entries[i].d_un.d_val < size_)
      needed_.push_back(text_at(strings + entries[i].d_un.d_val));
}

bool elf_file::imports_any_of(const std::vector<std::string_view>& names) const {
  const auto* header = at<Elf64_Ehdr>(0);
  if (header == nullptr) return true;
  const auto* sections = at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr || header->e_shnum == 0) return true;
  for (const Elf64_Shdr* section = sections; section != sections + header->e_shnum; ++section) {
    if (section->sh_type != SHT_DYNSYM || section->sh_link >= header->e_shnum) continue;
    const std::size_t count = section->sh_size / sizeof(Elf64_Sym);
    const std::size_t strings = sections[section->sh_link].sh_offset;
    const auto* symbols = at<Elf64_Sym>(section->sh_offset, count);
    if (symbols == nullptr || strings >= size_) return true;
    return std::any_of(symbols, symbols + count, [&](const Elf64_Sym& symbol) {
      return symbol.st_shndx == SHN_UNDEF &&
             std::find(names.begin(), names.end(), text_at(strings + symbol.st_name)) != names.end();
    });
  }
  return true;
}

}  // namespace amity::cli
