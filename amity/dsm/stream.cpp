#include "amity/dsm/stream.hpp"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "amity/base/assert.hpp"
#include "amity/dsm/words.hpp"
#include "amity/sys/raw_syscall.hpp"

namespace amity::dsm {
namespace {

std::byte* take_memory(std::size_t bytes) noexcept {
  long const got =
      sys::raw_syscall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (got < 0 && got > -4096) end_process("no memory for %zu bytes that have to be sent", bytes);
  return reinterpret_cast<std::byte*>(got);
}

}  // namespace

void stream::keep(const void* data, std::size_t bytes) noexcept {
  if (kept_room_ - kept_to_ < bytes) {
    std::size_t const have = kept_to_ - kept_from_;
    std::size_t size = kept_room_ == 0 ? std::size_t{1} << 17 : kept_room_;
    while (size < 2 * (have + bytes)) size *= 2;
    std::byte* const at = size == kept_room_ ? kept_ : take_memory(size);
    memmove(at, kept_ + kept_from_, have);
    if (at != kept_ && kept_ != nullptr)
      sys::raw_syscall(SYS_munmap, reinterpret_cast<long>(kept_), static_cast<long>(kept_room_));
    kept_ = at;
    kept_from_ = 0;
    kept_to_ = have;
    kept_room_ = size;
  }
  memcpy(kept_ + kept_to_, data, bytes);
  kept_to_ += bytes;
}

void stream::send(const message& m, const std::byte* contents) noexcept {
  std::size_t const bytes = contents != nullptr ? page_size : 0;
  std::size_t sent = 0;
  if (!has_more_to_send()) {
    iovec parts[2] = {{const_cast<message*>(&m), sizeof m}, {const_cast<std::byte*>(contents), bytes}};
    msghdr head{};
    head.msg_iov = parts;
    head.msg_iovlen = contents != nullptr ? 2 : 1;
    long n;
    do n = sys::raw_syscall(SYS_sendmsg, fd_, reinterpret_cast<long>(&head), MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n == -EINTR);
    // An end that is gone is noticed by who reads.
    if (n < 0 && n != -EAGAIN) return;
    if (n > 0) sent = static_cast<std::size_t>(n);
  }
  if (sent < sizeof m) {
    keep(reinterpret_cast<const std::byte*>(&m) + sent, sizeof m - sent);
    sent = sizeof m;
  }
  if (std::size_t const of_contents = sent - sizeof m; of_contents < bytes)
    keep(contents + of_contents, bytes - of_contents);
}

void stream::send_more() noexcept {
  while (has_more_to_send()) {
    long const n = sys::raw_syscall(SYS_sendto, fd_, reinterpret_cast<long>(kept_ + kept_from_),
                                    static_cast<long>(kept_to_ - kept_from_), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n == -EINTR) continue;
    if (n == -EAGAIN) return;
    kept_from_ = n < 0 ? kept_to_ : kept_from_ + static_cast<std::size_t>(n);
  }
  kept_from_ = kept_to_ = 0;
}

void stream::fill() noexcept {
  if (taken_ != 0) {
    memmove(in_, in_ + taken_, filled_ - taken_);
    filled_ -= taken_;
    taken_ = 0;
  }
  long const n = sys::raw_syscall(SYS_recvfrom, fd_, reinterpret_cast<long>(in_ + filled_),
                                  static_cast<long>(room - filled_), MSG_DONTWAIT);
  if (n > 0) filled_ += static_cast<std::size_t>(n);
  if (n == 0 || (n < 0 && n != -EAGAIN && n != -EINTR)) is_over_ = true;
}

bool stream::receive(message& m) noexcept {
  if (filled_ - taken_ < sizeof m) return false;
  memcpy(&m, in_ + taken_, sizeof m);
  if (filled_ - taken_ < sizeof m + (m.has_data ? page_size : 0)) return false;
  taken_ += sizeof m;
  return true;
}

void stream::copy_contents(std::byte* to) noexcept {
  memcpy(to, in_ + taken_, page_size);
  taken_ += page_size;
}

}  // namespace amity::dsm
