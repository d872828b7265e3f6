#pragma once

/// Calls in other processes of the job.
///
///     amity::future<int> f = amity::async_at(3, [me] { return me * 10 + amity::rank_me(); });
///     amity::future<std::string> g = amity::rpc(1, [](std::string s, std::vector<int> v) { ... }, name, values);
///     amity::rpc_ff(2, [](int n) { total += n; }, 5);                  // nobody is told of its end
///
/// The function runs there as a task: it may block, and make tasks and calls of its own. What it gives comes back as a
/// future, what it throws as well (remote_error.hpp). Within a finish here, the finish waits for the call, and for
/// all that it begins.
///
/// *What travels.* A closure travels as its bytes. So its captures must be such that mean the same elsewhere: numbers,
/// ranks, amity::global_ptr. Captured strings or containers don't compile; references and addresses of the caller's
/// stack are refused when they are found (std::invalid_argument). What is passed as an argument is serialised
/// (net/archive.hpp): strings, containers, types with `serialize`; std::span and std::string_view of it arrive as views
/// of the message, which live as long as the call. A plain function travels as its place in the program.

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

#include "amity/future/async.hpp"
#include "amity/future/future.hpp"
#include "amity/future/plain_task.hpp"
#include "amity/net/archive.hpp"
#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
#include "amity/pgas/finish_tree.hpp"
#include "amity/pgas/remote_error.hpp"

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

/// Some aligned word of these bytes is an address of the calling fiber's stack.
[[nodiscard]] AMITY_API bool points_to_own_stack(const void* bytes, std::size_t size) noexcept;

/// A call that has come, as a task. Its bytes lie behind it, or in memory from malloc.
struct arrived_call : sched::task {
  void (*call)(arrived_call&) noexcept = nullptr;
  std::byte* bytes = nullptr;
  std::size_t size = 0;
  bool owns_bytes = false;
  bool answer_counts = false;
  int from = 0;
  call_head head;
};
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

// --- arguments

/// As what an argument arrives.
template <class T>
struct travels_as {
  using type = T;
};
template <>
struct travels_as<const char*> {
  using type = std::string;
};
template <>
struct travels_as<char*> {
  using type = std::string;
};
template <class T>
using traveller = typename travels_as<std::decay_t<T>>::type;

template <class F>
inline constexpr bool is_function = std::is_pointer_v<F>&& std::is_function_v<std::remove_pointer_t<F>>;

/// The bytes of a closure. What lies between its captures is whatever was there before, and is not to travel, nor to be
/// taken for an address.
template <class F>
struct closure_bytes {
#if __has_builtin(__builtin_clear_padding)  // not in clang 22
  static constexpr bool are_known = true;
  explicit closure_bytes(F f) {
    __builtin_clear_padding(&f);
    std::memcpy(bytes, &f, sizeof f);
  }
#else
  static constexpr bool are_known = std::has_unique_object_representations_v<F>;
  explicit closure_bytes(F f) { std::memcpy(bytes, &f, sizeof f); }
#endif
  alignas(F) std::byte bytes[sizeof(F)];
};

template <class F>
void write_function(out_archive& out, const F& f) {
  if constexpr (is_function<F>) {
    std::uint64_t const place = net::place_in_program(reinterpret_cast<const void*>(f));
    if (place == 0) throw std::invalid_argument("a remote call of a function that is in no program or library");
    out(place);
  } else if constexpr (std::is_member_pointer_v<F>) {
    static_assert(net::detail::never<F>,
                  "call a member in a closure: [](T object) { object.member(); }, or by "
                  "amity::new_");
  } else {
    static_assert(std::is_trivially_copy_constructible_v<F> && std::is_trivially_destructible_v<F>,
                  "this closure captures what can't travel as bytes to another process (a string, a container, a "
                  "future ...): pass that as an argument, amity::rpc(rank, f, args...), and f gets a copy there");
    if constexpr (!std::is_empty_v<F>) {
      closure_bytes<F> const copy(f);
      if (copy.are_known && points_to_own_stack(copy.bytes, sizeof(F)))
        throw std::invalid_argument(
            "a remote call whose closure holds the address of a variable of the caller ([&], or a captured pointer): "
            "there is no such variable in another process; capture values, or pass arguments");
      out.write(copy.bytes, sizeof(F));
    }
  }
}

template <class F>
F read_function(in_archive& in) {
  if constexpr (is_function<F>) {
    const void* const f = net::address_in_program(in.make<std::uint64_t>(), true);
    if (f == nullptr) throw bad_message("a function that this process does not have");
    return reinterpret_cast<F>(const_cast<void*>(f));
  } else {
    return in.make<F>();
  }
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

template <class R>
void take_answer(net::arrival& m) noexcept;

/// Where an answer goes, when the call itself is over.
struct answer_address {
  int to = 0;
  std::uint64_t key = 0;
  finish_id acknowledges;
};

template <class R>
void answer_error(const answer_address& a, const std::exception_ptr& error) noexcept {
  error_words words;
  to_words(error, words);
  if (words.rank < 0) words.rank = net::job().rank;
  out_archive out;
  out(answer_head{a.acknowledges, true}, words.rank, words.type, words.text);
  send_answer(a.to, a.key, net::code_of<take_answer<R>>(), out);
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

/// Answers when a future is there, which keeps the finish and the job waiting as the call did.
template <class R, class Future>
void answer_later(const answer_address& a, sched::scope* within, Future f) {
  sched::begin_within(within, sched::this_worker());
  net::begin_activity();
  f.then(launch::sync, [a, within](Future ready) {
    try {
      if constexpr (std::is_void_v<R>) {
        ready.get();
        if (a.key != 0) answer_value<R>(a);
      } else if (a.key != 0) {
        answer_value<R>(a, ready.get());
      }
    } catch (...) {
      if (a.key != 0) answer_error<R>(a, std::current_exception());
    }
    sched::end_within(within, sched::this_worker());
    net::end_activity();
  });
}

/// The call itself, on the fiber of its task.
template <class F, class R, class... Args>
void run_call(arrived_call& c) noexcept {
  answer_address const a{c.from, c.head.answer, c.answer_counts ? c.head.finish : finish_id{}};
  using result = plain_result<R>;
  try {
    in_archive in(c.bytes, c.size, sizeof(call_head));
    F f = read_function<F>(in);
    std::tuple<Args...> arguments{in.make<Args>()...};  // braces: from the first to the last
    auto invoke = [&]() -> decltype(auto) {
      return std::apply([&f](Args&... each) -> decltype(auto) { return std::invoke(f, std::move(each)...); },
                        arguments);
    };
    if constexpr (gives_future<R>) {
      answer_later<result>(a, c.within, invoke());
    } else if constexpr (std::is_void_v<R>) {
      invoke();
      if (a.key != 0) answer_value<result>(a);
    } else {
      auto&& value = invoke();
      if (a.key != 0) answer_value<result>(a, value);
    }
  } catch (...) {
    std::exception_ptr const error = base_detail::caught_here();
    base_detail::report_error(c.within, error);
    if (a.key != 0)
      answer_error<result>(a, error);
    else if (c.within == nullptr)
      std::terminate();  // nobody could be told
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
      base_detail::put_value<R>(s, in.make<R>());
    }
  } catch (...) {
    base_detail::put_error(s, std::current_exception());
  }
}

/// What reads the answer is code of the user's: not in the handler.
template <class R>
void complete_in_task(base_detail::state& s, net::arrival& m, bool failed) noexcept {
  std::size_t const size = m.size - sizeof(answer_head);
  std::unique_ptr<std::byte, decltype(&net::give_buffer)> bytes(m.take(), &net::give_buffer);
  auto read = [&s, size, failed, bytes = std::move(bytes)]() noexcept {
    in_archive in(bytes.get() + sizeof(answer_head), size);
    complete_answer<R>(s, in, failed);
    base_detail::complete(s);
    base_detail::drop<R>(s);
    net::end_activity();
  };
  net::begin_activity();
  sched::worker& w = sched::this_worker();
  sched::enqueue_arrived(base_detail::new_plain_task(w, nullptr, base_detail::as_glue{std::move(read)}));
}

template <class R>
void fail_answer(void* state, int rank, const std::string& words) noexcept {
  auto& s = *static_cast<base_detail::state*>(state);
  base_detail::put_error(s, std::make_exception_ptr(lost_rank(rank, words)));
  base_detail::complete(s);
  base_detail::drop<R>(s);
}

template <class R>
void take_answer(net::arrival& m) noexcept {
  if (m.size < sizeof(answer_head)) return net::end_job("an answer to a remote call is too short");
  answer_head head;
  std::memcpy(static_cast<void*>(&head), m.bytes, sizeof head);
  if (auto* const s = static_cast<base_detail::state*>(take_for_answer(m.word))) {
    if constexpr (std::is_void_v<R> || net::detail::goes_as_bytes<R>) {
      if (head.failed) {
        complete_in_task<R>(*s, m, true);
      } else {
        in_archive in(m.bytes + sizeof head, m.size - sizeof head);
        complete_answer<R>(*s, in, false);
        base_detail::complete_in_handler(*s);
        base_detail::drop<R>(*s);
      }
    } else {
      complete_in_task<R>(*s, m, head.failed);
    }
  }
  if (head.acknowledges.root != finish_id::nobody) acknowledged(head.acknowledges, m.from);
}

// --- here

template <class F>
using sent_function = std::decay_t<F>;

template <class F, class... Args>
using call_result = std::invoke_result_t<sent_function<F>&, traveller<Args>...>;

/// Sends a call; `answer`: whose result it is, or 0.
template <class F, class... Args>
void send_call(int rank, std::uint64_t answer, const F& f, const Args&... args) {
  sched::worker& w = sched::this_worker();
  out_archive out;
  call_head head;
  head.answer = answer;
  out.write(&head, sizeof head);
  write_function(out, f);
  (out(static_cast<const traveller<Args>&>(args)), ...);
  // Counted only now: what was written may have thrown.
  head.finish = spawn_elsewhere(w.current, rank);
  std::memcpy(out.data(), &head, sizeof head);
  std::uint64_t const code = net::code_of<take_call<F, call_result<F, Args...>, traveller<Args>...>>();
  if (std::byte* const owned = out.release())
    net::send_owned(rank, code, 0, owned, out.size());
  else
    net::send(rank, code, 0, out.data(), out.size());
}

template <class F, class... Args>
auto call_there(int rank, const F& f, const Args&... args) {
  using result = plain_result<call_result<F, Args...>>;
  base_detail::state& s = base_detail::new_state<result>();
  std::uint64_t const key = keep_for_answer(&s, rank, fail_answer<result>);
  try {
    send_call(rank, key, f, args...);
  } catch (...) {
    if (take_for_answer(key) != nullptr) base_detail::drop<result>(s);
    base_detail::drop<result>(s);
    throw;
  }
  return base_detail::adopt<result>(s);
}

/// The same in this process: a task, whose arguments are copies, or were moved here.
template <class F, class R, class... Args, class... Given>
future<plain_result<R>> call_here(const F& f, Given&&... args) {
  return async([f, arguments = std::tuple<Args...>(std::forward<Given>(args)...)]() mutable -> decltype(auto) {
    return std::apply([&f](auto&... each) -> decltype(auto) { return std::invoke(f, std::move(each)...); }, arguments);
  });
}

template <class F, class... Args>
future<plain_result<call_result<F, Args...>>> call_anywhere(int rank, const char* what, F&& f, Args&&... args) {
  using function = sent_function<F>;
  bool const here = checked_rank(rank, what) == net::job().rank;
  // What can't be copied travels to this process as to any other.
  if constexpr ((std::is_constructible_v<traveller<Args>, Args&&> && ...))
    if (here) return call_here<function, call_result<F, Args...>, traveller<Args>...>(f, std::forward<Args>(args)...);
  return call_there<function, std::decay_t<Args>...>(rank, f, args...);
}

}  // namespace pgas::detail

/// Runs `f(args...)` as a task of process `rank`, which may be this one; gives its result as a future. A result that is
/// a future itself is awaited there. Within a finish, the finish waits for it.
///
/// Throws std::out_of_range where there is no such rank, std::invalid_argument for a closure with an address of the
/// caller's stack. Does not wait for the other process, unless that is far behind in taking what it is sent.
template <class F, class... Args>
auto rpc(int rank, F&& f, Args&&... args) {
  return pgas::detail::call_anywhere(rank, "rpc", std::forward<F>(f), std::forward<Args>(args)...);
}

/// The same; the paper's name for a call without arguments.
template <class F, class... Args>
auto async_at(int rank, F&& f, Args&&... args) {
  return pgas::detail::call_anywhere(rank, "async_at", std::forward<F>(f), std::forward<Args>(args)...);
}

/// The same without a result: "fire and forget". Within a finish the finish waits for it, and gets what it throws;
/// outside, what it throws ends the job.
template <class F, class... Args>
void rpc_ff(int rank, F&& f, Args&&... args) {
  namespace d = pgas::detail;
  d::send_call<d::sent_function<F>, std::decay_t<Args>...>(d::checked_rank(rank, "rpc_ff"), 0, f, args...);
}

}  // namespace amity
