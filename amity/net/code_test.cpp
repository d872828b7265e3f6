#include "amity/net/code.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <set>
#include <utility>

#include "amity/net/messages.hpp"

namespace amity::net {
namespace {

template <int N>
void handle(arrival& m) noexcept {
  m.word = N;  // longer than an instruction
}

int some_data = 0;
int some_function(int x) { return x; }

TEST(Code, IsTheSameEachTime) {
  EXPECT_EQ(code_of<handle<1>>(), code_of<handle<1>>());
  EXPECT_NE(code_of<handle<1>>(), code_of<handle<2>>());
  EXPECT_EQ(handler_of(code_of<handle<1>>()), &handle<1>);
}

template <int... N>
std::set<std::uint64_t> codes_of(std::integer_sequence<int, N...>) {
  return {code_of<handle<N>>()...};
}

TEST(Code, ThereIsRoomForMany) {
  EXPECT_EQ(codes_of(std::make_integer_sequence<int, 1000>()).size(), 1000u);
  EXPECT_EQ(handler_of(code_of<handle<999>>()), &handle<999>);
  EXPECT_EQ(handler_of(code_of<handle<0>>()), &handle<0>);
}

TEST(Code, OnlyWhatWasRegisteredIsBelieved) {
  std::uint64_t const code = code_of<handle<1>>();
  EXPECT_EQ(handler_of(0), nullptr);
  EXPECT_EQ(handler_of(code + 1), nullptr);                         // the midst of a function
  EXPECT_EQ(handler_of(code ^ (std::uint64_t{1} << 50)), nullptr);  // another program's
}

TEST(Code, PlacesLeadBack) {
  std::uint64_t const function = place_in_program(reinterpret_cast<const void*>(&some_function));
  ASSERT_NE(function, 0u);
  EXPECT_EQ(address_in_program(function, true), reinterpret_cast<const void*>(&some_function));
  std::uint64_t const data = place_in_program(&some_data);
  EXPECT_EQ(address_in_program(data, false), &some_data);
  EXPECT_EQ(address_in_program(data, true), nullptr) << "data is no code";
  EXPECT_NE(place_in_program(reinterpret_cast<const void*>(&malloc)), 0u);  // a library's
}

TEST(Code, WhatIsNowhereHasNoPlace) {
  int on_stack = 0;
  EXPECT_EQ(place_in_program(&on_stack), 0u);
  EXPECT_EQ(address_in_program(~std::uint64_t{0} >> 1, true), nullptr);
}

}  // namespace
}  // namespace amity::net
