#pragma once

/// Messages of collectives that wait for the fiber which receives them, or the other way round.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"

namespace amity::collectives::detail {

/// Which message of which operation of which communicator.
struct mail_key {
  std::uint64_t communicator = 0;
  std::uint64_t operation = 0;  ///< counted by each site
  std::int32_t from = 0;        ///< the site
  std::int32_t to = 0;
  std::int32_t tag = 0;
  std::int32_t spare = 0;
  bool operator==(const mail_key&) const = default;
};

/// Bytes that came, with what the operation was that the sender had in mind.
class mail {
 public:
  mail() noexcept = default;
  mail(std::byte* owned, std::size_t offset, std::size_t size) noexcept
      : owned_(owned, &free_bytes), offset_(offset), size_(size) {}
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {owned_.get() + offset_, size_}; }

 private:
  AMITY_API static void free_bytes(std::byte* bytes) noexcept;
  std::unique_ptr<std::byte, void (*)(std::byte*)> owned_{nullptr, &free_bytes};
  std::size_t offset_ = 0, size_ = 0;
};

/// What is sent before the bytes of a message.
struct mail_head {
  mail_key key;
  std::uint64_t what = 0;  ///< the operation and its root: all sites of one must agree
};

/// To site `key.to`, which is of process `rank`.
AMITY_API void send_mail(int rank, const mail_key& key, std::uint64_t what, std::span<const std::byte> bytes) noexcept;

/// Site `to` begins an operation, which it takes for `what`.
AMITY_API void begin_operation(std::uint64_t communicator, std::uint64_t operation, int to,
                               std::uint64_t what) noexcept;

/// Why there will be no message.
struct failure {
  std::string why;          ///< empty: there is one
  std::uint64_t other = 0;  ///< what another site takes the operation for; 0: that is not the reason
  int other_site = 0;
};

/// Waits for it. Blocks the fiber. Where sites don't agree on what the operation is, or it was given up, `problem` says
/// so, and the mail is empty.
[[nodiscard]] AMITY_API mail receive_mail(const mail_key& key, int from_rank, failure& problem);

/// Gives an operation up at a site of process `rank`: what waits there, and whoever waits later, gets `why`.
AMITY_API void give_up_operation(int rank, std::uint64_t communicator, std::uint64_t operation, int to,
                                 const std::string& why) noexcept;

/// What has come for an operation that was given up here.
AMITY_API void drop_letters(std::uint64_t communicator, std::uint64_t operation, int to) noexcept;

/// Nothing of this operation is needed any more at this site.
AMITY_API void forget_operation(std::uint64_t communicator, std::uint64_t operation, int to) noexcept;

}  // namespace amity::collectives::detail
