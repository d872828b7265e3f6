#pragma once

/// HClib's functions for phasers, where a task takes part in what was handed to it and need not name it. New programs
/// take amity::phaser, whose rules hold.
///
///     phaser_t ph;
///     phaser_create(&ph, SIGNAL_WAIT, 2);                   // the caller takes part
///     for (int i = 0; i < 3; ++i)
///       async_phased([] { for (int k = 0; k < 100; ++k) { work(k); phaser_next(); } });   // so does each of these
///     phaser_drop(ph);
///
/// The task that makes one, or the thread where it is in none, takes part until it drops it or ends.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "amity/base/later.hpp"
#include "amity/finish/phaser.hpp"
#include "amity/sched/tasks/task.hpp"

namespace amity::habanero {

/// What a task does in a phaser.
using phaser_mode_t = phaser_mode;
inline constexpr phaser_mode SIGNAL_WAIT = phaser_mode::signal_wait;  ///< both
inline constexpr phaser_mode SIGNAL_ONLY = phaser_mode::signal_only;  ///< never waits
inline constexpr phaser_mode WAIT_ONLY = phaser_mode::wait_only;      ///< nobody waits for it

/// A bit of a task's properties: it takes part in all that its parent does.
inline constexpr int PHASER_TRANSMIT_ALL = 1;
/// Another one, without effect: every task counts in the finish around it.
inline constexpr int ESCAPING_ASYNC = 2;
/// None of them.
inline constexpr int NO_PROP = 0;

/// Copies are the same phaser.
class phaser_t {
 public:
  /// None yet; for phaser_create.
  phaser_t() noexcept = default;
  /// A new one. The caller does not take part.
  explicit phaser_t(unsigned degree) : core_(amity::detail::made_phaser(degree)) {}
  /// Phases that are over. Requires: phaser_create.
  [[nodiscard]] std::uint64_t phase() const noexcept { return amity::detail::phase_of(*core_); }
  /// The calling task's part. Throws phaser_error if it has none.
  [[nodiscard]] amity::detail::registration& mine() const {
    if (auto* r = amity::detail::own_registration(core_)) return *r;
    throw phaser_error("amity: phaser: the calling task is not registered with it; async_phased registers one");
  }
  /// For phaser_create.
  [[nodiscard]] const std::shared_ptr<amity::detail::phaser_core>& core() const noexcept { return core_; }

 private:
  std::shared_ptr<amity::detail::phaser_core> core_;
};

/// In what a task is to take part: lists of `count` phasers and modes. For async.
struct phased_t {
  int count;                    ///< of each list
  phaser_t* phasers;            ///< the caller takes part in all of them
  phaser_mode_t* phasers_mode;  ///< no more than the caller's
};

namespace detail {

/// The parts of a task that made phasers, and was not begun by async_phased; until it ends.
template <class>
class creators_parts : public sched::exit_call {
 public:
  amity::detail::registrations parts;
  /// Of the running task.
  static amity::detail::registrations& begin() {
    auto made = std::make_unique<creators_parts>();
    made->run = [](sched::exit_call& c) noexcept { delete static_cast<creators_parts*>(&c); };
    creators_parts& own = *made.release();
    sched::add_exit_call(own);
    sched::this_worker().extras->phasers = &own.parts;
    return own.parts;
  }
};

/// As phased_with.
struct part_in {
  const phaser_t& which;
  phaser_mode mode;
};

template <class F>
auto async_phased_with(const phased_t& phasers, F&& f) {
  std::vector<part_in> parts;
  for (int i = 0; i < phasers.count; ++i) parts.push_back({phasers.phasers[i], phasers.phasers_mode[i]});
  return amity::detail::async_registered(amity::detail::register_all(parts), std::forward<F>(f));
}

}  // namespace detail

/// A new phaser, in which the caller takes part. `degree`: how many signals a node of the tree gathers; no tree, if it
/// is 0 or 1. Throws phaser_error at a degree below 0.
template <class L = void>
void phaser_create(phaser_t* made, phaser_mode_t mode, int degree) {
  if (degree < 0) throw phaser_error("amity: phaser_create: a degree below 0; allowed: 0, for no tree, and more");
  phaser_t fresh(degree > 1 ? static_cast<unsigned>(degree) : 0);
  auto own = std::make_unique<amity::detail::registration>();
  own->core = fresh.core();
  own->mode = mode;
  amity::detail::registrations* all = amity::detail::own_registrations();
  if (all == nullptr) all = &detail::creators_parts<L>::begin();
  amity::detail::throw_if(amity::detail::register_with(*own, nullptr));
  all->push_back(std::move(own));
  *made = std::move(fresh);
}

/// Signals, and then waits for the others, in all phasers that the caller takes part in, as far as its modes say.
template <class = void>
void phaser_next() {
  amity::detail::registrations* const all = amity::detail::own_registrations();
  if (all == nullptr)
    throw phaser_error("amity: phaser_next: the calling task takes part in none; async_phased, phaser_create");
  for (auto& r : *all) {
    if (!r->active) continue;
    if (r->mode == SIGNAL_WAIT) amity::detail::throw_if(amity::detail::signal(*r));
    if (r->mode == SIGNAL_ONLY) amity::detail::next_phase(*r);
  }
  for (auto& r : *all)
    if (r->active && r->mode != SIGNAL_ONLY) amity::detail::next_phase(*r);
}
/// Both in one. As phaser::next.
inline void phaser_next(const phaser_t& ph) { amity::detail::next_phase(ph.mine()); }
/// The first half. As phaser::signal.
inline void phaser_signal(const phaser_t& ph) { amity::detail::throw_if(amity::detail::signal(ph.mine())); }
/// The second half. As phaser::wait.
inline void phaser_wait(const phaser_t& ph) { amity::detail::throw_if(amity::detail::wait_for_phase(ph.mine())); }
/// The caller leaves. As phaser::drop.
template <class L = void>
void phaser_drop(const phaser_t& ph) {
  amity::detail::registration& mine = ph.mine();
  amity::detail::deregister(mine);
  auto* const all = amity::detail::own_registrations();
  // A thread may make and drop as many as it likes.
  std::erase_if(*amity::detail::later<L>(all), [&](const auto& r) { return r.get() == &mine; });
}

}  // namespace amity::habanero
