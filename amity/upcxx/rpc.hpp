#pragma once

/// Calls in other processes, which run in the master persona of the process that is called.
///
///     upcxx::future<int> f = upcxx::rpc(1, [](int x, upcxx::dist_object<table>& its) { return its->find(x); }, 5, t);
///     upcxx::rpc_ff(1, [](std::string s) { log(s); }, text);
///
/// Function and arguments are serialised, also for the own rank (serialization.hpp). README.md, rules M1 to M4.

#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/net/buffers.hpp"
#include "amity/net/messages.hpp"
#include "amity/upcxx/completion.hpp"
#include "amity/upcxx/team.hpp"
#include "amity/upcxx/view.hpp"

namespace upcxx {

template <class T>
class dist_object;

namespace detail {

/// The bytes of a message that has come.
class message {
 public:
  message() noexcept = default;
  message(std::byte* owned, std::size_t size) noexcept : owned_(owned), bytes_(owned), size_(size) {}
  message(const message&) = delete;
  message& operator=(const message&) = delete;
  ~message() {
    amity::net::give_buffer(owned_);
    std::free(aligned_);
  }
  /// A reader of them. M2: they are moved where they are not aligned.
  serialization_reader reader() {
    if (reinterpret_cast<std::uintptr_t>(bytes_) % serialization_align_max != 0) {
      aligned_ = static_cast<std::byte*>(alloc_aligned(size_, serialization_align_max));
      std::memcpy(aligned_, bytes_, size_);
      amity::net::give_buffer(std::exchange(owned_, nullptr));
      bytes_ = aligned_;
    }
    return serialization_reader(bytes_);
  }

 private:
  std::byte* owned_ = nullptr;
  std::byte* aligned_ = nullptr;
  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
};

/// A message of a call, as an item of the master persona.
struct arrived : item {
  std::byte* bytes;
  std::size_t size;
  int from;
  std::uint64_t answer;
};

/// Within a handler: makes an item of a message.
inline arrived* keep_message(amity::net::arrival& m, void (*run)(item*) noexcept) noexcept {
  std::byte* const bytes = m.take();
  auto* const a = new (std::nothrow) arrived;
  if (a == nullptr || (bytes == nullptr && m.size != 0)) die("upcxx: no memory for a message");
  a->run = run;
  a->bytes = bytes;
  a->size = m.size;
  a->from = m.from;
  a->answer = m.word;
  return a;
}

inline void send_bytes(int to, std::uint64_t code, std::uint64_t word, writer& w) {
  amity::net::send(to, code, word, w.data(), w.size());
}

// --- answers

/// A call whose answer is awaited. Its address is the word of the messages.
struct awaited {
  persona* home = nullptr;
  void (*arrive)(awaited*, serialization_reader r) = nullptr;
};
inline void run_answer(item* i) noexcept {
  std::unique_ptr<arrived> const a(static_cast<arrived*>(i));
  message bytes(a->bytes, a->size);
  auto* const its = reinterpret_cast<awaited*>(a->answer);
  its->arrive(its, bytes.reader());
}
inline void take_answer(amity::net::arrival& m) noexcept {
  persona* const home = reinterpret_cast<awaited*>(m.word)->home;
  home->push(keep_message(m, run_answer));
}

// --- arguments

/// Room for an object that is read, for as long as a call takes.
template <class T>
class read_object {
 public:
  using its = std::remove_cv_t<deserialized_type_t<T>>;
  read_object() noexcept {}
  read_object(const read_object&) = delete;
  read_object& operator=(const read_object&) = delete;
  ~read_object() {
    if (at_ != nullptr) destruct(*at_);
  }
  void read(serialization_reader& r) { at_ = r.template read_into<T>(&room_); }
  [[nodiscard]] bool is_here() const noexcept { return true; }
  its&& get() noexcept { return std::move(*at_); }

 private:
  alignas(its) std::byte room_[sizeof(its)];
  its* at_ = nullptr;
};
/// What all processes have under one number: arrives as the object here.
template <class T>
class read_number {
 public:
  void read(serialization_reader& r) { number_ = r.number(); }
  T& get() const noexcept { return *static_cast<T*>(at_); }
  template <class Registry>
  [[nodiscard]] future<T&> when_here(Registry& all) const {
    return all.template when_here<T>(number_);
  }
  void set(T& x) noexcept { at_ = &x; }

 private:
  std::uint64_t number_ = 0;
  void* at_ = nullptr;
};

/// How an argument goes: `write` here, `room` there.
template <class T>
struct argument {
  static_assert(std::is_trivially_copyable_v<T> || is_serializable<T>::value,
                "this argument of a call can't be serialized");
  using room = read_object<T>;
  static void write(writer& w, const T& x) { w.write(x); }
  static constexpr bool waits = false;
};
template <class T>
struct argument<dist_object<T>> {
  using room = read_number<dist_object<T>>;
  static void write(writer& w, const dist_object<T>& x) { w.write(x.id().number); }
  static constexpr bool waits = true;
  static registry& all() { return objects(); }
};
template <class X>
struct argument<number_of<X>> : argument<X> {
  static void write(writer& w, const number_of<X>& x) { w.write(x.number); }
};
template <>
struct argument<team> {
  using room = read_number<team>;
  static void write(writer& w, const team& x) { w.write(x.id().number); }
  static constexpr bool waits = true;
  static registry& all() { return teams(); }
};

template <class A>
using arrives_as = decltype(std::declval<typename argument<A>::room&>().get());
template <class F, class... Args>
using call_result = std::invoke_result_t<deserialized_type_t<F>, arrives_as<Args>...>;

/// The values that come back of a call.
template <class R>
struct answer_of {
  using type = future<std::remove_cv_t<deserialized_type_t<R>>>;
};
template <>
struct answer_of<void> {
  using type = future<>;
};
template <class... T>
struct answer_of<future<T...>> {
  using type = future<std::remove_cv_t<deserialized_type_t<T>>...>;
};
template <class R>
using answer_of_t = typename answer_of<std::conditional_t<is_future_v<R>, std::remove_cvref_t<R>, R>>::type;

// --- there

/// A call that has come, with all that it needs until it is over.
template <class F, class... Args>
struct running_call {
  message bytes;
  read_object<F> f;
  std::tuple<typename argument<Args>::room...> arguments;
  int from;
  std::uint64_t answer;

  running_call(const arrived& a) : bytes(a.bytes, a.size), from(a.from), answer(a.answer) {}

  template <class... V>
  void send_answer(const V&... values) {
    if (answer == 0) return;
    writer w;
    (w.write(values), ...);
    send_bytes(from, amity::net::code_of<take_answer>(), answer, w);
  }
};

/// Runs a call. M3: it lives until what the function gives is ready.
template <class F, class... Args, std::size_t... I>
void perform(std::shared_ptr<running_call<F, Args...>> c, std::index_sequence<I...>) {
  using result = call_result<F, Args...>;
  auto call = [&]() -> decltype(auto) { return std::invoke(c->f.get(), std::get<I>(c->arguments).get()...); };
  if constexpr (std::is_void_v<result>) {
    call();
    c->send_answer();
  } else if constexpr (is_future_v<result>) {
    auto later = call();
    auto const its = later.its_state();
    when_ready(its, [c, p = its.get()] { std::apply([&c](auto&... v) { c->send_answer(v...); }, *p->value); });
  } else {
    c->send_answer(static_cast<const std::remove_reference_t<result>&>(call()));
  }
}

template <class Arg, class Room, class Waits>
void await_argument(Room& room, Waits& waits) {
  if constexpr (argument<Arg>::waits)
    waits = when_all(waits, room.when_here(argument<Arg>::all()).then([&room](auto& x) { room.set(x); }));
}

template <class F, class... Args>
void run_call(item* i) noexcept {
  std::unique_ptr<arrived> const a(static_cast<arrived*>(i));
  auto c = std::make_shared<running_call<F, Args...>>(*a);
  serialization_reader r = c->bytes.reader();
  c->f.read(r);
  std::apply([&r](auto&... room) { (room.read(r), ...); }, c->arguments);
  if constexpr ((argument<Args>::waits || ...)) {
    future<> here = make_future();
    std::apply([&here](auto&... room) { (await_argument<Args>(room, here), ...); }, c->arguments);
    here.then([c] { perform(c, std::index_sequence_for<Args...>()); });
  } else {
    perform(std::move(c), std::index_sequence_for<Args...>());
  }
}
template <class F, class... Args>
void take_call(amity::net::arrival& m) noexcept {
  the_master.push(keep_message(m, run_call<F, Args...>));
}

// --- here

template <class F, class... Args>
void write_call(writer& w, const F& f, const Args&... args) {
  static_assert(std::is_trivially_destructible_v<F> || is_serializable<F>::value,
                "the function of a call can't be serialized: hand over what it captures as arguments");
  w.write(f);
  (argument<Args>::write(w, args), ...);
}

inline int checked_rank(int rank) {
  if (rank < 0 || rank >= amity::rank_n()) die("upcxx: a call to a rank that does not exist");
  return rank;
}

/// As `read<T>` is asked for the type that was written, the answer is read by these.
template <class R>
struct answer_types {
  using type = std::tuple<std::remove_cvref_t<R>>;
};
template <>
struct answer_types<void> {
  using type = std::tuple<>;
};
template <class... T>
struct answer_types<future<T...>> {
  using type = std::tuple<std::remove_cvref_t<T>...>;
};
template <class Completions, class Written, class Answer>
struct call_with_answer;
template <class Completions, class... W, class... V>
struct call_with_answer<Completions, std::tuple<W...>, future<V...>> : awaited {
  operation<Completions, V...> of;
  explicit call_with_answer(Completions cx) : of(std::move(cx)) {
    home = &of.home();
    arrive = [](awaited* a, [[maybe_unused]] serialization_reader r) {
      std::unique_ptr<call_with_answer> const mine(static_cast<call_with_answer*>(a));
      std::tuple<V...> values{r.template read<W>()...};  // in braces: in their order
      std::apply([&mine](V&... v) { mine->of.complete(std::move(v)...); }, values);
    };
  }
};

template <class Completions, class F, class... Args>
auto call_rpc(int rank, Completions cx, const F& f, const Args&... args) {
  using result = call_result<F, Args...>;
  using plain = std::conditional_t<is_future_v<result>, std::remove_cvref_t<result>, result>;
  using call = call_with_answer<Completions, typename answer_types<plain>::type, answer_of_t<result>>;
  writer w;
  write_call(w, f, args...);
  auto* const c = new call(std::move(cx));
  // Before it is sent: the answer may come at once to another thread that holds the persona.
  if constexpr (std::is_void_v<decltype(c->of.futures())>) {
    send_bytes(checked_rank(rank), amity::net::code_of<take_call<F, Args...>>(), reinterpret_cast<std::uint64_t>(c), w);
  } else {
    auto given = c->of.futures();
    send_bytes(checked_rank(rank), amity::net::code_of<take_call<F, Args...>>(), reinterpret_cast<std::uint64_t>(c), w);
    return given;
  }
}
template <class Completions, class F, class... Args>
auto call_rpc_ff(int rank, Completions cx, const F& f, const Args&... args) {
  static_cast<void>(sizeof(std::type_identity<call_result<F, Args...>>));
  writer w;
  write_call(w, f, args...);
  send_bytes(checked_rank(rank), amity::net::code_of<take_call<F, Args...>>(), 0, w);
  return operation<Completions>(std::move(cx)).futures();
}

/// What remote_cx asks for, as a message that is sent later.
struct late_call {
  std::unique_ptr<writer> bytes;
  std::uint64_t code;
  int to;
  void send() const { send_bytes(to, code, 0, *bytes); }
};
template <class Cx>
void make_late(const Cx&, int, std::vector<late_call>&) {}
template <class F, class... Kept>
void make_late(const rpc_cx<F, Kept...>& cx, int to, std::vector<late_call>& calls) {
  auto w = std::make_unique<writer>();
  std::apply([&](const auto&... args) { write_call<F, std::decay_t<Kept>...>(*w, cx.f, args...); }, cx.arguments);
  calls.push_back({std::move(w), amity::net::code_of<take_call<F, std::decay_t<Kept>...>>(), to});
}
template <class... Each>
[[nodiscard]] std::shared_ptr<std::vector<late_call>> late_calls(const std::tuple<Each...>& wishes, int to) {
  auto calls = std::make_shared<std::vector<late_call>>();
  std::apply([&](const Each&... each) { (make_late(each, to, *calls), ...); }, wishes);
  return calls;
}

using by_default = completions<future_cx<event::operation>>;

}  // namespace detail

/// Calls `f(args...)` in process `rank`; gives its result, or what the completions ask for.
template <class F, class... Args>
requires(!detail::some_completions<F>) [[nodiscard]] auto rpc(intrank_t rank, F&& f, Args&&... args) {
  static_assert((detail::is_no_array<Args> && ...),
                "an array can't be an argument of a call: use a view or std::array");
  return detail::call_rpc<detail::by_default, std::decay_t<F>, std::decay_t<Args>...>(rank, {}, f, args...);
}
template <detail::some_completions C, class F, class... Args>
auto rpc(intrank_t rank, C&& cx, F&& f, Args&&... args) {
  static_assert((detail::is_no_array<Args> && ...),
                "an array can't be an argument of a call: use a view or std::array");
  return detail::call_rpc<std::decay_t<C>, std::decay_t<F>, std::decay_t<Args>...>(rank, cx, f, args...);
}
/// The same in the team's process `i`.
template <class F, class... Args>
requires(!detail::some_completions<F>) [[nodiscard]] auto rpc(const team& t, intrank_t i, F&& f, Args&&... args) {
  static_assert((detail::is_no_array<Args> && ...),
                "an array can't be an argument of a call: use a view or std::array");
  return detail::call_rpc<detail::by_default, std::decay_t<F>, std::decay_t<Args>...>(t[i], {}, f, args...);
}
template <detail::some_completions C, class F, class... Args>
auto rpc(const team& t, intrank_t i, C&& cx, F&& f, Args&&... args) {
  static_assert((detail::is_no_array<Args> && ...),
                "an array can't be an argument of a call: use a view or std::array");
  return detail::call_rpc<std::decay_t<C>, std::decay_t<F>, std::decay_t<Args>...>(t[i], cx, f, args...);
}
/// The same without an answer.
template <class F, class... Args>
requires(!detail::some_completions<F>) void rpc_ff(intrank_t rank, F&& f, Args&&... args) {
  static_assert((detail::is_no_array<Args> && ...),
                "an array can't be an argument of a call: use a view or std::array");
  detail::call_rpc_ff<detail::completions<>, std::decay_t<F>, std::decay_t<Args>...>(rank, {}, f, args...);
}
template <detail::some_completions C, class F, class... Args>
auto rpc_ff(intrank_t rank, C&& cx, F&& f, Args&&... args) {
  static_assert((detail::is_no_array<Args> && ...),
                "an array can't be an argument of a call: use a view or std::array");
  return detail::call_rpc_ff<std::decay_t<C>, std::decay_t<F>, std::decay_t<Args>...>(rank, cx, f, args...);
}
template <class F, class... Args>
requires(!detail::some_completions<F>) void rpc_ff(const team& t, intrank_t i, F&& f, Args&&... args) {
  static_assert((detail::is_no_array<Args> && ...),
                "an array can't be an argument of a call: use a view or std::array");
  detail::call_rpc_ff<detail::completions<>, std::decay_t<F>, std::decay_t<Args>...>(t[i], {}, f, args...);
}
template <detail::some_completions C, class F, class... Args>
auto rpc_ff(const team& t, intrank_t i, C&& cx, F&& f, Args&&... args) {
  static_assert((detail::is_no_array<Args> && ...),
                "an array can't be an argument of a call: use a view or std::array");
  return detail::call_rpc_ff<std::decay_t<C>, std::decay_t<F>, std::decay_t<Args>...>(t[i], cx, f, args...);
}

}  // namespace upcxx
