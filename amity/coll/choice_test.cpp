// Tables of algorithms: which rule is taken, how they are read, and what is said of those that can't be.

#include "amity/coll/choice.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "amity/coll/choice_text.hpp"

namespace amity::collectives::tuning {
namespace {

TEST(Choice, TheFirstRuleWithRoomIsTaken) {
  table const rules = {{operation::reduce, 4, 100, {method::parts}},
                       {operation::broadcast, 0, 0, {method::lanes}},
                       {operation::reduce, 0, 100, {method::tree, 3, 5, 2048}},
                       {operation::reduce, 0, 0, {method::lanes}}};
  EXPECT_EQ(choose(rules, operation::reduce, 4, 100).how, method::parts);
  EXPECT_EQ(choose(rules, operation::reduce, 5, 100).arity, 3);
  EXPECT_EQ(choose(rules, operation::reduce, 4, 101).how, method::lanes);
  EXPECT_EQ(choose(rules, operation::broadcast, 1000, 1).how, method::lanes);
}

// amity/coll/README.md shows the built-in table as parse_table reads it.
TEST(Choice, TheReadmeHasTheBuiltInTable) {
  std::ifstream file(AMITY_SOURCE_FOLDER "/amity/coll/README.md");
  std::string const page{std::istreambuf_iterator<char>(file), {}};
  std::size_t const first = page.find("# operation"), last = page.find("```", first);
  ASSERT_NE(last, std::string::npos);
  table shown;
  EXPECT_EQ(parse_table(page.substr(first, last - first), shown), "");
  EXPECT_EQ(text_of(shown), text_of(default_table()));
}

TEST(Choice, MpisRulesHoldWhereMpiIsThere) {
  table t(default_table().begin(), default_table().end());
  EXPECT_EQ(parse_table("reduce 4 any mpi", t), "");
  EXPECT_EQ(t.size(), default_table().size() + 1);
  EXPECT_EQ(choose(t, operation::reduce, 4, 100, 0, {.mpi = true}).how, method::mpi);
  EXPECT_NE(choose(t, operation::reduce, 5, 100, 0, {.mpi = true}).how, method::mpi);
  choice const without = choose(t, operation::reduce, 4, 100),
               built_in = choose(default_table(), operation::reduce, 4, 100);
  EXPECT_EQ(without.how, built_in.how);
  EXPECT_EQ(without.arity, built_in.arity);
}

TEST(Choice, LinesHoldWhereSitesShareMemory) {
  for (std::size_t o = 0; o < std::size(operation_names); ++o) {
    auto const of = static_cast<operation>(o);
    EXPECT_EQ(choose(default_table(), of, 256, 4096, 0, {.lines = true}).how, method::lines) << operation_names[o];
    EXPECT_NE(choose(default_table(), of, 16, 4097, 0, {.lines = true}).how, method::lines) << operation_names[o];
    EXPECT_NE(choose(default_table(), of, 257, 1, 0, {.lines = true}).how, method::lines) << operation_names[o];
    EXPECT_NE(choose(default_table(), of, 16, 1).how, method::lines) << operation_names[o];
  }
}

TEST(Choice, ATableMayDoWithoutLines) {
  table t(default_table().begin(), default_table().end());
  EXPECT_EQ(parse_table("reduce any any tree 2\nscatter any 8 lines", t), "");
  EXPECT_EQ(choose(t, operation::reduce, 4, 1, 0, {.lines = true}).how, method::tree);
  EXPECT_EQ(choose(t, operation::broadcast, 4, 1, 0, {.lines = true}).how, method::lines);
  // A rule for lines alone keeps the others of its operation.
  EXPECT_EQ(choose(t, operation::scatter, 4, 8, 0, {.lines = true}).how, method::lines);
  EXPECT_EQ(choose(t, operation::scatter, 257, 4096, 0, {.lines = true}).how,
            choose(default_table(), operation::scatter, 257, 4096, 0, {.lines = true}).how);
}

TEST(Choice, AnArityThatIsWishedForIsATree) {
  for (operation o : {operation::broadcast, operation::reduce, operation::all_reduce})
    for (std::size_t bytes : {1, 1 << 20}) {
      choice const c = choose(default_table(), o, 64, bytes, 3);
      EXPECT_EQ(c.how, method::tree);
      EXPECT_EQ(c.arity, 3);
      EXPECT_EQ(c.near_arity, 3);
      EXPECT_FALSE(c.follows_nodes);
    }
  EXPECT_EQ(choose(default_table(), operation::scatter, 64, 1 << 20, 3).how, method::straight);
}

TEST(Choice, TheBuiltInTableIsWhole) {
  table t;
  EXPECT_EQ(parse_table(text_of(default_table()), t), "");
  EXPECT_EQ(t.size(), default_table().size());
  EXPECT_EQ(text_of(t), text_of(default_table()));
}

TEST(Choice, ATableIsRead) {
  table t = {{operation::reduce, 0, 0, {method::lanes}}, {operation::scatter, 0, 0, {method::tree}}};
  EXPECT_EQ(parse_table("# mine\n"
                        "reduce 16 32k tree 2\r\n"
                        "\n"
                        "  reduce any 1m tree 2:8 -   # for more\n"
                        "reduce\tany any tree - 64k",
                        t),
            "");
  ASSERT_EQ(t.size(), 4u);  // scatter's rule is kept
  EXPECT_EQ(t[3].of, operation::scatter);
  EXPECT_EQ(t[0].sites, 16);
  EXPECT_EQ(t[0].bytes, 32u * 1024);
  EXPECT_EQ(t[0].how.near_arity, 2);
  EXPECT_EQ(t[1].sites, 0);
  EXPECT_EQ(t[1].bytes, 1024u * 1024);
  EXPECT_EQ(t[1].how.arity, 2);
  EXPECT_EQ(t[1].how.near_arity, 8);
  EXPECT_EQ(t[2].how.piece, 64u * 1024);
  EXPECT_EQ(parse_table("", t), "");
  EXPECT_EQ(t.size(), 4u);
}

TEST(Choice, WhatIsWrongWithATableIsSaid) {
  struct {
    const char *text, *said;
  } const wrong[] = {
      {"reduce any any", "line 1: 3 words"},
      {"\nreduce any any tree 2 1k more", "line 2: 7 words"},
      {"reduction any any tree", "no operation is named 'reduction'; those with a choice are: broadcast, reduce,"},
      {"scatter any any ring", "scatter has no method 'ring'; it has: tree, straight, mpi, lines"},
      {"reduce 0 any tree", "sites '0'; allowed: 1 or more, or any"},
      {"reduce 4k any tree", "sites '4k'"},
      {"reduce -3 any tree", "sites '-3'"},
      {"reduce any 32kb tree", "bytes '32kb'; allowed: 1 or more, as 512, 32k or 1m, or any"},
      {"reduce any 99999999999999999999 tree", "bytes '99999999999999999999'"},
      {"reduce any any tree 2:", "arity '2:'; allowed: 1 (a chain) or more, two as 2:8"},
      {"reduce any any tree 0", "arity '0'"},
      {"reduce any any tree 2 100", "piece '100'; allowed: 1k or more, or -"},
      {"reduce any any lines\nreduce 16 any tree", "the last rule of reduce"},
      {"reduce 16 any tree", "the last rule of reduce is not for any number of sites and any of bytes"},
      {"reduce any any tree\nreduce any 5 tree", "the last rule of reduce"},
  };
  for (auto const& [text, said] : wrong) {
    table t(default_table().begin(), default_table().end());
    std::string const heard = parse_table(text, t);
    EXPECT_NE(heard.find(said), std::string::npos) << text << ": " << heard;
    EXPECT_EQ(text_of(t), text_of(default_table())) << text;
  }
}

}  // namespace
}  // namespace amity::collectives::tuning
