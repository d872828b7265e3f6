#pragma once

/// One collective operation at one site: its messages, and what becomes of failures.

#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/coll/communicator.hpp"
#include "amity/coll/engine_operation.hpp"
#include "amity/coll/mailbox.hpp"
#include "amity/coll/placement.hpp"
#include "amity/coll/rules.hpp"
#include "amity/future/async.hpp"
#include "amity/pgas/remote_error.hpp"

namespace amity::collectives {

/// Sites don't agree on what they do, or one has failed.
struct collective_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace detail {

enum class kind : std::uint32_t {
  barrier = 1,
  broadcast,
  reduce,
  scatter,
  gather,
  all_reduce,
  all_gather,
  all_to_all,
  inclusive_scan,
  exclusive_scan,
  reduce_scatter
};

[[nodiscard]] inline const char* name_of(kind k) noexcept {
  constexpr const char* names[] = {"?",          "barrier",        "broadcast",      "reduce",
                                   "scatter",    "gather",         "all_reduce",     "all_gather",
                                   "all_to_all", "inclusive_scan", "exclusive_scan", "reduce_scatter"};
  auto const i = static_cast<std::size_t>(k);
  return i < std::size(names) ? names[i] : "?";
}

[[nodiscard]] inline std::string described(const intention& i) {
  return std::string(name_of(static_cast<kind>(i.kind))) + " with root " + std::to_string(i.root) +
         (i.bytes != 0 ? " of " + std::to_string(i.bytes - 1) + " bytes" : "");
}

/// The transport of algorithms.hpp: messages of one operation between its sites.
class link {
 public:
  link(const communicator::state& of, std::uint64_t operation, const intention& what)
      : of_(of), operation_(operation), what_(what), rules_(tuning::rules_here()) {
    what_.rules = rules_.mark;
    if (of.ranks.valid()) {
      ranks_ = &of.ranks.get();
      if (ranks_->empty()) throw collective_error(words() + why_not_met(of.id));
    }
    begin_operation(of.id, operation, of.site, what_);
  }

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
    return got;
  }
  /// Waits for what the engine does.
  void await(void* request) const {
    failure problem;
    await_engine_call(request, of_, operation_, what_, problem);
    if (!problem.why.empty()) throw_problem(problem);
  }
  [[nodiscard]] const placement& nodes() const { return nodes_of_sites(of_, ranks_); }
  [[nodiscard]] std::span<const tuning::rule> rules() const noexcept { return rules_.rules; }

  /// All others, those that come later too, hear of a failure here instead of waiting for ever.
  void give_up(const std::string& why) const noexcept {
    for (int s = 0; s < of_.sites; ++s)
      if (s != of_.site) give_up_operation(rank_of(s), of_.id, operation_, s, why);
    drop_letters(of_.id, operation_, of_.site);
  }
  void forget() const noexcept { forget_operation(of_.id, operation_, of_.site); }

  [[nodiscard]] std::string words() const {
    return "operation " + std::to_string(operation_) + " of communicator '" + of_.name + "': ";
  }

 private:
  [[noreturn]] void throw_problem(failure& problem) const {
    if (problem.other.is_known())
      problem.why = words() + "site " + std::to_string(problem.other_site) + " calls " + described(problem.other) +
                    ", and site " + std::to_string(of_.site) + " calls " + described(what_) +
                    (problem.other.rules != what_.rules
                         ? ", by another table of algorithms; AMITY_COLLECTIVES must name the same for all"
                         : "");
    throw collective_error(problem.why);
  }

  [[nodiscard]] int rank_of(int site) const noexcept {
    return ranks_ != nullptr ? (*ranks_)[static_cast<std::size_t>(site)] : site;
  }

  const communicator::state& of_;
  std::uint64_t operation_;
  intention what_;
  const tuning::rules_in_use& rules_;
  const std::vector<int>* ranks_ = nullptr;
};

/// What an operation may be told beside its values, in any order.
struct operation_wishes {
  generation_arg generation;
  this_site_arg site;
  root_site_arg root;
};
inline void note(operation_wishes& w, generation_arg a) { w.generation = a; }
inline void note(operation_wishes& w, this_site_arg a) { w.site = a; }
inline void note(operation_wishes& w, root_site_arg a) { w.root = a; }
inline void note(operation_wishes& w, that_site_arg a) { w.root = root_site_arg(a.value); }

template <class T>
concept operation_wish = std::is_same_v<T, generation_arg> || std::is_same_v<T, this_site_arg> ||
    std::is_same_v<T, root_site_arg> || std::is_same_v<T, that_site_arg>;

template <class... Wishes>
[[nodiscard]] operation_wishes checked_wishes(const communicator::state& s, const Wishes&... wishes) {
  operation_wishes w;
  (note(w, wishes), ...);
  auto const refuse = [&](const std::string& why) {
    throw std::invalid_argument("an operation of communicator '" + s.name + "': " + why);
  };
  if (w.generation.is_set() && w.generation.value < 1)
    refuse("generation_arg " + std::to_string(w.generation.value) + "; generations are counted from 1 on");
  if (w.site.is_set() && w.site.value != s.site)
    refuse("this_site_arg " + std::to_string(w.site.value) + ", but the communicator was created for site " +
           std::to_string(s.site));
  if (w.root.is_set() && (w.root.value < 0 || w.root.value >= s.sites))
    refuse("root " + std::to_string(w.root.value) + " of " + std::to_string(s.sites) + " sites");
  return w;
}

/// The operation itself, on the fiber of its task: all hear of a failure.
template <class Body>
auto run_operation(const communicator& c, std::uint64_t operation, const intention& what, Body body) {
  link l(c.checked(), operation, what);
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, link&>>) {
      body(l);
      l.forget();
    } else {
      auto r = body(l);
      l.forget();
      return r;
    }
  } catch (const collective_error& e) {
    l.give_up(e.what());
    throw;
  } catch (...) {
    pgas::error_words words;
    pgas::detail::to_words(std::current_exception(), words);
    l.give_up(l.words() + "site " + std::to_string(l.site()) + " has failed: " + words.text);
    throw;
  }
}

[[nodiscard]] inline int root_of(const communicator::state& s, const operation_wishes& w) noexcept {
  return w.root.is_set() ? static_cast<int>(w.root.value) : s.root;
}

/// Runs `body(link, root)` as a task; its result is the future's. Counted now, in the order of the calls. `span_bytes`:
/// as of intention::bytes.
template <class Body>
auto begin(const communicator& c, kind k, const operation_wishes& w, Body body, std::uint64_t span_bytes = 0) {
  communicator::state& s = c.checked();
  int const root = root_of(s, w);
  constexpr std::uint64_t by_generation = std::uint64_t{1} << 63;
  std::uint64_t const operation = w.generation.is_set() ? static_cast<std::uint64_t>(w.generation.value) | by_generation
                                                        : s.operations.fetch_add(1, std::memory_order_relaxed) + 1;
  using result = std::invoke_result_t<Body&, link&, int>;
  return async([c, k, root, operation, span_bytes, body = std::move(body)]() mutable -> result {
    return run_operation(c, operation, {static_cast<std::uint32_t>(k), root, span_bytes, 0},
                         [&body, root](link& l) -> result { return body(l, root); });
  });
}

/// The same where the engine may do it instead of `body`: if `by_engine` says what it is to do. One that is counted by
/// the program itself may come in another order, so it is not for the engine.
template <class Body>
future<void> begin(const communicator& c, kind k, const operation_wishes& w, const engine_wish& by_engine, Body body,
                   std::uint64_t span_bytes) {
  if (!by_engine || w.generation.is_set()) return begin(c, k, w, std::move(body), span_bytes);
  communicator::state& s = c.checked();
  net::engine_call call = *by_engine;
  call.root = root_of(s, w);
  std::uint64_t operation = 0;
  void* const request = begin_in_order(s, call, operation);
  return async([c, k, root = call.root, operation, span_bytes, request] {
    run_operation(c, operation, {static_cast<std::uint32_t>(k), root, span_bytes, 0},
                  [request](link& l) { l.await(request); });
  });
}

}  // namespace detail
}  // namespace amity::collectives
