#pragma once

/// The pages themselves, in one process. A file without a name has them, and it is mapped twice:
///
///     the program's mapping   what threads use; a page that they may not use now faults, and the pager hears of it
///     the pager's mapping     always there; the pager reads and writes contents by it
///
/// Ranges of the program's mapping lie where the program wants them, and have consecutive page numbers:
///
///     memory m;
///     m.make(total_bytes);
///     m.add({.from = 0x100000000000, .bytes = 1 << 20, .home = 0});   // pages 0 to 255
///     m.add({.from = 0x555555558000, .bytes = 8192, .home = 0});      // pages 256 and 257
///     m.begin_faults(false);
///
/// The kernel tells of faults by userfaultfd(2). Linux 5.19 has what is needed. Only from 6.4 on can a page be
/// mapped for reading alone in one step; before that, only one process at a time has a page.

#include <cstddef>
#include <cstdint>

#include "amity/dsm/protocol.hpp"

namespace amity::dsm {

inline constexpr std::size_t page_size = 4096;

struct page_range {
  std::uintptr_t from = 0;
  std::size_t bytes = 0;  ///< whole pages
  int home = 0;
  bool replaces = false;         ///< what is mapped there goes; in its home, the contents stay
  std::uint32_t first_page = 0;  ///< given by add()
};

class memory {
 public:
  /// Each of these ends the process, in words, where it can't be done.
  void make(std::size_t bytes) noexcept;
  /// Maps a range. `own`: the calling process.
  void add(page_range r, int own) noexcept;
  /// From here on pages whose home is another process are faults, and so is what `close` closes.
  /// `to_the_byte`: the kernel says of each its address, and not only its page.
  void begin_faults(bool to_the_byte) noexcept;

  [[nodiscard]] int faults() const noexcept { return faults_; }  ///< userfaultfd's descriptor
  [[nodiscard]] bool can_map_for_reading() const noexcept { return maps_for_reading_; }

  struct found {
    bool is_there = false;
    std::uint32_t page = 0;
    int home = 0;
    std::uint32_t pages = 0;  ///< from this one to the range's end
  };
  [[nodiscard]] found find(std::uintptr_t address) const noexcept;
  [[nodiscard]] int home_of(std::uint32_t page) const noexcept { return range_of(page).home; }
  [[nodiscard]] std::uintptr_t address_of(std::uint32_t page) const noexcept;
  [[nodiscard]] std::uint32_t page_count() const noexcept { return next_page_; }

  /// The pager's view of it.
  [[nodiscard]] std::byte* contents(std::uint32_t page) const noexcept { return contents_ + page * page_size; }

  /// Threads here may read, or write; those that wait for it go on.
  void open(std::uint32_t page, access to) noexcept;
  /// The contents of pages [first, end) become zero, and their memory goes back to the system.
  void empty(std::uint32_t first, std::uint32_t end) noexcept;
  /// They may not write any more (`to` is read), or not even read. Holds for all of them when this returns.
  void close(std::uint32_t page, access to) noexcept;

 private:
  [[nodiscard]] const page_range& range_of(std::uint32_t page) const noexcept;
  void protect(std::uint32_t page, bool from_writing) noexcept;

  static constexpr int most_ranges = 4096;
  page_range by_page_[most_ranges];
  std::uint16_t by_address_[most_ranges];
  int range_count_ = 0;
  std::uint32_t next_page_ = 0;
  int file_ = -1, faults_ = -1, own_ = 0;
  bool maps_for_reading_ = true;
  std::size_t size_ = 0;
  std::byte* contents_ = nullptr;
};

/// `descriptor`, or the same with a high number: the program takes the lowest free one. Closed by exec.
[[nodiscard]] int descriptor_out_of_the_way(int descriptor) noexcept;

/// Why this process can't have pages that fault, in words and with the cure; null: it can.
[[nodiscard]] const char* why_no_faults() noexcept;

}  // namespace amity::dsm
