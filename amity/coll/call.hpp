#pragma once

/// A call of an operation at this site: what it is to be, and what is wrong with it.
///
/// A call that is wrong counts like any other. It tells all sites, so that nobody waits for this one, and its future
/// fails as theirs do.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "amity/base/config.hpp"
#include "amity/coll/communicator.hpp"
#include "amity/coll/intention.hpp"
#include "amity/net/archive.hpp"

namespace amity::collectives::detail {

/// What an operation may be told beside its values, in any order.
struct operation_wishes {
  generation_arg generation;
  this_site_arg site;
  root_site_arg root;
};
inline void note(operation_wishes& w, generation_arg a) { w.generation = a; }
inline void note(operation_wishes& w, this_site_arg a) { w.site = a; }
inline void note(operation_wishes& w, root_site_arg a) { w.root = a; }
inline void note(operation_wishes& w, that_site_arg a) {
  if (a.is_set()) w.root = root_site_arg(a.value);
}

template <class T>
concept operation_wish = std::is_same_v<T, generation_arg> || std::is_same_v<T, this_site_arg> ||
    std::is_same_v<T, root_site_arg> || std::is_same_v<T, that_site_arg>;

template <class... Wishes>
[[nodiscard]] operation_wishes all_wishes(const Wishes&... wishes) noexcept {
  static_assert(are_different<Wishes...>, "an argument of an operation is given twice");
  operation_wishes w;
  (note(w, wishes), ...);
  return w;
}

class call {
 public:
  /// `name`: as the program calls it.
  call(const communicator& of, kind k, const char* name, const operation_wishes& w)
      : call(of, of.checked(), k, name, w) {}  // it throws here: exceptions don't cross the library's border

  [[nodiscard]] const communicator& of() const noexcept { return of_; }
  [[nodiscard]] communicator::state& sites() const noexcept { return state_; }
  [[nodiscard]] const intention& what() const noexcept { return what_; }
  [[nodiscard]] int root() const noexcept { return what_.root; }
  [[nodiscard]] bool is_at_root() const noexcept { return state_.site == what_.root; }
  [[nodiscard]] bool has_generation() const noexcept { return has_generation_; }
  /// Why it is wrong; empty: it is not.
  [[nodiscard]] const std::string& refused() const noexcept { return refused_; }

  // --- what it is about
  template <class T>
  call& about_values() noexcept {
    what_.about = form::value;
    return with_type<T>();
  }
  /// Equally many elements at all sites.
  template <class E>
  call& about_span(std::span<E> s) noexcept {
    what_.about = form::span;
    what_.bytes = s.size_bytes() + 1;
    return with_type<E>();
  }
  /// Each site has a number of its own.
  template <class E>
  call& about_counted() noexcept {
    what_.about = form::counted;
    return with_type<E>();
  }
  /// These counts are everybody's.
  AMITY_API call& by_counts_of_all(std::span<const std::size_t> counts) noexcept;
  call& unordered(bool u) noexcept {
    what_.unordered = u ? 1 : 0;
    return *this;
  }
  call& by_engine() noexcept {
    what_.by_engine = 1;
    return *this;
  }

  // --- what is wrong with it; the first thing counts
  AMITY_API call& refuse(const std::string& why);
  /// Or at any other site but the root.
  AMITY_API call& wants_root(bool at_root);
  AMITY_API call& wants_values(std::size_t values);
  template <class E>
  call& wants_place(std::span<E> s) {
    return s.data() == nullptr && !s.empty() ? refuse_null(s.size()) : *this;
  }
  /// A span of `whole` elements, `each` for each site.
  AMITY_API call& wants_whole(std::size_t whole, std::size_t each);
  /// One for each site, of so many elements in all.
  AMITY_API call& wants_counts(std::span<const std::size_t> counts, std::size_t whole);
  /// This site's count is that of its elements.
  AMITY_API call& wants_own(std::size_t own, std::span<const std::size_t> counts);

  /// Its number among the operations of the communicator; counts it. Of one
  /// that does not go by lines.
  [[nodiscard]] AMITY_API std::uint64_t number() const noexcept;

 private:
  AMITY_API call(const communicator& of, communicator::state& s, kind k, const char* name, const operation_wishes& w);
  AMITY_API call& refuse_null(std::size_t size);
  template <class T>
  call& with_type() noexcept {
    if constexpr (net::detail::goes_as_bytes<T>) {
      what_.element = static_cast<std::uint32_t>(sizeof(T));
      what_.type = class_of<std::remove_cv_t<T>>();
    }
    return *this;
  }

  const communicator& of_;
  communicator::state& state_;
  const char* name_;
  bool has_generation_;
  std::int64_t generation_;
  intention what_;
  std::string refused_;
};

}  // namespace amity::collectives::detail
