// Random values of the standard library's types, within one another, are written, read and compared; what is read back
// is all that was written. Then the same bytes, damaged: whatever comes is read or refused, and takes no more memory
// than its length allows.
#include <gtest/gtest.h>

#include <bitset>
#include <chrono>
#include <complex>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <list>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <stack>
#include <unordered_map>
#include <unordered_set>

#include "amity/net/archive.hpp"

// gcc 12 believes that the value of an empty optional is compared.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace amity {
namespace {

using generator = std::minstd_rand;

// --- leaves

struct padded {
  char letter;
  double number;
  bool operator==(const padded& other) const { return letter == other.letter && number == other.number; }
};
struct alignas(64) over_aligned {
  std::int16_t number;
  bool operator==(const over_aligned& other) const { return number == other.number; }
};
struct empty {
  bool operator==(const empty&) const { return true; }
};
enum class color : std::uint8_t { red, green, blue };
enum plain_enum : short { one = 1, two };  // of a known type: whatever comes is a value of it

/// It could go as bytes, and must not: its own functions add a mark.
class marked {
 public:
  explicit marked(int n) : number_(n) {}
  bool operator==(const marked&) const = default;

 private:
  friend class serialization::access;
  marked() = default;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    std::uint16_t mark = 4711;
    ar& number_& mark;
    if (mark != 4711) throw bad_message("no mark");
  }
  int number_ = 0;
};
/// It writes nothing.
struct silent {
  template <class Archive>
  void serialize(Archive&) {}
  bool operator==(const silent&) const { return true; }
};

template <class T>
struct random_value;
template <class T>
T make_random(generator& g) {
  return random_value<std::remove_cv_t<T>>()(g);
}

template <class T>
requires std::is_arithmetic_v<T>
struct random_value<T> {
  T operator()(generator& g) const { return static_cast<T>(g()); }
};
template <>
struct random_value<bool> {
  bool operator()(generator& g) const { return g() % 2 != 0; }
};
template <>
struct random_value<padded> {
  padded operator()(generator& g) const { return {static_cast<char>(g()), static_cast<double>(g())}; }
};
template <>
struct random_value<over_aligned> {
  over_aligned operator()(generator& g) const { return {static_cast<std::int16_t>(g())}; }
};
template <>
struct random_value<color> {
  color operator()(generator& g) const { return static_cast<color>(g() % 3); }
};
template <>
struct random_value<plain_enum> {
  plain_enum operator()(generator& g) const { return g() % 2 != 0 ? one : two; }
};
template <>
struct random_value<marked> {
  marked operator()(generator& g) const { return marked(static_cast<int>(g())); }
};
template <class T>
requires std::is_empty_v<T>
struct random_value<T> {
  T operator()(generator&) const { return {}; }
};
template <class C>
struct random_value<std::basic_string<C>> {
  std::basic_string<C> operator()(generator& g) const {
    std::basic_string<C> text(g() % 40, C());
    for (C& each : text) each = static_cast<C>(g());
    return text;
  }
};
template <class R>
struct random_value<std::complex<R>> {
  std::complex<R> operator()(generator& g) const { return {make_random<R>(g), make_random<R>(g)}; }
};
template <std::size_t N>
struct random_value<std::bitset<N>> {
  std::bitset<N> operator()(generator& g) const { return {g()}; }
};
template <class R, class P>
struct random_value<std::chrono::duration<R, P>> {
  std::chrono::duration<R, P> operator()(generator& g) const {
    return std::chrono::duration<R, P>(static_cast<R>(g()));
  }
};
template <>
struct random_value<std::filesystem::path> {
  std::filesystem::path operator()(generator& g) const { return "folder/" + std::to_string(g()); }
};

// --- what holds them

template <class A, class B>
struct random_value<std::pair<A, B>> {
  std::pair<A, B> operator()(generator& g) const { return {make_random<A>(g), make_random<B>(g)}; }
};
template <class... T>
struct random_value<std::tuple<T...>> {
  std::tuple<T...> operator()(generator& g) const { return {make_random<T>(g)...}; }
};
template <class T>
struct random_value<std::optional<T>> {
  std::optional<T> operator()(generator& g) const {
    if (g() % 3 == 0) return std::nullopt;
    return make_random<T>(g);
  }
};
template <class T>
struct random_value<std::unique_ptr<T>> {
  std::unique_ptr<T> operator()(generator& g) const {
    return g() % 3 == 0 ? nullptr : std::make_unique<T>(make_random<T>(g));
  }
};
template <class T, std::size_t N>
struct random_value<std::array<T, N>> {
  template <std::size_t... I>
  static std::array<T, N> filled(generator& g, std::index_sequence<I...>) {
    return {(static_cast<void>(I), make_random<T>(g))...};
  }
  std::array<T, N> operator()(generator& g) const { return filled(g, std::make_index_sequence<N>()); }
};
template <class A, class B, class C>
struct random_value<std::variant<A, B, C>> {
  std::variant<A, B, C> operator()(generator& g) const {
    using those = std::variant<A, B, C>;
    switch (g() % 3) {
      case 0:
        return those(std::in_place_index<0>, make_random<A>(g));
      case 1:
        return those(std::in_place_index<1>, make_random<B>(g));
      default:
        return those(std::in_place_index<2>, make_random<C>(g));
    }
  }
};
template <class C>
concept a_container = net::detail::form_of<C>
== net::detail::form::container;
template <a_container C>
struct random_value<C> {
  C operator()(generator& g) const {
    C made;
    for (auto n = g() % 4; n > 0; --n) {
      auto each = make_random<typename net::detail::element_of<C>::type>(g);
      if constexpr (requires { made.push_back(std::move(each)); })
        made.push_back(std::move(each));
      else if constexpr (requires { made.push_front(std::move(each)); })
        made.push_front(std::move(each));
      else
        made.insert(made.end(), std::move(each));
    }
    return made;
  }
};
template <class A>
concept an_adaptor = net::detail::form_of<A>
== net::detail::form::adaptor;
template <an_adaptor A>
struct random_value<A> {
  A operator()(generator& g) const {
    A made;
    for (auto n = g() % 4; n > 0; --n) made.push(make_random<typename A::value_type>(g));
    return made;
  }
};

// --- compared

template <class T>
bool same(const T& a, const T& b);
struct all_same {
  template <class A, class B>
  bool operator()(const std::pair<A, B>& a, const std::pair<A, B>& b) const {
    return same(a.first, b.first) && same(a.second, b.second);
  }
  template <class... T>
  bool operator()(const std::tuple<T...>& a, const std::tuple<T...>& b) const {
    return each(a, b, std::index_sequence_for<T...>());
  }
  template <class T, std::size_t... I>
  bool each(const T& a, const T& b, std::index_sequence<I...>) const {
    return (same(std::get<I>(a), std::get<I>(b)) && ...);
  }
  template <class T>
  bool operator()(const std::optional<T>& a, const std::optional<T>& b) const {
    return a.has_value() == b.has_value() && (!a.has_value() || same(*a, *b));
  }
  template <class T>
  bool operator()(const std::unique_ptr<T>& a, const std::unique_ptr<T>& b) const {
    return (a == nullptr) == (b == nullptr) && (a == nullptr || same(*a, *b));
  }
  template <class... T>
  bool operator()(const std::variant<T...>& a, const std::variant<T...>& b) const {
    return a.index() == b.index() && std::visit(
                                         [&b](const auto& its) {
                                           using alternative = std::remove_cvref_t<decltype(its)>;
                                           return same(its, std::get<alternative>(b));
                                         },
                                         a);
  }
};
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (requires { all_same()(a, b); }) {
    return all_same()(a, b);
  } else if constexpr (an_adaptor<T>) {
    return same(net::detail::inner_container<T>::of(const_cast<T&>(a)),
                net::detail::inner_container<T>::of(const_cast<T&>(b)));
  } else if constexpr (a_container<T> && requires { typename T::hasher; }) {
    if constexpr (net::detail::map_container<T>)
      return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&b](const auto& each) {
               auto const at = b.find(each.first);
               return at != b.end() && same(each.second, at->second);
             });
    else
      return a == b;
  } else if constexpr (a_container<T>) {
    auto at = b.begin();
    for (const auto& each : a)
      if (at == b.end() ||
          !same(static_cast<const typename T::value_type&>(each), static_cast<const typename T::value_type&>(*at++)))
        return false;
    return at == b.end();
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    return std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return same(x, y); });
  } else {
    return a == b;
  }
}

// --- and tried

std::vector<std::byte> bytes_written(out_archive& out) { return {out.data(), out.data() + out.size()}; }

/// `spoiled`: how often they are damaged.
template <class T>
void try_values(unsigned seed, int spoiled = 30) {
  SCOPED_TRACE(testing::Message() << __PRETTY_FUNCTION__);
  generator g(seed);
  for (int i = 0; i < 10; ++i) {
    T const given = make_random<T>(g);
    out_archive out;
    out('x', given, 'y');
    std::vector<std::byte> bytes = bytes_written(out);
    in_archive in(bytes.data(), bytes.size());
    EXPECT_EQ(in.make<char>(), 'x');
    T const made = in.make<T>();
    EXPECT_EQ(in.make<char>(), 'y');
    EXPECT_EQ(in.left(), 0u);
    EXPECT_TRUE(same(given, made));
    // Into an object that is there, and has something else.
    T read = make_random<T>(g);
    in_archive again(bytes.data(), bytes.size());
    char before = 0, behind = 0;
    again(before, read, behind);
    EXPECT_EQ(again.left(), 0u);
    EXPECT_TRUE(same(given, read));

    for (int k = 0; k < spoiled; ++k) {
      std::vector<std::byte> bad = bytes;
      for (unsigned changes = g() % 4; changes > 0; --changes) bad[g() % bad.size()] = static_cast<std::byte>(g());
      if (g() % 3 == 0) bad.resize(g() % (bad.size() + 1));
      try {
        in_archive damaged(bad.data(), bad.size());
        static_cast<void>(damaged.make<char>());
        T const some = damaged.make<T>();
        static_cast<void>(same(some, given));
      } catch (const bad_message&) {
      }
    }
  }
}

template <class... T>
struct types {};
template <class... T>
void try_each(types<T...>) {
  unsigned seed = 1;
  (try_values<T>(seed++), ...);
}

TEST(ArchiveValues, OfEachKind) {
  try_each(types<int, bool, char, std::int64_t, long double, wchar_t, char16_t, padded, over_aligned, empty, color,
                 plain_enum, marked, silent, std::monostate, std::string, std::wstring, std::u16string,
                 std::complex<float>, std::bitset<70>, std::chrono::milliseconds, std::filesystem::path>());
}

TEST(ArchiveValues, WithinContainers) {
  try_each(
      types<std::vector<bool>, std::vector<padded>, std::vector<over_aligned>, std::vector<empty>, std::vector<silent>,
            std::vector<marked>, std::vector<std::pair<bool, int>>, std::deque<bool>, std::list<over_aligned>,
            std::forward_list<padded>, std::forward_list<std::string>, std::set<int>, std::multiset<std::string>,
            std::unordered_set<std::string>, std::unordered_multiset<int>, std::map<unsigned, std::uint64_t>,
            std::map<char, bool>, std::map<char, empty>, std::multimap<short, std::string>,
            std::unordered_map<unsigned, std::uint64_t>, std::unordered_map<std::string, over_aligned>, std::stack<int>,
            std::queue<std::string>, std::priority_queue<int>, std::stack<bool, std::vector<bool>>>());
}

TEST(ArchiveValues, PairsTuplesAndTheLike) {
  try_each(types<std::pair<int, marked>, std::pair<const char, std::uint64_t>, std::pair<bool, bool>,
                 std::pair<empty, std::monostate>, std::tuple<>, std::tuple<empty>, std::tuple<int, double>,
                 std::tuple<char, const std::uint64_t, bool>, std::tuple<over_aligned, char>, std::array<bool, 5>,
                 std::array<marked, 2>, std::array<std::string, 0>, std::array<int, 0>, std::array<padded, 3>,
                 std::optional<bool>, std::optional<marked>, std::optional<over_aligned>, std::optional<empty>,
                 std::variant<marked, bool, over_aligned>, std::variant<std::monostate, padded, std::string>,
                 std::unique_ptr<int>, std::unique_ptr<over_aligned>>());
}

// --- three deep

template <class T>
using in_pair = std::pair<const short, T>;
template <class T>
using in_tuple = std::tuple<bool, T, empty>;
template <class T>
using in_array = std::array<T, 2>;
template <class T>
using in_variant = std::variant<std::monostate, T, bool>;
template <class T>
using in_vector = std::vector<T>;
template <class T>
using in_forward_list = std::forward_list<T>;
template <class T>
using in_map = std::map<char, T>;
template <class T>
using in_unordered_map = std::unordered_map<std::int16_t, T>;

template <class T>
using leaf = std::tuple<bool, T, std::uint64_t>;

/// Each around each, around a leaf.
template <template <class> class Outer, class T>
using around_each =
    types<Outer<in_pair<leaf<T>>>, Outer<in_tuple<leaf<T>>>, Outer<in_array<leaf<T>>>, Outer<std::optional<leaf<T>>>,
          Outer<in_variant<leaf<T>>>, Outer<std::unique_ptr<leaf<T>>>, Outer<in_vector<leaf<T>>>,
          Outer<in_forward_list<leaf<T>>>, Outer<in_map<leaf<T>>>, Outer<in_unordered_map<leaf<T>>>>;

TEST(ArchiveValues, ThreeDeep) {
  try_each(around_each<in_pair, marked>());
  try_each(around_each<in_variant, std::string>());
  try_each(around_each<std::optional, bool>());
}
TEST(ArchiveValues, ThreeDeepInContainers) {
  try_each(around_each<in_vector, padded>());
  try_each(around_each<in_map, over_aligned>());
}

}  // namespace
}  // namespace amity
