#pragma once

/// Messages from one process to another of the same node, in memory that both map: one writes, one reads
/// (README-memory.md, U1 to U3).
///
/// A ring is a row of cells of a cache line. A message takes as many as it needs, one behind the other: its word, its
/// header, its bytes. The word is written last, and cleared by the reader.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "amity/base/config.hpp"
#include "amity/base/copy_bytes.hpp"
#include "amity/net/internal/engine.hpp"

namespace amity::net {

struct ring {
  struct alignas(base::cache_line) cell {
    /// 0: nothing yet. Else one more than the bytes of the message that begins here, perhaps with `tells_of_loan`; or
    /// `goes_on_at_front`.
    std::atomic<std::uint64_t> word;
    message_header header;
    alignas(16) std::byte bytes[base::cache_line - 32];  ///< and on in the next cells
  };
  static_assert(sizeof(cell) == base::cache_line);

  static constexpr std::uint64_t cells = 1023;  ///< with the line before them: 64 KiB
  static constexpr std::uint64_t goes_on_at_front = ~std::uint64_t{0};
  static constexpr std::uint64_t tells_of_loan = std::uint64_t{1} << 62;
  static constexpr std::size_t most_bytes = 4096;

  static constexpr std::uint64_t cells_for(std::size_t bytes) noexcept {
    return (offsetof(cell, bytes) + bytes + sizeof(cell) - 1) / sizeof(cell);
  }

  /// How many cells have been read, and may be written again. The reader's.
  alignas(base::cache_line) std::atomic<std::uint64_t> read;
  /// 1: the writer has mapped what it needs to borrow from the reader.
  std::atomic<std::uint32_t> writer_can_borrow;
  cell of[cells];
};
static_assert(sizeof(ring) == 64 * 1024);

/// The side of the process that sends. One thread at a time.
class ring_writer {
 public:
  explicit ring_writer(ring& r) noexcept : ring_(&r) {}

  /// `kind`: 0, or ring::tells_of_loan. False: there is no room, and nothing was written. Requires: size <=
  /// ring::most_bytes.
  [[nodiscard]] bool put(const message_header& h, const std::byte* bytes, std::size_t size,
                         std::uint64_t kind = 0) noexcept {
    std::uint64_t const need = ring::cells_for(size), at = next_ % ring::cells;
    std::uint64_t const skipped = at + need > ring::cells ? ring::cells - at : 0;
    if (next_ + skipped + need > seen_read_ + ring::cells) {
      seen_read_ = ring_->read.load(std::memory_order_acquire);  // pairs with ring_reader::take: the cells are cleared
      if (next_ + skipped + need > seen_read_ + ring::cells) return false;
    }
    // Release, here and below: what stands behind a word. Pairs with ring_reader::take.
    if (skipped != 0) ring_->of[at].word.store(ring::goes_on_at_front, std::memory_order_release);
    next_ += skipped;
    ring::cell& c = ring_->of[next_ % ring::cells];
    c.header = h;
    if (size != 0) base::copy_bytes(c.bytes, bytes, size);
    c.word.store((size + 1) | kind, std::memory_order_release);
    next_ += need;
    return true;
  }

 private:
  ring* ring_;
  std::uint64_t next_ = 0;       ///< cells that were written or skipped
  std::uint64_t seen_read_ = 0;  ///< of ring_->read, as seen last
};

/// The side of the process that receives, whose memory it is. One thread at a time.
class ring_reader {
 public:
  explicit ring_reader(ring& r) noexcept : ring_(&r) {}

  [[nodiscard]] bool is_empty() const noexcept {
    return ring_->of[next_ % ring::cells].word.load(std::memory_order_seq_cst) == 0;  // pairs with rings' fence (U3)
  }

  /// Hands `most` messages at most to take(header, bytes, size, kind), whose bytes are gone when that returns. How
  /// many; -1: what stands there is no message, and nothing is read any more.
  template <class Take>
  int take(int most, Take take) noexcept {
    std::uint64_t const before = next_;
    int taken = 0;
    while (taken < most) {
      ring::cell& c = ring_->of[next_ % ring::cells];
      std::uint64_t const word = c.word.load(std::memory_order_acquire);  // pairs with ring_writer::put
      if (word == 0) break;
      std::uint64_t used = ring::cells - next_ % ring::cells;
      if (word != ring::goes_on_at_front) {
        std::uint64_t const kind = word & ring::tells_of_loan;
        std::size_t const size = (word ^ kind) - 1;
        if (size > ring::most_bytes || ring::cells_for(size) > used) return -1;
        take(c.header, static_cast<const std::byte*>(c.bytes), size, kind);
        used = ring::cells_for(size);
        ++taken;
        // What the bytes have left there is no word.
        for (std::uint64_t i = 1; i < used; ++i) (&c)[i].word.store(0, std::memory_order_relaxed);
      }
      c.word.store(0, std::memory_order_relaxed);
      next_ += used;
    }
    if (next_ != before) ring_->read.store(next_, std::memory_order_release);  // what was cleared; pairs with put
    return taken;
  }

 private:
  ring* ring_;
  std::uint64_t next_ = 0;
};

}  // namespace amity::net
