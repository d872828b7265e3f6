#pragma once

/// Personas: who runs what has come. A persona has an inbox; the thread that holds it runs what lies there, one after
/// the other, within upcxx::progress(). So handlers of one persona never run at the same time.
///
///     upcxx::persona helper;
///     helper.lpc_ff([] { ... });                           // from any thread
///     upcxx::persona_scope scope(helper);                  // this thread holds it from here on
///     while (!done) upcxx::progress();
///
/// README.md, rules P1 to P4.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "amity/net/job.hpp"
#include "amity/net/messages.hpp"
#include "amity/sync/parking.hpp"
#include "amity/sync/this_task.hpp"

namespace upcxx {

/// What a call of progress() may do: `internal` runs nothing of the program.
enum class progress_level { internal, user };

class persona;
template <class... T>
class future;

namespace detail {

[[noreturn]] inline void die(const char* why) noexcept { amity::net::end_job(why); }

/// Something to run in a persona. It frees itself.
struct item {
  item* next = nullptr;
  void (*run)(item*) noexcept = nullptr;
};

template <class F>
struct item_of : item {
  F f;
  explicit item_of(F&& its) : f(std::move(its)) {
    this->run = [](item* i) noexcept {
      std::unique_ptr<item_of> const mine(static_cast<item_of*>(i));
      mine->f();
    };
  }
};
template <class F>
[[nodiscard]] item* make_item(F f) {
  return new item_of<F>(std::move(f));
}

struct thread_state;

}  // namespace detail

/// A place where calls are run one at a time. It is held by one thread at a time (persona_scope), and must live until
/// all that was begun with it has come back.
class persona {
 public:
  constexpr persona() noexcept = default;
  persona(const persona&) = delete;
  persona& operator=(const persona&) = delete;

  /// Some thread holds it.
  [[nodiscard]] bool active() const noexcept { return holder_.load(std::memory_order_relaxed) != nullptr; }
  /// The calling thread holds it.
  [[nodiscard]] inline bool active_with_caller() const noexcept;
  /// Calls `f()` when the holder makes progress. Does not wait.
  template <class F>
  void lpc_ff(F&& f) {
    push(detail::make_item(std::decay_t<F>(std::forward<F>(f))));
  }
  /// The same; the result, or that of the future which `f` gives, comes back to the caller's persona.
  template <class F>
  auto lpc(F&& f);

  /// For this header's own use: adds an item. From any thread, and from handlers of messages. Never blocks.
  void push(detail::item* i) noexcept {
    detail::item* first = inbox_.load(std::memory_order_relaxed);
    do {
      i->next = first;
    } while (!inbox_.compare_exchange_weak(first, i, std::memory_order_seq_cst, std::memory_order_relaxed));
    // P3: pairs with hold() and has_items(): this thread sees the new holder, or the holder sees the item.
    if (detail::thread_state* const t = holder_.load(std::memory_order_seq_cst)) amity::sync::unpark_all(t);
  }
  /// Something waits to be run. Of any thread.
  [[nodiscard]] bool has_items() const noexcept { return inbox_.load(std::memory_order_seq_cst) != nullptr; }
  /// All items, the oldest first. Of the holder.
  [[nodiscard]] detail::item* take() noexcept {
    detail::item* last = inbox_.exchange(nullptr, std::memory_order_acquire);  // pairs with push
    detail::item* oldest = nullptr;
    while (last != nullptr) {
      detail::item* const next = last->next;
      last->next = oldest;
      oldest = std::exchange(last, next);
    }
    return oldest;
  }
  /// Null: nobody holds it.
  [[nodiscard]] detail::thread_state* holder() const noexcept { return holder_.load(std::memory_order_acquire); }
  void hold(detail::thread_state* t) noexcept { holder_.store(t, std::memory_order_seq_cst); }

 private:
  std::atomic<detail::item*> inbox_{nullptr};
  std::atomic<detail::thread_state*> holder_{nullptr};
};

class persona_scope;

namespace detail {

inline constinit persona the_master;

/// One for each thread. A fiber of Amity keeps its thread_local variables, wherever it runs.
struct thread_state {
  persona own;
  std::vector<persona*> held{&own};  ///< the last one is the current
  std::vector<persona_scope*> scopes;
  bool in_progress = false;
  persona* running = nullptr;  ///< whose item runs: the current one, unless the item has taken another
  thread_state() noexcept { own.hold(this); }
  thread_state(const thread_state&) = delete;
  thread_state& operator=(const thread_state&) = delete;
  ~thread_state() { own.hold(nullptr); }
};
inline thread_state& this_thread() {
  static thread_local thread_state mine;
  return mine;
}

inline void push_persona(persona& p) {
  thread_state& t = this_thread();
  if (p.holder() != nullptr && p.holder() != &t) die("upcxx::persona_scope: another thread holds this persona");
  t.held.push_back(&p);
  p.hold(&t);
}
inline void pop_persona(persona& p) {
  thread_state& t = this_thread();
  for (std::size_t i = t.held.size(); i-- > 0;) {
    if (t.held[i] != &p) continue;
    t.held.erase(t.held.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  for (persona* q : t.held)
    if (q == &p) return;
  p.hold(nullptr);
}

/// Runs what lies in the personas that this thread holds. True: something did.
inline bool run_items(thread_state& t) {
  bool ran = false;
  // By number: an item may push or pop personas.
  for (std::size_t i = 0; i < t.held.size(); ++i) {
    persona* const p = t.held[i];
    for (item* next = p->take(); next != nullptr;) {
      item* const now = std::exchange(next, next->next);
      if (p->holder() != &t) {  // an item has let go of it: the rest is the next holder's (P1)
        p->push(now);
        continue;
      }
      ran = true;
      t.running = p;
      now->run(now);
    }
  }
  t.running = nullptr;
  return ran;
}
inline bool has_items(const thread_state& t) noexcept {
  for (const persona* p : t.held)
    if (p->has_items()) return true;
  return false;
}

/// One round of progress(user). `may_park`: where nothing has come, the fiber sleeps until something does.
inline void make_progress(bool may_park) {
  thread_state& t = this_thread();
  if (t.in_progress) return;
  t.in_progress = true;
  bool ran = run_items(t);
  if (!ran && amity::net::poll_a_moment([&t] { return has_items(t); })) ran = run_items(t);
  t.in_progress = false;
  if (ran) return;
  if (may_park)
    amity::sync::park_at(&t, [&t] { return !has_items(t); });  // P4
  else
    amity::this_task::yield();
}

}  // namespace detail

inline bool persona::active_with_caller() const noexcept { return holder() == &detail::this_thread(); }

/// The persona that runs calls which come from other processes. init() gives it to the thread that calls it.
[[nodiscard]] inline persona& master_persona() noexcept { return detail::the_master; }
/// The calling thread's own persona, which it always holds.
[[nodiscard]] inline persona& default_persona() { return detail::this_thread().own; }
/// The persona that the calling thread has taken last, or whose call it runs: what it begins comes back there.
[[nodiscard]] inline persona& current_persona() {
  detail::thread_state& t = detail::this_thread();
  return t.running != nullptr ? *t.running : *t.held.back();
}
/// The same. Its name in later releases.
[[nodiscard]] inline persona& top_persona() { return current_persona(); }
/// The calling thread lets go of the master persona, which it has from init().
inline void liberate_master_persona() { detail::pop_persona(detail::the_master); }

/// The calling thread holds a persona as long as this lives.
class persona_scope {
 public:
  /// Requires: no other thread holds it.
  explicit persona_scope(persona& p) : of_(&p) { open(); }
  /// Locks `m` first, and unlocks it at the end.
  template <class Mutex>
  persona_scope(Mutex& m, persona& p)
      : of_(&p), mutex_(&m), unlock_([](void* x) { static_cast<Mutex*>(x)->unlock(); }) {
    m.lock();
    open();
  }
  persona_scope(const persona_scope&) = delete;
  persona_scope& operator=(const persona_scope&) = delete;
  ~persona_scope() {
    if (of_ == nullptr) return;
    detail::thread_state& t = detail::this_thread();
    detail::pop_persona(*of_);
    std::erase(t.scopes, this);
    t.running = t.in_progress ? outer_ : nullptr;
    if (mutex_ != nullptr) unlock_(mutex_);
  }

 private:
  friend persona_scope& default_persona_scope();
  persona_scope() noexcept : of_(nullptr) {}
  void open() {
    detail::push_persona(*of_);
    detail::thread_state& t = detail::this_thread();
    t.scopes.push_back(this);
    outer_ = std::exchange(t.running, nullptr);  // what the rest of an item begins comes back to this persona
  }
  persona* of_;
  persona* outer_ = nullptr;
  void* mutex_ = nullptr;
  void (*unlock_)(void*) = nullptr;
};

/// The scope of the calling thread's own persona.
inline persona_scope& default_persona_scope() {
  static thread_local persona_scope mine;
  return mine;
}
/// The scope that the calling thread has opened last.
inline persona_scope& top_persona_scope() {
  detail::thread_state& t = detail::this_thread();
  return t.scopes.empty() ? default_persona_scope() : *t.scopes.back();
}

/// Runs what has come to the personas of the calling thread. Within such a call it does nothing. Does not wait.
inline void progress(progress_level level = progress_level::user) {
  if (level == progress_level::user)
    detail::make_progress(false);
  else
    amity::this_task::yield();
}
/// The calling code is run by progress().
[[nodiscard]] inline bool in_progress() { return detail::this_thread().in_progress; }
/// Nothing that this thread has begun needs it any more: idle workers send and receive. Always false.
[[nodiscard]] inline bool progress_required() noexcept { return false; }
/// The same, for a scope.
[[nodiscard]] inline bool progress_required(persona_scope&) noexcept { return false; }
/// Waits until nothing needs the calling thread: that is so at once.
inline void discharge() noexcept {}
/// The same, for a scope.
inline void discharge(persona_scope&) noexcept {}

}  // namespace upcxx
