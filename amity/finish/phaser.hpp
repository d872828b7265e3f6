#pragma once

/// Barriers that tasks join and leave, and where some only signal and some only wait.
///
///     amity::finish([&] {
///       amity::phaser p;                              // its creator takes part: signal_wait
///       for (int i = 0; i < 8; ++i)
///         amity::async_phased({{p, amity::phaser_mode::signal_wait}}, [p]() mutable {
///           for (int phase = 0; phase < 20; ++phase) { work(phase); p.next(); }
///         });                                         // leaves at its end
///       p.drop();                                     // the creator leaves, the others go on
///     });
///
/// A phase is over when all tasks that signal have signalled it. A task that only signals may be ahead by any number of
/// phases. A wait blocks the fiber, never the core. While a registered task waits, its thread may run other tasks;
/// these take no part by that. A child can't do what its parent may not do: a signal_only task can't register a waiter.
/// Copies of a phaser are the same phaser. phaser_accumulator.hpp adds up what tasks give in a phase.
///
/// Signals are gathered in a tree, so that many tasks that signal do not wait for one lock; its degree can be chosen.
///
/// Memory ordering: what happened before a signal happens before the return of the waits of that phase.

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "amity/base/config.hpp"
#include "amity/future/async.hpp"
#include "amity/future/caught.hpp"

namespace amity {

/// What a task does in a phaser: signals that it is done with a phase, waits for the others, or both.
enum class phaser_mode : std::uint8_t { signal_only = 1, wait_only = 2, signal_wait = 3 };

/// A phaser used by a task that is not registered with it, or registered with more than the parent may.
class phaser_error : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

struct phaser_core;
struct phaser_node;

/// A task's part in one phaser, until it is destroyed. A task that is not run takes no part, either.
struct registration {
  registration() noexcept = default;
  registration(const registration&) = delete;
  registration& operator=(const registration&) = delete;
  ~registration();

  std::shared_ptr<phaser_core> core;
  phaser_mode mode = phaser_mode::signal_wait;
  bool active = false;
  std::uint64_t signalled = 0;  ///< phases, by this one
  std::uint64_t passed = 0;     ///< calls of next() and wait()
  phaser_node* leaf = nullptr;  ///< of a task that signals: where its signals are gathered
  registration* next = nullptr;
};

/// Something that is called at a phase's end, before any task goes on. One call at a time, in the order of the phases,
/// under the phaser's lock.
struct phase_listener {
  virtual void phase_ends(std::uint64_t phase) noexcept = 0;
  phase_listener* next = nullptr;

 protected:
  ~phase_listener() = default;
};

// None of these throws: the library has a C++ runtime of its own, and what it threw the program's could not unwind.
// Where they give a text, it is what is wrong; null: nothing.

/// Null if there is no memory.
[[nodiscard]] AMITY_API std::shared_ptr<phaser_core> new_phaser(unsigned degree) noexcept;
/// The text of register_with if there is no memory.
AMITY_API extern const char* const no_memory_to_register;
/// Registers `r` where `parent` is; null: at the current phase.
[[nodiscard]] AMITY_API const char* register_with(registration& r, const registration* parent) noexcept;
[[nodiscard]] AMITY_API const char* signal(registration& r) noexcept;
AMITY_API void next_phase(registration& r) noexcept;
[[nodiscard]] AMITY_API const char* wait_for_phase(registration& r) noexcept;
/// next_phase; and before any task goes on, `run(f)` of one of the tasks that gave one is called.
[[nodiscard]] AMITY_API const char* next_phase_single(registration& r, void (*run)(void* f) noexcept, void* f) noexcept;
AMITY_API void listen(phaser_core& core, phase_listener& listener) noexcept;
AMITY_API void stop_listening(phaser_core& core, phase_listener& listener) noexcept;
AMITY_API void deregister(registration& r) noexcept;
[[nodiscard]] AMITY_API std::uint64_t phase_of(phaser_core& core) noexcept;

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_phaser_error(const char* wrong) {
  if (wrong == no_memory_to_register) throw std::bad_alloc();
  throw phaser_error(wrong);
}
/// Throws it, unless it is null.
inline void throw_if(const char* wrong) {
  if (wrong != nullptr) [[unlikely]]
    throw_phaser_error(wrong);
}
[[nodiscard]] inline std::shared_ptr<phaser_core> made_phaser(unsigned degree) {
  if (degree == 1)
    throw phaser_error("amity: phaser: a degree of 1 makes no tree; allowed: 0, for no tree, or 2 and more");
  std::shared_ptr<phaser_core> made = new_phaser(degree);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

/// The function of next_single, and what it threw, if it was the one that was called.
template <class F>
struct single_call {
  F* f;
  std::exception_ptr error;
  static void run(void* p) noexcept {
    auto& me = *static_cast<single_call*>(p);
    me.error = caught([&me] { (*me.f)(); });
  }
};

inline registration::~registration() { deregister(*this); }

/// The registrations of a task that async_phased began.
using registrations = std::vector<std::unique_ptr<registration>>;

[[nodiscard]] inline registrations* own_registrations() noexcept {
  const auto* const extras = sched::this_worker().extras;
  return extras != nullptr ? static_cast<registrations*>(extras->phasers) : nullptr;
}

/// The running task's part in a phaser; null: it was not begun with one, or has left.
[[nodiscard]] inline registration* own_registration(const std::shared_ptr<phaser_core>& core) noexcept {
  if (auto* all = own_registrations())
    for (auto& r : *all)
      if (r->core == core && r->active) return r.get();
  return nullptr;
}

}  // namespace detail

/// A barrier of phases. Its maker takes part, as signal_wait, until it drops or destroys it.
class phaser {
 public:
  /// The degree of phasers that are made without one.
  static constexpr unsigned usual_degree = 8;

  /// `degree`: how many signals a node of the tree gathers; 0: all of them in one place. 1, which makes no tree, throws
  /// phaser_error.
  explicit phaser(unsigned degree = usual_degree)
      : core_(detail::made_phaser(degree)), own_(std::make_unique<detail::registration>()) {
    own_->core = core_;
    detail::throw_if(detail::register_with(*own_, nullptr));
  }
  /// The same phaser; the copy takes no part by itself.
  phaser(const phaser& other) noexcept : core_(other.core_) {}
  phaser(phaser&&) noexcept = default;
  phaser& operator=(const phaser&) = delete;
  ~phaser() = default;

  /// Signals and waits for the others, as far as the calling task's mode says.
  void next() { detail::next_phase(mine()); }
  /// The first half: tasks that wait need not wait for the caller any more in this phase.
  void signal() { detail::throw_if(detail::signal(mine())); }
  /// The second half: waits until the phase is over that the caller has signalled, or, if it only waits, the next one.
  /// Throws phaser_error if the caller would wait for a signal of its own.
  void wait() { detail::throw_if(detail::wait_for_phase(mine())); }
  /// next(); and in between, when all have signalled and no task goes on yet, some task calls one `f` of those that
  /// were given in this phase, once. What it throws is thrown where it was given. Requires: signal_wait, and no
  /// signal() in this phase before; otherwise throws phaser_error.
  template <class F>
  void next_single(F&& f) {
    using call = detail::single_call<std::remove_reference_t<F>>;
    call one{std::addressof(f), nullptr};
    detail::throw_if(detail::next_phase_single(mine(), call::run, &one));
    if (one.error != nullptr) [[unlikely]]
      std::rethrow_exception(std::move(one.error));
  }
  /// The calling task leaves.
  void drop() { detail::deregister(mine()); }
  /// Phases that are over.
  [[nodiscard]] std::uint64_t phase() const noexcept { return detail::phase_of(*core_); }

  /// The calling task's part; for async_phased.
  [[nodiscard]] detail::registration& mine() const {
    if (auto* r = detail::own_registration(core_)) return *r;
    if (own_ != nullptr && own_->active) return *own_;
    throw phaser_error("amity: phaser: the calling task is not registered with it; async_phased registers one");
  }
  /// For async_phased.
  [[nodiscard]] const std::shared_ptr<detail::phaser_core>& core() const noexcept { return core_; }

 private:
  std::shared_ptr<detail::phaser_core> core_;
  std::unique_ptr<detail::registration> own_;  ///< the creator's; copies have none
};

/// A task's part in a phaser.
struct phased_with {
  /// A phaser in which the caller takes part.
  const phaser& which;
  /// No more than the caller's mode.
  phaser_mode mode;
};

namespace detail {

/// Registers a task that is about to begin, where the calling task is.
template <class Phasers>
std::unique_ptr<registrations> register_all(const Phasers& phasers) {
  auto parts = std::make_unique<registrations>();
  for (const auto& p : phasers) {
    auto r = std::make_unique<registration>();
    r->core = p.which.core();
    r->mode = p.mode;
    throw_if(register_with(*r, &p.which.mine()));
    parts->push_back(std::move(r));
  }
  return parts;
}

template <class F>
auto async_registered(std::unique_ptr<registrations> parts, F&& f) {
  struct leave {
    std::unique_ptr<registrations> parts;
    sched::task_extras extras;
    explicit leave(std::unique_ptr<registrations> p) : parts(std::move(p)), extras{parts.get()} {
      sched::set_extras(sched::this_worker(), &extras);
    }
    leave(const leave&) = delete;
    leave& operator=(const leave&) = delete;
    ~leave() {
      worker& w = sched::this_worker();
      sched::make_exit_calls(w);
      sched::set_extras(w, nullptr);
    }
  };
  return async([parts = std::move(parts), f = std::forward<F>(f)]() mutable -> decltype(auto) {
    leave at_end(std::move(parts));
    return f();
  });
}

}  // namespace detail

/// Begins a task that takes part in these phasers from now on, until it ends or drops them.
template <class F>
auto async_phased(std::initializer_list<phased_with> phasers, F&& f) {
  return detail::async_registered(detail::register_all(phasers), std::forward<F>(f));
}
/// The same for a number of phasers that is known only at run time: a vector of them, or another range.
template <std::ranges::input_range Phasers, class F>
requires std::is_same_v<std::ranges::range_value_t<Phasers>, phased_with>
auto async_phased(const Phasers& phasers, F&& f) {
  return detail::async_registered(detail::register_all(phasers), std::forward<F>(f));
}

/// The same with all that the calling task takes part in, in its modes.
template <class F>
auto async_phased(F&& f) {
  auto parts = std::make_unique<detail::registrations>();
  if (auto* all = detail::own_registrations())
    for (auto& mine : *all) {
      if (!mine->active) continue;
      auto r = std::make_unique<detail::registration>();
      r->core = mine->core;
      r->mode = mine->mode;
      detail::throw_if(detail::register_with(*r, mine.get()));
      parts->push_back(std::move(r));
    }
  return detail::async_registered(std::move(parts), std::forward<F>(f));
}

}  // namespace amity
