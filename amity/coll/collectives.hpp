#pragma once

/// Collective operations over processes: all sites of a communicator call the same, in the same order, and each gets a
/// future of its part.
///
///     namespace co = amity::collectives;
///     long sum = co::all_reduce(co::world(), mine, std::plus<>()).get();
///     co::all_reduce(comm, std::span(values), std::plus<>()).get();               // elementwise, in place
///     co::all_gather(comm, std::span(mine), std::span(all)).get();
///     if (comm.is_root()) co::broadcast_to(comm, text).get(); else text = co::broadcast_from<std::string>(comm).get();
///     text = co::broadcast(comm, text).get();                                     // the same call on every site
///
/// Values may be of any type that travels (net/archive.hpp). Operations need be associative, not commutative: values
/// are combined in the order of the sites. Any site may be the root. Nothing blocks but the future's get(), which
/// blocks the fiber and never the core; several operations may be in flight on one communicator. Spans must stay until
/// the future is ready.
///
/// value_operations.hpp and span_operations.hpp have the operations one by one, communicator.hpp and split.hpp who
/// takes part in them.
///
/// After the values may come generation_arg, this_site_arg and root_site_arg, in any order.
///
/// Sites that don't agree on what they do get collective_error, as do the sites of an operation in which one fails or
/// has wrong arguments: its words name the site, the operation, what was given and what is allowed. A call never throws
/// because of its arguments, but its future does, so that no site waits for one that could not take part. The sites
/// that need something of the wrong one fail, and so do those that are not through: all, but for operations in which
/// some only give. The root of broadcast and scatter, the others in reduce and gather, and those before the wrong site
/// in scans may be through before; what they have got is right. The communicator is as good as before: the next
/// operation is not affected.

#include <optional>
#include <utility>

#include "amity/coll/communicator.hpp"
#include "amity/coll/span_operations.hpp"
#include "amity/coll/value_operations.hpp"

namespace amity {

/// The value that process `root` gives, for all processes; those of others are not looked at. As collectives::broadcast
/// over world(), with its errors. Does not wait. UPC++'s form.
template <class T>
[[nodiscard]] future<T> broadcast(T value, int root) {
  return collectives::broadcast(collectives::world(), std::move(value), collectives::root_site_arg(root));
}
/// The values of all processes combined by `op`, in the order of the ranks, for all. As collectives::all_reduce over
/// world(), with its errors. Does not wait. UPC++'s name.
template <class T, class Op>
[[nodiscard]] future<T> reduce_all(T value, Op op) {
  return collectives::all_reduce(collectives::world(), std::move(value), std::move(op));
}
/// The values of all processes combined by `op`, for process `root`; the others get a T{}. As collectives::reduce over
/// world(), with its errors. Does not wait. UPC++'s name.
template <class T, class Op>
[[nodiscard]] future<T> reduce_one(T value, Op op, int root) {
  return collectives::reduce(collectives::world(), std::move(value), std::move(op), collectives::root_site_arg(root))
      .then(launch::sync, [](future<std::optional<T>> f) { return f.get().value_or(T{}); });
}

}  // namespace amity
