#pragma once

/// A small operation within a node, or within each of several: by lines (README-lines.md), in the call itself as far as
/// others have come.

#include <cstddef>
#include <cstring>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/coll/call.hpp"
#include "amity/coll/line_exchange.hpp"
#include "amity/coll/line_site.hpp"
#include "amity/coll/operation.hpp"
#include "amity/future/async.hpp"
#include "amity/future/future.hpp"

namespace amity::collectives::detail {

/// What the sites have given, of an operation that is complete.
class line_view {
 public:
  /// Where all are on one node: in their lines.
  line_view(const lines& of, const turn& t, int site, int sites) noexcept
      : lines_(&of), turn_(&t), site_(site), sites_(sites), root_(t.what.root) {}
  /// Over several nodes: in one block, what all have given, by their numbers, or the root's alone.
  line_view(std::span<const std::byte> block, const intention& what, int site, int sites) noexcept
      : block_(block.data()),
        is_of_root_(flow_of(what.what) == flow::from_root),
        site_(site),
        sites_(sites),
        root_(what.root) {}
  [[nodiscard]] int site() const noexcept { return site_; }
  [[nodiscard]] int sites() const noexcept { return sites_; }
  [[nodiscard]] int root() const noexcept { return root_; }
  /// Of so many bytes that `from` has given, those behind `at`. Aligned as malloc's, if `at` and `bytes` are multiples
  /// of that; for elements of `bytes` in any case.
  [[nodiscard]] const std::byte* of(int from, std::size_t bytes, std::size_t at = 0) const noexcept {
    if (lines_ != nullptr) return lines_->value_of(from, *turn_, bytes) + at;
    return block_ + (is_of_root_ ? 0 : static_cast<std::size_t>(from) * bytes) + at;
  }

 private:
  const lines* lines_ = nullptr;
  const turn* turn_ = nullptr;
  const std::byte* block_ = nullptr;
  bool is_of_root_ = false;
  int const site_, sites_, root_;
};

/// At a site that does not lead its node.
[[nodiscard]] inline line_view view_of(const line_site& its, const turn& t, std::size_t bytes, int site, int sites) {
  if (its.nodes() == nullptr) return {its.all(), t, site, sites};
  if (t.needs == needed::none) return {std::span<const std::byte>(), t.what, site, sites};
  std::size_t const all = all_bytes(flow_of(t.what.what), sites, bytes);
  return {{its.all().value_of(t.root, t, all), all}, t.what, site, sites};
}

/// How an operation goes by lines.
struct line_plan {
  needed needs = needed::all;
  std::size_t bytes = 0;  ///< the most that a site gives; equal at all sites, or they differ in other things as well
  bool fits = true;
};

/// However it goes: this site's turn ends.
class open_turn {
 public:
  open_turn(line_site& of, const turn& t) noexcept : of_(&of), turn_(t) {}
  open_turn(open_turn&& other) noexcept : of_(std::exchange(other.of_, nullptr)), turn_(other.turn_) {}
  open_turn(const open_turn&) = delete;
  open_turn& operator=(const open_turn&) = delete;
  ~open_turn() { close(); }
  void close() noexcept {
    if (of_ != nullptr) std::exchange(of_, nullptr)->end(turn_);
  }
  [[nodiscard]] turn& its() noexcept { return turn_; }
  [[nodiscard]] line_site& site() const noexcept { return *of_; }

 private:
  line_site* of_;
  turn turn_;
};

/// The rest of an operation, at the fiber of its task: its turn may have begun in the call.
template <class Source, class State, class Make>
auto finish_by_lines(link& l, line_site& here, turn& t, const line_plan& plan, Source& source, State& state, Make& make)
    -> std::invoke_result_t<Make&, State&, const line_view&> {
  t.what = l.what();
  here.set_out(t, plan.needs);
  t.value = source();
  l.await(here, t);
  if (!here.leads(t.what)) return make(state, view_of(here, t, plan.bytes, l.site(), l.sites()));
  std::vector<std::byte> const all = exchanged(l, here, t, plan.bytes, source());
  if (t.gives_last && flow_of(t.what.what) != flow::to_root) {
    t.value = all;
    here.give(t);
    l.await(here, t);
  }
  return make(state, line_view(all, t.what, l.site(), l.sites()));
}

/// `source()`: the bytes that this site gives; it is kept until they are written. `make(state, view)`: the result, of
/// all that is needed. `body(state, link, root)`: the same operation by messages, for sites that share no memory.
template <class Source, class State, class Make, class Body>
auto begin_by_lines(const call& k, const line_plan& plan, Source source, State state, Make make, Body body)
    -> future<std::invoke_result_t<Make&, State&, const line_view&>> {
  using result = std::invoke_result_t<Make&, State&, const line_view&>;
  communicator::state& s = k.sites();
  line_site* const by = s.lines.get();
  kind const what_kind = k.what().what;
  bool const may =
      by != nullptr && plan.fits && by->is_for(what_kind, plan.bytes) && !k.has_generation() && k.refused().empty();
  bool const is_ready = may && by->is_ready();
  if (!may || (is_ready && !by->goes_by_lines(what_kind, plan.bytes)))
    return begin(k, [state = std::move(state), body = std::move(body)](link& l, int root) mutable {
      return body(state, l, root);
    });
  turn t;
  if (is_ready) {
    t.what = link::as_sent(s, k.what());
    by->set_out(t, plan.needs);
    t.value = source();
    by->start(t);
  } else {
    t.operation = by->count();
  }
  open_turn mine(*by, t);
  if (is_ready && !by->leads(t.what) && by->tries(mine.its())) {
    try {
      line_view const view = view_of(*by, mine.its(), plan.bytes, s.site, s.sites);
      if constexpr (std::is_void_v<result>) {
        make(state, view);
        by->note(mine.its());
        return make_ready_future();
      } else {
        result r = make(state, view);
        by->note(mine.its());
        return make_ready_future<result>(std::move(r));
      }
    } catch (...) {  // all sites hear of it
      return async(
          [c = k.of(), what = k.what(), mine = std::move(mine), why = std::current_exception()]() mutable -> result {
            run_operation(c, mine.its().operation, what, [&](link&) { std::rethrow_exception(why); });
            std::rethrow_exception(why);  // not reached
          });
    }
  }
  return async([c = k.of(), what = k.what(), plan, mine = std::move(mine), source = std::move(source),
                state = std::move(state), make = std::move(make), body = std::move(body)]() mutable -> result {
    return run_operation(c, mine.its().operation, what, [&](link& l) -> result {
      line_site& here = mine.site();
      if (here.prepare() && here.goes_by_lines(what.what, plan.bytes))
        return finish_by_lines(l, here, mine.its(), plan, source, state, make);
      mine.close();
      if constexpr (std::is_void_v<result>)
        return body(state, l, what.root);
      else
        return taken_out(body(state, l, what.root));
    });
  });
}

/// The same where the engine may do it instead.
template <class Source, class State, class Make, class Body>
future<void> begin_by_lines(call& k, const engine_wish& by_engine, const line_plan& plan, Source source, State state,
                            Make make, Body body) {
  if (by_engine)
    return begin(k, by_engine, [state = std::move(state), body = std::move(body)](link& l, int root) mutable {
      body(state, l, root);
    });
  return begin_by_lines(k, plan, std::move(source), std::move(state), std::move(make), std::move(body));
}

/// An operation that needs no more than its elements.
struct no_state {};

/// Nothing is given.
struct gives_nothing {
  [[nodiscard]] std::span<const std::byte> operator()() const noexcept { return {}; }
};

}  // namespace amity::collectives::detail
