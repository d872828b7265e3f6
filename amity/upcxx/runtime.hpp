#pragma once

/// The program's begin and end, and members of objects elsewhere.
///
///     int main() {
///       upcxx::init();
///       upcxx::say() << "hello";
///       upcxx::finalize();
///     }

#include <memory>
#include <type_traits>

#include "amity/coll/collectives.hpp"
#include "amity/upcxx/collectives.hpp"
#include "amity/upcxx/device.hpp"
#include "amity/upcxx/dist_object.hpp"

/// A global pointer to a member of the object that `gp` points to; of an array to its first element.
#define upcxx_memberof(gp, ...)                                                                                       \
  ([](auto upcxx_p) {                                                                                                 \
    static_assert(::std::is_standard_layout_v<typename decltype(upcxx_p)::element_type>,                              \
                  "upcxx_memberof: the class has no standard layout: use upcxx_memberof_general");                    \
    return ::upcxx::detail::member_at(upcxx_p, [](auto* upcxx_x) { return ::std::addressof(upcxx_x->__VA_ARGS__); }); \
  }(gp))
/// The same without a check of the layout.
#define upcxx_memberof_unsafe(gp, ...) \
  (::upcxx::detail::member_at(gp, [](auto* upcxx_x) { return ::std::addressof(upcxx_x->__VA_ARGS__); }))
/// The same as a future: the owner is asked where the layout is not the standard's.
#define upcxx_memberof_general(gp, ...) \
  (::upcxx::detail::member_there(gp, [](auto* upcxx_x) { return ::std::addressof(upcxx_x->__VA_ARGS__); }))

namespace upcxx {

namespace detail {

template <class T, memory_kind K, class Find>
auto member_at(global_ptr<T, K> p, Find find) {
  using member = std::remove_all_extents_t<std::remove_pointer_t<decltype(find(p.raw()))>>;
  return global_ptr<member, K>(p.where(), reinterpret_cast<member*>(find(p.raw())));
}
template <class T, memory_kind K, class Find>
auto member_there(global_ptr<T, K> p, Find find) {
  using found = decltype(member_at(p, find));
  if constexpr (std::is_standard_layout_v<T>) {
    return make_future<found>(member_at(p, find));
  } else {
    if (p.where() == rank_me()) return make_future<found>(member_at(p, find));
    return rpc(
        p.where(), [](global_ptr<T, K> its, Find how) { return member_at(its, how); }, p, find);
  }
}

inline int& begun() noexcept {
  static int times = 0;
  return times;
}

}  // namespace detail

/// init() was called, and finalize() was not as often.
[[nodiscard]] inline bool initialized() noexcept { return detail::begun() != 0; }
/// Joins the job. The calling thread holds the master persona afterwards. Collective; blocks the fiber.
inline void init() {
  if (detail::begun()++ != 0) return;
  static bool once = false;
  detail::push_persona(master_persona());
  if (std::exchange(once, true)) return;
  team& near = local_team();
  static_cast<void>(world());
  // Where the memory of others of this node is seen here, for to_global_ptr.
  void* const mine = detail::shared_bytes(64);
  auto const all =
      amity::collectives::all_gather(near.its().communicator(), reinterpret_cast<std::uint64_t>(mine)).get();
  for (int i = 0; i < near.rank_n(); ++i) {
    int const rank = near[i];
    auto* const there = reinterpret_cast<std::byte*>(all[static_cast<std::size_t>(i)]);
    auto* const here = static_cast<std::byte*>(amity::pgas::detail::reach(rank, there));
    if (rank != rank_me() && here != nullptr) detail::neighbours().push_back({rank, there, here});
  }
}
/// Waits for all processes; makes progress meanwhile. Collective. Requires: the calling thread holds the master
/// persona, and what was begun has ended.
inline void finalize() {
  if (detail::begun() == 1) {
    barrier();
    detail::pop_persona(master_persona());
  }
  --detail::begun();
}

}  // namespace upcxx
