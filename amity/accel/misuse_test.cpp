/// What users get wrong, on a device of each back-end: it is refused with words, and the device works afterwards.

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <fstream>

#include "amity/accel/cuda/simulator/open.hpp"
#include "amity/accel/device.hpp"
#include "amity/accel/graph.hpp"
#include "amity/base/config.hpp"

namespace amity::accel {
namespace {

struct Misuse : testing::TestWithParam<const char*> {
  void SetUp() override {
    cuda::simulator::open_where_no_driver_is();
    auto found = local_devices({.backend = GetParam()}).get();
    if (found.empty()) GTEST_SKIP() << status();
    d = found.front();
  }
  bool is_opencl() const { return d.backend() == "opencl"; }
  int value_of(const std::string& text, const build_options& how) {
    auto out = d.allocate<int>(1);
    d.program(source(text), how).kernel<void(int*)>("k")({}, out).get();
    return out.read().get().at(0);
  }
  device d;
};

TEST_P(Misuse, BoxesThatEndBeyondAllMemoryAreRefused) {
  auto b = d.upload(std::vector<unsigned char>(100, 5)), c = d.allocate<unsigned char>(100);
  unsigned char h[64] = {};
  std::size_t const far = std::size_t{1} << 63, all = ~std::size_t{0};
  box const wrong[] = {{.origin = {0, far, 0}, .row_pitch = 2},
                       {.origin = {0, 0, far}, .row_pitch = 2, .slice_pitch = 6},
                       {.origin = {all, 0, 0}, .row_pitch = 2},
                       {.origin = {0, all, 0}, .row_pitch = all},
                       {.row_pitch = far},
                       {.row_pitch = 2, .slice_pitch = far},
                       {.row_pitch = all, .slice_pitch = all}};
  for (const box& w : wrong) {
    EXPECT_THROW(static_cast<void>(b.read_box(w, h, {}, {2, 3, 2})), std::out_of_range);
    EXPECT_THROW(b.write_box(w, h, {}, {2, 3, 2}), std::out_of_range);
    EXPECT_THROW(copy_box(b, w, c, {}, {2, 3, 2}), std::out_of_range);
    EXPECT_THROW(copy_box(b, {}, c, w, {2, 3, 2}), std::out_of_range);
    EXPECT_THROW(b.write_box({}, h, w, {2, 3, 2}), std::out_of_range);
  }
  std::size_t const regions[][3] = {
      {far, 2, 1}, {2, far, 1}, {2, 2, far}, {all, all, all}, {std::size_t{1} << 32, std::size_t{1} << 32, 1}};
  for (const auto& r : regions) {
    std::size_t const region[3] = {r[0], r[1], r[2]};
    EXPECT_THROW(static_cast<void>(b.read_box({}, h, {}, region)), std::out_of_range);
    EXPECT_THROW(b.write_box({}, h, {}, region), std::out_of_range);
    EXPECT_THROW(copy_box(b, {}, c, {}, region), std::out_of_range);
  }
  EXPECT_THROW(static_cast<void>(b.read(all, 2)), std::out_of_range);
  EXPECT_THROW(b.fill(1, 2, all), std::out_of_range);
  EXPECT_THROW(copy(b, all, c, 1, 2), std::out_of_range);
  EXPECT_THROW(static_cast<void>(d.allocate<double>(all / 8 + 2)), out_of_memory);
  EXPECT_EQ(b.read().get(), std::vector<unsigned char>(100, 5));
}

TEST_P(Misuse, MoreLocalMemoryThanThereIsIsRefused) {
  if (!is_opencl()) GTEST_SKIP() << "local<T> is OpenCL's";
  auto p = d.program(source(R"(
__kernel void one(__global int* o, __local int* t) { t[0] = 1; o[0] = t[0]; }
__kernel void two(__global int* o, __local int* t, __local int* u) { t[0] = 1; u[0] = 2; o[0] = t[0] + u[0]; }
__kernel void own(__global int* o, __local int* t) {
  __local int mine[4096];
  mine[get_local_id(0)] = 1; t[0] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[0] = mine[0] + t[0];
}
__attribute__((reqd_work_group_size(2, 1, 1))) __kernel void pairs(__global int* o) { o[get_local_id(0)] = 1; })"));
  auto o = d.allocate<int>(4);
  std::size_t const most = d.object().facts().shared_memory / sizeof(int);
  auto one = p.kernel<void(int*, local<int>)>("one");
  auto two = p.kernel<void(int*, local<int>, local<int>)>("two");
  auto own = p.kernel<void(int*, local<int>)>("own");
  EXPECT_THROW(one({}, o, local<int>{std::size_t{1} << 28}), std::invalid_argument);
  EXPECT_THROW(one({}, o, local<int>{~std::size_t{0}}), std::invalid_argument);
  EXPECT_THROW(one({}, o, local<int>{(~std::size_t{0} >> 2) + 2}), std::invalid_argument);
  EXPECT_THROW(two({}, o, local<int>{most / 2 + 1}, local<int>{most / 2 + 1}), std::invalid_argument);
  EXPECT_THROW(two({}, o, local<int>{~std::size_t{0}}, local<int>{~std::size_t{0}}), std::invalid_argument);
  EXPECT_THROW(p.kernel<void(int*)>("one")({.shared_bytes = std::size_t{1} << 30}, o), std::invalid_argument);
  EXPECT_THROW(own({}, o, local<int>{most - 8}).get(), kernel_error);
  EXPECT_THROW(one({}, o, local<int>{0}).get(), kernel_error);
  EXPECT_THROW(p.kernel<void(int*)>("one")({}, o).get(), kernel_error);
  EXPECT_THROW(p.kernel<void(int*)>("pairs")({.block = 4}, o).get(), kernel_error);
  graph g(d);
  g.add(own, {}, o, local<int>{most - 8});
  EXPECT_THROW(g().get(), kernel_error);
  own({}, o, local<int>{16}).get();
  EXPECT_EQ(o.read(0, 1).get().at(0), 2);
}

TEST_P(Misuse, GridsAndBlocksThatAreNoneOrTooLargeAreRefused) {
  auto o = d.allocate<int>(1);
  auto k = d.program(source("AMITY_KERNEL void k(AMITY_GLOBAL int* o) { o[0] = 1; }")).kernel<void(int*)>("k");
  for (dim3 const none : {dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(0, 0, 0)}) {
    EXPECT_THROW(k({.grid = none}, o), std::invalid_argument);
    EXPECT_THROW(k({.block = none}, o), std::invalid_argument);
  }
  // The number of their work items is 2^64, and more.
  EXPECT_THROW(k({.block = {1u << 22, 1u << 21, 1u << 21}}, o), std::invalid_argument);
  EXPECT_THROW(k({.block = {1u << 31, 1u << 31, 1u << 31}}, o), std::invalid_argument);
  EXPECT_THROW(k({.block = UINT_MAX}, o), std::invalid_argument);
}

template <class F>
std::string words_of_empty(F f) {
  try {
    f();
  } catch (const empty_handle& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another exception: ") + e.what();
  }
  return "no exception";
}
#define EXPECT_EMPTY(...) EXPECT_NE(words_of_empty([&] { __VA_ARGS__; }).find("stands for nothing"), std::string::npos)

/// All that can be asked of a buffer.
void expect_empty(const buffer<int>& e, const buffer<int>& full) {
  int h[4] = {};
  EXPECT_FALSE(e);
  EXPECT_EQ(e.size(), 0u);
  EXPECT_EQ(e.size_bytes(), 0u);
  EXPECT_EMPTY(static_cast<void>(e.read()));
  EXPECT_EMPTY(static_cast<void>(e.read(std::span<int>())));
  EXPECT_EMPTY(e.write(std::vector<int>()));
  EXPECT_EMPTY(e.write(std::span<const int>()));
  EXPECT_EMPTY(e.write(make_ready_future(std::vector<int>()), 0));
  EXPECT_EMPTY(e.fill(1));
  EXPECT_EMPTY(static_cast<void>(e.read_box({}, h, {}, {4, 1, 1})));
  EXPECT_EMPTY(e.write_box({}, h, {}, {4, 1, 1}));
  EXPECT_EMPTY(static_cast<void>(e.ready()));
  EXPECT_EMPTY(static_cast<void>(e.device()));
  EXPECT_EMPTY(copy(e, full));
  EXPECT_EMPTY(copy(full, 0, e, 0, 0));
  EXPECT_EMPTY(copy_box(e, {}, full, {}, {4, 1, 1}));
  EXPECT_EMPTY(copy_box(full, {}, e, {}, {4, 1, 1}));
  EXPECT_THROW(e.write(std::vector<int>(1)), std::out_of_range);
  EXPECT_THROW(copy(full, e), std::out_of_range);
}

TEST_P(Misuse, HandlesOfNothingSaySo) {
  auto b = d.upload(std::vector<int>{1, 2, 3});
  auto full = d.upload(std::vector<int>{4});
  auto moved_to = std::move(b);
  expect_empty(b, full);  // NOLINT: that is the question
  expect_empty(buffer<int>(), full);
  auto& same = moved_to;
  moved_to = std::move(same);
  EXPECT_EQ(moved_to.read().get(), (std::vector<int>{1, 2, 3}));

  device const none;
  EXPECT_FALSE(none);
  EXPECT_EMPTY(static_cast<void>(none.rank()));
  EXPECT_EMPTY(static_cast<void>(none.number()));
  EXPECT_EMPTY(static_cast<void>(none.name()));
  EXPECT_EMPTY(static_cast<void>(none.backend()));
  EXPECT_EMPTY(static_cast<void>(none.capability()));
  EXPECT_EMPTY(static_cast<void>(none.memory()));
  EXPECT_EMPTY(static_cast<void>(none.compute_units()));
  EXPECT_EMPTY(static_cast<void>(none.largest_block()));
  EXPECT_EMPTY(static_cast<void>(none.has_fp64()));
  EXPECT_EMPTY(static_cast<void>(none.has_fp16()));
  EXPECT_EMPTY(static_cast<void>(none.properties()));
  EXPECT_EMPTY(static_cast<void>(none.allocate<int>(1)));
  EXPECT_EMPTY(static_cast<void>(none.upload(std::vector<int>{1})));
  EXPECT_EMPTY(static_cast<void>(none.program(source(""))));
  EXPECT_EMPTY(static_cast<void>(none.make_stream()));
  EXPECT_EMPTY(static_cast<void>(none.synchronize()));
  EXPECT_EMPTY(static_cast<void>(none.split(1)));
  EXPECT_EMPTY(graph{none});

  auto p = d.program(source("AMITY_KERNEL void k(AMITY_GLOBAL int* o) { o[0] = 7; }"));
  auto k = p.kernel<void(int*)>("k");
  EXPECT_EMPTY(k({}, buffer<int>()));
  EXPECT_EMPTY(k({}, b));
  auto moved_program = std::move(p);
  auto moved_kernel = std::move(k);
  for (const program& e : {p, program()}) {
    EXPECT_FALSE(e);
    EXPECT_EMPTY(static_cast<void>(e.build()));
    EXPECT_EMPTY(static_cast<void>(e.kernel_names()));
    EXPECT_EMPTY(static_cast<void>(e.binary()));
    EXPECT_EMPTY(static_cast<void>(e.kernel<void(int*)>("k")));
    EXPECT_EMPTY(static_cast<void>(e.untyped_kernel("k")));
  }
  EXPECT_FALSE(k);
  EXPECT_EMPTY(k({}, full));
  EXPECT_EMPTY(kernel<void(int*)>()({}, full));

  graph g(d);
  EXPECT_EMPTY(g.add(k, {}, full));
  EXPECT_EMPTY(g.add(moved_kernel, {}, b));
  EXPECT_EMPTY(g.fill(b, 1));
  EXPECT_EMPTY(g.copy(b, 0, full, 0, 0));
  EXPECT_EQ(g.size(), 0u);
  g.add(moved_kernel, {}, full);
  graph moved_graph = std::move(g);
  for (graph* const e : {&g}) {
    EXPECT_FALSE(*e);
    EXPECT_EQ(e->size(), 0u);
    EXPECT_EMPTY((*e)());
    EXPECT_EMPTY(e->add(moved_kernel, {}, full));
    EXPECT_EMPTY(e->fill(full, 1));
    EXPECT_EMPTY(e->copy(full, 0, full, 0, 0));
  }
  stream s = d.make_stream();
  stream const other = std::move(s);
  EXPECT_FALSE(s);
  moved_kernel({.on = s}, full).get();  // one is chosen
  moved_graph().get();
  EXPECT_EQ(full.read().get().at(0), 7);
}

TEST_P(Misuse, FilesThatAreNoneSaySo) {
  auto const folder = std::filesystem::temp_directory_path() / ("amity-misuse-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::create_directory(folder / "sub.h");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::ofstream(folder / "huge").close();
  std::filesystem::resize_file(folder / "huge", std::uintmax_t{1} << 40);
  std::ofstream(folder / "empty").close();
  std::ofstream(folder / "good.h") << "#define GOOD 3\n";
  std::pair<std::string, std::string> const wrong[] = {{folder, "it is a folder"},
                                                       {folder / "pipe", "it is a pipe"},
                                                       {folder / "huge", "it has more than"},
                                                       {folder / "none", "No such file"},
                                                       {folder / "empty" / "below", "Not a directory"},
                                                       {"/dev/zero", "it is a device"},
                                                       {"", "No such file"},
                                                       {std::string("a\0b", 3), "a character 0"}};
  for (const auto& [path, words] : wrong) {
    try {
      d.program(file(path)).build().get();
      ADD_FAILURE() << path << " was built";
    } catch (const build_error& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
    EXPECT_THROW(d.program(file(path)).kernel<void(int*)>("k")({}, d.allocate<int>(1)).get(), build_error);
  }
  // Included from there: the next folder has it, or the compiler says that nobody has.
  std::filesystem::create_directory(folder / "more");
  std::filesystem::create_directory(folder / "more" / "good.h");
  std::string const text = "#include \"good.h\"\nAMITY_KERNEL void k(AMITY_GLOBAL int* o) { o[0] = GOOD; }";
  EXPECT_EQ(value_of(text, {.includes = {folder / "more", folder}}), 3);
  for (const char* const name : {"sub.h", "pipe", "none"})
    EXPECT_THROW(d.program(source("#include \"" + std::string(name) + "\"\n"), {.includes = {folder}}).build().get(),
                 build_error);
  try {
    d.program(file(folder / "empty")).build().get();
  } catch (const build_error&) {  // as its compiler likes it
  }
  std::filesystem::remove_all(folder);
}

TEST_P(Misuse, MacrosArriveAsTheyAre) {
  std::string const begin = "AMITY_KERNEL void k(AMITY_GLOBAL int* o) { o[0] = ", end = "; }";
  const auto value = [&](const std::string& expression, const build_options& how) {
    return value_of(begin + expression + end, how);
  };
  EXPECT_EQ(value("sizeof(T)", {.defines = {{"T", "unsigned char"}}}), 1);
  EXPECT_EQ(value("X", {.defines = {{"X", "1 + 2"}}}), 3);
  EXPECT_EQ(value("F(4)", {.defines = {{"F(x)", "(x * 2)"}}}), 8);
  EXPECT_EQ(value("C", {.defines = {{"C", "'\\\\'"}}}), '\\');
  EXPECT_EQ(value("C", {.defines = {{"C", "'\"'"}}}), '"');
  EXPECT_EQ(value("sizeof(S)", {.defines = {{"S", "\"a b, c\""}}}), 7);
  EXPECT_EQ(value("sizeof(S)", {.defines = {{"S", "\"\xC3\xA4=\""}}}), 4);
  EXPECT_EQ(value("X", {.defines = {{"X", "(2 == 2 ? 5 : 6)"}}}), 5);
  EXPECT_EQ(value("X", {.defines = {{"X", ""}}}), 1);
  EXPECT_EQ(value("2 X", {.defines = {{"X", " "}}}), 2);
  EXPECT_EQ(value("X + Y", {.defines = {{"X", "1\n+ 1"}, {"Y", "4"}}}), 6);
  EXPECT_EQ(value("X", {.defines = {{"X", "1"}, {"X", "2"}}}), 2);
  EXPECT_EQ(value("sizeof(T)", {.options = {"-DT=unsigned char"}}), 1);
  EXPECT_EQ(value("sizeof(T) + N", {.options = {"-DT=unsigned char -DN=2", "-D", "M"}}), 3);
  EXPECT_EQ(value("M + 1 - 1 N", {.options = {"-DM", "-DN="}}), 1);
  EXPECT_EQ(value("X", {.options = {"-DX=5 - 2"}}), 3);
  for (const char* const name : {"", "a b", "1a", "a-b", "a=1", "f(x", "a\n"})
    EXPECT_THROW(d.program(source(begin + "1" + end), {.defines = {{name, "1"}}}).build().get(), build_error) << name;
  // The compiler counts the lines of the source alone.
  try {
    d.program(source("\nnowhere;"), {.defines = {{"X", "1"}, {"Y", "2"}}}).build().get();
    ADD_FAILURE() << "it was built";
  } catch (const build_error& e) {
    EXPECT_NE(e.log().find("2"), std::string::npos) << e.log();
    EXPECT_EQ(e.log().find("5:"), std::string::npos) << e.log();
  }
}

TEST_P(Misuse, FoldersMayHaveBlanks) {
  auto const folder = std::filesystem::temp_directory_path() / ("amity misuse \"" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "more.h") << "#define MORE 100\n";
  std::string const text = "#include \"more.h\"\nAMITY_KERNEL void k(AMITY_GLOBAL int* o) { o[0] = MORE; }";
  EXPECT_EQ(value_of(text, {.includes = {folder}}), 100);
  EXPECT_EQ(value_of(text, {.options = {"-I" + folder.string()}}), 100);
  EXPECT_EQ(value_of(text, {.options = {"-I", folder.string()}}), 100);
  std::filesystem::remove_all(folder);
}

TEST_P(Misuse, KernelsThatTakeWhatNoLaunchGivesAreRefused) {
  if (!is_opencl()) GTEST_SKIP() << "OpenCL C";
  auto p = d.program(source(R"(
__kernel void image(read_only image2d_t i, sampler_t s, __global float4* o) { o[0] = read_imagef(i, s, (float2)(0)); }
__kernel void sampler(sampler_t s, __global float* o) { o[0] = 1; }
__kernel void elements(__global const float2* a, __global float* o) { o[0] = a[0].x; }
__kernel void vector(float2 v, __global float* o) { o[0] = v.x; }
typedef struct { int a, b, c; } three;
__kernel void by_struct(three t, __global int* o) { o[0] = t.c; }
typedef struct { int a, b; } image2d;
__kernel void pointers(__global image2d* i, __global int* o) { o[0] = i->b; })"));
  auto b = d.upload(std::vector<float>(64, 1.f)), o = d.allocate<float>(4);
  auto doubles = d.upload(std::vector<double>{1.5, 2.5});
  EXPECT_THROW(p.kernel<void(float*, float*, float*)>("image")({}, b, b, o).get(), kernel_error);
  EXPECT_THROW(p.kernel<void(std::uint64_t, std::uint64_t, float*)>("image")({}, 0, 0, o).get(), kernel_error);
  EXPECT_THROW(p.kernel<void(std::uint64_t, float*)>("sampler")({}, 0, o).get(), kernel_error);
  EXPECT_THROW(p.kernel<void(const double*, float*)>("elements")({}, doubles, o).get(), kernel_error);
  EXPECT_THROW(p.kernel<void(double, float*)>("vector")({}, 1.5, o).get(), kernel_error);
  struct two {
    int a, b;
  };
  struct three {
    int a, b, c;
  };
  auto i = d.allocate<int>(1);
  p.kernel<void(three, int*)>("by_struct")({}, three{1, 2, 3}, i).get();
  EXPECT_EQ(i.read().get().at(0), 3);
  auto pairs = d.upload(std::vector<two>{{4, 5}});
  p.kernel<void(two*, int*)>("pointers")({}, pairs, i).get();
  EXPECT_EQ(i.read().get().at(0), 5);
}

TEST_P(Misuse, TheChildOfAForkIsTold) {
#if AMITY_TSAN
  GTEST_SKIP() << "ThreadSanitizer ends the child of a process with threads when it starts one";
#endif
  auto b = d.upload(std::vector<int>{1});
  b.ready().get();
  promise<int> value;
  auto p = d.program(source("AMITY_KERNEL void k(AMITY_GLOBAL int* o, int n) { o[0] = n; }"));
  p.build().get();
  auto later = p.kernel<void(int*, int)>("k")({}, b, value.get_future());
  auto waits = b.read();
  pid_t const child = fork();
  if (child == 0) {
    alarm(20);  // instead of a hang
    value.set_value(5);
    int told = 0;
    const auto ask = [&](auto f) {
      try {
        f();
      } catch (const device_error&) {
        ++told;
      }
    };
    ask([&] { b.read().get(); });
    ask([&] { waits.get(); });
    ask([&] { b.fill(1); });
    ask([&] { static_cast<void>(d.allocate<int>(1)); });
    ask([&] { static_cast<void>(d.program(source(""))); });
    ask([&] { static_cast<void>(d.name()); });
    ask([&] { local_devices().get(); });
    ask([&] { static_cast<void>(default_device()); });
    _exit(told);
  }
  int how = 0;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  EXPECT_TRUE(WIFEXITED(how));
  EXPECT_EQ(WEXITSTATUS(how), 8);
  value.set_value(5);
  EXPECT_EQ(waits.get().at(0), 5);
}

TEST_P(Misuse, TheChildOfAForkIsToldOfABuildThatWasUnderWay) {
#if AMITY_TSAN
  GTEST_SKIP() << "ThreadSanitizer ends the child of a process with threads when it starts one";
#endif
  auto b = d.allocate<int>(1);
  // Nobody has compiled it before: the fork comes first.
  std::string const text =
      "// " + std::to_string(getpid()) + "\nAMITY_KERNEL void k(AMITY_GLOBAL int* o) { o[0] = 7; }";
  auto p = d.program(source(text));
  auto built = p.build();
  auto binary = p.binary();
  auto launched = p.kernel<void(int*)>("k")({}, b);
  pid_t const child = fork();
  if (child == 0) {
    alarm(20);  // instead of a hang
    int told = 0;
    const auto ask = [&](auto& f) {
      try {
        f.get();
      } catch (const device_error& e) {
        if (std::string(e.what()).find("the child of a fork") != std::string::npos) ++told;
      }
    };
    ask(launched);
    ask(built);
    ask(binary);
    _exit(told);
  }
  int how = 0;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  EXPECT_TRUE(WIFEXITED(how));
  EXPECT_EQ(WEXITSTATUS(how), 3);
  launched.get();
  EXPECT_EQ(b.read().get().at(0), 7);
}

TEST_P(Misuse, ADeviceThatIsNotThereSaysWhy) {
  EXPECT_EQ(default_device({.backend = GetParam()}), d);
  try {
    static_cast<void>(default_device({.backend = GetParam(), .name = "no such name"}));
    ADD_FAILURE() << "it is there";
  } catch (const device_error& e) {
    EXPECT_NE(std::string(e.what()).find("'no such name' in its name"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(status()), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Misuse, testing::Values("opencl", "cuda"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
}  // namespace amity::accel
