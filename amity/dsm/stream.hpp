#pragma once

/// One end of a stream to another process's pager, as a Unix socket or TCP has it. Nothing here waits: what can't go
/// out at once is kept, so that two pagers that have much to say to one another both go on reading.
///
///     s.send({topic::grant, access::read, true, 0, 7}, contents_of_page_7);
///     if (s.has_more_to_send()) ...                    // poll for POLLOUT, then s.send_more()
///     while (s.receive(m)) ... s.copy_contents(to) ... // poll for POLLIN first

#include <cstddef>
#include <cstdint>

#include "amity/dsm/memory.hpp"
#include "amity/dsm/protocol.hpp"

namespace amity::dsm {

class stream {
 public:
  void be(int descriptor) noexcept { fd_ = descriptor; }
  [[nodiscard]] int descriptor() const noexcept { return fd_; }
  /// The other end is gone, and all that it said has been received.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

  /// `contents`: a page; null: none.
  void send(const message& m, const std::byte* contents) noexcept;
  [[nodiscard]] bool has_more_to_send() const noexcept { return kept_from_ != kept_to_; }
  void send_more() noexcept;

  /// Takes what has come from the kernel. Once, before receive().
  void fill() noexcept;
  /// The next message that is here as a whole. Where it has contents, copy_contents() is next.
  [[nodiscard]] bool receive(message& m) noexcept;
  void copy_contents(std::byte* to) noexcept;

 private:
  void keep(const void* data, std::size_t bytes) noexcept;

  static constexpr std::size_t room = 16 * (sizeof(message) + page_size);
  int fd_ = -1;
  bool is_over_ = false;
  std::size_t taken_ = 0, filled_ = 0;  // of in_
  std::byte* kept_ = nullptr;           // what has to go out still
  std::size_t kept_from_ = 0, kept_to_ = 0, kept_room_ = 0;
  std::byte in_[room];
};

}  // namespace amity::dsm
