#pragma once

/// Collective operations on values of any type; collectives.hpp says how they are used.
///
///     long sum = co::all_reduce(c, mine, std::plus<>()).get();       // long mine
///     auto all = co::gather<double>(c, 1).get();                     // of double, whatever the argument is
///
/// What holds for all of these: the value is taken by the call, and need not stay. Where a type is named, as in
/// `gather<double>`, the value is converted to it. Every site names the same type. The call never waits; the future is
/// ready when this site has its part, and fails with collective_error. `wishes` are generation_arg, this_site_arg,
/// root_site_arg and that_site_arg, each at most once and in any order.

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/coll/algorithms.hpp"
#include "amity/coll/call.hpp"
#include "amity/coll/choice.hpp"
#include "amity/coll/communicator.hpp"
#include "amity/coll/kept_value.hpp"
#include "amity/coll/line_operation.hpp"
#include "amity/coll/of_variable.hpp"
#include "amity/coll/operation.hpp"
#include "amity/net/archive.hpp"
#include "amity/pgas/closure.hpp"

namespace amity::collectives {

namespace detail {

using algorithms::bytes_view;

/// `value` as bytes, for as long as `send` runs.
struct send_object {
  template <class T, class Send>
  void operator()(const boxed<T>& value, Send send) const {
    (*this)(*value, send);
  }
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
                "a view of elements is gone when its message is: pass a "
                "vector, or use the forms for spans, which say "
                "where the elements go");
  T operator()(bytes_view bytes) const {
    in_archive in(bytes.data(), bytes.size());
    T value = in.make<T>();
    if (in.left() != 0)
      throw bad_message(std::to_string(bytes.size()) + " bytes have come for a value of " +
                        std::to_string(bytes.size() - in.left()) + ": the sites' types differ");
    return value;
  }
};

template <class T>
struct receive_kept {
  kept<T> operator()(bytes_view bytes) const {
    return keep_made<T>([bytes]() -> T { return receive_object<T>()(bytes); });
  }
};

/// `op(left, right)`, moved where it takes that. Throws if `op` takes more by value than fits on the task's stack.
template <class T, class Op>
auto combining(Op& op) {
  return [&op](kept<T> left, kept<T> right) -> kept<T> {
    if constexpr (is_large<T>) pgas::detail::check_room_for_parameters<Op>("an operation on values");
    return keep_made<T>(
        [&]() -> T { return static_cast<T>(std::invoke(op, std::move(inside(left)), std::move(inside(right)))); });
  };
}

/// By how many bytes an algorithm is chosen: all sites must say the same, so it can't be what a value happens to have.
template <class T>
[[nodiscard]] constexpr std::size_t bytes_to_choose_by() noexcept {
  constexpr std::size_t unknown = 1024;
  return net::detail::may_be_copied<T>() ? sizeof(T) : unknown;
}
/// What the communicator wants of the operations that go by its tree.
[[nodiscard]] inline int arity_of(const link& l, tuning::operation o) noexcept {
  using tuning::operation;
  bool const has_tree =
      o == operation::broadcast || o == operation::reduce || o == operation::all_reduce || o == operation::gather;
  return has_tree ? l.what().arity : 0;
}
template <class T>
[[nodiscard]] tuning::choice chosen_for(const link& l, tuning::operation o) {
  return tuning::choose(tuning::rules_of(l), o, l.sites(), bytes_to_choose_by<T>(), arity_of(l, o));
}

template <class T>
kept<T> broadcast_value(link& l, int root, kept<T> value) {
  tuning::choice const c = chosen_for<T>(l, tuning::operation::broadcast);
  if (l.site() == root)
    send_object()(value, [&](bytes_view bytes) {
      algorithms::broadcast_bytes(l, c, nodes_of(l), root, bytes, [](bytes_view) {});
    });
  else
    algorithms::broadcast_bytes(l, c, nodes_of(l), root, {},
                                [&](bytes_view bytes) { value = receive_kept<T>()(bytes); });
  return value;
}

template <class T, class Op>
void reduce_value(link& l, int root, kept<T>& value, Op& op) {
  auto combine = combining<T>(op);
  algorithms::reduce_values(l, chosen_for<T>(l, tuning::operation::reduce), nodes_of(l),
                            /*in_order=*/!algorithms::commutes<Op, T>, root, value, send_object(), receive_kept<T>(),
                            combine);
}

template <class T, class Op>
kept<T> all_reduced(link& l, kept<T> value, Op& op) {
  auto combine = combining<T>(op);
  algorithms::all_reduce_values(l, chosen_for<T>(l, tuning::operation::all_reduce), nodes_of(l),
                                /*in_order=*/!algorithms::commutes<Op, T>, value, send_object(), receive_kept<T>(),
                                combine);
  return value;
}

/// What has come from each site, by site.
template <class T>
using parts_of_sites = std::vector<std::optional<kept<T>>>;
template <class T>
[[nodiscard]] auto taking_into(parts_of_sites<T>& parts) {
  return
      [&parts](int site, bytes_view bytes) { parts[static_cast<std::size_t>(site)].emplace(receive_kept<T>()(bytes)); };
}
template <class T>
std::vector<T> all_of(parts_of_sites<T> parts) {
  std::vector<T> all;
  all.reserve(parts.size());
  for (std::optional<kept<T>>& p : parts) {
    all.push_back(std::move(inside(p.value())));
    if constexpr (is_large<T>) p.reset();
  }
  return all;
}

template <class T>
std::vector<T> all_gathered(link& l, const T& value) {
  parts_of_sites<T> parts(static_cast<std::size_t>(l.sites()));
  send_object()(value, [&](bytes_view mine) {
    algorithms::all_gather_bytes(l, chosen_for<T>(l, tuning::operation::all_gather), nodes_of(l), mine,
                                 taking_into<T>(parts));
  });
  return all_of<T>(std::move(parts));
}

/// Serialised parts, one for each site.
template <class T>
std::vector<std::vector<std::byte>> as_parts(const std::vector<T>& values) {
  std::vector<std::vector<std::byte>> parts;
  for (const T& v : values) send_object()(v, [&](bytes_view b) { parts.emplace_back(b.begin(), b.end()); });
  return parts;
}

template <class T>
kept<T> scattered(link& l, int root, const std::vector<std::vector<std::byte>>& parts) {
  std::optional<kept<T>> mine;
  algorithms::scatter_bytes(
      l, chosen_for<T>(l, tuning::operation::scatter), nodes_of(l), root,
      [&](int to) { return bytes_view(parts[static_cast<std::size_t>(to)]); },
      [&](bytes_view bytes) { mine.emplace(receive_kept<T>()(bytes)); });
  return std::move(*mine);
}

/// At the root those of all sites, elsewhere none.
template <class T>
parts_of_sites<T> gathered_parts(link& l, int root, const T& value) {
  parts_of_sites<T> all(l.site() == root ? static_cast<std::size_t>(l.sites()) : 0);
  send_object()(value, [&](bytes_view mine) {
    algorithms::gather_bytes(l, chosen_for<T>(l, tuning::operation::gather), nodes_of(l), root, mine,
                             taking_into<T>(all));
  });
  return all;
}
template <class T>
std::vector<T> gathered(link& l, int root, const T& value) {
  return all_of<T>(gathered_parts<T>(l, root, value));
}

/// `value` becomes the combination up to this site, `before` that of the sites before it. False: there are none.
template <class T, class Op>
bool scanned(link& l, kept<T>& value, kept<T>& before, Op& op) {
  bool has_before = false;
  auto combine = combining<T>(op);
  algorithms::scan_values(l, value, before, has_before, send_object(), receive_kept<T>(), combine);
  return has_before;
}

// --- by lines

/// Values of this type are small, and go as bytes.
template <class T>
inline constexpr bool fits_lines = net::detail::goes_as_bytes<T> && !is_large<T>;

/// What an operation combines, and by what.
template <class Value, class Op>
struct with_operation {
  Value value;
  Op op;
};

template <class T>
struct gives_value {
  T value;
  bool does = true;
  [[nodiscard]] std::span<const std::byte> operator()() const noexcept {
    if (!does) return {};
    return {reinterpret_cast<const std::byte*>(std::addressof(value)), sizeof value};
  }
};
template <class T>
struct gives_values {
  std::vector<std::byte> bytes;  // a vector of bool has none
  explicit gives_values(const std::vector<T>& all) : bytes(all.size() * sizeof(T)) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      T const one = all[i];
      std::memcpy(bytes.data() + i * sizeof(T), std::addressof(one), sizeof(T));
    }
  }
  [[nodiscard]] std::span<const std::byte> operator()() const noexcept { return bytes; }
};
/// The n-th of `count` values that `site` has given.
template <class T>
[[nodiscard]] T value_from(const line_view& v, int site, std::size_t n = 0, std::size_t count = 1) {
  return receive_object<T>()({v.of(site, count * sizeof(T), n * sizeof(T)), sizeof(T)});
}
/// Those of the sites [0, end), from left to right.
template <class T, class Op>
[[nodiscard]] T combined_from(const line_view& v, int end, Op& op) {
  T all = value_from<T>(v, 0);
  for (int s = 1; s < end; ++s) all = static_cast<T>(std::invoke(op, std::move(all), value_from<T>(v, s)));
  return all;
}
template <class T>
[[nodiscard]] std::vector<T> all_from(const line_view& v) {
  std::vector<T> all;
  all.reserve(static_cast<std::size_t>(v.sites()));
  for (int s = 0; s < v.sites(); ++s) all.push_back(value_from<T>(v, s));
  return all;
}

// What the forms of an operation have in common: those for all sites, and those
// for the root and for the others.

template <class T>
future<T> broadcast_as(call& k, kept<T> value) {
  k.about_values<T>();
  auto by_messages = [](kept<T>& its, link& l, int root) -> kept<T> {
    return broadcast_value<T>(l, root, std::move(its));
  };
  if constexpr (fits_lines<T>)
    return begin_by_lines(
        k, {needed::root, sizeof(T)}, gives_value<T>{value, k.is_at_root()}, value,
        [](T& its, const line_view& v) -> T { return v.site() == v.root() ? its : value_from<T>(v, v.root()); },
        by_messages);
  else
    return begin(
        k, [value = std::move(value), by_messages](link& l, int root) mutable { return by_messages(value, l, root); });
}
template <class T, class Op>
future<std::optional<T>> reduce_as(call& k, kept<T> value, Op op) {
  k.about_values<T>().unordered(algorithms::commutes<Op, T>);
  using state = with_operation<kept<T>, Op>;
  auto by_messages = [](state& its, link& l, int root) -> std::optional<kept<T>> {
    reduce_value<T>(l, root, its.value, its.op);
    if (l.site() != root) return std::nullopt;
    return std::move(its.value);
  };
  if constexpr (fits_lines<T>)
    return begin_by_lines(
        k, {k.is_at_root() ? needed::all : needed::none, sizeof(T)}, gives_value<T>{value}, state{value, std::move(op)},
        [](state& its, const line_view& v) -> std::optional<T> {
          if (v.site() != v.root()) return std::nullopt;
          return combined_from<T>(v, v.sites(), its.op);
        },
        by_messages);
  else
    return begin(k, [its = state{std::move(value), std::move(op)}, by_messages](link& l, int root) mutable {
      return by_messages(its, l, root);
    });
}
/// In the place of an operation that this site is not given.
struct no_operation {};
/// reduce_here and reduce_there: the root alone has the operation, so all values go to it.
template <class T, class Op>
future<std::optional<T>> reduce_at_root(call& k, kept<T> value, Op op) {
  k.about_values<T>();
  using state = with_operation<kept<T>, Op>;
  auto by_messages = [](state& its, link& l, int root) -> std::optional<kept<T>> {
    parts_of_sites<T> all = gathered_parts<T>(l, root, inside(its.value));
    if constexpr (!std::is_same_v<Op, no_operation>) {
      if (l.site() == root) {
        auto combine = combining<T>(its.op);
        kept<T> sum = std::move(all.front().value());
        for (std::size_t i = 1; i < all.size(); ++i) {
          sum = combine(std::move(sum), std::move(all[i].value()));
          all[i].reset();
        }
        return sum;
      }
    }
    return std::nullopt;
  };
  if constexpr (fits_lines<T>)
    return begin_by_lines(
        k, {k.is_at_root() ? needed::all : needed::none, sizeof(T)}, gives_value<T>{value}, state{value, std::move(op)},
        [](state& its, const line_view& v) -> std::optional<T> {
          if constexpr (!std::is_same_v<Op, no_operation>)
            if (v.site() == v.root()) return combined_from<T>(v, v.sites(), its.op);
          static_cast<void>(its);
          return std::nullopt;
        },
        by_messages);
  else
    return begin(k, [its = state{std::move(value), std::move(op)}, by_messages](link& l, int root) mutable {
      return by_messages(its, l, root);
    });
}
template <class T>
[[nodiscard]] T value_of_root(future<std::optional<T>> f) {
  if constexpr (is_large<T>) {
    std::unique_ptr<std::optional<T>> const value(new std::optional<T>(f.get()));
    return std::move(value->value());
  } else {
    return std::move(f.get().value());
  }
}
template <class T>
future<std::vector<T>> gather_as(call& k, kept<T> value) {
  k.about_values<T>();
  auto by_messages = [](kept<T>& its, link& l, int root) { return gathered<T>(l, root, inside(its)); };
  if constexpr (fits_lines<T>)
    return begin_by_lines(
        k, {k.is_at_root() ? needed::all : needed::none, sizeof(T)}, gives_value<T>{value}, value,
        [](T&, const line_view& v) { return v.site() == v.root() ? all_from<T>(v) : std::vector<T>(); }, by_messages);
  else
    return begin(
        k, [value = std::move(value), by_messages](link& l, int root) mutable { return by_messages(value, l, root); });
}
template <class T>
future<T> scatter_as(call& k, std::vector<T> values) {
  if (k.is_at_root()) k.wants_values(values.size());
  k.about_values<T>();
  auto by_messages = [](std::vector<T>& its, link& l, int root) -> kept<T> {
    std::vector<std::vector<std::byte>> parts;
    if (l.site() == root) parts = as_parts(its);
    return scattered<T>(l, root, parts);
  };
  if constexpr (fits_lines<T>) {
    auto const sites = static_cast<std::size_t>(k.sites().sites);
    gives_values<T> given(k.is_at_root() ? values : std::vector<T>());
    return begin_by_lines(
        k, {needed::root, sites * sizeof(T)}, std::move(given), std::move(values),
        [sites](std::vector<T>&, const line_view& v) -> T {
          return value_from<T>(v, v.root(), static_cast<std::size_t>(v.site()), sites);
        },
        by_messages);
  } else {
    return begin(k, [values = std::move(values), by_messages](link& l, int root) mutable {
      return by_messages(values, l, root);
    });
  }
}

}  // namespace detail

// --- barrier

/// All sites meet: the future is ready when all have called it.
template <detail::operation_wish... W>
[[nodiscard]] future<void> barrier(const communicator& c, W... wishes) {
  detail::call const k(c, detail::kind::barrier, "barrier", detail::all_wishes(wishes...));
  return detail::begin_by_lines(
      k, {}, detail::gives_nothing(), detail::no_state(), [](detail::no_state&, const detail::line_view&) {},
      [](detail::no_state&, detail::link& l, int) { algorithms::barrier(l); });
}

// --- broadcast

/// The root's value for all: each site's future gives it. What the other sites pass is not looked at.
template <class T = void, class V, detail::operation_wish... W>
requires(!detail::variable_of<detail::value_of<T, V>, V>)
    [[nodiscard]] future<detail::value_of<T, V>> broadcast(const communicator& c, V&& value, W... wishes) {
  detail::call k(c, detail::kind::broadcast, "broadcast", detail::all_wishes(wishes...));
  using value_type = detail::value_of<T, V>;
  return detail::broadcast_as<value_type>(k, detail::keep<value_type>(std::forward<V>(value)));
}
/// The same of a variable. If the future is dropped, the call waits, and the variable gets the value (of_variable).
template <class T = void, class V, detail::operation_wish... W>
requires detail::variable_of<detail::value_of<T, V>, V> of_variable<detail::value_of<T, V>, detail::value_of<T, V>>
broadcast(const communicator& c, V&& value, W... wishes) {
  detail::call k(c, detail::kind::broadcast, "broadcast", detail::all_wishes(wishes...));
  using value_type = detail::value_of<T, V>;
  return {detail::broadcast_as<value_type>(k, detail::keep<value_type>(value)), value};
}
/// The root's side of a broadcast, where the others call broadcast_from: its value for all. The future gives that value
/// here, too. Called by the root alone.
template <class T = void, class V = T, detail::operation_wish... W>
[[nodiscard]] future<detail::value_of<T, V>> broadcast_to(const communicator& c, V&& value, W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::broadcast, "broadcast_to", detail::all_wishes(wishes...));
  return detail::broadcast_as<value_type>(k.wants_root(true), detail::keep<value_type>(std::forward<V>(value)));
}
/// The other sites' side of a broadcast_to: gives the root's value. Called by all sites but the root.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<T> broadcast_from(const communicator& c, W... wishes) {
  detail::call k(c, detail::kind::broadcast, "broadcast_from", detail::all_wishes(wishes...));
  return detail::broadcast_as<T>(k.wants_root(false), detail::keep_made<T>([] { return T{}; }));
}
// --- reduce

/// The values of all sites combined by `op(left, right)`, in the order of the sites: the root's future gives the
/// result, those of the others an empty optional. `op` is called at any of the sites, with values of neighbouring sites
/// or with what they have been combined to, so it has to be associative; it need not be commutative. Of an operator
/// that is known to be commutative (std::plus of numbers, for example) values may be combined in another order.
template <class T = void, class V, class Op, detail::operation_wish... W>
requires(!detail::operation_wish<Op> && !detail::variable_of<detail::value_of<T, V>, V>)
    [[nodiscard]] future<std::optional<detail::value_of<T, V>>> reduce(const communicator& c, V&& value, Op op,
                                                                       W... wishes) {
  detail::call k(c, detail::kind::reduce, "reduce", detail::all_wishes(wishes...));
  using value_type = detail::value_of<T, V>;
  return detail::reduce_as<value_type>(k, detail::keep<value_type>(std::forward<V>(value)), std::move(op));
}
/// The same of a variable. If the future is dropped, the call waits, and at the root the variable gets the result;
/// elsewhere it stays as it is (of_variable).
template <class T = void, class V, class Op, detail::operation_wish... W>
requires(!detail::operation_wish<Op> && detail::variable_of<detail::value_of<T, V>, V>)
    of_variable<std::optional<detail::value_of<T, V>>, detail::value_of<T, V>> reduce(const communicator& c, V&& value,
                                                                                      Op op, W... wishes) {
  detail::call k(c, detail::kind::reduce, "reduce", detail::all_wishes(wishes...));
  using value_type = detail::value_of<T, V>;
  return {detail::reduce_as<value_type>(k, detail::keep<value_type>(value), std::move(op)), value};
}
/// The root's side of a reduce, where the others call reduce_there: gives the values of all sites combined, its own
/// among them. Called by the root alone. All values go to it, as it alone has the operation: `reduce`, which all sites
/// call, combines them on their way.
template <class T = void, class V = T, class Op, detail::operation_wish... W>
[[nodiscard]] future<detail::value_of<T, V>> reduce_here(const communicator& c, V&& value, Op op, W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::gather, "reduce_here", detail::all_wishes(wishes...));
  return detail::reduce_at_root<value_type>(k.wants_root(true), detail::keep<value_type>(std::forward<V>(value)),
                                            std::move(op))
      .then(launch::sync, [](future<std::optional<value_type>> f) -> value_type {
        return detail::value_of_root<value_type>(std::move(f));
      });
}
/// The other sites' side of a reduce_here. The future is ready when this site has done its part. Called by all sites
/// but the root.
template <class T = void, class V = T, detail::operation_wish... W>
[[nodiscard]] future<void> reduce_there(const communicator& c, V&& value, W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::gather, "reduce_there", detail::all_wishes(wishes...));
  return detail::reduce_at_root<value_type>(k.wants_root(false), detail::keep<value_type>(std::forward<V>(value)),
                                            detail::no_operation())
      .then(launch::sync, [](future<std::optional<value_type>> f) { static_cast<void>(f.share().get()); });
}
/// The same with the root's operation, which is not called here.
template <class T = void, class V = T, class Op, detail::operation_wish... W>
requires(!detail::operation_wish<Op>)
    [[nodiscard]] future<void> reduce_there(const communicator& c, V&& value, Op, W... wishes) {
  return reduce_there<T>(c, std::forward<V>(value), wishes...);
}
/// The values of all sites combined, as reduce does; each site's future gives the result.
template <class T = void, class V = T, class Op, detail::operation_wish... W>
[[nodiscard]] future<detail::value_of<T, V>> all_reduce(const communicator& c, V&& value, Op op, W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::all_reduce, "all_reduce", detail::all_wishes(wishes...));
  k.about_values<value_type>().unordered(algorithms::commutes<Op, value_type>);
  auto kept = detail::keep<value_type>(std::forward<V>(value));
  using state = detail::with_operation<decltype(kept), Op>;
  auto by_messages = [](state& its, detail::link& l, int) -> detail::kept<value_type> {
    return detail::all_reduced<value_type>(l, std::move(its.value), its.op);
  };
  if constexpr (detail::fits_lines<value_type>)
    return detail::begin_by_lines(
        k, {detail::needed::all, sizeof(value_type)}, detail::gives_value<value_type>{kept}, state{kept, std::move(op)},
        [](state& its, const detail::line_view& v) { return detail::combined_from<value_type>(v, v.sites(), its.op); },
        by_messages);
  else
    return detail::begin(k, [its = state{std::move(kept), std::move(op)}, by_messages](detail::link& l, int) mutable {
      return by_messages(its, l, 0);
    });
}
// --- gather and scatter

/// The values of all sites: the root's future gives them in the order of the sites, those of the others an empty
/// vector.
template <class T = void, class V = T, detail::operation_wish... W>
[[nodiscard]] future<std::vector<detail::value_of<T, V>>> gather(const communicator& c, V&& value, W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::gather, "gather", detail::all_wishes(wishes...));
  return detail::gather_as<value_type>(k, detail::keep<value_type>(std::forward<V>(value)));
}
/// The root's side of a gather, where the others call gather_there: gives the values of all sites, its own among them.
/// Called by the root alone.
template <class T = void, class V = T, detail::operation_wish... W>
[[nodiscard]] future<std::vector<detail::value_of<T, V>>> gather_here(const communicator& c, V&& value, W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::gather, "gather_here", detail::all_wishes(wishes...));
  return detail::gather_as<value_type>(k.wants_root(true), detail::keep<value_type>(std::forward<V>(value)));
}
/// The other sites' side of a gather_here. The future is ready when this site has done its part. Called by all sites
/// but the root.
template <class T = void, class V = T, detail::operation_wish... W>
[[nodiscard]] future<void> gather_there(const communicator& c, V&& value, W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::gather, "gather_there", detail::all_wishes(wishes...));
  return detail::gather_as<value_type>(k.wants_root(false), detail::keep<value_type>(std::forward<V>(value)))
      .then(launch::sync, [](future<std::vector<value_type>> f) { f.get(); });
}

/// A value of the root for each site: element i of the root's `values`, which has as many as there are sites, comes to
/// site i, the root's own to itself. What the other sites pass is not looked at.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<T> scatter(const communicator& c, std::vector<T> values, W... wishes) {
  detail::call k(c, detail::kind::scatter, "scatter", detail::all_wishes(wishes...));
  return detail::scatter_as(k, std::move(values));
}
/// The root's side of a scatter, where the others call scatter_from: gives the root its own value. Called by the root
/// alone.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<T> scatter_to(const communicator& c, std::vector<T> values, W... wishes) {
  detail::call k(c, detail::kind::scatter, "scatter_to", detail::all_wishes(wishes...));
  return detail::scatter_as(k.wants_root(true), std::move(values));
}
/// The other sites' side of a scatter_to: gives the value for this site. Called by all sites but the root.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<T> scatter_from(const communicator& c, W... wishes) {
  detail::call k(c, detail::kind::scatter, "scatter_from", detail::all_wishes(wishes...));
  return detail::scatter_as(k.wants_root(false), std::vector<T>{});
}

/// The values of all sites, in the order of the sites: each site's future gives all of them.
template <class T = void, class V = T, detail::operation_wish... W>
[[nodiscard]] future<std::vector<detail::value_of<T, V>>> all_gather(const communicator& c, V&& value, W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::all_gather, "all_gather", detail::all_wishes(wishes...));
  k.about_values<value_type>();
  auto kept = detail::keep<value_type>(std::forward<V>(value));
  auto by_messages = [](decltype(kept)& its, detail::link& l, int) {
    return detail::all_gathered<value_type>(l, detail::inside(its));
  };
  if constexpr (detail::fits_lines<value_type>)
    return detail::begin_by_lines(
        k, {detail::needed::all, sizeof(value_type)}, detail::gives_value<value_type>{kept}, kept,
        [](value_type&, const detail::line_view& v) { return detail::all_from<value_type>(v); }, by_messages);
  else
    return detail::begin(
        k, [kept = std::move(kept), by_messages](detail::link& l, int) mutable { return by_messages(kept, l, 0); });
}

/// Each site has a value for each: `values[i]` is for site i, and there are as many as sites. The future gives the
/// values for this site, in the order of the sites that they come from.
template <class T, detail::operation_wish... W>
[[nodiscard]] future<std::vector<T>> all_to_all(const communicator& c, std::vector<T> values, W... wishes) {
  detail::call k(c, detail::kind::all_to_all, "all_to_all", detail::all_wishes(wishes...));
  k.about_values<T>().wants_values(values.size());  // before they are moved
  auto by_messages = [](std::vector<T>& its, detail::link& l, int) {
    std::vector<std::vector<std::byte>> const parts = detail::as_parts(its);
    detail::parts_of_sites<T> got(parts.size());
    algorithms::all_to_all_bytes(
        l, [&](int to) { return detail::bytes_view(parts[static_cast<std::size_t>(to)]); },
        detail::taking_into<T>(got));
    return detail::all_of<T>(std::move(got));
  };
  if constexpr (detail::fits_lines<T>) {
    auto const sites = static_cast<std::size_t>(k.sites().sites);
    detail::gives_values<T> given(values);
    return detail::begin_by_lines(
        k, {detail::needed::all, sites * sizeof(T)}, std::move(given), std::move(values),
        [sites](std::vector<T>&, const detail::line_view& v) {
          std::vector<T> all;
          for (int s = 0; s < v.sites(); ++s)
            all.push_back(detail::value_from<T>(v, s, static_cast<std::size_t>(v.site()), sites));
          return all;
        },
        by_messages);
  } else {
    return detail::begin(k, [values = std::move(values), by_messages](detail::link& l, int) mutable {
      return by_messages(values, l, 0);
    });
  }
}

// --- scans

/// The values of the sites 0 to this one, combined by `op(left, right)` in the order of the sites, which has to be
/// associative.
template <class T = void, class V = T, class Op, detail::operation_wish... W>
[[nodiscard]] future<detail::value_of<T, V>> inclusive_scan(const communicator& c, V&& value, Op op, W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::inclusive_scan, "inclusive_scan", detail::all_wishes(wishes...));
  k.about_values<value_type>();
  auto kept = detail::keep<value_type>(std::forward<V>(value));
  using state = detail::with_operation<decltype(kept), Op>;
  auto by_messages = [](state& its, detail::link& l, int) -> detail::kept<value_type> {
    auto before = its.value;
    static_cast<void>(detail::scanned<value_type>(l, its.value, before, its.op));
    return std::move(its.value);
  };
  if constexpr (detail::fits_lines<value_type>)
    return detail::begin_by_lines(
        k, {detail::needed::before, sizeof(value_type)}, detail::gives_value<value_type>{kept},
        state{kept, std::move(op)},
        [](state& its, const detail::line_view& v) {
          return detail::combined_from<value_type>(v, v.site() + 1, its.op);
        },
        by_messages);
  else
    return detail::begin(k, [its = state{std::move(kept), std::move(op)}, by_messages](detail::link& l, int) mutable {
      return by_messages(its, l, 0);
    });
}
/// `init` and the values of the sites before this one, combined by `op(left, right)` in this order, which has to be
/// associative. Site 0 gets `init`.
template <class T = void, class V = T, class I = T, class Op, detail::operation_wish... W>
requires(!detail::operation_wish<Op>)
    [[nodiscard]] future<detail::value_of<T, V>> exclusive_scan(const communicator& c, V&& value, I&& init, Op op,
                                                                W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::exclusive_scan, "exclusive_scan", detail::all_wishes(wishes...));
  return detail::begin(
      k.about_values<value_type>(),
      [value = detail::keep<value_type>(std::forward<V>(value)), init = detail::keep<value_type>(std::forward<I>(init)),
       op = std::move(op)](detail::link& l, int) mutable -> detail::kept<value_type> {
        auto before = value;
        if (!detail::scanned<value_type>(l, value, before, op)) return std::move(init);
        return detail::combining<value_type>(op)(std::move(init), std::move(before));
      });
}
/// The same without `init`: site 0 gets a T{}, the others the values of the sites before them, combined.
template <class T = void, class V = T, class Op, detail::operation_wish... W>
[[nodiscard]] future<detail::value_of<T, V>> exclusive_scan(const communicator& c, V&& value, Op op, W... wishes) {
  using value_type = detail::value_of<T, V>;
  detail::call k(c, detail::kind::exclusive_scan, "exclusive_scan", detail::all_wishes(wishes...));
  return detail::begin(k.about_values<value_type>(),
                       [value = detail::keep<value_type>(std::forward<V>(value)), op = std::move(op)](
                           detail::link& l, int) mutable -> detail::kept<value_type> {
                         auto before = detail::keep_made<value_type>([] { return value_type{}; });
                         static_cast<void>(detail::scanned<value_type>(l, value, before, op));
                         return before;
                       });
}

}  // namespace amity::collectives
