#pragma once

/// Messages of collectives that wait for the fiber which receives them, or the other way round.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "amity/base/config.hpp"
#include "amity/base/language.hpp"
#include "amity/coll/fast_runs.hpp"
#include "amity/coll/intention.hpp"
#include "amity/sched/fiber/fiber.hpp"

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

/// Bytes in the shared memory of another process of this node, which may be read here until they are given back.
struct loan {
  std::int32_t owner = -1;    ///< the rank; -1: it is none
  std::uint64_t address = 0;  ///< there
  std::uint64_t size = 0;
};

/// Bytes that came.
class mail {
 public:
  mail() noexcept = default;
  /// In memory from malloc, behind an offset.
  mail(std::byte* owned, std::size_t offset, std::size_t size) noexcept
      : owned_(owned, &free_bytes), bytes_(owned + offset, size) {}
  /// Lent; gives them back when it goes.
  mail(const std::byte* here, const loan& l) noexcept : bytes_(here, l.size), loan_(l) {}
  mail(mail&& other) noexcept
      : owned_(std::move(other.owned_)),
        bytes_(std::exchange(other.bytes_, {})),
        loan_(std::exchange(other.loan_, loan{})) {}
  mail& operator=(mail&& other) noexcept {
    std::swap(owned_, other.owned_);
    std::swap(bytes_, other.bytes_);
    std::swap(loan_, other.loan_);
    return *this;
  }
  ~mail() {
    if (loan_.owner >= 0) give_back(loan_);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  AMITY_API static void free_bytes(std::byte* bytes) noexcept;
  AMITY_API static void give_back(const loan& l) noexcept;
  std::unique_ptr<std::byte, void (*)(std::byte*)> owned_{nullptr, &free_bytes};
  std::span<const std::byte> bytes_;
  loan loan_;
};

/// What is sent before the bytes of a message, or instead of them.
struct alignas(std::max_align_t) mail_head {
  mail_key key;
  intention what;  ///< the sender's
  loan lent;
};

/// A site, and its process.
struct addressee {
  int rank = 0, site = 0;
};

/// The same bytes to several sites; `key.to` is not looked at. Many bytes are lent to processes of this node: they are
/// copied once, whatever the number of sites.
AMITY_API void send_mail(std::span<const addressee> to, mail_key key, const intention& what,
                         std::span<const std::byte> bytes) noexcept;

/// Why an operation can't go on.
struct failure {
  std::string why;  ///< empty: it can
  intention other;  ///< what another site takes the operation for; of no kind: that is not the reason
  int other_site = 0;
  bool is_told = false;  ///< another site has said so to all
};

/// Site `to` begins an operation of a communicator called `name`, which it takes for `what`. `problem`: what others
/// have said of it already.
AMITY_API void begin_operation(std::uint64_t communicator, const std::string& name, std::uint64_t operation, int to,
                               const intention& what, failure& problem);

/// The operation is over at site `to`: nothing of it is needed any more, and what comes of it later is dropped.
/// `went_well`: as far as this site knows. `problem`: others have said meanwhile that it did not.
AMITY_API void end_operation(std::uint64_t communicator, std::uint64_t operation, int to, bool went_well,
                             failure& problem) noexcept;

/// The site's handle of the communicator is gone.
AMITY_API void forget_site(std::uint64_t communicator, int site) noexcept;

/// Operations that the program numbers itself have this bit in their numbers.
inline constexpr std::uint64_t by_generation = std::uint64_t{1} << 63;

/// Waits for it. Blocks the fiber. Where sites don't agree on what the operation is, or it was given up, `problem` says
/// so, and the mail is empty.
[[nodiscard]] AMITY_API mail receive_mail(const mail_key& key, int from_rank, failure& problem);

/// Tells site `to` of process `rank` what site `from` here takes the operation for, if that site is in the midst of it.
AMITY_API void compare_with(int rank, std::uint64_t communicator, std::uint64_t operation, int to, int from,
                            const intention& what) noexcept;
/// Whether another site takes the operation for another one, or has given it
/// up; `problem` says so then. Else `waits` is unparked when one does. Of the
/// key only communicator, operation and `to` are looked at.
[[nodiscard]] AMITY_API bool is_disputed(const mail_key& key, failure& problem, sched::fiber* waits = nullptr) noexcept;

/// From here on operations of the site may be done without the mailbox, which
/// counts in `runs` what it hears of others that have not begun here. `runs`
/// stays until forget_site.
AMITY_API void attach_fast_runs(std::uint64_t communicator, const std::string& name, int site, fast_runs& runs);
/// What `runs` no longer has.
AMITY_API void keep_fast_run(std::uint64_t communicator, int site, const fast_runs::run& r) noexcept;

/// Gives an operation up at a site of process `rank`: what waits there, and
/// whoever waits later, gets `why`. Of number `by_generation`: the operations
/// with numbers of the program that are under way there, or else the next one.
AMITY_API void give_up_operation(int rank, std::uint64_t communicator, std::uint64_t operation, int to,
                                 const std::string& why) noexcept;

}  // namespace amity::collectives::detail
