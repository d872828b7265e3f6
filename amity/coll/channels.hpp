#pragma once

/// Values from one site to another: HPX's channel_communicator.
///
///     namespace co = amity::collectives;
///     auto c = co::create_channel_communicator("halo", co::num_sites_arg(n), co::this_site_arg(me)).get();
///     co::set(c, co::that_site_arg((me + 1) % n), row, co::tag_arg(step));
///     auto from_left = co::get<std::vector<double>>(c, co::that_site_arg((me + n - 1) % n), co::tag_arg(step)).get();
///
/// Between two sites, and of one tag, the first value that was set is the first one that is got. A value may be set
/// before it is asked for, and the other way round: it waits where it is to be got.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "amity/coll/communicator.hpp"
#include "amity/future/async.hpp"
#include "amity/future/future.hpp"
#include "amity/net/archive.hpp"

namespace amity::collectives {

namespace detail {

/// The sites that values go from and to, and their tag.
struct channel_end {
  std::uint64_t communicator = 0;
  std::int64_t tag = 0;
  int from = 0, to = 0;
  friend auto operator<=>(const channel_end&, const channel_end&) = default;
};
/// The end for a value to or from that site. Throws std::out_of_range if there is no such site.
[[nodiscard]] AMITY_API channel_end end_of_channel(const communicator& c, that_site_arg that, tag_arg tag, bool is_to);
[[nodiscard]] AMITY_API future<void> send_by_channel(const communicator& c, const channel_end& to,
                                                     std::vector<std::byte> bytes);
[[nodiscard]] AMITY_API future<std::vector<std::byte>> await_by_channel(const communicator& c, const channel_end& at);

}  // namespace detail

/// Sites that send one another values. A handle: copies mean the same.
class channel_communicator {
 public:
  /// Of no sites.
  channel_communicator() noexcept = default;
  /// Of the sites of `of`. Waits until they have met; blocks the fiber. Throws std::runtime_error if they could not
  /// meet.
  explicit channel_communicator(communicator of) : of_(std::move(of)) { static_cast<void>(of_.checked().met_id()); }
  /// How many sites there are, and which one this handle is of.
  [[nodiscard]] std::pair<num_sites_arg, this_site_arg> get_info() const { return of_.get_info(); }
  /// It has sites.
  [[nodiscard]] bool valid() const noexcept { return of_.valid(); }
  /// The communicator of its sites.
  [[nodiscard]] const communicator& sites() const noexcept { return of_; }

 private:
  communicator of_;
};

/// This site's handle, when all sites have met. `args` are those of create_communicator, with its errors. Does not
/// wait.
template <class... Args>
[[nodiscard]] future<channel_communicator> create_channel_communicator(const char* name, Args... args) {
  return async([of = create_communicator(name, args...)] { return channel_communicator(of); });
}
/// The same, of which the call waits; blocks the fiber. `how`: launch::sync.
template <class... Args>
[[nodiscard]] channel_communicator create_channel_communicator(launch how, const char* name, Args... args) {
  static_cast<void>(how);
  return channel_communicator(create_communicator(name, args...));
}

/// The channels of all processes, each the site of its rank: HPX's name. Joins the job.
[[nodiscard]] inline channel_communicator get_world_channel_communicator() { return channel_communicator(world()); }

/// Sends a value to a site. The future is ready when it has arrived there; it fails with lost_rank. Throws
/// std::out_of_range if there is no such site. Does not wait.
template <class T>
future<void> set(const channel_communicator& c, that_site_arg to, T&& value, tag_arg tag = tag_arg()) {
  out_archive out;
  out(value);
  return detail::send_by_channel(c.sites(), detail::end_of_channel(c.sites(), to, tag, true),
                                 std::vector<std::byte>(out.data(), out.data() + out.size()));
}
/// The same, of which the call waits; blocks the fiber. `how`: launch::sync.
template <class T>
void set(launch how, const channel_communicator& c, that_site_arg to, T&& value, tag_arg tag = tag_arg()) {
  static_cast<void>(how);
  collectives::set(c, to, std::forward<T>(value), tag).get();
}
/// The next value from a site. The future fails with lost_rank, and with bad_message if the value is of another type.
/// Throws std::out_of_range if there is no such site. Does not wait.
template <class T>
[[nodiscard]] future<T> get(const channel_communicator& c, that_site_arg from, tag_arg tag = tag_arg()) {
  return detail::await_by_channel(c.sites(), detail::end_of_channel(c.sites(), from, tag, false))
      .then(launch::sync, [](future<std::vector<std::byte>> f) -> T {
        std::vector<std::byte> const bytes = f.get();
        in_archive in(bytes.data(), bytes.size());
        return in.make<T>();
      });
}
/// The same, of which the call waits; blocks the fiber. `how`: launch::sync.
template <class T>
[[nodiscard]] T get(launch how, const channel_communicator& c, that_site_arg from, tag_arg tag = tag_arg()) {
  static_cast<void>(how);
  return collectives::get<T>(c, from, tag).get();
}

}  // namespace amity::collectives
