#include "amity/base/intrusive_list.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace amity::base {
namespace {

struct other_tag;

struct item : list_node<item>, list_node<item, other_tag> {
  explicit item(int v) : value(v) {}
  int value;
};

template <class List>
std::vector<int> values(List& list) {
  std::vector<int> result;
  for (item& i : list) result.push_back(i.value);
  return result;
}

TEST(intrusive_list, keeps_the_order_of_both_ends) {
  intrusive_list<item> list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.pop_front(), nullptr);
  EXPECT_EQ(list.pop_back(), nullptr);
  item a{1}, b{2}, c{3};
  list.push_back(b);
  list.push_back(c);
  list.push_front(a);
  EXPECT_EQ(values(list), (std::vector{1, 2, 3}));
  EXPECT_EQ(&list.front(), &a);
  EXPECT_EQ(&list.back(), &c);
  EXPECT_EQ(list.pop_front(), &a);
  EXPECT_EQ(list.pop_back(), &c);
  EXPECT_EQ(list.pop_back(), &b);
  EXPECT_TRUE(list.empty());
}

TEST(intrusive_list, removes_from_the_middle) {
  intrusive_list<item> list;
  item a{1}, b{2}, c{3};
  list.push_back(a);
  list.push_back(b);
  list.push_back(c);
  list.remove(b);
  EXPECT_EQ(values(list), (std::vector{1, 3}));
  EXPECT_FALSE(static_cast<list_node<item>&>(b).is_linked());
  EXPECT_TRUE(static_cast<list_node<item>&>(a).is_linked());
  list.insert(list.begin(), b);
  EXPECT_EQ(values(list), (std::vector{2, 1, 3}));
}

TEST(intrusive_list, walks_backwards) {
  intrusive_list<item> list;
  item a{1}, b{2};
  list.push_back(a);
  list.push_back(b);
  auto at = list.end();
  EXPECT_EQ((--at)->value, 2);
  EXPECT_EQ((--at)->value, 1);
  EXPECT_EQ(at, list.begin());
}

TEST(intrusive_list, splice_moves_everything_and_leaves_the_source_usable) {
  intrusive_list<item> to, from;
  item a{1}, b{2}, c{3};
  to.splice_back(from);
  EXPECT_TRUE(to.empty());
  to.push_back(a);
  from.push_back(b);
  from.push_back(c);
  to.splice_back(from);
  EXPECT_EQ(values(to), (std::vector{1, 2, 3}));
  EXPECT_TRUE(from.empty());
  to.remove(c);
  from.push_back(c);
  EXPECT_EQ(values(from), (std::vector{3}));
}

TEST(intrusive_list, an_element_is_in_one_list_for_each_tag) {
  intrusive_list<item> first;
  intrusive_list<item, other_tag> second;
  item a{1}, b{2};
  first.push_back(a);
  first.push_back(b);
  second.push_front(a);
  second.push_front(b);
  EXPECT_EQ(values(first), (std::vector{1, 2}));
  EXPECT_EQ(values(second), (std::vector{2, 1}));
}

TEST(intrusive_list, a_copy_is_in_no_list) {
  intrusive_list<item> list;
  item a{1};
  list.push_back(a);
  item copy = a;
  EXPECT_FALSE(static_cast<list_node<item>&>(copy).is_linked());
  EXPECT_EQ(values(list), (std::vector{1}));
}

}  // namespace
}  // namespace amity::base
