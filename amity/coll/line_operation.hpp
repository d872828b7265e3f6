#pragma once

/// A small operation within a node: by lines (README-lines.md), in the call itself as far as others have come.

#include <cstddef>
#include <cstring>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>

#include "amity/coll/call.hpp"
#include "amity/coll/line_site.hpp"
#include "amity/coll/operation.hpp"
#include "amity/future/async.hpp"
#include "amity/future/future.hpp"

namespace amity::collectives::detail {

/// What the sites have given, of an operation that is complete.
class line_view {
 public:
  line_view(const lines& of, const turn& t, int site, int sites) noexcept
      : of_(of), turn_(t), site_(site), sites_(sites) {}
  [[nodiscard]] int site() const noexcept { return site_; }
  [[nodiscard]] int sites() const noexcept { return sites_; }
  [[nodiscard]] int root() const noexcept { return turn_.what.root; }
  /// Of so many bytes that `from` has given, those behind `at`. Aligned as malloc's, if `at` is a multiple of that.
  [[nodiscard]] const std::byte* of(int from, std::size_t bytes, std::size_t at = 0) const noexcept {
    return of_.value_of(from, turn_, bytes) + at;
  }

 private:
  const lines& of_;
  const turn& turn_;
  int const site_, sites_;
};

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
  ~open_turn() {
    if (of_ != nullptr) of_->end(turn_);
  }
  [[nodiscard]] turn& its() noexcept { return turn_; }
  [[nodiscard]] line_site& site() const noexcept { return *of_; }

 private:
  line_site* of_;
  turn turn_;
};

/// `source()`: the bytes that this site gives; it is kept until they are written. `make(state, view)`: the result, of
/// all that is needed. `body(state, link, root)`: the same operation by messages, for sites that are not on one node.
template <class Source, class State, class Make, class Body>
auto begin_by_lines(const call& k, const line_plan& plan, Source source, State state, Make make, Body body)
    -> future<std::invoke_result_t<Make&, State&, const line_view&>> {
  using result = std::invoke_result_t<Make&, State&, const line_view&>;
  communicator::state& s = k.sites();
  line_site* const by = s.lines.get();
  if (by == nullptr || !plan.fits || !by->is_for(k.what().what, plan.bytes) || k.has_generation() ||
      !k.refused().empty())
    return begin(k, [state = std::move(state), body = std::move(body)](link& l, int root) mutable {
      return body(state, l, root);
    });
  turn t;
  t.what = link::as_sent_within_node(k.what());
  t.needs = plan.needs;
  t.value = source();
  by->start(t);
  open_turn mine(*by, t);
  if (by->is_ready()) {
    if (by->tries(mine.its())) {
      try {
        line_view const view(by->all(), mine.its(), s.site, s.sites);
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
  }
  return async([c = k.of(), what = k.what(), mine = std::move(mine), source = std::move(source),
                state = std::move(state), make = std::move(make), body = std::move(body)]() mutable -> result {
    return run_operation(c, mine.its().operation, what, [&](link& l) -> result {
      line_site& here = mine.site();
      if (!here.prepare()) {
        if constexpr (std::is_void_v<result>)
          return body(state, l, what.root);
        else
          return taken_out(body(state, l, what.root));
      }
      mine.its().what = l.what();
      mine.its().value = source();
      l.await(here, mine.its());
      return make(state, line_view(here.all(), mine.its(), l.site(), l.sites()));
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
