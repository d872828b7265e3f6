#pragma once

/// A value for several readers or one writer, whose accesses are futures: a task asks for one, and goes on. As pika's
/// and HPX's async_rw_mutex.
///
///     amity::async_rw_mutex<matrix> a(n, n);
///     a.readwrite().then([](auto f) { f.get().get().fill(1); });             // in the order of these calls,
///     auto norm = a.read().then([](auto f) { return f.get()->norm(); });     // and the two reads beside each other
///     auto trace = a.read().then([](auto f) { return f.get()->trace(); });
///
/// Accesses are given in the order in which they were asked for; reads that stand together, at once. One ends when it
/// is destroyed, with its copies; or with its future, if nobody took it out. A task that holds one and waits for one
/// that was asked for later waits for itself. As a sender: `execution::as_sender(a.read())`; in a coroutine: `co_await
/// a.read()`. The value lives until the mutex and all accesses are gone.
///
/// Memory ordering: what happened before the end of an access happens before those that waited for it.

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "amity/future/future.hpp"
#include "amity/sync/mutex.hpp"

namespace amity {

template <class T>
class async_rw_mutex;

namespace detail {

/// An access that was asked for and is not there yet.
struct access_request {
  access_request* next = nullptr;
  bool const writes;
  explicit access_request(bool w) noexcept : writes(w) {}
  access_request(const access_request&) = delete;
  access_request& operator=(const access_request&) = delete;
  virtual ~access_request() = default;
  /// It has it: makes its future ready.
  virtual void grant() noexcept = 0;
};

/// The accesses of an async_rw_mutex: those that are had, and the queue of those that were asked for.
class access_queue {
 public:
  access_queue() noexcept = default;
  access_queue(const access_queue&) = delete;
  access_queue& operator=(const access_queue&) = delete;
  virtual ~access_queue() = default;

  /// False: it is not to be had now; ask with a request.
  [[nodiscard]] AMITY_API bool try_begin(bool writes) noexcept;
  /// False: it is to be had at once, and is; the request was not queued.
  [[nodiscard]] AMITY_API bool wait_for(access_request& r) noexcept;
  /// One more reader, by one that reads.
  AMITY_API void begin_beside() noexcept;
  /// Ends one, and gives it to those that wait next. `queue` lives as long as that takes.
  AMITY_API static void end(std::shared_ptr<access_queue> queue) noexcept;

 private:
  [[nodiscard]] bool begin(bool writes) noexcept;
  [[nodiscard]] access_request* end_one() noexcept;

  static constexpr std::uint32_t writer = UINT32_MAX;
  sync::mutex lock_;  ///< guards the rest
  std::uint32_t holders_ = 0;
  access_request* first_ = nullptr;
  access_request* last_ = nullptr;
};

template <class T>
struct guarded_value : access_queue {
  T value;
  template <class... Args>
  explicit guarded_value(Args&&... args) : value(std::forward<Args>(args)...) {}
  [[nodiscard]] T* address() noexcept { return std::addressof(value); }
};
template <>
struct guarded_value<void> : access_queue {
  [[nodiscard]] static void* address() noexcept { return nullptr; }
};

}  // namespace detail

/// An access to the value of an async_rw_mutex, for as long as it lives: of a const T to read, and then it may be
/// copied, of a T to write. Of void it is access alone.
template <class T>
class async_rw_mutex_access {
  using guarded = detail::guarded_value<std::remove_const_t<T>>;

 public:
  /// To nothing.
  async_rw_mutex_access() noexcept = default;
  /// Another one beside it.
  async_rw_mutex_access(const async_rw_mutex_access& other) noexcept requires std::is_const_v<T> : of_(other.of_) {
    if (of_ != nullptr) of_->begin_beside();
  }
  async_rw_mutex_access(async_rw_mutex_access&& other) noexcept : of_(std::move(other.of_)) {}
  /// Ends the one that it was.
  async_rw_mutex_access& operator=(async_rw_mutex_access other) noexcept {
    of_.swap(other.of_);
    return *this;
  }
  ~async_rw_mutex_access() { reset(); }

  /// Ends it. Never waits.
  void reset() noexcept {
    if (of_ != nullptr) detail::access_queue::end(std::exchange(of_, nullptr));
  }
  /// It is one.
  explicit operator bool() const noexcept { return of_ != nullptr; }
  /// The value. Requires, here and below: it is an access.
  [[nodiscard]] std::add_lvalue_reference_t<T> get() const noexcept requires(!std::is_void_v<T>) { return of_->value; }
  /// The same.
  [[nodiscard]] std::add_lvalue_reference_t<T> operator*() const noexcept requires(!std::is_void_v<T>) { return get(); }
  /// The same.
  [[nodiscard]] T* operator->() const noexcept requires(!std::is_void_v<T>) { return of_->address(); }

 private:
  template <class>
  friend class async_rw_mutex;
  explicit async_rw_mutex_access(std::shared_ptr<guarded> of) noexcept : of_(std::move(of)) {}
  std::shared_ptr<guarded> of_;
};

/// A value, or void, that is read by several or written by one at a time.
template <class T = void>
class async_rw_mutex {
  static_assert(std::is_void_v<T> || (std::is_object_v<T> && !std::is_const_v<T>));

 public:
  /// What a read gives.
  using read_access_type = async_rw_mutex_access<const T>;
  /// What a write gives.
  using readwrite_access_type = async_rw_mutex_access<T>;

  /// With a value made of `args`.
  template <class... Args>
  requires(std::is_void_v<T> ? sizeof...(Args) == 0
                             : std::is_constructible_v<T, Args...>) explicit async_rw_mutex(Args&&... args)
      : of_(std::make_shared<detail::guarded_value<T>>(std::forward<Args>(args)...)) {}
  async_rw_mutex(async_rw_mutex&&) noexcept = default;
  /// The accesses to the value that it had go on.
  async_rw_mutex& operator=(async_rw_mutex&&) noexcept = default;
  ~async_rw_mutex() = default;

  /// A future of an access to read. Never waits.
  [[nodiscard]] future<read_access_type> read() { return ask<read_access_type>(false); }
  /// A future of an access to read and to write. Never waits.
  [[nodiscard]] future<readwrite_access_type> readwrite() { return ask<readwrite_access_type>(true); }

 private:
  template <class Access>
  struct request final : detail::access_request {
    promise<Access> to;
    std::shared_ptr<detail::guarded_value<T>> of;
    request(bool writing, std::shared_ptr<detail::guarded_value<T>> value) noexcept(false)
        : access_request(writing), of(std::move(value)) {}
    void grant() noexcept override {
      std::unique_ptr<request> const me(this);
      to.set_value(Access(std::move(of)));
    }
  };

  template <class Access>
  [[nodiscard]] future<Access> ask(bool writing) {
    if (of_->try_begin(writing)) return begun(Access(of_));
    auto r = std::make_unique<request<Access>>(writing, of_);
    future<Access> made = r->to.get_future();
    if (of_->wait_for(*r))
      static_cast<void>(r.release());
    else
      r.release()->grant();
    return made;
  }
  template <class Access>
  [[nodiscard]] static future<Access> begun(Access a) {
    return make_ready_future<Access>(std::move(a));
  }

  std::shared_ptr<detail::guarded_value<T>> of_;
};

}  // namespace amity
