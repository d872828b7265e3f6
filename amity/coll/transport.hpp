#pragma once

/// What the algorithms of collectives need of whatever carries their messages: of Amity's own processes, of MPI, or of
/// a simulator.

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "amity/base/language.hpp"

namespace amity::collectives {

/// `send` does not wait for the receiver, and the bytes may be used again when it returns. `receive` waits. Messages of
/// one tag between two sites are in order; others need not be.
///
/// What a transport may have beside:
/// * `send_all(sites, tag, bytes)`: the same bytes to several, copied or lent once;
/// * `send_kept(site, tag, bytes)` and `settle()`: the bytes need no copy, they stay as they are until `settle`
/// returns;
/// * `expect(site, tag, bytes)`: a `receive` of at most so many bytes will follow, so the message may come before it;
/// * `expect_at(site, tag, place)`: the same, and the message may come to that place: `receive` gives it there.
template <class T>
concept transport = requires(T& t, int site, int tag, std::span<const std::byte> bytes) {
  { t.site() } -> std::convertible_to<int>;
  { t.sites() } -> std::convertible_to<int>;
  t.send(site, tag, bytes);
  { t.receive(site, tag).bytes() } -> std::convertible_to<std::span<const std::byte>>;
};

/// A message that was received, for transports that have nothing better.
class owned_bytes {
 public:
  owned_bytes() = default;
  explicit owned_bytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// --- what a transport may have, or may lack

/// The same bytes to several sites.
template <transport T>
void send_to_all(T& t, std::span<const int> to, int tag, std::span<const std::byte> bytes) {
  if (to.size() == 1) return static_cast<void>(t.send(to.front(), tag, bytes));
  if constexpr (requires { t.send_all(to, tag, bytes); }) {
    t.send_all(to, tag, bytes);
  } else {
    for (int site : to) t.send(site, tag, bytes);
  }
}

template <class T>
concept keeps_bytes = requires(T& t, int site, int tag, std::span<const std::byte> bytes) {
  t.send_kept(site, tag, bytes);
  t.settle();
};
/// The same of bytes that stay as they are until `settle`.
template <transport T>
void send_kept(T& t, std::span<const int> to, int tag, std::span<const std::byte> bytes) {
  if constexpr (keeps_bytes<T>) {
    for (int site : to) t.send_kept(site, tag, bytes);
  } else {
    send_to_all(t, to, tag, bytes);
  }
}
template <transport T>
void settle(T& t) {
  if constexpr (keeps_bytes<T>) t.settle();
}

template <transport T>
void expect(T& t, int from, int tag, std::size_t bytes) {
  if constexpr (requires { t.expect(from, tag, bytes); }) t.expect(from, tag, bytes);
}

template <transport T>
void expect_at(T& t, int from, int tag, std::span<std::byte> place) {
  if constexpr (requires { t.expect_at(from, tag, place); })
    t.expect_at(from, tag, place);
  else
    expect(t, from, tag, place.size());
}

/// Sites of another transport under numbers of their own: `to_there` gives the number there for one here, `here` is the
/// own one.
template <transport T, class ToThere>
class renumbered {
 public:
  renumbered(T& of, int here, int sites, ToThere to_there)
      : of_(of), here_(here), sites_(sites), to_there_(std::move(to_there)) {}
  [[nodiscard]] int site() const noexcept { return here_; }
  [[nodiscard]] int sites() const noexcept { return sites_; }
  void send(int to, int tag, std::span<const std::byte> bytes) { of_.send(to_there_(to), tag, bytes); }
  void send_all(std::span<const int> to, int tag, std::span<const std::byte> bytes) {
    send_to_all(of_, all_there(to), tag, bytes);
  }
  void send_kept(int to, int tag, std::span<const std::byte> bytes) requires keeps_bytes<T> {
    of_.send_kept(to_there_(to), tag, bytes);
  }
  void settle() requires keeps_bytes<T> { of_.settle(); }
  void expect(int from, int tag, std::size_t bytes) { collectives::expect(of_, to_there_(from), tag, bytes); }
  void expect_at(int from, int tag, std::span<std::byte> place) {
    collectives::expect_at(of_, to_there_(from), tag, place);
  }
  [[nodiscard]] auto receive(int from, int tag) { return of_.receive(to_there_(from), tag); }

 private:
  [[nodiscard]] std::vector<int> all_there(std::span<const int> here) const {
    std::vector<int> there;
    for (int site : here) there.push_back(to_there_(site));
    return there;
  }
  T& of_;
  int here_, sites_;
  ToThere to_there_;
};

}  // namespace amity::collectives
