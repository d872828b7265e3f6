#pragma once

/// Objects that live in one process and are used from all.
///
///     auto account = amity::new_<bank::account>(rank, "name", 100).get();        // an amity::object_ref
///     account.call<&bank::account::deposit>(5).get();
///     account.call([](bank::account& a) { return a.balance(); }).get();
///     amity::rpc(other, [](amity::object_ref<bank::account> a) { ... }, account);   // goes along, like a shared_ptr
///
/// The object is destroyed when the last reference anywhere has gone. Calls run as tasks in its process, and several at
/// once: an object that may not be used by several calls at once needs a mutex of its own.
///
/// References are counted by weight (Bevan, "Distributed garbage collection using reference counting", 1987; Watson and
/// Watson, 1987): a copy that travels takes half of the weight along, so no process has to be notified.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "amity/pgas/remote_call.hpp"

namespace amity {

namespace pgas::detail {

/// Where an object is.
struct object_place {
  int rank = 0;
  std::uint64_t number = 0;  ///< of its process; 0: none
};

inline constexpr std::uint64_t whole_weight = std::uint64_t{1} << 62;

/// Keeps an object here, with the whole weight out.
[[nodiscard]] AMITY_API std::uint64_t keep_object(std::shared_ptr<void> object);
/// Null: there is none any more.
[[nodiscard]] AMITY_API std::shared_ptr<void> find_object(std::uint64_t number);
/// Weight comes back.
AMITY_API void return_weight(const object_place& at, std::uint64_t weight) noexcept;
/// More weight for a reference whose weight can't be halved any more. Blocks the fiber.
[[nodiscard]] AMITY_API std::uint64_t more_weight(const object_place& at);

/// By name.
/// False: the name is taken, and `weight` was given back. `type`: in words, the same in all processes.
[[nodiscard]] AMITY_API bool register_name(const std::string& name, const object_place& at, std::uint64_t weight,
                                           const std::string& type);
/// With weight for one reference. No object: its number is 0.
struct named_object {
  object_place at;
  std::uint64_t weight = 0;
  std::string type;
};
[[nodiscard]] AMITY_API named_object find_name(const std::string& name);

/// What all copies of a reference in this process share.
class held_object {
 public:
  held_object(const object_place& at, std::uint64_t weight) noexcept : at_(at), weight_(weight) {}
  held_object(const held_object&) = delete;
  held_object& operator=(const held_object&) = delete;
  ~held_object() { return_weight(at_, weight_.load(std::memory_order_relaxed)); }

  [[nodiscard]] const object_place& at() const noexcept { return at_; }
  /// Half of the weight, for a copy that travels.
  [[nodiscard]] std::uint64_t half() {
    std::uint64_t have = weight_.load(std::memory_order_relaxed);
    for (;;) {
      if (have < 2) {
        have = weight_.fetch_add(more_weight(at_), std::memory_order_relaxed);
        have = weight_.load(std::memory_order_relaxed);
        continue;
      }
      if (weight_.compare_exchange_weak(have, have - have / 2, std::memory_order_relaxed)) return have / 2;
    }
  }

 private:
  object_place at_;
  std::atomic<std::uint64_t> weight_;
};

}  // namespace pgas::detail

/// A reference to an object of any process, as a std::shared_ptr is one within a process: the object is destroyed, by a
/// task of its process, when the last reference anywhere has gone. Copies are cheap. It may be an argument or a result
/// of a call, but no capture of a closure that travels.
template <class T>
class object_ref {
 public:
  /// Refers to nothing.
  object_ref() noexcept = default;
  /// For code that builds on it.
  object_ref(const pgas::detail::object_place& at, std::uint64_t weight)
      : held_(std::make_shared<pgas::detail::held_object>(at, weight)) {}

  /// It refers to an object.
  [[nodiscard]] bool valid() const noexcept { return held_ != nullptr; }
  /// The rank of the object's process. Throws std::invalid_argument for a reference to nothing.
  [[nodiscard]] int where() const { return checked().at().rank; }

  /// Calls a member of the object as a task of its process: `account.call<&bank::account::deposit>(5)`. Gives the
  /// result as a future. Arguments travel, and errors come, as those of rpc. Several calls may run at once. The object
  /// stays until the call is over. Throws std::invalid_argument for a reference to nothing. Does not wait for the call.
  template <auto Member, class... Args>
  auto call(Args&&... args) const {
    return at_object(
        [](T& object, std::decay_t<Args>... each) -> decltype(auto) {
          return std::invoke(Member, object, std::move(each)...);
        },
        std::forward<Args>(args)...);
  }
  /// Calls `f(object, args...)` as a task of the object's process, where `object` is a T&; otherwise as the form above.
  /// The function travels as that of rpc: captures are bytes.
  template <class F, class... Args>
  auto call(F f, Args&&... args) const {
    return at_object(f, std::forward<Args>(args)...);
  }

  /// Both refer to the same object, or both to nothing.
  friend bool operator==(const object_ref& a, const object_ref& b) noexcept {
    if (a.held_ == nullptr || b.held_ == nullptr) return a.held_ == b.held_;
    return a.held_->at().rank == b.held_->at().rank && a.held_->at().number == b.held_->at().number;
  }

  /// For calls, which write it when it is an argument or a result. It may block the fiber for an answer of the object's
  /// process: rarely, after some 60 copies of one reference were sent.
  void save(out_archive& ar) const {
    pgas::detail::object_place const at = held_ != nullptr ? held_->at() : pgas::detail::object_place{};
    ar(at, held_ != nullptr ? held_->half() : std::uint64_t{0});
  }
  /// For calls, which read it. Throws bad_message.
  void load(in_archive& ar) {
    auto const at = ar.make<pgas::detail::object_place>();
    auto const weight = ar.make<std::uint64_t>();
    held_ = at.number != 0 ? std::make_shared<pgas::detail::held_object>(at, weight) : nullptr;
  }

 private:
  [[nodiscard]] pgas::detail::held_object& checked() const {
    if (held_ == nullptr) throw std::invalid_argument("a call of an object_ref that refers to nothing");
    return *held_;
  }

  template <class F, class... Args>
  auto at_object(F f, Args&&... args) const {
    std::uint64_t const number = checked().at().number;
    // The reference itself goes along by value here, so that the object stays until the call is over.
    auto done = pgas::detail::call_with(
        where(), "a call of an object",
        [](F& its, std::uint64_t which, pgas::detail::traveller<Args>... each) -> decltype(auto) {
          std::shared_ptr<void> const object = pgas::detail::find_object(which);
          if (object == nullptr) throw std::invalid_argument("a call of an object that has gone");
          return std::invoke(its, *static_cast<T*>(object.get()), std::move(each)...);
        },
        f, number, std::forward<Args>(args)...);
    return std::move(done).then(launch::sync, [keep = held_](auto result) { return result.get(); });
  }

  std::shared_ptr<pgas::detail::held_object> held_;
};

/// Makes a `T(args...)` in the heap of process `rank`; gives a reference to it. Arguments travel as those of rpc. The
/// future fails with what the constructor throws, and with lost_rank. Throws std::out_of_range if there is no such
/// rank. Does not wait for that process.
template <class T, class... Args>
[[nodiscard]] future<object_ref<T>> new_(int rank, Args&&... args) {
  return pgas::detail::own_rpc(
             rank,
             [](pgas::detail::traveller<Args>... each) {
               return pgas::detail::keep_object(std::make_shared<T>(std::move(each)...));
             },
             std::forward<Args>(args)...)
      .then(launch::sync, [rank](future<std::uint64_t> number) {
        return object_ref<T>({rank, number.get()}, pgas::detail::whole_weight / 2);
      });
}

/// Makes the object known by a name in all processes. The name keeps the object until the job ends. Blocks the fiber
/// until the process that keeps this name has answered. Throws std::invalid_argument if the name is taken, or the
/// reference refers to nothing, lost_rank
/// if the process that keeps the name was lost.
template <class T>
void register_object(const std::string& name, const object_ref<T>& object) {
  if (!object.valid())
    throw std::invalid_argument("register_object: what is to be known as '" + name + "' refers to no object");
  out_archive out;
  object.save(out);
  in_archive in(out.data(), out.size());
  auto const at = in.make<pgas::detail::object_place>();
  if (!pgas::detail::register_name(name, at, in.make<std::uint64_t>(), pgas::detail::name_of(typeid(T))))
    throw std::invalid_argument("register_object: the name '" + name + "' is taken");
}
/// A reference to the object that register_object has given this name; one that is not valid() if there is none yet.
/// Blocks the fiber until the process that keeps the name has answered. Throws std::invalid_argument if the object
/// was registered as one of another type, lost_rank if the process that keeps the name was lost.
template <class T>
[[nodiscard]] object_ref<T> find_object(const std::string& name) {
  auto const [at, weight, type] = pgas::detail::find_name(name);
  if (at.number == 0) return object_ref<T>();
  object_ref<T> const found(at, weight);
  if (std::string const wanted = pgas::detail::name_of(typeid(T)); type != wanted)
    throw std::invalid_argument("find_object: '" + name + "' is the name of a " + type + ", not of a " + wanted);
  return found;
}

}  // namespace amity
