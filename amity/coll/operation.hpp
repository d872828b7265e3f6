#pragma once

/// One collective operation at one site: its messages, and what becomes of failures.

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/coll/call.hpp"
#include "amity/coll/communicator.hpp"
#include "amity/coll/engine_operation.hpp"
#include "amity/coll/intention.hpp"
#include "amity/coll/kept_value.hpp"
#include "amity/coll/line_site.hpp"
#include "amity/coll/mailbox.hpp"
#include "amity/coll/placement.hpp"
#include "amity/coll/rules.hpp"
#include "amity/future/async.hpp"
#include "amity/pgas/remote_error.hpp"

namespace amity::collectives {

/// What the future of a collective operation fails with where sites don't agree on what they do, one has wrong
/// arguments, one has failed, or its process was lost. what() names the communicator, the operation, the site, what it
/// has given and what is allowed. A site whose own operator or value has thrown gets that exception; the others get
/// this one.
struct collective_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace detail {

/// The transport of algorithms.hpp: messages of one operation between its sites.
class link {
 public:
  link(const communicator::state& of, std::uint64_t operation, const intention& what)
      : of_(of), operation_(operation), what_(what), rules_(tuning::rules_here()) {
    if (of.ranks.valid()) {
      ranks_ = &of.all_ranks();
      if (ranks_->empty()) throw collective_error(words() + of.why_not_met);
    }
    what_ = as_sent(of, what_, ranks_, rules_.mark);
  }
  /// What the others see of it. Requires: the sites have met.
  [[nodiscard]] static intention as_sent(const communicator::state& of, const intention& what) {
    return as_sent(of, what, of.ranks.valid() ? &of.all_ranks() : nullptr, tuning::rules_here().mark);
  }
  /// From here on its messages come. Throws where others have said already that
  /// it can't go well.
  void begin() const {
    failure problem;
    begin_operation(of_.id, of_.name, operation_, of_.site, what_, problem);
    if (!problem.why.empty()) throw_problem(problem);
  }
  /// It has gone well here. Throws where others say that it has not.
  void end() const {
    failure problem;
    end_operation(of_.id, operation_, of_.site, /*went_well=*/true, problem);
    if (!problem.why.empty()) throw_problem(problem);
  }
  /// It has failed here: all others hear of it instead of waiting for ever, also those that come later.
  void fail(const std::string& why) const noexcept {
    for (int s = 0; s < of_.sites && !is_told_; ++s)
      if (s != of_.site) give_up_operation(rank_of(s), of_.id, operation_, s, why);
    failure known;
    end_operation(of_.id, operation_, of_.site, /*went_well=*/false, known);
  }
  [[noreturn]] void refuse(const std::string& why) const { throw collective_error(words() + why); }

  [[nodiscard]] int site() const noexcept { return of_.site; }
  [[nodiscard]] int sites() const noexcept { return of_.sites; }

  void send(int to, int tag, std::span<const std::byte> bytes) const noexcept {
    addressee const one{rank_of(to), to};
    send_mail({&one, 1}, {of_.id, operation_, of_.site, to, tag, 0}, what_, bytes);
  }
  /// The same bytes to several.
  void send_all(std::span<const int> to, int tag, std::span<const std::byte> bytes) const {
    std::vector<addressee> all;
    for (int site : to) all.push_back({rank_of(site), site});
    send_mail(all, {of_.id, operation_, of_.site, 0, tag, 0}, what_, bytes);
  }
  [[nodiscard]] mail receive(int from, int tag) const {
    failure problem;
    mail got = receive_mail({of_.id, operation_, from, of_.site, tag, 0}, rank_of(from), problem);
    if (!problem.why.empty()) throw_problem(problem);
    last_from_ = from;
    return got;
  }
  /// Waits for what the sites of a node write, or until this site can write what it gives.
  void await(line_site& its, turn& t) const {
    failure problem;
    its.await(t, problem);
    if (!problem.why.empty()) throw_problem(problem);
  }
  /// Waits for what the engine does.
  void await(engine_turn& turn) const {
    failure problem;
    await_engine_turn(turn, of_, what_, problem);
    if (!problem.why.empty()) throw_problem(problem);
  }
  [[nodiscard]] const placement& nodes() const { return nodes_of_sites(of_, ranks_); }
  [[nodiscard]] std::span<const tuning::rule> rules() const noexcept { return rules_.rules; }

  /// The site of the message that was received last.
  [[nodiscard]] int last_from() const noexcept { return last_from_; }
  [[nodiscard]] const intention& what() const noexcept { return what_; }
  [[nodiscard]] std::string words() const {
    return "operation " + std::to_string(operation_ & ~by_generation) + " of communicator '" + of_.name + "': ";
  }

 private:
  [[nodiscard]] static intention as_sent(const communicator::state& of, intention what, const std::vector<int>* ranks,
                                         std::uint64_t mark) {
    what.rules = short_mark(mark);
    if (what.unordered != 0) {
      const placement& p = nodes_of_sites(of, ranks);
      if (what.arity != 0 || !p.has_nodes() || p.is_in_order()) what.unordered = 0;  // sites keep their numbers anyway
    }
    return what;
  }
  [[noreturn]] void throw_problem(failure& problem) const {
    is_told_ = problem.is_told;
    if (!is_told_ && problem.other.is_known())
      problem.why = words() + "site " + std::to_string(problem.other_site) + " calls " + described(problem.other) +
                    ", and site " + std::to_string(of_.site) + " calls " + described(what_) +
                    (problem.other.rules != what_.rules ? ", by another table of algorithms; "
                                                          "AMITY_COLLECTIVES must name the same for all"
                                                        : "; allowed: the same at all sites");
    throw collective_error(problem.why);
  }
  /// Few bits of a mark that tells tables apart; 0 stays what it is.
  [[nodiscard]] static std::uint32_t short_mark(std::uint64_t mark) noexcept {
    constexpr std::uint32_t most = (1u << 20) - 1;
    auto const bits = static_cast<std::uint32_t>(mark ^ (mark >> 20) ^ (mark >> 40)) & most;
    return mark != 0 && bits == 0 ? 1 : bits;
  }

  [[nodiscard]] int rank_of(int site) const noexcept {
    return ranks_ != nullptr ? (*ranks_)[static_cast<std::size_t>(site)] : site;
  }

  const communicator::state& of_;
  std::uint64_t operation_;
  intention what_;
  const tuning::rules_in_use& rules_;
  const std::vector<int>* ranks_ = nullptr;
  mutable bool is_told_ = false;  ///< another site has told all of the failure
  mutable int last_from_ = 0;
};

/// The operation itself, on the fiber of its task: all hear of a failure.
template <class Body>
auto run_operation(const communicator& c, std::uint64_t operation, const intention& what, Body body) {
  link l(c.checked(), operation, what);
  try {
    l.begin();
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, link&>>) {
      body(l);
      l.end();
    } else {
      auto r = body(l);
      l.end();
      return r;
    }
  } catch (const collective_error& e) {
    l.fail(e.what());
    throw;
  } catch (...) {
    pgas::error_words words;
    pgas::detail::to_words(std::current_exception(), words);
    l.fail(l.words() + "site " + std::to_string(l.site()) + " has failed: " + words.text);
    throw;
  }
}

/// The operation of a call that is refused: all sites are told.
[[noreturn]] inline void run_refused(const communicator& of, std::uint64_t operation, const intention& what,
                                     const std::string& why) {
  run_operation(of, operation, what, [&why](link& l) { l.refuse(why); });
  throw collective_error(why);  // not reached
}

template <class Result>
[[nodiscard]] future<Result> begin_refused(const call& k) {
  return async([c = k.of(), what = k.what(), operation = k.number(), why = k.refused()]() -> Result {
    run_refused(c, operation, what, why);
  });
}

/// Runs `body(link, root)` as a task; its result, out of the box where it is a large one, is the future's. Counted now,
/// in the order of the calls.
template <class Body>
auto begin(const call& k, Body body) -> future<unkept<std::invoke_result_t<Body&, link&, int>>> {
  using inner = std::invoke_result_t<Body&, link&, int>;
  using result = unkept<inner>;
  if (!k.refused().empty()) return begin_refused<result>(k);
  return async([c = k.of(), what = k.what(), operation = k.number(), body = std::move(body)]() mutable -> result {
    auto const its = [&body, root = what.root](link& l) -> inner { return body(l, root); };
    if constexpr (std::is_same_v<inner, result>)
      return run_operation(c, operation, what, its);
    else
      return taken_out(run_operation(c, operation, what, its));
  });
}

/// The same where the engine may do it instead of `body`: if `by_engine` says what it is to do. One that is counted by
/// the program itself may come in another order, so it is not for the engine.
template <class Body>
future<void> begin(call& k, const engine_wish& by_engine, Body body) {
  if (!by_engine || k.has_generation()) return begin(k, std::move(body));
  net::engine_call its = *by_engine;
  its.root = k.root();
  own_turn turn = take_turn(k.by_engine(), its);
  std::uint64_t const operation = number_of(*turn);
  if (!k.refused().empty())
    return async([c = k.of(), what = k.what(), operation, why = k.refused()] { run_refused(c, operation, what, why); });
  return async([c = k.of(), what = k.what(), operation, turn = std::move(turn)] {
    run_operation(c, operation, what, [&turn](link& l) { l.await(*turn); });
  });
}

}  // namespace detail
}  // namespace amity::collectives
