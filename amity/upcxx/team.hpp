#pragma once

/// Teams, by UPC++'s functions: a team can't be copied, and its id names it in calls.
///
///     upcxx::team row = upcxx::world().split(upcxx::rank_me() / 4, upcxx::rank_me());
///     upcxx::rpc(row, 0, [](upcxx::team& its) { ... }, row);

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amity/coll/team.hpp"
#include "amity/sync/mutex.hpp"
#include "amity/upcxx/future.hpp"
#include "amity/upcxx/global_ptr.hpp"

namespace upcxx {

class team;

/// How a collective call that ends something waits for the others.
enum class entry_barrier { none, internal, user };

namespace detail {

/// A future of ours for one of Amity's: its end comes to the calling thread's current persona. A failure ends the job.
template <class R>
future<R> bring(amity::future<R> f) {
  future<R> made;
  persona& home = current_persona();
  f.then(amity::launch::sync, [to = made.its_state(), &home](amity::future<R> done) {
    try {
      home.lpc_ff([to, value = std::make_shared<R>(done.get())] {
        put_values(*to.get(), std::move(*value));
        fulfil(*to.get(), 1);
      });
    } catch (...) {
      die(amity::net::detail::words_of(std::current_exception()).c_str());
    }
  });
  return made;
}
inline future<> bring(amity::future<void> f) {
  future<> made;
  persona& home = current_persona();
  f.then(amity::launch::sync, [to = made.its_state(), &home](amity::future<void> done) {
    try {
      done.get();
      home.lpc_ff([to] { fulfil(*to.get(), 1); });
    } catch (...) {
      die(amity::net::detail::words_of(std::current_exception()).c_str());
    }
  });
  return made;
}

/// Objects that all processes have under one number, and who waits for those that are not made here yet.
class registry {
 public:
  void announce(std::uint64_t number, void* object) {
    std::vector<waiter> told;
    {
      std::lock_guard const held(lock_);
      entry& e = entries_[number];
      e.object = object;
      told.swap(e.waiting);
    }
    for (waiter& w : told) w.tell(object);
  }
  void withdraw(std::uint64_t number) {
    std::lock_guard const held(lock_);
    entries_.erase(number);
  }
  /// Null: it is not here.
  void* find(std::uint64_t number) {
    std::lock_guard const held(lock_);
    auto const at = entries_.find(number);
    return at == entries_.end() ? nullptr : at->second.object;
  }
  /// Ready when it is made here.
  template <class T>
  future<T&> when_here(std::uint64_t number) {
    future<T&> made;
    std::unique_lock held(lock_);
    entry& e = entries_[number];
    if (void* const object = e.object) {
      held.unlock();
      put_values(*made.its_state().get(), *static_cast<T*>(object));
      fulfil(*made.its_state().get(), 1);
      return made;
    }
    e.waiting.push_back({[to = made.its_state(), &home = current_persona()](void* object) {
      home.lpc_ff([to, object] {
        put_values(*to.get(), *static_cast<T*>(object));
        fulfil(*to.get(), 1);
      });
    }});
    return made;
  }

 private:
  struct waiter {
    std::function<void(void*)> tell;
  };
  struct entry {
    void* object = nullptr;
    std::vector<waiter> waiting;
  };
  amity::sync::mutex lock_;
  std::unordered_map<std::uint64_t, entry> entries_;
};
inline registry& teams() {
  static auto* const all = new registry;  // lasts, as the job does
  return *all;
}
inline registry& objects() {
  static auto* const all = new registry;
  return *all;
}

}  // namespace detail

/// Names a team in all its processes.
struct team_id {
  std::uint64_t number = 0;
  /// The team here. Requires: it is made.
  [[nodiscard]] inline team& here() const;
  /// The same when it is made.
  [[nodiscard]] inline future<team&> when_here() const;
  friend bool operator==(const team_id&, const team_id&) noexcept = default;
  friend auto operator<=>(const team_id&, const team_id&) noexcept = default;
  friend std::ostream& operator<<(std::ostream& out, const team_id& id) { return out << id.number; }
};

/// Processes of the job, numbered from 0.
class team {
 public:
  static constexpr int color_none = amity::team::color_none;

  /// Of no processes.
  team() noexcept = default;
  /// For this header's own use.
  explicit team(amity::team its) : of_(std::move(its)) { announce(); }
  team(const team&) = delete;
  team(team&& other) noexcept : of_(std::move(other.of_)), made_(other.made_) {
    other.of_ = {};
    announce();
  }
  team& operator=(team&& other) noexcept {
    forget();
    of_ = std::move(other.of_);
    made_ = other.made_;
    other.of_ = {};
    announce();
    return *this;
  }
  ~team() { forget(); }

  [[nodiscard]] intrank_t rank_me() const { return of_.is_valid() ? of_.rank_me() : 0; }
  [[nodiscard]] intrank_t rank_n() const { return of_.is_valid() ? of_.rank_n() : 0; }
  /// The rank in the job of the team's process `i`.
  [[nodiscard]] intrank_t operator[](intrank_t i) const { return of_[i]; }
  /// The number in the team of a rank of the job.
  [[nodiscard]] intrank_t from_world(intrank_t rank) const { return of_.from_world(rank); }
  [[nodiscard]] intrank_t from_world(intrank_t rank, intrank_t otherwise) const {
    return of_.is_valid() ? of_.from_world(rank, otherwise) : otherwise;
  }
  [[nodiscard]] bool is_active() const noexcept { return of_.is_valid(); }
  /// Processes of one color become a team, in the order of their keys. Collective; makes progress while it waits.
  [[nodiscard]] team split(int color, int key) const {
    // Others may need calls of this process before they come here.
    amity::team part = detail::bring(amity::async([of = of_, color, key] { return of.split(color, key); })).wait();
    return part.is_valid() ? team(std::move(part)) : team();
  }
  [[nodiscard]] team_id id() const { return {of_.is_valid() ? of_.id().number : 0}; }
  /// Collective: waits for the others of the team, as `how` says.
  inline void destroy(entry_barrier how = entry_barrier::user);

  [[nodiscard]] const amity::team& its() const noexcept { return of_; }
  /// The next number of a dist_object of this team.
  std::uint64_t next_object() const noexcept { return ++made_; }

 private:
  void announce() {
    if (of_.is_valid()) detail::teams().announce(of_.id().number, this);
  }
  void forget() {
    if (of_.is_valid()) detail::teams().withdraw(of_.id().number);
  }
  amity::team of_;
  mutable std::uint64_t made_ = 0;
};

team& team_id::here() const {
  auto* const t = static_cast<team*>(detail::teams().find(number));
  if (t == nullptr) detail::die("upcxx::team_id::here: there is no such team here");
  return *t;
}
future<team&> team_id::when_here() const { return detail::teams().when_here<team>(number); }

/// The team of all processes.
[[nodiscard]] inline team& world() {
  static auto* const all = new team(amity::team_world());
  return *all;
}
/// The team of the processes of this node. init() makes it.
[[nodiscard]] inline team& local_team() {
  static auto* const all = new team(amity::local_team());
  return *all;
}
/// The rank is in local_team().
[[nodiscard]] inline bool local_team_contains(intrank_t rank) { return local_team().from_world(rank, -1) >= 0; }

[[nodiscard]] inline intrank_t rank_me() { return amity::rank_me(); }
[[nodiscard]] inline intrank_t rank_n() { return amity::rank_n(); }
[[nodiscard]] inline intrank_t rank_me(const team& t) { return t.rank_me(); }
[[nodiscard]] inline intrank_t rank_n(const team& t) { return t.rank_n(); }

}  // namespace upcxx

template <>
struct std::hash<upcxx::team_id> {
  std::size_t operator()(const upcxx::team_id& id) const noexcept { return std::hash<std::uint64_t>()(id.number); }
};
