#include "amity/upcxx/serialization.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "amity/upcxx/view.hpp"

namespace fields {

struct base {
  int b = 0;
  UPCXX_SERIALIZED_VALUES(b)
  base() = default;
  explicit base(int x) : b(x) {}
};
struct particle : base {
  double x = 0;
  std::vector<int> near;
  int cells[3] = {};
  UPCXX_SERIALIZED_FIELDS(UPCXX_SERIALIZED_BASE(base), x, near, cells)
};
struct named {
  std::string name;
  int times = 0;
  named(std::string n, int t) : name(std::move(n)), times(t) {}
  UPCXX_SERIALIZED_VALUES(name, times + 1)
};
struct refused {
  UPCXX_SERIALIZED_DELETE()
};
struct by_pointer {
  int x;
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& w, const by_pointer& c) {
      auto const size = w.template reserve<int>();
      w.write(c.x);
      w.commit(size, 1);
    }
    template <class Reader>
    static by_pointer* deserialize(Reader& r, void* to) {
      int const n = r.template read<int>();
      return ::new (to) by_pointer{r.template read<int>() * n};
    }
  };
};

}  // namespace fields

namespace {

template <class T>
auto there(const T& x) {
  return upcxx::serialization_traits<T>::deserialized_value(x);
}

static_assert(upcxx::is_trivially_serializable<std::pair<int, char>>::value);
static_assert(!upcxx::is_trivially_serializable<fields::particle>::value);
static_assert(upcxx::is_serializable<std::map<std::string, fields::particle>>::value);
static_assert(!upcxx::is_serializable<fields::refused>::value);
static_assert(!upcxx::is_serializable<std::vector<fields::refused>>::value);

TEST(upcxx_serialization, fields_with_a_base_and_an_array) {
  fields::particle p;
  p.b = 4;
  p.x = 2.5;
  p.near = {1, 2, 3};
  p.cells[2] = 9;
  fields::particle const q = there(p);
  EXPECT_EQ(q.b, 4);
  EXPECT_EQ(q.x, 2.5);
  EXPECT_EQ(q.near, p.near);
  EXPECT_EQ(q.cells[2], 9);
}

TEST(upcxx_serialization, values_are_the_constructors_arguments) {
  fields::named const n = there(fields::named("a name longer than what lies in a string", 1));
  EXPECT_EQ(n.name, "a name longer than what lies in a string");
  EXPECT_EQ(n.times, 2);
}

TEST(upcxx_serialization, own_functions) { EXPECT_EQ(there(fields::by_pointer{6}).x, 6); }

TEST(upcxx_serialization, containers) {
  std::map<std::string, std::vector<fields::named>> m;
  m["x"].emplace_back("y", 1);
  m["z"];
  auto const n = there(m);
  ASSERT_EQ(n.size(), 2u);
  EXPECT_EQ(n.at("x").at(0).times, 2);
  std::unordered_map<int, std::string> u{{1, "a"}, {2, "b"}};
  EXPECT_EQ(there(u), u);
  std::unordered_set<long> s{4, 5, 6};
  EXPECT_EQ(there(s), s);
  std::tuple<char, double, std::vector<bool>> const t('c', 1.5, {true, false, true});
  EXPECT_EQ(there(t), t);
}

// What lies behind a char is aligned, and read at the same place.
TEST(upcxx_serialization, alignment) {
  std::vector<std::pair<char, std::vector<double>>> v{{'a', {1.5}}, {'b', {}}, {'c', {2.5, 3.5}}};
  EXPECT_EQ(there(v), v);
}

TEST(upcxx_serialization, views) {
  std::vector<fields::named> const names{{"a", 1}, {"b", 2}};
  upcxx::detail::writer w;
  w.write(upcxx::make_view(names));
  int const numbers[] = {5, 6, 7};
  w.write(upcxx::make_view(numbers));
  void* const copy = upcxx::detail::alloc_aligned(w.size(), upcxx::serialization_align_max);
  w.compact_and_invalidate(copy);
  upcxx::detail::serialization_reader r(copy);
  auto const v = r.read<upcxx::view<fields::named, std::vector<fields::named>::const_iterator>>();
  auto const n = r.read<upcxx::view<int, const int*>>();
  std::string all;
  for (fields::named x : v) all += x.name + std::to_string(x.times);
  EXPECT_EQ(all, "a2b3");
  EXPECT_EQ(v.size(), 2u);
  EXPECT_EQ(n[2], 7);
  EXPECT_EQ(n.size(), 3u);
  std::free(copy);
}

}  // namespace
