#pragma once

/// Collective operations on values of any type; collectives.hpp says how they are used.

#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/coll/algorithms.hpp"
#include "amity/coll/choice.hpp"
#include "amity/coll/communicator.hpp"
#include "amity/coll/operation.hpp"
#include "amity/net/archive.hpp"

namespace amity::collectives {

namespace detail {

using algorithms::bytes_view;

/// `value` as bytes, for as long as `send` runs.
struct send_object {
  template <class T, class Send>
  void operator()(const T& value, Send send) const {
    if constexpr (net::detail::goes_as_bytes<T>) {
      send(bytes_view(reinterpret_cast<const std::byte*>(std::addressof(value)), sizeof value));
    } else {
      out_archive out;
      out(value);
      send(bytes_view(out.data(), out.size()));
    }
  }
};
template <class T>
struct receive_object {
  static_assert(!net::detail::holds_views<T>(),
                "a view of elements is gone when its message is: pass a vector, or use the forms for spans, which say "
                "where the elements go");
  T operator()(bytes_view bytes) const { return in_archive(bytes.data(), bytes.size()).make<T>(); }
};

/// `op(left, right)`, moved where it takes that.
template <class T, class Op>
auto combining(Op& op) {
  return [&op](T left, T right) -> T { return static_cast<T>(std::invoke(op, std::move(left), std::move(right))); };
}

/// By how many bytes an algorithm is chosen: all sites must say the same, so it can't be what a value happens to have.
template <class T>
[[nodiscard]] constexpr std::size_t bytes_to_choose_by() noexcept {
  constexpr std::size_t unknown = 1024;
  return net::detail::may_be_copied<T>() ? sizeof(T) : unknown;
}
template <class T>
[[nodiscard]] tuning::choice chosen_for(const link& l, tuning::operation o, int arity = 0) {
  return tuning::choose(tuning::rules_of(l), o, l.sites(), bytes_to_choose_by<T>(), arity);
}

template <class T>
T broadcast_value(link& l, int root, T value, int arity) {
  tuning::choice const c = chosen_for<T>(l, tuning::operation::broadcast, arity);
  if (l.site() == root)
    send_object()(value, [&](bytes_view bytes) {
      algorithms::broadcast_bytes(l, c, nodes_of(l), root, bytes, [](bytes_view) {});
    });
  else
    algorithms::broadcast_bytes(l, c, nodes_of(l), root, {},
                                [&](bytes_view bytes) { value = receive_object<T>()(bytes); });
  return value;
}

template <class T, class Op>
void reduce_value(link& l, int root, T& value, Op& op, int arity) {
  auto combine = combining<T>(op);
  algorithms::reduce_values(l, chosen_for<T>(l, tuning::operation::reduce, arity), nodes_of(l),
                            /*in_order=*/!algorithms::commutes<Op, T>, root, value, send_object(), receive_object<T>(),
                            combine);
}

template <class T, class Op>
T all_reduced(link& l, T value, Op& op, int arity) {
  auto combine = combining<T>(op);
  algorithms::all_reduce_values(l, chosen_for<T>(l, tuning::operation::all_reduce, arity), nodes_of(l),
                                /*in_order=*/!algorithms::commutes<Op, T>, value, send_object(), receive_object<T>(),
                                combine);
  return value;
}

template <class T>
std::vector<T> all_of(std::vector<std::optional<T>> parts) {
  std::vector<T> all;
  all.reserve(parts.size());
  for (auto& p : parts) all.push_back(std::move(p.value()));
  return all;
}

template <class T>
std::vector<T> all_gathered(link& l, const T& value) {
  std::vector<std::optional<T>> parts(static_cast<std::size_t>(l.sites()));
  send_object()(value, [&](bytes_view mine) {
    auto const take = [&](int site, bytes_view bytes) {
      parts[static_cast<std::size_t>(site)].emplace(receive_object<T>()(bytes));
    };
    algorithms::all_gather_bytes(l, chosen_for<T>(l, tuning::operation::all_gather), nodes_of(l), mine, take);
  });
  return all_of(std::move(parts));
}

/// Serialised parts, one for each site.
template <class T>
std::vector<std::vector<std::byte>> as_parts(const std::vector<T>& values) {
  std::vector<std::vector<std::byte>> parts;
  for (const T& v : values) send_object()(v, [&](bytes_view b) { parts.emplace_back(b.begin(), b.end()); });
  return parts;
}

template <class T>
void check_count(const communicator& c, const std::vector<T>& values, const char* what) {
  if (values.size() == static_cast<std::size_t>(c.num_sites())) return;
  throw std::invalid_argument(std::string(what) + " on communicator '" + c.checked().name +
                              "': " + std::to_string(values.size()) + " values for " + std::to_string(c.num_sites()) +
                              " sites");
}

inline void check_root(const communicator& c, const operation_wishes& w, bool should_be, const char* what) {
  int const root = w.root.is_set() ? static_cast<int>(w.root.value) : c.root_site();
  if ((c.this_site() == root) == should_be) return;
  throw std::invalid_argument(std::string(what) + " on communicator '" + c.checked().name + "' is called by " +
                              (should_be ? "its root, site " : "all but its root, site ") + std::to_string(root) +
                              "; this is site " + std::to_string(c.this_site()));
}

template <class T>
T scattered(link& l, int root, const std::vector<std::vector<std::byte>>& parts) {
  std::optional<T> mine;
  algorithms::scatter_bytes(
      l, chosen_for<T>(l, tuning::operation::scatter), nodes_of(l), root,
      [&](int to) { return bytes_view(parts[static_cast<std::size_t>(to)]); },
      [&](bytes_view bytes) { mine.emplace(receive_object<T>()(bytes)); });
  return std::move(*mine);
}

template <class T>
std::vector<T> gathered(link& l, int root, const T& value, int arity) {
  std::vector<std::optional<T>> all(l.site() == root ? static_cast<std::size_t>(l.sites()) : 0);
  send_object()(value, [&](bytes_view mine) {
    algorithms::gather_bytes(
        l, chosen_for<T>(l, tuning::operation::gather, arity), nodes_of(l), root, mine,
        [&](int site, bytes_view bytes) { all[static_cast<std::size_t>(site)].emplace(receive_object<T>()(bytes)); });
  });
  return all_of(std::move(all));
}

}  // namespace detail

// --- barrier

/// All sites meet. HPX's and UPC++'s.
template <detail::operation_wish... W>
[[nodiscard]] future<void> barrier(const communicator& c, W... wishes) {
  return detail::begin(c, detail::kind::barrier, detail::checked_wishes(c.checked(), wishes...),
                       [](detail::link& l, int) { algorithms::barrier(l); });
}

// --- broadcast

/// The root's value for all; the value of the other sites is not looked at.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<T> broadcast(const communicator& c, T value, W... wishes) {
  int const arity = c.arity();
  return detail::begin(c, detail::kind::broadcast, detail::checked_wishes(c.checked(), wishes...),
                       [value = std::move(value), arity](detail::link& l, int root) mutable -> T {
                         return detail::broadcast_value<T>(l, root, std::move(value), arity);
                       });
}
/// Of the root: its value for all, and itself.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<T> broadcast_to(const communicator& c, T value, W... wishes) {
  detail::check_root(c, detail::checked_wishes(c.checked(), wishes...), true, "broadcast_to");
  return broadcast(c, std::move(value), wishes...);
}
/// Of all others.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<T> broadcast_from(const communicator& c, W... wishes) {
  detail::check_root(c, detail::checked_wishes(c.checked(), wishes...), false, "broadcast_from");
  return broadcast(c, T{}, wishes...);
}
// --- reduce

/// All values combined, at the root; nothing elsewhere.
template <class T, class Op, detail::operation_wish... W>
[[nodiscard]] future<std::optional<T>> reduce(const communicator& c, T value, Op op, W... wishes) {
  int const arity = c.arity();
  return detail::begin(
      c, detail::kind::reduce, detail::checked_wishes(c.checked(), wishes...),
      [value = std::move(value), op = std::move(op), arity](detail::link& l, int root) mutable -> std::optional<T> {
        detail::reduce_value<T>(l, root, value, op, arity);
        if (l.site() != root) return std::nullopt;
        return std::move(value);
      });
}
/// Of the root: its own value, and what all make together.
template <class T, class Op, detail::operation_wish... W>
[[nodiscard]] future<T> reduce_here(const communicator& c, T value, Op op, W... wishes) {
  detail::check_root(c, detail::checked_wishes(c.checked(), wishes...), true, "reduce_here");
  return reduce(c, std::move(value), std::move(op), wishes...).then(launch::sync, [](future<std::optional<T>> f) {
    return std::move(f.get().value());
  });
}
/// Of all others. They combine on the way, so they need the operation.
template <class T, class Op, detail::operation_wish... W>
[[nodiscard]] future<void> reduce_there(const communicator& c, T value, Op op, W... wishes) {
  detail::check_root(c, detail::checked_wishes(c.checked(), wishes...), false, "reduce_there");
  return reduce(c, std::move(value), std::move(op), wishes...).then(launch::sync, [](future<std::optional<T>> f) {
    f.get();
  });
}
/// All values combined, for all.
template <class T, class Op, detail::operation_wish... W>
[[nodiscard]] future<T> all_reduce(const communicator& c, T value, Op op, W... wishes) {
  int const arity = c.arity();
  return detail::begin(c, detail::kind::all_reduce, detail::checked_wishes(c.checked(), wishes...),
                       [value = std::move(value), op = std::move(op), arity](detail::link& l, int) mutable -> T {
                         return detail::all_reduced<T>(l, std::move(value), op, arity);
                       });
}
// --- gather and scatter

/// All values, in the order of sites, at the root; none elsewhere.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<std::vector<T>> gather(const communicator& c, T value, W... wishes) {
  int const arity = c.arity();
  return detail::begin(c, detail::kind::gather, detail::checked_wishes(c.checked(), wishes...),
                       [value = std::move(value), arity](detail::link& l, int root) {
                         return detail::gathered<T>(l, root, value, arity);
                       });
}
/// Of the root.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<std::vector<T>> gather_here(const communicator& c, T value, W... wishes) {
  detail::check_root(c, detail::checked_wishes(c.checked(), wishes...), true, "gather_here");
  return gather(c, std::move(value), wishes...);
}
/// Of all others.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<void> gather_there(const communicator& c, T value, W... wishes) {
  detail::check_root(c, detail::checked_wishes(c.checked(), wishes...), false, "gather_there");
  return gather(c, std::move(value), wishes...).then(launch::sync, [](future<std::vector<T>> f) { f.get(); });
}

/// The root's value for each site, one for each. Elsewhere `values` is not looked at.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<T> scatter(const communicator& c, std::vector<T> values, W... wishes) {
  detail::operation_wishes const w = detail::checked_wishes(c.checked(), wishes...);
  int const root = w.root.is_set() ? static_cast<int>(w.root.value) : c.root_site();
  if (c.this_site() == root) detail::check_count(c, values, "scatter");
  return detail::begin(c, detail::kind::scatter, w, [values = std::move(values)](detail::link& l, int its_root) -> T {
    std::vector<std::vector<std::byte>> parts;
    if (l.site() == its_root) parts = detail::as_parts(values);
    return detail::scattered<T>(l, its_root, parts);
  });
}
/// Of the root.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<T> scatter_to(const communicator& c, std::vector<T> values, W... wishes) {
  detail::check_root(c, detail::checked_wishes(c.checked(), wishes...), true, "scatter_to");
  return scatter(c, std::move(values), wishes...);
}
/// Of all others.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<T> scatter_from(const communicator& c, W... wishes) {
  detail::check_root(c, detail::checked_wishes(c.checked(), wishes...), false, "scatter_from");
  return scatter(c, std::vector<T>{}, wishes...);
}

/// All values, in the order of sites, for all.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<std::vector<T>> all_gather(const communicator& c, T value, W... wishes) {
  return detail::begin(c, detail::kind::all_gather, detail::checked_wishes(c.checked(), wishes...),
                       [value = std::move(value)](detail::link& l, int) { return detail::all_gathered<T>(l, value); });
}

/// Each site has a value for each; gives those for this one, in the order of sites.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<std::vector<T>> all_to_all(const communicator& c, std::vector<T> values, W... wishes) {
  detail::check_count(c, values, "all_to_all");
  return detail::begin(c, detail::kind::all_to_all, detail::checked_wishes(c.checked(), wishes...),
                       [values = std::move(values)](detail::link& l, int) {
                         std::vector<std::vector<std::byte>> const parts = detail::as_parts(values);
                         std::vector<std::optional<T>> got(parts.size());
                         algorithms::all_to_all_bytes(
                             l, [&](int to) { return detail::bytes_view(parts[static_cast<std::size_t>(to)]); },
                             [&](int from, detail::bytes_view bytes) {
                               got[static_cast<std::size_t>(from)].emplace(detail::receive_object<T>()(bytes));
                             });
                         return detail::all_of(std::move(got));
                       });
}

// --- scans

/// The values of the sites up to this one, combined.
template <class T, class Op, detail::operation_wish... W>
[[nodiscard]] future<T> inclusive_scan(const communicator& c, T value, Op op, W... wishes) {
  return detail::begin(c, detail::kind::inclusive_scan, detail::checked_wishes(c.checked(), wishes...),
                       [value = std::move(value), op = std::move(op)](detail::link& l, int) mutable -> T {
                         T before = value;
                         bool has_before = false;
                         auto combine = detail::combining<T>(op);
                         algorithms::scan_values(l, value, before, has_before, detail::send_object(),
                                                 detail::receive_object<T>(), combine);
                         return std::move(value);
                       });
}
/// `init`, and the values of the sites before this one, combined.
template <class T, class Op, detail::operation_wish... W>
requires(!detail::operation_wish<Op>)
    [[nodiscard]] future<T> exclusive_scan(const communicator& c, T value, T init, Op op, W... wishes) {
  return detail::begin(
      c, detail::kind::exclusive_scan, detail::checked_wishes(c.checked(), wishes...),
      [value = std::move(value), init = std::move(init), op = std::move(op)](detail::link& l, int) mutable -> T {
        T before = value;
        bool has_before = false;
        auto combine = detail::combining<T>(op);
        algorithms::scan_values(l, value, before, has_before, detail::send_object(), detail::receive_object<T>(),
                                combine);
        return has_before ? combine(std::move(init), std::move(before)) : std::move(init);
      });
}
/// The same without `init`: site 0 gets a T{}.
template <class T, class Op, detail::operation_wish... W>
[[nodiscard]] future<T> exclusive_scan(const communicator& c, T value, Op op, W... wishes) {
  return detail::begin(c, detail::kind::exclusive_scan, detail::checked_wishes(c.checked(), wishes...),
                       [value = std::move(value), op = std::move(op)](detail::link& l, int) mutable -> T {
                         T before{};
                         bool has_before = false;
                         auto combine = detail::combining<T>(op);
                         algorithms::scan_values(l, value, before, has_before, detail::send_object(),
                                                 detail::receive_object<T>(), combine);
                         return before;
                       });
}

}  // namespace amity::collectives
