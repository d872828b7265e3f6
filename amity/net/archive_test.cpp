#include "amity/net/archive.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <list>
#include <map>
#include <random>
#include <set>

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
