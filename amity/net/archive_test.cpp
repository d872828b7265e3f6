#include "amity/net/archive.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <list>
#include <map>
#include <random>
#include <set>
#include <unordered_map>

#include "amity/base/config.hpp"

namespace amity {
namespace {

struct nested {
  std::map<std::string, std::vector<std::pair<int, std::string>>> table;
  std::variant<std::monostate, int, std::vector<std::string>> choice;
  std::optional<std::unique_ptr<std::string>> maybe;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(table, choice, maybe);
  }
};

// A type of a library that knows nothing of us, and a function beside it.
namespace other {
struct date {
  int day = 0;
  std::string month;
};
template <class Archive>
void serialize(Archive& ar, date& d) {
  ar(d.day, d.month);
}
}  // namespace other

template <class T>
std::vector<std::byte> bytes_of(const T& object) {
  out_archive out;
  out(object);
  return {out.data(), out.data() + out.size()};
}
template <class T>
T read(const std::vector<std::byte>& bytes) {
  in_archive in(bytes.data(), bytes.size());
  T object = in.make<T>();
  if (in.left() != 0) throw bad_message("bytes are left");
  return object;
}

nested a_nested_one() {
  nested n;
  n.table["a"] = {{1, "one"}, {2, ""}};
  n.table["long"] = {{3, std::string(500, 'x')}};
  n.choice = std::vector<std::string>{"p", "q"};
  n.maybe = std::make_unique<std::string>("deep");
  return n;
}

TEST(Archive, NestedTypesComeBack) {
  auto const n = read<nested>(bytes_of(a_nested_one()));
  EXPECT_EQ(n.table, a_nested_one().table);
  EXPECT_EQ(n.choice, a_nested_one().choice);
  EXPECT_EQ(**n.maybe, "deep");
}

TEST(Archive, AFunctionBesideTheTypeIsFound) {
  auto const d = read<other::date>(bytes_of(other::date{24, "May"}));
  EXPECT_EQ(d.day, 24);
  EXPECT_EQ(d.month, "May");
}

TEST(Archive, PairsAndTuplesOfNumbersGoAsBytes) {
  EXPECT_EQ(bytes_of(std::pair<int, double>(1, 2)).size(), sizeof(std::pair<int, double>));
  EXPECT_EQ((read<std::pair<int, double>>(bytes_of(std::pair<int, double>(1, 2)))), (std::pair<int, double>(1, 2)));
}

// A map's pairs have a const key, and are read as a key and a value: both ways they are the same bytes.
TEST(Archive, MapsOfPlainNumbersComeBack) {
  std::map<unsigned, std::uint64_t> sorted;
  std::unordered_map<unsigned, std::uint64_t> hashed;
  for (unsigned i = 0; i < 1000; ++i) sorted[i] = hashed[i] = i;
  out_archive out;
  out(sorted, hashed, 'e');
  in_archive in(out.data(), out.size());
  EXPECT_EQ((in.make<std::map<unsigned, std::uint64_t>>()), sorted);
  EXPECT_EQ((in.make<std::unordered_map<unsigned, std::uint64_t>>()), hashed);
  EXPECT_EQ(in.make<char>(), 'e');
}

/// Bytes would be enough of it; its own function is called all the same, wherever it is.
struct doubled {
  int n = 0;
  template <class Archive>
  void serialize(Archive& ar) {
    if constexpr (Archive::is_saving) {
      ar(n * 2);
    } else {
      ar(n);
    }
  }
};
static_assert(std::is_trivially_copyable_v<doubled>);

TEST(Archive, OwnFunctionsAreCalledWithinWhatCouldGoAsBytes) {
  out_archive out;
  std::map<int, doubled> const table{{1, {5}}};
  out(std::pair(1, doubled{5}), std::array{doubled{5}}, std::optional(doubled{5}),
      std::variant<int, doubled>(doubled{5}), std::vector{std::tuple('c', doubled{5})}, table);
  in_archive in(out.data(), out.size());
  EXPECT_EQ((in.make<std::pair<int, doubled>>().second.n), 10);
  EXPECT_EQ((in.make<std::array<doubled, 1>>()[0].n), 10);
  EXPECT_EQ((in.make<std::optional<doubled>>()->n), 10);
  EXPECT_EQ((std::get<1>(in.make<std::variant<int, doubled>>()).n), 10);
  EXPECT_EQ((std::get<1>(in.make<std::vector<std::tuple<char, doubled>>>().at(0)).n), 10);
  EXPECT_EQ((in.make<std::map<int, doubled>>().at(1).n), 10);
  EXPECT_EQ(in.left(), 0u);
}

// --- other ways to say how

struct by_version {
  int n = 0;
  template <class Archive>
  void serialize(Archive& ar, unsigned) {
    ar& n;
  }
};
struct by_two_with_version {
  int n = 0;
  template <class Archive>
  void save(Archive& ar, unsigned) const {
    ar << n + 1;
  }
  template <class Archive>
  void load(Archive& ar, unsigned) {
    ar >> n;
  }
};
/// cereal's.
struct minimal {
  int n = 0;
  template <class Archive>
  std::string save_minimal(const Archive&) const {
    return std::to_string(n);
  }
  template <class Archive>
  void load_minimal(const Archive&, const std::string& text) {
    n = std::stoi(text);
  }
};
namespace other {
struct minimal_beside {
  int n = 0;
};
template <class Archive>
int save_minimal(const Archive&, const minimal_beside& m) {
  return m.n;
}
template <class Archive>
void load_minimal(const Archive&, minimal_beside& m, const int& n) {
  m.n = n;
}
}  // namespace other

TEST(Archive, EachWayToSayHowIsKnown) {
  out_archive out;
  out(by_version{1}, by_two_with_version{1}, minimal{3}, other::minimal_beside{4});
  in_archive in(out.data(), out.size());
  EXPECT_EQ(in.make<by_version>().n, 1);
  EXPECT_EQ(in.make<by_two_with_version>().n, 2);
  EXPECT_EQ(in.make<minimal>().n, 3);
  EXPECT_EQ(in.make<other::minimal_beside>().n, 4);
  EXPECT_EQ(in.left(), 0u);
}

int twice(int n) { return 2 * n; }

TEST(Archive, AFunctionOfTheProgramTravelsAsItsPlace) {
  using function = int (*)(int);
  out_archive out;
  out(std::pair(1, &twice), function{nullptr});
  in_archive in(out.data(), out.size());
  EXPECT_EQ((in.make<std::pair<int, function>>().second(21)), 42);
  EXPECT_EQ(in.make<function>(), nullptr);
  EXPECT_THROW(static_cast<void>(read<function>(bytes_of(std::uint64_t{12345}))), bad_message);
}

TEST(Archive, TextWithinOthersIsOfTheMessage) {
  std::vector<std::byte> const bytes = bytes_of(std::tuple<int, const char*, const char*>(1, "text", nullptr));
  in_archive in(bytes.data(), bytes.size());
  auto const [number, text, none] = in.make<std::tuple<int, const char*, const char*>>();
  EXPECT_STREQ(text, "text");
  EXPECT_EQ(none, nullptr);
  EXPECT_TRUE(reinterpret_cast<const std::byte*>(text) > bytes.data());
  std::vector<std::byte> endless = bytes_of(static_cast<const char*>("text"));
  endless.back() = std::byte{'x'};
  EXPECT_THROW(static_cast<void>(read<const char*>(endless)), bad_message);
}

TEST(Archive, ViewsWithinOthersAreViewsOfTheMessage) {
  std::string const text(300, 't');
  std::vector<double> const numbers{1, 2, 3};
  using both = std::pair<std::string_view, std::span<const double, 3>>;
  using list = std::vector<std::tuple<char, std::optional<std::variant<int, both>>>>;
  out_archive out;
  out('x', list{{'a', std::variant<int, both>(both{text, std::span<const double, 3>(numbers)})}});
  in_archive in(out.data(), out.size());
  EXPECT_EQ(in.make<char>(), 'x');
  list const made = in.make<list>();
  both const& its = std::get<1>(std::get<1>(made.at(0)).value());
  EXPECT_EQ(its.first, text);
  EXPECT_TRUE(std::ranges::equal(its.second, numbers));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(its.second.data()) % alignof(double), 0u);
  EXPECT_TRUE(reinterpret_cast<const std::byte*>(its.first.data()) >= out.data() &&
              reinterpret_cast<const std::byte*>(its.first.data()) < out.data() + out.size());
}

// --- what does not travel

struct more_than_its_container : std::vector<int> {
  int width = 0;
};
struct no_more_than_its_container : std::vector<int> {};
struct base_with_virtual {
  virtual ~base_with_virtual() = default;
};
struct less_by_number {
  int number = 0;
  bool operator()(int, int) const { return false; }
};

TEST(Archive, WhatNamesMemoryOfTheSenderIsRefusedWhereverItIs) {
  using net::detail::why;
  using net::detail::why_not;
  EXPECT_EQ((why_not<int*, true>()), why::pointer);
  EXPECT_EQ((why_not<std::tuple<int, char*>, true>()), why::pointer);
  EXPECT_EQ((why_not<std::map<int, std::optional<std::variant<char, void*>>>, true>()), why::pointer);
  EXPECT_EQ((why_not<std::vector<std::unique_ptr<std::pair<int, int more_than_its_container::*>>>, true>()),
            why::member_pointer);
  EXPECT_EQ((why_not<std::tuple<int&>, true>()), why::reference);
  EXPECT_EQ((why_not<std::array<std::reference_wrapper<int>, 2>, true>()), why::reference);
  EXPECT_EQ((why_not<std::pair<std::vector<int>::iterator, int>, true>()), why::iterator);
  EXPECT_EQ((why_not<std::optional<std::map<int, int>::const_iterator>, true>()), why::iterator);
  EXPECT_EQ((why_not<std::vector<bool>::iterator, true>()), why::iterator);
  EXPECT_EQ((why_not<std::pair<int, std::span<const std::string>>, true>()), why::view_of_objects);
  EXPECT_EQ((why_not<std::span<const std::pair<int, const int*>>, true>()), why::pointer);
  EXPECT_EQ((why_not<std::span<const char* const>, true>()), why::view_of_objects);
  EXPECT_EQ((why_not<std::span<std::string_view>, true>()), why::view_of_objects);
  EXPECT_EQ((why_not<std::initializer_list<int>, true>()), why::other_view);
  EXPECT_EQ((why_not<std::shared_ptr<int>, true>()), why::shared);
  EXPECT_EQ((why_not<std::unique_ptr<int[]>, true>()), why::unique_array);
  EXPECT_EQ((why_not<std::unique_ptr<base_with_virtual>, true>()), why::unique_polymorphic);
  EXPECT_EQ((why_not<std::unique_ptr<int, void (*)(int*)>, true>()), why::unique_deleter);
  EXPECT_EQ((why_not<std::set<int, less_by_number>, true>()), why::order_with_state);
  EXPECT_EQ((why_not<std::map<int, int, bool (*)(int, int)>, true>()), why::order_with_state);
  EXPECT_EQ((why_not<more_than_its_container, true>()), why::derived_container);
  EXPECT_EQ((why_not<no_more_than_its_container, true>()), why::it_does);
  EXPECT_EQ((why_not<std::error_code, true>()), why::bound_here);
  EXPECT_EQ((why_not<std::coroutine_handle<>, true>()), why::bound_here);
}

TEST(Archive, ViewsAreAligned) {
  out_archive out;
  std::vector<double> const numbers{1, 2, 3};
  out(char('x'), std::span<const double>(numbers), std::string_view("text"));
  in_archive in(out.data(), out.size());
  EXPECT_EQ(in.make<char>(), 'x');
  auto const view = in.make<std::span<const double>>();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data()) % alignof(double), 0u);
  EXPECT_TRUE(std::ranges::equal(view, numbers));
  EXPECT_EQ(in.make<std::string_view>(), "text");
}

TEST(Archive, MuchGoesBeyondItsOwnRoom) {
  std::vector<std::string> const many(1000, "some words that take room");
  EXPECT_EQ(read<std::vector<std::string>>(bytes_of(many)), many);
}

// --- hostile bytes

template <class T>
void expect_refused(const std::vector<std::byte>& bytes) {
  EXPECT_THROW(static_cast<void>(read<T>(bytes)), bad_message);
}

TEST(Archive, EveryTruncationIsRefused) {
  std::vector<std::byte> const whole = bytes_of(a_nested_one());
  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_refused<nested>({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
}

TEST(Archive, LengthsAreNotBelievedBeyondTheBytes) {
  for (std::uint64_t length : {std::uint64_t{1} << 20, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    std::vector<std::byte> bytes = bytes_of(length);
    bytes.resize(bytes.size() + 16);
    expect_refused<std::string>(bytes);
    expect_refused<std::vector<double>>(bytes);
    expect_refused<std::vector<std::string>>(bytes);
    expect_refused<std::vector<bool>>(bytes);
    expect_refused<std::list<int>>(bytes);
    expect_refused<std::map<int, int>>(bytes);
    expect_refused<std::span<const int>>(bytes);
    expect_refused<std::string_view>(bytes);
    expect_refused<std::vector<std::monostate>>(bytes);  // elements that take no bytes
  }
}

TEST(Archive, ABoolIsTrueOrFalse) {
  std::byte const two{2};
  expect_refused<bool>({two});
  expect_refused<std::array<bool, 1>>({two});
  expect_refused<std::pair<char, bool>>({std::byte{}, two});
  std::vector<std::byte> view = bytes_of(std::uint64_t{1});
  view.push_back(two);
  expect_refused<std::span<const bool>>(view);
  expect_refused<std::vector<bool>>(view);
}

struct link_of_chain {
  std::unique_ptr<link_of_chain> next;
  template <class Archive>
  void serialize(Archive& ar) {
    ar(next);
  }
};
TEST(Archive, WhatIsTooDeepForTheStackIsRefused) {
#if AMITY_TSAN
  GTEST_SKIP() << "ThreadSanitizer keeps 65,536 calls of a thread at most";
#endif
  expect_refused<link_of_chain>(std::vector<std::byte>(50'000'000, std::byte{1}));
}

TEST(Archive, ManyElementsOfNoBytesComeBack) {
  EXPECT_EQ(read<std::vector<std::monostate>>(bytes_of(std::vector<std::monostate>(3'000'000))).size(), 3'000'000u);
}

TEST(Archive, AlternativesThatDoNotExistAreRefused) {
  using choice = std::variant<int, std::string>;
  expect_refused<choice>(bytes_of(std::uint32_t{2}));
  expect_refused<choice>(bytes_of(~std::uint32_t{0}));
}

/// Whatever comes is read or refused; memory is taken for what is there at most (a sanitizer, or the machine, would
/// say).
TEST(Archive, DamagedBytesAreReadOrRefused) {
  std::minstd_rand random(17);
  std::vector<std::byte> const whole = bytes_of(a_nested_one());
  int refused = 0, was_read = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::vector<std::byte> bytes = whole;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
    try {
      nested const n = read<nested>(bytes);
      was_read += n.table.size() < bytes.size();
    } catch (const bad_message&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(was_read, 1000);
}

}  // namespace
}  // namespace amity
