#pragma once

/// Collective operations on elements where they lie; collectives.hpp says how they are used.
///
///     co::all_reduce(c, std::span(values), std::plus<>()).get();               // elementwise, in place
///     co::gather(c, std::span(mine), std::span(all)).get();                    // `all` is looked at by the root alone
///
/// The elements are such as may be copied as bytes. All sites pass equally long spans, except in the forms that end in
/// `_v`: there each site has its own number of elements, and those of all sites lie one after the other in the order of
/// the sites. Spans that don't fit end the operation with collective_error. Spans of one call must not overlap. Spans
/// of an operation that MPI does (AMITY_COLLECTIVES) and that has failed stay in MPI's use until the job ends.
///
/// What holds for all of these: the call never waits. Spans stay the caller's, but it leaves them alone until the
/// future is ready. It fails with collective_error, and what results are to be written to is then in no certain state.
/// `wishes` are as for values (value_operations.hpp).

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/base/copy_bytes.hpp"
#include "amity/coll/algorithms.hpp"
#include "amity/coll/call.hpp"
#include "amity/coll/choice.hpp"
#include "amity/coll/communicator.hpp"
#include "amity/coll/line_operation.hpp"
#include "amity/coll/operation.hpp"
#include "amity/net/archive.hpp"

namespace amity::collectives {

namespace detail {

using bytes_view = algorithms::bytes_view;

template <class E>
concept element = net::detail::may_be_copied<E>() && !std::is_empty_v<E>;

[[noreturn]] inline void throw_lengths(const link& l, std::size_t here, std::size_t there) {
  throw collective_error(l.words() + "spans of different lengths in " + described(l.what()) + ": site " +
                         std::to_string(l.last_from()) + " gives " + std::to_string(there) + " bytes, and site " +
                         std::to_string(l.site()) + " allows " + std::to_string(here));
}

/// Elements of another site over those here.
[[nodiscard]] inline auto filling(const link& l) {
  return [&l](auto into, bytes_view bytes) {
    if (bytes.size() != into.size_bytes()) throw_lengths(l, into.size_bytes(), bytes.size());
    base::copy_bytes(into.data(), bytes.data(), bytes.size());
  };
}

/// Elements of another site into those here.
template <class E, class Op>
auto folding(Op& op, const link& l) {
  return [&op, &l](std::span<E> into, bytes_view bytes, bool from_left) {
    if (bytes.size() != into.size_bytes()) throw_lengths(l, into.size_bytes(), bytes.size());
    // Where messages lie, elements are aligned; but for those that want more than malloc gives.
    static_assert(alignof(E) <= alignof(std::max_align_t));
    const E* const other = reinterpret_cast<const E*>(bytes.data());
    if (from_left)
      for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<E>(std::invoke(op, other[i], into[i]));
    else
      for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<E>(std::invoke(op, into[i], other[i]));
  };
}

/// By the bytes of a span that is equally long everywhere.
template <class E>
[[nodiscard]] tuning::choice chosen_for(const link& l, tuning::operation o, std::span<E> elements, int arity = 0) {
  return tuning::choose(tuning::rules_of(l), o, l.sites(), elements.size_bytes(), arity);
}
/// The same of what is moved. Where the sites have counts of their own, there is nothing to choose by.
template <class E>
[[nodiscard]] tuning::choice chosen_move(const link& l, tuning::operation o, std::span<E> elements, std::size_t piece) {
  if (piece == algorithms::as_a_whole) return {tuning::method::straight};
  return chosen_for(l, o, elements);
}

/// Where each site's elements are in a span of all.
class layout {
 public:
  /// Equally many.
  layout(int sites, std::size_t each) : firsts_(static_cast<std::size_t>(sites) + 1) {
    for (std::size_t i = 0; i < firsts_.size(); ++i) firsts_[i] = i * each;
  }
  explicit layout(std::span<const std::size_t> counts) : firsts_(1) {
    for (std::size_t n : counts) firsts_.push_back(firsts_.back() + n);
  }
  [[nodiscard]] std::size_t total() const noexcept { return firsts_.back(); }
  template <class E>
  [[nodiscard]] std::span<E> of(std::span<E> all, int site) const noexcept {
    auto const i = static_cast<std::size_t>(site);
    return all.subspan(firsts_[i], firsts_[i + 1] - firsts_[i]);
  }

 private:
  std::vector<std::size_t> firsts_;
};

/// Of a call that was refused it is not looked at.
[[nodiscard]] inline layout layout_of(const call& k, std::span<const std::size_t> counts) {
  return k.refused().empty() ? layout(counts) : layout(k.sites().sites, 0);
}
[[nodiscard]] inline layout layout_of(const call& k, std::size_t each) {
  return layout(k.sites().sites, k.refused().empty() ? each : 0);
}

template <class S, class E>
concept elements_of = std::is_same_v<std::remove_const_t<S>, E>;

template <class E>
void copy_elements(std::span<const E> from, std::span<E> to) {
  if (!from.empty() && from.data() != to.data()) base::copy_bytes(to.data(), from.data(), from.size_bytes());
}

// --- by lines

/// Elements where they lie, or none.
template <class E>
struct gives_elements {
  std::span<E> elements;
  bool does = true;
  [[nodiscard]] std::span<const std::byte> operator()() const noexcept {
    return does ? std::as_bytes(elements) : std::span<const std::byte>();
  }
};

/// Those of `site`, of equally many for each.
template <class E>
[[nodiscard]] std::span<E> part_of(std::span<E> all, int site, std::size_t each) noexcept {
  return all.subspan(static_cast<std::size_t>(site) * each, each);
}
/// Of elements that a site has given, `whole` in all, those from `first` on
/// that are for `into`.
template <class E>
[[nodiscard]] std::span<const E> elements_from(const line_view& v, int site, std::size_t whole, std::size_t first,
                                               std::size_t count) noexcept {
  return {reinterpret_cast<const E*>(v.of(site, whole * sizeof(E), first * sizeof(E))), count};
}
template <class E, class Op>
void fold_right(std::span<E> into, std::span<const E> other, Op& op) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<E>(std::invoke(op, into[i], other[i]));
}
/// What the sites [0, end) have given for `into`, combined from left to right:
/// the same at all sites.
template <class E, class Op>
void fold_lines(const line_view& v, std::span<E> into, std::size_t whole, std::size_t first, int end, Op& op) {
  copy_elements(elements_from<E>(v, 0, whole, first, into.size()), into);
  for (int s = 1; s < end; ++s) fold_right(into, elements_from<E>(v, s, whole, first, into.size()), op);
}

}  // namespace detail

// --- one to all, all to one

/// The root's elements are copied over those of all other sites.
template <detail::element E, detail::operation_wish... W>
[[nodiscard]] future<void> broadcast(const communicator& c, std::span<E> elements, W... wishes) {
  detail::call k(c, detail::kind::broadcast, "broadcast", detail::all_wishes(wishes...));
  return detail::begin_by_lines(
      k.about_span(elements).wants_place(elements),
      detail::moved_by_mpi(c, tuning::operation::broadcast, nullptr, elements.data(), elements.size_bytes()),
      {detail::needed::root, elements.size_bytes()}, detail::gives_elements<E>{elements, k.is_at_root()},
      detail::no_state(),
      [elements](detail::no_state&, const detail::line_view& v) {
        if (v.site() != v.root())
          detail::copy_elements(detail::elements_from<E>(v, v.root(), elements.size(), 0, elements.size()), elements);
      },
      [elements](detail::no_state&, detail::link& l, int root) {
        algorithms::broadcast_span(l, detail::chosen_for(l, tuning::operation::broadcast, elements, l.what().arity),
                                   nodes_of(l), root, elements, detail::filling(l));
      });
}

/// The elements of all sites combined one by one, by `combine(left, right)` in the order of the sites, as the reduce of
/// values does. The result is written over the root's elements; those of the other sites are used up: they are left
/// with some part of the result.
template <detail::element E, class Op, detail::operation_wish... W>
[[nodiscard]] future<void> reduce(const communicator& c, std::span<E> elements, Op combine, W... wishes) {
  detail::call k(c, detail::kind::reduce, "reduce", detail::all_wishes(wishes...));
  bool const gets = k.is_at_root();
  return detail::begin_by_lines(
      k.about_span(elements).wants_place(elements).unordered(algorithms::commutes<Op, E>),
      detail::combined_by_mpi<E, Op>(c, tuning::operation::reduce, elements),
      {gets ? detail::needed::all : detail::needed::none, elements.size_bytes()}, detail::gives_elements<E>{elements},
      std::move(combine),
      [elements, gets](Op& op, const detail::line_view& v) {
        if (gets) detail::fold_lines(v, elements, elements.size(), 0, v.sites(), op);
      },
      [elements](Op& op, detail::link& l, int root) {
        algorithms::reduce_span(
            l, detail::chosen_for(l, tuning::operation::reduce, elements, l.what().arity), nodes_of(l),
            /*in_order=*/!algorithms::commutes<Op, E>, root, elements, detail::folding<E>(op, l), detail::filling(l));
      });
}

/// The elements of all sites combined one by one, as reduce does. The result is written over the elements of each site.
template <detail::element E, class Op, detail::operation_wish... W>
[[nodiscard]] future<void> all_reduce(const communicator& c, std::span<E> elements, Op combine, W... wishes) {
  detail::call k(c, detail::kind::all_reduce, "all_reduce", detail::all_wishes(wishes...));
  return detail::begin_by_lines(
      k.about_span(elements).wants_place(elements).unordered(algorithms::commutes<Op, E>),
      detail::combined_by_mpi<E, Op>(c, tuning::operation::all_reduce, elements),
      {detail::needed::all, elements.size_bytes()}, detail::gives_elements<E>{elements}, std::move(combine),
      [elements](Op& op, const detail::line_view& v) {
        detail::fold_lines(v, elements, elements.size(), 0, v.sites(), op);
      },
      [elements](Op& op, detail::link& l, int) {
        algorithms::all_reduce_span(
            l, detail::chosen_for(l, tuning::operation::all_reduce, elements, l.what().arity), nodes_of(l),
            /*in_order=*/!algorithms::commutes<Op, E>, elements, detail::folding<E>(op, l), detail::filling(l));
      });
}

/// The elements of all sites combined one by one, and dealt to the sites: `all` is one part for each site, each as long
/// as `mine`, and site i gets the combined i-th part in `mine`. `all` is used up.
template <detail::element E, class Op, detail::operation_wish... W>
[[nodiscard]] future<void> reduce_scatter(const communicator& c, std::span<E> all, std::span<E> mine, Op combine,
                                          W... wishes) {
  detail::call k(c, detail::kind::reduce_scatter, "reduce_scatter", detail::all_wishes(wishes...));
  return detail::begin_by_lines(
      k.about_span(all).wants_place(all).wants_place(mine).wants_whole(all.size(), mine.size()),
      {detail::needed::all, all.size_bytes()}, detail::gives_elements<E>{all}, std::move(combine),
      [all, mine](Op& op, const detail::line_view& v) {
        detail::fold_lines(v, mine, all.size(), static_cast<std::size_t>(v.site()) * mine.size(), v.sites(), op);
      },
      [all, mine](Op& op, detail::link& l, int) {
        auto fold = detail::folding<E>(op, l);
        detail::layout const where(l.sites(), mine.size());
        algorithms::reduce_scatter_span<detail::link, E>(
            l, [&](int site) { return where.of(all, site); }, fold);
        detail::copy_elements(std::span<const E>(where.of(all, l.site())), mine);
      });
}

// --- gather and scatter

namespace detail {

/// Not where a span goes as a whole: there the sites have numbers of their own.
[[nodiscard]] inline engine_wish parts_by_mpi(std::size_t piece, const communicator& c, tuning::operation o,
                                              const void* from, void* to, std::size_t bytes) noexcept {
  return piece == algorithms::as_a_whole ? engine_wish() : moved_by_mpi(c, o, from, to, bytes);
}

template <class E>
future<void> gather_spans(call& k, std::span<const E> mine, std::span<E> all, layout where, std::size_t piece) {
  bool const gets = k.is_at_root();
  return begin_by_lines(
      k, parts_by_mpi(piece, k.of(), tuning::operation::gather, mine.data(), all.data(), mine.size_bytes()),
      {gets ? needed::all : needed::none, mine.size_bytes(), piece != algorithms::as_a_whole},
      gives_elements<const E>{mine}, no_state(),
      [mine, all, gets](no_state&, const line_view& v) {
        for (int s = 0; gets && s < v.sites(); ++s)
          copy_elements(elements_from<E>(v, s, mine.size(), 0, mine.size()), part_of(all, s, mine.size()));
      },
      [mine, all, where = std::move(where), piece](no_state&, link& l, int root) {
        algorithms::gather_span(
            l, chosen_move(l, tuning::operation::gather, mine, piece), nodes_of(l), root, mine,
            [&](int site) { return where.of(all, site); }, filling(l), piece);
        if (l.site() == root) copy_elements(mine, where.of(all, root));
      });
}

template <class E>
future<void> scatter_spans(call& k, std::span<const E> all, std::span<E> mine, layout where, std::size_t piece) {
  std::size_t const whole = mine.size() * static_cast<std::size_t>(k.sites().sites);
  return begin_by_lines(
      k, parts_by_mpi(piece, k.of(), tuning::operation::scatter, all.data(), mine.data(), mine.size_bytes()),
      {needed::root, whole * sizeof(E), piece != algorithms::as_a_whole}, gives_elements<const E>{all, k.is_at_root()},
      no_state(),
      [mine, whole](no_state&, const line_view& v) {
        std::size_t const first = static_cast<std::size_t>(v.site()) * mine.size();
        copy_elements(elements_from<E>(v, v.root(), whole, first, mine.size()), mine);
      },
      [mine, all, where = std::move(where), piece](no_state&, link& l, int root) {
        algorithms::scatter_span(
            l, chosen_move(l, tuning::operation::scatter, mine, piece), nodes_of(l), root,
            [&](int site) { return where.of(all, site); }, mine, filling(l), piece);
        if (l.site() == root) copy_elements(where.of(all, root), mine);
      });
}

template <class E>
future<void> all_gather_spans(call& k, std::span<const E> mine, std::span<E> all, layout where, std::size_t piece) {
  return begin_by_lines(
      k, parts_by_mpi(piece, k.of(), tuning::operation::all_gather, mine.data(), all.data(), mine.size_bytes()),
      {needed::all, mine.size_bytes(), piece != algorithms::as_a_whole}, gives_elements<const E>{mine}, no_state(),
      [mine, all](no_state&, const line_view& v) {
        for (int s = 0; s < v.sites(); ++s)
          copy_elements(elements_from<E>(v, s, mine.size(), 0, mine.size()), part_of(all, s, mine.size()));
      },
      [mine, all, where = std::move(where), piece](no_state&, link& l, int) {
        copy_elements(mine, where.of(all, l.site()));
        algorithms::all_gather_span<link, E>(
            l, chosen_move(l, tuning::operation::all_gather, mine, piece), nodes_of(l),
            [&](int site) { return where.of(all, site); }, filling(l), piece);
      });
}

template <class E>
future<void> all_to_all_spans(call& k, std::span<const E> from, layout sent, std::span<E> to, layout received,
                              std::size_t piece) {
  engine_wish const by_engine =
      parts_by_mpi(piece, k.of(), tuning::operation::all_to_all, from.data(), to.data(), sent.of(from, 0).size_bytes());
  std::size_t const each = to.size() / static_cast<std::size_t>(k.sites().sites);
  return begin_by_lines(
      k, by_engine, {needed::all, from.size_bytes(), piece != algorithms::as_a_whole}, gives_elements<const E>{from},
      no_state(),
      [from, to, each](no_state&, const line_view& v) {
        for (int s = 0; s < v.sites(); ++s)
          copy_elements(elements_from<E>(v, s, from.size(), static_cast<std::size_t>(v.site()) * each, each),
                        part_of(to, s, each));
      },
      [from, to, sent = std::move(sent), received = std::move(received), piece](no_state&, link& l, int) {
        auto const place = [&](int site) { return received.of(to, site); };
        algorithms::all_to_all_span<link, E>(
            l, chosen_move(l, tuning::operation::all_to_all, sent.of(from, 0), piece), nodes_of(l),
            [&](int site) { return sent.of(from, site); }, place, filling(l), piece);
        copy_elements(sent.of(from, l.site()), place(l.site()));
      });
}

}  // namespace detail

/// The elements `mine` of all sites, one site's after the other's, are copied to the root's `all`, which is as long as
/// all of them. `all` of other sites is not looked at.
template <class S, detail::element E, detail::operation_wish... W>
requires detail::elements_of<S, E>
[[nodiscard]] future<void> gather(const communicator& c, std::span<S> mine, std::span<E> all, W... wishes) {
  detail::call k(c, detail::kind::gather, "gather", detail::all_wishes(wishes...));
  k.about_span(mine).wants_place(mine);
  if (k.is_at_root()) k.wants_place(all).wants_whole(all.size(), mine.size());
  return detail::gather_spans<E>(k, mine, all, detail::layout_of(k, mine.size()), algorithms::piece_bytes);
}
/// The same where each site has its own number of elements: the root's `counts` has that of each site. `all` and
/// `counts` of other sites are not looked at.
template <class S, detail::element E, detail::operation_wish... W>
requires detail::elements_of<S, E>
[[nodiscard]] future<void> gather_v(const communicator& c, std::span<S> mine, std::span<E> all,
                                    std::span<const std::size_t> counts, W... wishes) {
  detail::call k(c, detail::kind::gather, "gather_v", detail::all_wishes(wishes...));
  k.about_counted<E>().wants_place(mine);
  if (!k.is_at_root()) return detail::gather_spans<E>(k, mine, all, {c.num_sites(), 0}, algorithms::as_a_whole);
  k.wants_place(all).wants_counts(counts, all.size()).wants_own(mine.size(), counts);
  return detail::gather_spans<E>(k, mine, all, detail::layout_of(k, counts), algorithms::as_a_whole);
}

/// The root's `all` is one part for each site; site i gets the i-th part in `mine`, the root its own, too. `all` of
/// other sites is not looked at.
template <class S, detail::element E, detail::operation_wish... W>
requires detail::elements_of<S, E>
[[nodiscard]] future<void> scatter(const communicator& c, std::span<S> all, std::span<E> mine, W... wishes) {
  detail::call k(c, detail::kind::scatter, "scatter", detail::all_wishes(wishes...));
  k.about_span(mine).wants_place(mine);
  if (k.is_at_root()) k.wants_place(all).wants_whole(all.size(), mine.size());
  return detail::scatter_spans<E>(k, all, mine, detail::layout_of(k, mine.size()), algorithms::piece_bytes);
}
/// The same where each site has its own number of elements: the root's `counts` has that of each site. `all` and
/// `counts` of other sites are not looked at.
template <class S, detail::element E, detail::operation_wish... W>
requires detail::elements_of<S, E>
[[nodiscard]] future<void> scatter_v(const communicator& c, std::span<S> all, std::span<const std::size_t> counts,
                                     std::span<E> mine, W... wishes) {
  detail::call k(c, detail::kind::scatter, "scatter_v", detail::all_wishes(wishes...));
  k.about_counted<E>().wants_place(mine);
  if (!k.is_at_root()) return detail::scatter_spans<E>(k, all, mine, {c.num_sites(), 0}, algorithms::as_a_whole);
  k.wants_place(all).wants_counts(counts, all.size()).wants_own(mine.size(), counts);
  return detail::scatter_spans<E>(k, all, mine, detail::layout_of(k, counts), algorithms::as_a_whole);
}

/// The elements `mine` of all sites, one site's after the other's, are copied to the `all` of every site.
template <class S, detail::element E, detail::operation_wish... W>
requires detail::elements_of<S, E>
[[nodiscard]] future<void> all_gather(const communicator& c, std::span<S> mine, std::span<E> all, W... wishes) {
  detail::call k(c, detail::kind::all_gather, "all_gather", detail::all_wishes(wishes...));
  k.about_span(mine).wants_place(mine).wants_place(all).wants_whole(all.size(), mine.size());
  return detail::all_gather_spans<E>(k, mine, all, detail::layout_of(k, mine.size()), algorithms::piece_bytes);
}
/// The same where each site has its own number of elements: `counts` has that of each site, and is the same at all.
template <class S, detail::element E, detail::operation_wish... W>
requires detail::elements_of<S, E>
[[nodiscard]] future<void> all_gather_v(const communicator& c, std::span<S> mine, std::span<E> all,
                                        std::span<const std::size_t> counts, W... wishes) {
  detail::call k(c, detail::kind::all_gather, "all_gather_v", detail::all_wishes(wishes...));
  k.about_counted<E>().by_counts_of_all(counts).wants_place(mine).wants_place(all);
  k.wants_counts(counts, all.size()).wants_own(mine.size(), counts);
  return detail::all_gather_spans<E>(k, mine, all, detail::layout_of(k, counts), algorithms::as_a_whole);
}

/// Equally many elements from each site to each: the i-th part of `from` is copied to site i, and that which site i has
/// for this one comes to the i-th part of `to`.
template <class S, detail::element E, detail::operation_wish... W>
requires detail::elements_of<S, E>
[[nodiscard]] future<void> all_to_all(const communicator& c, std::span<S> from, std::span<E> to, W... wishes) {
  detail::call k(c, detail::kind::all_to_all, "all_to_all", detail::all_wishes(wishes...));
  std::size_t const each = from.size() / static_cast<std::size_t>(c.num_sites());
  k.about_span(to).wants_place(from).wants_place(to).wants_whole(from.size(), each).wants_whole(to.size(), each);
  detail::layout const where = detail::layout_of(k, each);
  return detail::all_to_all_spans<E>(k, from, where, to, where, algorithms::piece_bytes);
}
/// The same where each pair of sites has its own number of elements: `sent` has how many this site has for each, one
/// part after the other in `from`; `received` has how many come from each, one part after the other in `to`. What site
/// i says in `sent[k]`, site k says in `received[i]`.
template <class S, detail::element E, detail::operation_wish... W>
requires detail::elements_of<S, E>
[[nodiscard]] future<void> all_to_all_v(const communicator& c, std::span<S> from, std::span<const std::size_t> sent,
                                        std::span<E> to, std::span<const std::size_t> received, W... wishes) {
  detail::call k(c, detail::kind::all_to_all, "all_to_all_v", detail::all_wishes(wishes...));
  k.about_counted<E>().wants_place(from).wants_place(to);
  k.wants_counts(sent, from.size()).wants_counts(received, to.size());
  if (auto const me = static_cast<std::size_t>(c.this_site()); me < sent.size()) k.wants_own(sent[me], received);
  return detail::all_to_all_spans<E>(k, from, detail::layout_of(k, sent), to, detail::layout_of(k, received),
                                     algorithms::as_a_whole);
}

// --- scans

/// The elements of the sites 0 to this one, combined one by one, by `combine(left, right)` in the order of the sites,
/// are written over this site's elements.
template <detail::element E, class Op, detail::operation_wish... W>
[[nodiscard]] future<void> inclusive_scan(const communicator& c, std::span<E> elements, Op combine, W... wishes) {
  detail::call k(c, detail::kind::inclusive_scan, "inclusive_scan", detail::all_wishes(wishes...));
  return detail::begin_by_lines(
      k.about_span(elements).wants_place(elements), {detail::needed::before, elements.size_bytes()},
      detail::gives_elements<E>{elements}, std::move(combine),
      [elements](Op& op, const detail::line_view& v) {
        detail::fold_lines(v, elements, elements.size(), 0, v.site() + 1, op);
      },
      [elements](Op& op, detail::link& l, int) {
        std::vector<E> before;
        algorithms::scan_span(l, elements, before, detail::folding<E>(op, l));
      });
}
/// `init` and the elements of the sites before this one, combined one by one in this order, are written over this
/// site's elements. Those of site 0 become `init`.
template <detail::element E, class Op, detail::operation_wish... W>
[[nodiscard]] future<void> exclusive_scan(const communicator& c, std::span<E> elements, E init, Op combine,
                                          W... wishes) {
  detail::call k(c, detail::kind::exclusive_scan, "exclusive_scan", detail::all_wishes(wishes...));
  return detail::begin_by_lines(
      k.about_span(elements).wants_place(elements), {detail::needed::before, elements.size_bytes()},
      detail::gives_elements<E>{elements}, std::move(combine),
      [elements, init](Op& op, const detail::line_view& v) {
        if (v.site() != 0) detail::fold_lines(v, elements, elements.size(), 0, v.site(), op);
        for (E& e : elements) e = v.site() == 0 ? init : static_cast<E>(std::invoke(op, init, e));
      },
      [elements, init](Op& op, detail::link& l, int) {
        std::vector<E> before;
        algorithms::scan_span(l, elements, before, detail::folding<E>(op, l));
        for (std::size_t i = 0; i < elements.size(); ++i)
          elements[i] = before.empty() ? init : static_cast<E>(std::invoke(op, init, before[i]));
      });
}

}  // namespace amity::collectives
