#pragma once

/// Calls in other processes of the job.
///
///     amity::future<int> f = amity::async_at(3, [me] { return me * 10 + amity::rank_me(); });
///     amity::future<std::string> g = amity::rpc(1, [](std::string s, std::vector<int> v) { ... }, name, values);
///     amity::rpc_ff(2, [](int n) { total += n; }, 5);                  // `total` is global; its end is not reported
///
/// The function runs there as a task: it may block, and make tasks and calls of its own. What it gives comes back as a
/// future, what it throws as well (remote_error.hpp). Within a finish here, the finish waits for the call, and for
/// all that it begins.
///
/// Calls that come to a process run at once with one another, and with its main; those with `amity::serial` one after
/// the other (serial.hpp).
///
/// *What travels.* A closure travels as its bytes, and may change its own copy. So its captures must be such that mean
/// the same elsewhere: numbers, ranks, amity::global_ptr. Captured strings or containers don't compile; a closure that
/// holds nothing but addresses of the caller's stack, as [&], is refused (std::invalid_argument), and one that may hold
/// some causes a warning (closure.hpp). What is passed as an argument is serialised (net/archive.hpp): strings,
/// containers, types with `serialize`; std::span and std::string_view arrive, alone or within others, as views of the
/// message, which live as long as the call: until the function returns, or, if it gives a future, until that is there.
/// A plain function travels as its place in the program. A result is no view.
///
/// *Large objects* are taken by const reference: parameters by value lie on the task's stack. Where they are known not
/// to fit the call throws std::length_error.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/future/async.hpp"
#include "amity/future/future.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/net/archive.hpp"
#include "amity/net/before_main.hpp"
#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
#include "amity/pgas/closure.hpp"
#include "amity/pgas/finish_tree.hpp"
#include "amity/pgas/remote_error.hpp"
#include "amity/pgas/serial.hpp"

namespace amity {

namespace pgas::detail {

namespace base_detail = amity::detail;

// --- what is sent along

/// Before each call's function and arguments.
struct call_head {
  std::uint64_t answer = 0;  ///< for whom its result is (keep_for_answer); 0: nobody asks
  finish_id finish;
};
/// Before each result.
struct answer_head {
  finish_id acknowledges;
  bool failed = false;
};

/// What a state that waits for an answer gets instead when the process that was asked is lost. In a task.
using answer_failure = void (*)(void* state, int rank, const std::string& words) noexcept;
/// Keeps `state` until a message of process `rank` with the key that this gives takes it out.
[[nodiscard]] AMITY_API std::uint64_t keep_for_answer(void* state, int rank, answer_failure fail) noexcept;
/// `rank` is lost: what is kept, or will be, for its answers fails.
void fail_answers_of(int rank) noexcept;
/// Null: there is none, or none any more.
[[nodiscard]] AMITY_API void* take_for_answer(std::uint64_t key) noexcept;

/// A call that has come, as a task. Its bytes lie behind it, or in memory from malloc.
struct arrived_call : sched::task {
  void (*call)(arrived_call&) noexcept = nullptr;
  std::byte* bytes = nullptr;
  std::size_t size = 0;
  bool owns_bytes = false;
  bool answer_counts = false;
  bool never_returns = false;  ///< it has called exit: `call` answers that it has failed, and calls nothing
  bool is_serial = false;      ///< it has the process's turn while it runs (serial.cpp)
  int from = 0;
  call_head head;
  arrived_call* around = nullptr;  ///< on the same stack
  arrived_call* next_in_turn = nullptr;
};
/// A call's word, bits. A process has sent it before its `main`, for one that is as far, mostly. All others wait until
/// the receiver's `main` begins: what they use may not be made before.
inline constexpr std::uint64_t sent_before_main = 1;
inline constexpr std::uint64_t is_serial_call = 2;
/// A task of async_any, or a call of Amity's own: a serial call may wait for it.
inline constexpr std::uint64_t is_never_serial = 4;
/// Makes a task of a message, and hands it to a worker. In a handler.
AMITY_API void begin_arrived_call(net::arrival& m, void (*call)(arrived_call&) noexcept) noexcept;
/// What the call has brought, or why it has failed, goes back; `out` has the result behind an answer_head.
AMITY_API void send_answer(int to, std::uint64_t key, std::uint64_t code, out_archive& out) noexcept;

inline void tell_translation() noexcept {
  static constexpr error_translation mine{to_words, from_words};
  static const bool told = (set_error_translation(mine), true);
  static_cast<void>(told);
}

inline int checked_rank(int rank, const char* what) {
  int const n = net::detail::joined_job().size;
  if (rank < 0 || rank >= n) [[unlikely]]
    throw std::out_of_range(std::string(what) + ": rank " + std::to_string(rank) + " does not exist; there are " +
                            std::to_string(n) + ", from 0 on");
  tell_translation();
  return rank;
}

// --- there

template <class R>
inline constexpr bool gives_future = base_detail::is_future_v<R>;
template <class R>
struct result_of_future {
  using type = R;
};
template <class T>
struct result_of_future<future<T>> {
  using type = T;
};
template <class T>
struct result_of_future<shared_future<T>> {
  using type = std::remove_cvref_t<T>;
};
template <class R>
using plain_result = typename result_of_future<std::remove_cvref_t<R>>::type;
/// In the place of a result that is not asked for.
struct unasked {};

template <class R>
void take_answer(net::arrival& m) noexcept;

/// Where an answer goes, when the call itself is over.
struct answer_address {
  int to = 0;
  std::uint64_t key = 0;
  finish_id acknowledges;
};

/// `code`: of take_answer<R>, of which this knows no more.
[[gnu::cold]] inline void answer_error(const answer_address& a, const std::exception_ptr& error,
                                       std::uint64_t code) noexcept {
  error_words words;
  to_words(error, words);
  if (words.rank < 0) words.rank = net::job().rank;
  out_archive out;
  out(answer_head{a.acknowledges, true}, words.rank, words.type, words.text);
  send_answer(a.to, a.key, code, out);
}
template <class R>
void answer_error(const answer_address& a, const std::exception_ptr& error) noexcept {
  answer_error(a, error, net::code_of<take_answer<R>>());
}

template <class R, class... X>
void answer_value(const answer_address& a, const X&... value) noexcept {
  out_archive out;
  try {
    out(answer_head{a.acknowledges, false}, value...);
  } catch (...) {
    return answer_error<R>(a, std::current_exception());
  }
  send_answer(a.to, a.key, net::code_of<take_answer<R>>(), out);
}

/// What stays until a call is over: function, arguments, and the message, where views in them lie.
template <class F, class... Args>
struct kept_until_over {
  std::unique_ptr<std::byte, decltype(&net::give_buffer)> message{nullptr, &net::give_buffer};
  std::unique_ptr<kept_call<F, Args...>> call;
};

/// Answers when a future is there, which keeps the finish and the job waiting as the call did.
template <class R, class Future, class Kept>
void answer_later(const answer_address& a, sched::scope* within, Future f, Kept kept) {
  sched::begin_within(within, sched::this_worker());
  net::begin_activity();
  f.then(launch::sync, [a, within, kept = std::move(kept)](Future ready) mutable {
    using result = plain_result<Future>;
    try {
      if constexpr (std::is_void_v<result> || std::is_same_v<R, unasked>) {
        ready.get();
        if constexpr (!std::is_same_v<R, unasked>)
          if (a.key != 0) answer_value<R>(a);
      } else {
        answer_value<R>(a, ready.get());
      }
    } catch (...) {
      if constexpr (!std::is_same_v<R, unasked>)
        if (a.key != 0) answer_error<R>(a, std::current_exception());
    }
    kept = {};
    sched::end_within(within, sched::this_worker());
    net::end_activity();
  });
}

/// Calls it and answers, at once. `R`: what is answered.
template <class R, class F, class... Args>
void call_and_answer(const answer_address& a, kept_call<F, Args...>& kept) {
  using result = std::invoke_result_t<F&, Args...>;
  if constexpr (std::is_same_v<R, unasked>) {
    static_cast<void>(call_kept<F, Args...>(kept));
  } else if constexpr (std::is_void_v<result>) {
    call_kept<F, Args...>(kept);
    answer_value<R>(a);
  } else if constexpr (std::is_object_v<result> && sizeof(plain_result<result>) > net::detail::most_on_stack) {
    std::unique_ptr<kept_part<0, result>> const large(new kept_part<0, result>{call_kept<F, Args...>(kept)});
    answer_value<R>(a, large->value);
  } else {
    auto&& value = call_kept<F, Args...>(kept);
    answer_value<R>(a, value);
  }
}

template <class F, class... Args>
kept_call<F, Args...> read_call(in_archive& in) {
  return {{read_function<F>(in)}, {in.make<Args>()}...};  // braces: from the first to the last
}
template <class F, class... Args>
std::unique_ptr<kept_call<F, Args...>> read_call_apart(in_archive& in) {
  return std::unique_ptr<kept_call<F, Args...>>(
      new kept_call<F, Args...>{{read_function<F>(in)}, {in.make<Args>()}...});
}

/// The call itself, on the fiber of its task. `R`: what is answered, or unasked.
template <class F, class R, class... Args>
void run_call(arrived_call& c) noexcept {
  answer_address const a{c.from, c.head.answer, c.answer_counts ? c.head.finish : finish_id{}};
  using result = std::invoke_result_t<F&, Args...>;
  try {
    if (c.never_returns) throw std::runtime_error("the program of the process that was called has ended in the call");
    if constexpr (gives_future<result>) {
      kept_until_over<F, Args...> kept;
      const std::byte* bytes = c.bytes;
      if constexpr ((net::detail::holds_views<Args>() || ...)) {
        kept.message.reset(net::take_buffer(c.size));
        if (kept.message == nullptr) throw std::bad_alloc();
        std::memcpy(kept.message.get(), c.bytes, c.size);
        bytes = kept.message.get();
      }
      in_archive in(bytes, c.size, sizeof(call_head));
      kept.call = read_call_apart<F, Args...>(in);
      auto later = call_kept<F, Args...>(*kept.call);
      answer_later<R>(a, c.within, std::move(later), std::move(kept));
    } else {
      in_archive in(c.bytes, c.size, sizeof(call_head));
      if constexpr (sizeof(kept_call<F, Args...>) > net::detail::most_on_stack) {
        auto const kept = read_call_apart<F, Args...>(in);
        call_and_answer<R, F, Args...>(a, *kept);
      } else {
        auto kept = read_call<F, Args...>(in);
        call_and_answer<R, F, Args...>(a, kept);
      }
    }
  } catch (...) {
    std::exception_ptr const error = base_detail::caught_here();
    base_detail::report_error(c.within, error);
    if constexpr (std::is_same_v<R, unasked>) {
      if (c.within == nullptr && !c.never_returns) std::terminate();  // nobody could be told
    } else {
      answer_error<R>(a, error);
    }
  }
}

template <class F, class R, class... Args>
void take_call(net::arrival& m) noexcept {
  tell_translation();
  begin_arrived_call(m, run_call<F, R, Args...>);
}

// --- back here

/// `promise` side of a call's future.
template <class R>
void complete_answer(base_detail::state& s, in_archive& in, bool failed) noexcept {
  try {
    if (failed) {
      error_words words;
      in(words.rank, words.type, words.text);
      base_detail::put_error(s, from_words(words));
    } else if constexpr (std::is_void_v<R>) {
      base_detail::put_value<R>(s);
    } else {
      // Made where it stays, as put_value would move it there.
      ::new (base_detail::place_behind<base_detail::stored<R>>(s)) R(in.make<R>());
      s.how = base_detail::outcome::value;
    }
  } catch (...) {
    base_detail::put_error(s, std::current_exception());
  }
}

/// What reads the answer is code of the user's: not in the handler. `complete`, `drop`: complete_answer<R>, drop<R>.
inline void complete_in_task(base_detail::state& s, net::arrival& m, bool failed,
                             void (*complete)(base_detail::state& s, in_archive& in, bool failed) noexcept,
                             void (*drop)(base_detail::state& s) noexcept) noexcept {
  std::size_t const size = m.size - sizeof(answer_head);
  std::unique_ptr<std::byte, decltype(&net::give_buffer)> bytes(m.take(), &net::give_buffer);
  auto read = [&s, size, failed, complete, drop, bytes = std::move(bytes)]() noexcept {
    in_archive in(bytes.get() + sizeof(answer_head), size);
    complete(s, in, failed);
    base_detail::complete(s);
    drop(s);
    net::end_activity();
  };
  net::begin_activity();
  sched::worker& w = sched::this_worker();
  sched::enqueue_arrived(base_detail::new_plain_task(w, nullptr, base_detail::as_glue{std::move(read)}));
}

[[gnu::cold]] inline void complete_as_lost(base_detail::state& s, int rank, const std::string& words) noexcept {
  base_detail::put_error(s, std::make_exception_ptr(lost_rank(rank, words)));
  base_detail::complete(s);
}
template <class R>
void fail_answer(void* state, int rank, const std::string& words) noexcept {
  auto& s = *static_cast<base_detail::state*>(state);
  complete_as_lost(s, rank, words);
  base_detail::drop<R>(s);
}

template <class T>
inline constexpr bool is_large = sizeof(T) > net::detail::most_on_stack;
template <>
inline constexpr bool is_large<void> = false;

/// Sequences of the standard library's of numbers and the like: nothing of the user's runs to make one.
template <class E>
concept plain_element = (std::is_arithmetic_v<E> || std::is_enum_v<E>);
template <class R>
inline constexpr bool is_plain_sequence = false;
template <plain_element E>
inline constexpr bool is_plain_sequence<std::vector<E>> = !std::is_same_v<E, bool>;
template <plain_element C>
inline constexpr bool is_plain_sequence<std::basic_string<C>> = true;

/// Nothing of the user's runs for it, and it is short: what is of a fixed size, and sequences as far as they are.
template <class R>
constexpr bool is_read_in_handler() {
  if constexpr (std::is_void_v<R>)
    return true;
  else
    return (net::detail::goes_as_bytes<R> && !is_large<R>) || is_plain_sequence<R>;
}
inline constexpr std::size_t most_read_in_handler = 8 * 1024;

template <class R>
void take_answer(net::arrival& m) noexcept {
  if (m.size < sizeof(answer_head)) return net::end_job("an answer to a remote call is too short");
  answer_head head;
  std::memcpy(static_cast<void*>(&head), m.bytes, sizeof head);
  if (auto* const s = static_cast<base_detail::state*>(take_for_answer(m.word))) {
    if constexpr (is_read_in_handler<R>()) {
      if (head.failed || m.size > most_read_in_handler) {
        complete_in_task(*s, m, head.failed, complete_answer<R>, base_detail::drop<R>);
      } else {
        in_archive in(m.bytes + sizeof head, m.size - sizeof head);
        complete_answer<R>(*s, in, false);
        base_detail::complete_in_handler(*s);
        base_detail::drop<R>(*s);
      }
    } else {
      complete_in_task(*s, m, head.failed, complete_answer<R>, base_detail::drop<R>);
    }
  }
  if (head.acknowledges.root != finish_id::nobody) acknowledged(head.acknowledges, m.from);
}

// --- here

template <class F>
using sent_function = std::decay_t<F>;

template <class F, class... Args>
using call_result = std::invoke_result_t<sent_function<F>&, traveller<Args>...>;

/// What a call's future is of. Where it can't be called, what it seems to be meant to be.
template <class F, class... Args>
constexpr auto find_answer() {
  if constexpr (std::is_invocable_v<F&, traveller<Args>...>)
    return std::type_identity<plain_result<call_result<F, Args...>>>();
  else if constexpr (std::is_invocable_v<F&, traveller<Args>&...>)
    return std::type_identity<plain_result<std::invoke_result_t<F&, traveller<Args>&...>>>();
  else
    return std::type_identity<void>();
}
template <class F, class... Args>
using answer_of = typename decltype(find_answer<F, Args...>())::type;

/// Where the function or an argument does not travel, the compiler stops with why.
template <class F, class... Args>
constexpr bool call_travels() {
  if constexpr (!function_travels<F>() || !(net::detail::can_travel<traveller<Args>> && ...)) {
    return false;
  } else {
    constexpr bool can_be_called = std::is_invocable_v<F&, traveller<Args>...>;
    static_assert(can_be_called,
                  "this function can't be called with these arguments, which are rvalues where they arrive (and "
                  "std::string for const char*)");
    return can_be_called;
  }
}
template <class F, class... Args>
constexpr bool answer_travels() {
  using result = answer_of<F, Args...>;
  if constexpr (std::is_void_v<result>) {
    return true;
  } else if constexpr (!net::detail::can_travel<result>) {
    return false;
  } else {
    static_assert(!net::detail::holds_views<result>(),
                  "the result of this call is a view of elements that are gone when it is over: return a container of "
                  "them");
    return !net::detail::holds_views<result>();
  }
}

/// What is the same for all calls: `out` has the function and the arguments.
inline void send_written(int rank, std::uint64_t word, call_head head, out_archive& out, sched::worker& w,
                         std::uint64_t code) {
  // Counted only now: what was written may have thrown.
  head.finish = spawn_elsewhere(w.current, rank);
  std::memcpy(out.data(), &head, sizeof head);
  if (net::is_before_main()) word |= sent_before_main;
  if (std::byte* const owned = out.release())
    net::send_owned(rank, code, word, owned, out.size());
  else
    net::send(rank, code, word, out.data(), out.size());
}
/// Sends a call with that word; `answer`: whose result it is, or 0. `R`: what is answered, or unasked.
template <class R, class F, class... Args>
void send_call(int rank, std::uint64_t word, std::uint64_t answer, const F& f, const Args&... args) {
  sched::worker& w = sched::this_worker();
  out_archive out;
  call_head head;
  head.answer = answer;
  out.write(&head, sizeof head);
  write_function(out, f);
  (out(static_cast<const traveller<Args>&>(args)), ...);
  send_written(rank, word, head, out, w, net::code_of<take_call<F, R, traveller<Args>...>>());
}

template <class F, class... Args>
auto call_there(int rank, std::uint64_t word, const F& f, const Args&... args) {
  using result = answer_of<F, Args...>;
  static_cast<void>(net::code_of<take_answer<result>>());  // before main it may not be registered
  base_detail::state& s = base_detail::new_state<result>();
  std::uint64_t const key = keep_for_answer(&s, rank, fail_answer<result>);
  try {
    send_call<result>(rank, word, key, f, args...);
  } catch (...) {
    if (take_for_answer(key) != nullptr) base_detail::drop<result>(s);
    base_detail::drop<result>(s);
    throw;
  }
  return base_detail::adopt<result>(s);
}

/// The same in this process: a task, whose arguments are copies, or were moved here.
template <class F, class... Args, class... Given>
future<answer_of<F, Args...>> call_here(const F& f, Given&&... args) {
  using kept = kept_call<F, traveller<Args>...>;
  using result = std::invoke_result_t<F&, traveller<Args>...>;
  if constexpr (gives_future<result>) {
    std::unique_ptr<kept> apart(new kept{{F(f)}, {traveller<Args>(std::forward<Given>(args))}...});
    return async([apart = std::move(apart)]() mutable {
      auto later = call_kept<F, traveller<Args>...>(*apart);
      // As elsewhere, the arguments stay until the future is there.
      return later.then(launch::sync,
                        [apart = std::move(apart)](auto ready) -> plain_result<result> { return ready.get(); });
    });
  } else if constexpr (sizeof(kept) > net::detail::most_on_stack) {
    std::unique_ptr<kept> apart(new kept{{F(f)}, {traveller<Args>(std::forward<Given>(args))}...});
    return async([apart = std::move(apart)]() -> decltype(auto) { return call_kept<F, traveller<Args>...>(*apart); });
  } else {
    return async([its = kept{{F(f)}, {traveller<Args>(std::forward<Given>(args))}...}]() mutable -> decltype(auto) {
      return call_kept<F, traveller<Args>...>(its);
    });
  }
}

/// `word`: is_serial_call, is_never_serial, or 0.
template <class F, class... Args>
auto call_anywhere(int rank, std::uint64_t word, const char* what, F&& f, Args&&... args)
    -> future<answer_of<sent_function<F>, std::decay_t<Args>...>> {
  using function = sent_function<F>;
  if constexpr (!call_travels<function, std::decay_t<Args>...>() ||
                !answer_travels<function, std::decay_t<Args>...>()) {
    std::terminate();  // not compiled
  } else {
    bool const here =
        checked_rank(rank, what) == net::job().rank && (word == is_never_serial || (word == 0 && !serial_calls()));
    // What can't be copied travels to this process as to any other. So does what is a view, as its elements may change,
    // a large result, which a task would have on its stack, and a serial call, whose turn comes with its message.
    if constexpr ((std::is_constructible_v<traveller<Args>, Args&&> && ...) &&
                  !(net::detail::holds_views<traveller<Args>>() || ...) &&
                  !is_large<answer_of<function, std::decay_t<Args>...>>)
      if (here) return call_here<function, std::decay_t<Args>...>(f, std::forward<Args>(args)...);
    return call_there<function, std::decay_t<Args>...>(rank, word, f, args...);
  }
}

/// Calls `G()(f, args...)` there. A function of the program goes as an argument: its address is another one there.
template <class G, class F, class... Args>
auto call_with(int rank, const char* what, G, const F& f, Args&&... args) {
  using net::detail::form;
  if constexpr (net::detail::form_of<F> == form::function || net::detail::form_of<F> == form::custom)
    return call_anywhere(
        rank, 0, what, [](F its, traveller<Args>... each) -> decltype(auto) { return G()(its, std::move(each)...); }, f,
        std::forward<Args>(args)...);
  else
    return call_anywhere(
        rank, 0, what,
        [its = F(f)](traveller<Args>... each) mutable -> decltype(auto) { return G()(its, std::move(each)...); },
        std::forward<Args>(args)...);
}

/// As rpc and rpc_ff, for calls that Amity makes for itself.
template <class F, class... Args>
auto own_rpc(int rank, F&& f, Args&&... args) {
  return call_anywhere(rank, is_never_serial, "rpc", std::forward<F>(f), std::forward<Args>(args)...);
}
template <class F, class... Args>
void own_rpc_ff(int rank, F&& f, Args&&... args) {
  if constexpr (call_travels<sent_function<F>, std::decay_t<Args>...>())
    send_call<unasked, sent_function<F>, std::decay_t<Args>...>(checked_rank(rank, "rpc_ff"), is_never_serial, 0, f,
                                                                args...);
}

}  // namespace pgas::detail

/// Runs `f(args...)` as a task of process `rank`, which may be this one; gives its result as a future. A result that is
/// a future itself is awaited there: rpc gives a future<int>, not a future of a future<int>. A finish around the call
/// waits for the task, and for all that it begins. What travels is said above.
///
/// The call throws std::out_of_range if there is no such rank, std::invalid_argument for a closure that holds
/// nothing but addresses of the caller's stack, and what writing the arguments throws (out_archive). The future fails
/// with what `f` throws, as remote_error.hpp makes it of an exception of another process; with std::length_error if
/// parameters by value don't fit on the task's stack; and with lost_rank if the process was lost. The call does not
/// wait for the other process, unless more than 32 MiB wait to be sent there: then it blocks the fiber until half of
/// them have left.
template <class F, class... Args>
auto rpc(int rank, F&& f, Args&&... args) {
  return pgas::detail::call_anywhere(rank, 0, "rpc", std::forward<F>(f), std::forward<Args>(args)...);
}
/// The same as a serial call (serial.hpp).
template <class F, class... Args>
auto rpc(int rank, serial_t, F&& f, Args&&... args) {
  return pgas::detail::call_anywhere(rank, pgas::detail::is_serial_call, "rpc", std::forward<F>(f),
                                     std::forward<Args>(args)...);
}

/// The same as rpc: the HabaneroUPC++ paper's name for a call without arguments.
template <class F, class... Args>
auto async_at(int rank, F&& f, Args&&... args) {
  return pgas::detail::call_anywhere(rank, 0, "async_at", std::forward<F>(f), std::forward<Args>(args)...);
}
/// The same as a serial call (serial.hpp).
template <class F, class... Args>
auto async_at(int rank, serial_t, F&& f, Args&&... args) {
  return pgas::detail::call_anywhere(rank, pgas::detail::is_serial_call, "async_at", std::forward<F>(f),
                                     std::forward<Args>(args)...);
}

/// Runs `f(args...)` as a task of process `rank`, as rpc does, but nothing comes back: "fire and forget". A finish
/// around the call waits for the task, and gets what it throws. Without a finish, what it throws ends the job, and
/// a loss of the process is not reported. The call throws as rpc does.
template <class F, class... Args>
void rpc_ff(int rank, F&& f, Args&&... args) {
  namespace d = pgas::detail;
  if constexpr (d::call_travels<d::sent_function<F>, std::decay_t<Args>...>())
    d::send_call<d::unasked, d::sent_function<F>, std::decay_t<Args>...>(d::checked_rank(rank, "rpc_ff"), 0, 0, f,
                                                                         args...);
}
/// The same as a serial call (serial.hpp).
template <class F, class... Args>
void rpc_ff(int rank, serial_t, F&& f, Args&&... args) {
  namespace d = pgas::detail;
  if constexpr (d::call_travels<d::sent_function<F>, std::decay_t<Args>...>())
    d::send_call<d::unasked, d::sent_function<F>, std::decay_t<Args>...>(d::checked_rank(rank, "rpc_ff"),
                                                                         d::is_serial_call, 0, f, args...);
}

}  // namespace amity
