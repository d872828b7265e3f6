#include "amity/omp/settings/parse.hpp"

#include <gtest/gtest.h>

#include <string>

namespace amity::omp::parse {
namespace {

sys::cpu_mask cpus_to(int n) {
  sys::cpu_mask mask;
  for (int cpu = 0; cpu < n; ++cpu) mask.add(cpu);
  return mask;
}

// "0-1 4" for two places; "bad" for what is refused.
template <class Parser>
std::string read(Parser parser, const char* text, int cpus) {
  sys::cpu_mask_list list;
  bool cut = false;
  if (!parser(text, cpus_to(cpus), list, cut)) return "bad";
  std::string result = cut ? "cut:" : "";
  for (const sys::cpu_mask& place : list) {
    char buffer[64];
    result += (result.empty() ? "" : " ") + std::string(sys::format_cpus(place, buffer, sizeof buffer));
  }
  return result;
}
std::string places_of(const char* text, int cpus = 16) { return read(places, text, cpus); }
std::string cpus_of(const char* text, int cpus = 16) { return read(cpu_list, text, cpus); }

TEST(parse, explicit_places) {
  EXPECT_EQ(places_of("{0},{1}"), "0 1");
  EXPECT_EQ(places_of(" { 0 , 1 } , { 4 : 2 } "), "0-1 4-5");
  EXPECT_EQ(places_of("{0:4:2}"), "0,2,4,6");
  EXPECT_EQ(places_of("{0:2}:3:4"), "0-1 4-5 8-9");
  EXPECT_EQ(places_of("{6:2}:4:-2"), "6-7 4-5 2-3 0-1");
  EXPECT_EQ(places_of("0,3"), "0 3");
  EXPECT_EQ(places_of("{0:4,!2}"), "0-1,3");
  EXPECT_EQ(places_of("{0}:4,!{2}"), "0 1 3");
  EXPECT_EQ(places_of("!{1},{0}:3"), "0 2");
}

TEST(parse, places_are_cut_to_the_mask) {
  EXPECT_EQ(places_of("{0:4},{8}", 2), "cut: 0-1");
  EXPECT_EQ(places_of("{0},{1},!{8}", 2), "cut: 0 1");
  EXPECT_EQ(places_of("{8},{9}", 2), "bad");
}

TEST(parse, malformed_places) {
  for (const char* text : {"", "{", "{}", "{0", "{0}}", "{0},", "{0:0}", "{0:-1}", "{-1}", "{a}", "cpus", "cores(0)",
                           "cores(2", "{0}:2:99999999", "{0}:99999", "{0:2}:3:4:5", "{8191}:2"})
    EXPECT_EQ(places_of(text), "bad") << text;
}

std::string dealt(const char* text) {
  node_places value;
  if (!is_of_nodes(text) || !node_places_of(text, value)) return "bad";
  std::string words = std::to_string(value.nodes);
  for (int i = 0; value.is_list && i < value.nodes; ++i)
    words += (i == 0 ? ": " : " ") + std::to_string(value.threads[i]);
  return words;
}

TEST(parse, places_that_are_nodes) {
  EXPECT_EQ(dealt("nodes"), "0");
  EXPECT_EQ(dealt(" NODES ( 3 ) "), "3");
  EXPECT_EQ(dealt("nodes({2},{4})"), "2: 2 4");
  EXPECT_EQ(dealt("nodes( { 7 } )"), "1: 7");
  for (const char* text : {"node", "nodes(", "nodes()", "nodes(0)", "nodes(-1)", "nodes(65)", "nodes(2", "nodes(2))",
                           "nodes({2}", "nodes({2},)", "nodes({0})", "nodes({},{2})", "nodes({2}{2})", "nodes(2,{2})",
                           "nodes{2}", "nodes,cores", "nodes({99999})", "nodes({1:2})"})
    EXPECT_EQ(dealt(text), "bad") << text;
}

TEST(parse, cpu_lists) {
  EXPECT_EQ(cpus_of("0 3 1-2 4-15:5"), "0 3 1 2 4 9 14");
  EXPECT_EQ(cpus_of("0,1,2"), "0 1 2");
  EXPECT_EQ(cpus_of("0-31", 4), "cut: 0 1 2 3");
  for (const char* text : {"", "a", "3-1", "0-", "-1", "0-3:0"}) EXPECT_EQ(cpus_of(text), "bad") << text;
}

TEST(parse, named_places_with_a_count) {
  const sys::cpu_mask mine = sys::cpu_mask::of_calling_thread();
  sys::cpu_mask_list list;
  bool cut;
  ASSERT_TRUE(places("threads(1)", mine, list, cut));
  EXPECT_EQ(list.size(), 1u);
  ASSERT_TRUE(places("Sockets", mine, list, cut));
  EXPECT_GE(list.size(), 1u);
}

TEST(parse, subsets_of_the_machine) {
  const sys::cpu_mask mine = sys::cpu_mask::of_calling_thread();
  const sys::cpu_mask_list threads = sys::object_sets(sys::object_kind::threads, mine);
  sys::cpu_mask mask;
  ASSERT_TRUE(hw_subset("*t", mine, mask));
  EXPECT_TRUE(mask == mine);
  ASSERT_TRUE(hw_subset("1s , 1c , 1t", mine, mask));
  EXPECT_EQ(mask.count(), 1);
  ASSERT_TRUE(hw_subset(":1T,1C,1S", mine, mask));
  EXPECT_TRUE(mask == threads[0]);
  if (threads.size() > 1) {
    ASSERT_TRUE(hw_subset("1threads@1", mine, mask));
    EXPECT_TRUE(mask == threads[1]);
  }
  for (const char* text :
       {"", ":", "1x", "0c", "-1c", "1c,1c", "1c:intel_core", "99999c", "1c@", "1c@9999", "1s,", "1 s 1 c"}) {
    EXPECT_FALSE(hw_subset(text, mine, mask)) << text;
  }
}

TEST(parse, schedules) {
  schedule s;
  ASSERT_TRUE(schedule_of("static", s));
  EXPECT_EQ(s.chunk, 0);
  ASSERT_TRUE(schedule_of("static,0", s));  // as libgomp has it: without a chunk
  EXPECT_EQ(s.kind, schedule_kind::static_);
  EXPECT_EQ(s.chunk, 0);
  ASSERT_TRUE(schedule_of(" Guided , 12 ", s));
  EXPECT_EQ(s.kind, schedule_kind::guided);
  EXPECT_EQ(s.chunk, 12);
  ASSERT_TRUE(schedule_of("auto", s));
  EXPECT_EQ(s.chunk, 1);
  ASSERT_TRUE(schedule_of("static_steal,14", s));
  EXPECT_EQ(s.kind, schedule_kind::dynamic);
  EXPECT_EQ(s.chunk, 14);
  ASSERT_TRUE(schedule_of("trapezoidal", s));
  EXPECT_EQ(s.kind, schedule_kind::trapezoidal);
  EXPECT_EQ(s.chunk, 1);
  ASSERT_TRUE(schedule_of("monotonic:dynamic", s));
  EXPECT_TRUE(s.monotonic);
  EXPECT_EQ(s.chunk, 1);
  for (const char* text :
       {"", "dyn", "dynamic,", "dynamic,0", "monotonic", "monotonic:", "static 4", "guided,2147483648"})
    EXPECT_FALSE(schedule_of(text, s)) << text;
}

TEST(parse, sizes) {
  std::size_t bytes = 0;
  ASSERT_TRUE(size("10", 1024, bytes));
  EXPECT_EQ(bytes, 10240u);
  ASSERT_TRUE(size(" 2 m ", 1024, bytes));
  EXPECT_EQ(bytes, 2u << 20);
  ASSERT_TRUE(size("100B", 1024, bytes));
  EXPECT_EQ(bytes, 100u);
  for (const char* text : {"", "k", "0", "-1", "1x", "1 1", "99999999999999999999", "1000000G"})
    EXPECT_FALSE(size(text, 1024, bytes)) << text;
}

TEST(parse, allocators) {
  allocator_setting a;
  ASSERT_TRUE(allocator("omp_high_bw_mem_alloc", a));
  EXPECT_EQ(a.predefined, 4u);
  ASSERT_TRUE(allocator("omp_large_cap_mem_space", a));
  EXPECT_EQ(a.predefined, 2u);
  ASSERT_TRUE(allocator("omp_default_mem_space:alignment=64,pool_size=1024,fallback=null_fb", a));
  EXPECT_EQ(a.traits, 3);
  EXPECT_EQ(a.trait[1].value, 1024u);
  for (const char* text :
       {"", "omp_null_allocator", "9", "omp_default_mem_space:", "omp_default_mem_space:alignment=3"})
    EXPECT_FALSE(allocator(text, a)) << text;
}

TEST(parse, kmp_affinity) {
  kmp_affinity a;
  ASSERT_TRUE(kmp_affinity_of("granularity=fine,compact,1,0", a));
  EXPECT_EQ(a.bind, proc_bind::close);
  EXPECT_EQ(a.granularity, sys::object_kind::threads);
  ASSERT_TRUE(kmp_affinity_of("explicit,proclist=[0,1-2,{3,4}],verbose", a));
  EXPECT_STREQ(a.list, "0,1-2, 3,4 ");
  ASSERT_TRUE(kmp_affinity_of("none", a));
  EXPECT_FALSE(a.bound);
  for (const char* text : {"", "explicit", "proclist=[", "compact;", "granularity"})
    EXPECT_FALSE(kmp_affinity_of(text, a)) << text;
}

}  // namespace
}  // namespace amity::omp::parse
