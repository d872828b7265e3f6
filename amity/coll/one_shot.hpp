#pragma once

/// HPX's other forms of the collective operations: by a name, for one operation, and with launch::sync, which gives the
/// result itself.
///
///     namespace co = amity::collectives;
///     long sum = co::all_reduce("sum of rows", mine, std::plus<>(), co::num_sites_arg(n),
///     co::this_site_arg(me)).get(); long most = co::all_reduce(amity::launch::sync, comm, mine, max); if (me == 0)
///     co::broadcast_to("start", 5).get(); else int x = co::broadcast_from<int>("start").get();
///
/// A call with a name makes a communicator of that name for itself: num_sites_arg, this_site_arg, root_site_arg and
/// generation_arg are those of create_communicator, anywhere behind the name. A name may be used again. The calls are
/// those of value_operations.hpp and span_operations.hpp, with their values and errors. It costs a meeting of the sites
/// each time: many operations are cheaper on one communicator.

#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include "amity/coll/collectives.hpp"

namespace amity::collectives {

namespace detail {

template <class A>
inline constexpr bool is_of_communicator = requires(wishes& w, std::decay_t<A> a) {
  note(w, a);
};
template <class A>
void note_if_of_communicator(wishes& w, const A& a) {
  if constexpr (is_of_communicator<A>) note(w, a);
}
/// What the operation itself gets.
template <class A>
auto unless_of_communicator(A&& a) {
  if constexpr (is_of_communicator<A>)
    return std::tuple<>();
  else
    return std::tuple<A&&>(std::forward<A>(a));
}

/// `operate(c, values...)` on a communicator for this call alone.
template <class Operate, class... Args>
auto once(const char* name, Operate operate, Args&&... args) {
  wishes w;
  (note_if_of_communicator(w, args), ...);
  communicator const c = created(name, w);
  return std::apply([&](auto&&... values) { return operate(c, std::forward<decltype(values)>(values)...); },
                    std::tuple_cat(unless_of_communicator(std::forward<Args>(args))...));
}

inline void check_sync(launch how, const char* operation) {
  if (how != launch::sync)
    throw std::invalid_argument(std::string(operation) + ": its first argument may be launch::sync alone");
}

}  // namespace detail

/// Defines both forms of an operation. `T`: as in value_operations.hpp; void: it is seen from the values.
#define AMITY_FORMS_OF_HPX(operation)                                                                                \
  template <class T = void, class... Args>                                                                           \
  auto operation(const char* name, Args&&... args) {                                                                 \
    return detail::once(                                                                                             \
        name,                                                                                                        \
        [](const communicator& c, auto&&... values) {                                                                \
          if constexpr (std::is_void_v<T>)                                                                           \
            return operation(c, std::forward<decltype(values)>(values)...);                                          \
          else                                                                                                       \
            return operation<T>(c, std::forward<decltype(values)>(values)...);                                       \
        },                                                                                                           \
        std::forward<Args>(args)...);                                                                                \
  }                                                                                                                  \
  template <class T = void, class By, class... Args>                                                                 \
  requires(std::is_same_v<std::decay_t<By>, communicator> || std::is_convertible_v<By, const char*>) auto operation( \
      launch how, By&& by, Args&&... args) {                                                                         \
    detail::check_sync(how, #operation);                                                                             \
    if constexpr (std::is_void_v<T>)                                                                                 \
      return operation(by, std::forward<Args>(args)...).get();                                                       \
    else                                                                                                             \
      return operation<T>(by, std::forward<Args>(args)...).get();                                                    \
  }

AMITY_FORMS_OF_HPX(barrier)
AMITY_FORMS_OF_HPX(broadcast)
AMITY_FORMS_OF_HPX(broadcast_to)
AMITY_FORMS_OF_HPX(broadcast_from)
AMITY_FORMS_OF_HPX(reduce)
AMITY_FORMS_OF_HPX(reduce_here)
AMITY_FORMS_OF_HPX(reduce_there)
AMITY_FORMS_OF_HPX(all_reduce)
AMITY_FORMS_OF_HPX(gather)
AMITY_FORMS_OF_HPX(gather_here)
AMITY_FORMS_OF_HPX(gather_there)
AMITY_FORMS_OF_HPX(all_gather)
AMITY_FORMS_OF_HPX(scatter)
AMITY_FORMS_OF_HPX(scatter_to)
AMITY_FORMS_OF_HPX(scatter_from)
AMITY_FORMS_OF_HPX(all_to_all)
AMITY_FORMS_OF_HPX(inclusive_scan)
AMITY_FORMS_OF_HPX(exclusive_scan)

#undef AMITY_FORMS_OF_HPX

}  // namespace amity::collectives
