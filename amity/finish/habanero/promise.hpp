#pragma once

/// HClib's promises and futures, which its programs hold by pointers.
///
///     amity::habanero::promise_t<int> left;
///     amity::habanero::async_await([&] { use(left.future().get()); }, left.get_future());
///     left.put(42);
///
/// They are amity's beneath: `shared()` is the same result as a shared_future. Values of any type, where HClib's are no
/// larger than a pointer; what a task throws comes out of wait(). Memory ordering: what happened before a put happens
/// before the return of the waits for it.

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/future/dataflow.hpp"

namespace amity::habanero {

/// What futures of all types are, for lists of them: HClib's hclib_future_t.
class future_base {
 public:
  virtual ~future_base() = default;
  /// Whether a value, or what was thrown instead, is there. Never waits.
  [[nodiscard]] virtual bool test() const noexcept = 0;
  /// That it is there, without the value.
  [[nodiscard]] virtual shared_future<void> done() const = 0;

 protected:
  future_base() = default;
  future_base(const future_base&) = default;
  future_base& operator=(const future_base&) = default;
};
/// HClib's name for it.
using hclib_future_t = future_base;

/// A result that is there now or later. Copies are the same result.
template <class T>
class future_t : public future_base {
 public:
  /// Of nothing: everything but a new value throws future_error, no_state.
  future_t() noexcept = default;
  /// The same result.
  future_t(shared_future<T> result) noexcept : result_(std::move(result)) {}  // NOLINT: the same result
  /// Takes it over.
  future_t(amity::future<T>&& result) noexcept : result_(std::move(result)) {}  // NOLINT: the same result

  /// Waits, and gives the value, as a reference that lives as long as the result; or throws what was thrown instead.
  decltype(auto) wait() const { return result_.get(); }
  /// The same. (HClib's does not wait, and must not be called too early.)
  decltype(auto) get() const { return result_.get(); }
  /// The same.
  decltype(auto) wait_and_get() const { return result_.get(); }
  [[nodiscard]] bool test() const noexcept override { return result_.is_ready(); }
  [[nodiscard]] shared_future<void> done() const override { return result_; }
  /// The same as one of amity's.
  [[nodiscard]] const shared_future<T>& shared() const noexcept { return result_; }

 private:
  shared_future<T> result_;
};

/// What async_future gives: a future_t to be used like HClib's pointer to one, without anybody having to free it. Where
/// a program asks for a plain pointer, `future_t<T>* f = async_future(...)`, that is the program's own to delete.
template <class T>
class future_pointer : public future_t<T> {
 public:
  using future_t<T>::future_t;
  /// As of a pointer.
  [[nodiscard]] const future_t<T>* operator->() const noexcept { return this; }
  /// As of a pointer.
  [[nodiscard]] const future_t<T>& operator*() const noexcept { return *this; }
  /// A new one of the same result.
  operator future_t<T>*() const { return new future_t<T>(*this); }  // NOLINT: what HClib's programs write
  /// There is one.
  explicit operator bool() const noexcept { return this->shared().valid(); }
};

/// What is put once, by anybody. The result outlives it; the futures that it points to do not.
template <class T>
class promise_t {
  using given = std::conditional_t<std::is_void_v<T>, std::nullptr_t, T>;

 public:
  promise_t() : future_(promise_.get_future()) {}
  promise_t(const promise_t&) = delete;
  promise_t& operator=(const promise_t&) = delete;
  /// If nothing was put, those that wait get future_error, broken_promise.
  ~promise_t() = default;

  /// Makes the future ready, and all that waits for it. The second put throws future_error,
  /// promise_already_satisfied.
  void put(given value) requires(!std::is_void_v<T>) { promise_.set_value(std::forward<given>(value)); }
  /// The same without a value.
  void put() requires std::is_void_v<T> { promise_.set_value(); }
  /// The same one every time; it is this promise's.
  [[nodiscard]] future_t<T>* get_future() noexcept { return &future_; }
  /// The same.
  [[nodiscard]] future_t<T>& future() noexcept { return future_; }

 private:
  amity::promise<T> promise_;
  future_t<T> future_;
};

}  // namespace amity::habanero

namespace amity::detail {

template <class X>
inline constexpr bool is_habanero_future = std::is_base_of_v<habanero::future_base, std::remove_cvref_t<X>>;
template <class X>
concept points_to_future = requires(const X& x) {
  requires is_habanero_future<decltype(*x)>;
  x == nullptr;
}
&&!is_habanero_future<X>;
template <class X>
inline constexpr bool is_habanero_promise = false;
template <class T>
inline constexpr bool is_habanero_promise<habanero::promise_t<T>*> = true;
template <class X>
inline constexpr bool is_list_of_pointers = false;
template <class P, class A>
inline constexpr bool is_list_of_pointers<std::vector<P, A>> = points_to_future<P> || is_habanero_future<P>;

/// What async_await may be given for an argument of HClib's: of a future_t, or a pointer to one, or to a promise_t, the
/// result; nothing to wait for where the pointer is null; all of a list that ends with a null pointer. Anything else as
/// it is.
template <class X>
decltype(auto) awaited(X&& x) {
  using kind = std::remove_cvref_t<X>;
  if constexpr (is_habanero_future<kind>) {
    if constexpr (requires { x.shared(); })
      return std::remove_cvref_t<decltype(x.shared())>(x.shared());
    else
      return x.done();
  } else if constexpr (std::is_same_v<kind, std::nullptr_t> || std::is_same_v<kind, decltype(NULL)>) {
    return make_ready_future().share();  // NULL is a number here, as others are not
  } else if constexpr (std::is_convertible_v<X, habanero::future_base* const*>) {
    std::vector<shared_future<void>> all;
    for (habanero::future_base* const* each = x; each != nullptr && *each != nullptr; ++each)
      all.push_back((*each)->done());
    return all;
  } else if constexpr (std::is_convertible_v<X, habanero::promise_t<void*>* const*>) {
    std::vector<shared_future<void>> all;
    for (habanero::promise_t<void*>* const* each = x; each != nullptr && *each != nullptr; ++each)
      all.push_back((*each)->future().done());
    return all;
  } else if constexpr (is_habanero_promise<std::decay_t<X>>) {
    return x != nullptr ? x->future().done() : make_ready_future().share();
  } else if constexpr (points_to_future<kind>) {
    return x != nullptr ? shared_future<void>(awaited(*x)) : make_ready_future().share();
  } else if constexpr (is_list_of_pointers<kind>) {
    std::vector<shared_future<void>> all;
    for (const auto& each : x) all.push_back(shared_future<void>(awaited(each)));
    return all;
  } else {
    return std::forward<X>(x);
  }
}

/// The same result as one of HClib's.
template <class T>
[[nodiscard]] habanero::future_pointer<T> pointer(future<T>&& result) {
  return habanero::future_pointer<T>(std::move(result));
}

}  // namespace amity::detail
