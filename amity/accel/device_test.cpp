/// The interface over a device of each back-end: OpenCL's, if there is one; CUDA's, which is a simulator where there is
/// no driver. Among it what HPXCL's unit tests ask.

#include "amity/accel/device.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "amity/accel/cuda/simulator/open.hpp"
#include "amity/accel/graph.hpp"
#include "amity/finish/finish.hpp"
#include "amity/future/combine.hpp"
#include "amity/future/coroutine.hpp"

namespace amity::accel {
namespace {

const char* const kernels = R"(
AMITY_KERNEL void scale(AMITY_GLOBAL const float* in, AMITY_GLOBAL float* out, float factor) {
  out[AMITY_GLOBAL_ID(0)] = factor * in[AMITY_GLOBAL_ID(0)];
}
AMITY_KERNEL void where(AMITY_GLOBAL unsigned* out) {
  unsigned const x = AMITY_GLOBAL_ID(0), y = AMITY_GLOBAL_ID(1), z = AMITY_GLOBAL_ID(2);
  out[(z * AMITY_GLOBAL_SIZE(1) + y) * AMITY_GLOBAL_SIZE(0) + x] = x + 10 * y + 100 * z + 1000 * AMITY_GROUP_ID(0);
}
AMITY_KERNEL void reverse(AMITY_GLOBAL int* x AMITY_SHARED_PARAMETER(int, tile)) {
  AMITY_SHARED(int, tile);
  unsigned const i = AMITY_LOCAL_ID(0), n = AMITY_LOCAL_SIZE(0);
  tile[i] = x[i];
  AMITY_BARRIER();
  x[i] = tile[n - 1 - i];
}
AMITY_KERNEL void count(AMITY_GLOBAL const float* in, AMITY_GLOBAL float* sum, AMITY_GLOBAL int* most, unsigned n) {
  for (unsigned i = AMITY_GLOBAL_ID(0); i < n; i += AMITY_GLOBAL_SIZE(0)) {
    AMITY_ATOMIC_ADD(sum, in[i]);
    AMITY_ATOMIC_MAX(most, (int)in[i]);
  }
}
typedef struct { float a; int b; } pair_of;
AMITY_KERNEL void by_struct(AMITY_GLOBAL float* out, pair_of p) { out[0] = p.a * p.b; }
#ifdef AMITY_OPENCL
__kernel void native(__global int* x, __local int* scratch, __constant int* c) {
  scratch[get_local_id(0)] = c[0];
  x[get_global_id(0)] = scratch[get_local_id(0)] + 1;
}
#else
extern "C" __global__ void native(int* x, const int* c) {
  __shared__ int scratch[8];
  scratch[threadIdx.x] = c[0];
  x[blockIdx.x * blockDim.x + threadIdx.x] = scratch[threadIdx.x] + 1;
}
#endif
)";

struct Device : testing::TestWithParam<const char*> {
  void SetUp() override {
    cuda::simulator::open_where_no_driver_is();
    auto found = local_devices({.backend = GetParam()}).get();
    if (found.empty()) GTEST_SKIP() << status();
    d = std::make_unique<device>(found.front());
    p = std::make_unique<program>(d->program(source(kernels)));
  }
  bool is_opencl() const { return d->backend() == "opencl"; }
  std::unique_ptr<device> d;
  std::unique_ptr<program> p;
};

TEST_P(Device, ADeviceTellsOfItself) {
  EXPECT_EQ(d->backend(), GetParam());
  EXPECT_FALSE(d->name().empty());
  EXPECT_GE(d->capability(), (std::pair{1, 0}));
  EXPECT_GT(d->memory(), 0u);
  EXPECT_GT(d->compute_units(), 0u);
  EXPECT_GT(d->largest_block(), 0u);
  auto const properties = d->properties();
  EXPECT_TRUE(std::any_of(properties.begin(), properties.end(),
                          [&](const auto& e) { return e.first == "name" && e.second == d->name(); }));
}

TEST_P(Device, FiltersCompareTheCapabilityAsAPair) {
  auto const [major, minor] = d->capability();
  EXPECT_FALSE(devices({.capability = {major, minor}}).get().empty());
  EXPECT_FALSE(devices({.capability = {major - 1, minor + 7}}).get().empty());
  EXPECT_TRUE(devices({.capability = {99, 0}}).get().empty());
  EXPECT_TRUE(devices({.name = "no such name"}).get().empty());
  EXPECT_TRUE(devices({.backend = "none such"}).get().empty());
}

TEST_P(Device, AKernelComputes) {
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.f);
  auto in = d->upload(values);
  auto out = d->allocate<float>(1000);
  auto scale = p->kernel<void(const float*, float*, float)>("scale");
  scale({.grid = 10, .block = 100}, in, out, 2);
  auto const result = out.read().get();
  for (std::size_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], 2 * values[i]);
}

TEST_P(Device, GridsHaveThreeDimensions) {
  auto out = d->allocate<unsigned>(4 * 6 * 8);
  p->kernel<void(unsigned*)>("where")({.grid = {2, 3, 4}, .block = {2, 2, 2}}, out).get();
  auto const result = out.read().get();
  for (unsigned z = 0; z < 8; ++z)
    for (unsigned y = 0; y < 6; ++y)
      for (unsigned x = 0; x < 4; ++x) ASSERT_EQ(result[(z * 6 + y) * 4 + x], x + 10 * y + 100 * z + 1000 * (x / 2));
}

TEST_P(Device, BlocksHaveLocalMemoryOfTheLaunchesSize) {
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  auto x = d->upload(values);
  auto reverse = p->kernel<void(int*)>("reverse");
  reverse({.block = 64, .shared_bytes = 64 * sizeof(int)}, x);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(x.read().get(), values);
}

TEST_P(Device, AtomicsAdd) {
  auto in = d->upload(std::vector<float>(1000, 3.f));
  auto sum = d->upload(std::vector<float>{0});
  auto most = d->upload(std::vector<int>{-1});
  p->kernel<void(const float*, float*, int*, unsigned)>("count")({.grid = 4, .block = 32}, in, sum, most, 1000);
  EXPECT_EQ(sum.read().get().at(0), 3000.f);
  EXPECT_EQ(most.read().get().at(0), 3);
}

TEST_P(Device, StructsGoByValueAndTheBackEndsOwnKernelsAsTheyAre) {
  struct pair_of {
    float a;
    int b;
  };
  auto out = d->allocate<float>(1);
  p->kernel<void(float*, pair_of)>("by_struct")({}, out, pair_of{1.5f, 4});
  EXPECT_EQ(out.read().get().at(0), 6.f);
  auto x = d->allocate<int>(32);
  auto constant = d->upload(std::vector<int>{41});
  if (is_opencl())
    p->kernel<void(int*, local<int>, const int*)>("native")({.grid = 4, .block = 8}, x, local<int>{8}, constant);
  else
    p->kernel<void(int*, const int*)>("native")({.grid = 4, .block = 8}, x, constant);
  EXPECT_EQ(x.read().get(), std::vector<int>(32, 42));
}

TEST_P(Device, SignaturesAreComparedWithTheKernel) {
  auto in = d->allocate<float>(8), out = d->allocate<float>(8);
  auto numbers = d->allocate<int>(8);
  const auto refuses = [](future<void> f, const char* words) {
    try {
      f.get();
      ADD_FAILURE() << "it should be refused: " << words;
    } catch (const kernel_error& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  refuses(p->kernel<void(const float*, float*)>("scale")({}, in, out), "takes 3 arguments, and 2 are given");
  refuses(p->kernel<void(const float*, const float*, float)>("scale")({}, in, out, 1.f),
          "may be written by the kernel");
  refuses(p->kernel<void(const float*, float*, double)>("scale")({}, in, out, 1.), "has 4 bytes, not 8");
  refuses(p->kernel<void(const int*, float*, float)>("scale")({}, numbers, out, 1.f), "another type of numbers");
  refuses(p->kernel<void(const float*, float*, float*)>("scale")({}, in, out, out), "another kind of parameter");
  refuses(p->kernel<void(int*)>("scal")({}, numbers), "there is no kernel 'scal' in a source, which has");
  if (!is_opencl()) return;  // CUDA's kernels take as much as there is
  refuses(p->kernel<void(const float*, float*, float)>("scale")({.shared_bytes = 64}, in, out, 1.f),
          "has no AMITY_SHARED_PARAMETER");
}

TEST_P(Device, RangesAreWrittenReadFilledAndCopied) {
  auto b = d->upload(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  b.write(std::vector<int>{70, 80}, 7);
  b.fill(-1, 2, 3);
  EXPECT_EQ(b.read(1, 8).get(), (std::vector<int>{1, -1, -1, -1, 5, 6, 70, 80}));
  copy(b, 7, b, 0, 2);
  int some[3] = {};
  b.read(std::span<int>(some), 0).get();
  EXPECT_EQ(some[0], 70);
  EXPECT_EQ(some[1], 80);
  EXPECT_EQ(some[2], -1);
  struct three {
    char c[3];
  };
  auto odd = d->allocate<three>(5);  // no pattern of a driver's
  odd.fill({'a', 'b', 'c'});
  EXPECT_EQ(odd.read().get().at(4).c[2], 'c');
}

TEST_P(Device, BoxesAreWrittenReadAndCopied) {
  constexpr std::size_t width = 8, height = 4;
  auto a = d->upload(std::vector<unsigned char>(width * height, 0)),
       b = d->upload(std::vector<unsigned char>(width * height, 9));
  std::vector<unsigned char> host(6);
  std::iota(host.begin(), host.end(), static_cast<unsigned char>(1));
  a.write_box({.origin = {2, 1, 0}, .row_pitch = width}, host.data(), {.row_pitch = 3}, {3, 2, 1}).get();
  copy_box(a, {.origin = {2, 1, 0}, .row_pitch = width}, b, {.origin = {0, 2, 0}, .row_pitch = width}, {3, 2, 1});
  std::vector<unsigned char> read(4, 77);
  b.read_box({.origin = {1, 2, 0}, .row_pitch = width}, read.data(), {.row_pitch = 2}, {2, 2, 1}).get();
  EXPECT_EQ(read, (std::vector<unsigned char>{2, 3, 5, 6}));
  EXPECT_THROW(a.write_box({.origin = {6, 0, 0}, .row_pitch = width}, host.data(), {}, {3, 4, 1}), std::out_of_range);
  EXPECT_THROW(a.write_box({.row_pitch = 2}, host.data(), {}, {3, 2, 1}), std::invalid_argument);
  EXPECT_THROW(a.write_box({}, host.data(), {}, {0, 1, 1}), std::invalid_argument);
}

TEST_P(Device, PartsOfADeviceAreDevices) {
  if (!is_opencl()) {
    EXPECT_THROW(static_cast<void>(d->split(1)), device_error);
    return;
  }
  if (d->compute_units() < 2) GTEST_SKIP() << "it has one compute unit";
  auto const parts = d->split(1);
  ASSERT_GE(parts.size(), 2u);
  EXPECT_EQ(parts[0].compute_units(), 1u);
  auto first = parts[0].upload(std::vector<float>{1, 2, 3, 4});
  auto second = parts[1].allocate<float>(4);
  auto third = d->allocate<float>(4);
  copy(first, second);
  copy(second, third);
  EXPECT_EQ(third.read().get(), (std::vector<float>{1, 2, 3, 4}));
  auto out = parts[1].allocate<float>(4);
  parts[1].program(source(kernels)).kernel<void(const float*, float*, float)>("scale")({.block = 4}, second, out, 3.f);
  EXPECT_EQ(out.read().get().at(3), 12.f);
  EXPECT_THROW(static_cast<void>(d->split(100'000)), device_error);
}

TEST_P(Device, OperationsAreFutures) {
  auto b = d->upload(std::vector<int>{1});
  EXPECT_EQ(b.read().then([](future<std::vector<int>> f) { return f.get().at(0) + 1; }).get(), 2);
  EXPECT_EQ(
      dataflow([](std::vector<int> x, std::vector<int> y) { return x.at(0) + y.at(0); }, b.read(), b.read()).get(), 2);
  auto steps = [](buffer<int> x) -> future<int> {
    co_await x.fill(5);
    auto const values = co_await x.read();
    co_return values.at(0);
  };
  EXPECT_EQ(steps(b).get(), 5);
  d->synchronize().get();
  auto first = b.fill(1), second = b.fill(3);
  when_all(std::move(first), std::move(second)).get();
  EXPECT_EQ(b.read().get().at(0), 3);
}

TEST_P(Device, WhatIsRepeatedIsAGraph) {
  auto scale = p->kernel<void(const float*, float*, float)>("scale");
  auto in = d->upload(std::vector<float>{1, 2, 3, 4}), out = d->allocate<float>(4);
  graph g(*d);
  g.add(scale, {.block = 4}, in, out, 2.f).copy(out, 0, in, 0, 3).fill(in, 7.f, 3, 1);
  EXPECT_EQ(g.size(), 3u);
  for (int i = 0; i < 5; ++i) g();
  EXPECT_EQ(in.read().get(), (std::vector<float>{32, 64, 96, 7}));
  in.write(std::vector<float>{1, 1, 1, 1});  // between two launches, in its order
  g().get();
  EXPECT_EQ(in.read().get(), (std::vector<float>{2, 2, 2, 7}));
  EXPECT_THROW(g.fill(in, 0.f), std::invalid_argument);
  graph (*d)().get();  // of nothing
}

TEST_P(Device, GraphsRefuseWhatTheyCannotRepeat) {
  auto scale = p->kernel<void(const float*, float*, float)>("scale");
  auto in = d->upload(std::vector<float>{1}), out = d->allocate<float>(1);
  graph g(*d);
  promise<float> later;
  EXPECT_THROW(g.add(scale, {}, in, out, later.get_future()), std::invalid_argument);
  EXPECT_THROW(g.add(scale, {.on = d->make_stream()}, in, out, 1.f), std::invalid_argument);
  EXPECT_THROW(g.add(scale, {.grid = 0}, in, out, 1.f), std::invalid_argument);
  EXPECT_THROW(g.copy(in, 0, in, 0, 1), std::invalid_argument);
  EXPECT_THROW(g.fill(in, 1.f, 1, 1), std::out_of_range);
  EXPECT_EQ(g.size(), 0u);
  later.set_value(1);
  g.add(p->kernel<void(float*)>("no_such_kernel"), {}, out);
  EXPECT_THROW(g().get(), kernel_error);
  EXPECT_THROW(g().get(), kernel_error);
  graph bad(*d);
  bad.add(
      d->program(source("AMITY_KERNEL void k(AMITY_GLOBAL float* x) { x[0] = nowhere; }")).kernel<void(float*)>("k"),
      {}, out);
  EXPECT_THROW(bad().get(), build_error);
}

TEST_P(Device, ABinaryIsAProgram) {
  auto const bytes = p->binary().get();
  auto const again = d->program(binary(bytes));
  auto in = d->upload(std::vector<float>{1}), out = d->allocate<float>(1);
  again.kernel<void(const float*, float*, float)>("scale")({}, in, out, 4.f);
  EXPECT_EQ(out.read().get().at(0), 4.f);
  auto const names = again.kernel_names().get();
  EXPECT_NE(std::find(names.begin(), names.end(), "scale"), names.end());
  // What its kernels take is known, though the driver does not tell it of a binary.
  EXPECT_THROW(again.kernel<void(const float*, float*)>("scale")({}, in, out).get(), kernel_error);
  EXPECT_THROW(d->program(binary(std::vector<std::byte>(100))).build().get(), build_error);
  EXPECT_THROW(d->program(binary(std::vector<std::byte>(bytes.begin(), bytes.begin() + 60))).build().get(),
               build_error);
}

TEST_P(Device, ProgramsTakeMacrosOptionsAndIncludes) {
  auto const folder = std::filesystem::temp_directory_path() / ("amity-accel-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "more.h") << "#define MORE 100\n";
  std::ofstream(folder / "k.cl")
      << "#include \"more.h\"\nAMITY_KERNEL void k(AMITY_GLOBAL int* x) { x[0] = MORE + N; }";
  auto x = d->allocate<int>(1);
  build_options const how{.defines = {{"N", "7"}},
                          .includes = {folder},
                          .options = {is_opencl() ? "-cl-fast-relaxed-math" : "--fmad=false"}};
  const auto compiled = [&] {
    d->program(file((folder / "k.cl").string()), how).kernel<void(int*)>("k")({}, x);
    return x.read().get().at(0);
  };
  EXPECT_EQ(compiled(), 107);
  std::ofstream(folder / "more.h") << "#define MORE 200\n";  // the cache knows what is included
  EXPECT_EQ(compiled(), 207);
  std::filesystem::remove_all(folder);
}

TEST_P(Device, BuildErrorsHaveTheCompilersLog) {
  try {
    d->program(source("AMITY_KERNEL void k(AMITY_GLOBAL int* x) {\n  x[0] = nowhere;\n}")).build().get();
    ADD_FAILURE() << "it should not be built";
  } catch (const build_error& e) {
    EXPECT_NE(e.log().find("nowhere"), std::string::npos) << e.log();
    EXPECT_NE(std::string(e.what()).find(d->name()), std::string::npos) << e.what();
  }
  try {
    d->program(file("/no/such/file.cl")).build().get();
    ADD_FAILURE() << "it is not there";
  } catch (const build_error& e) {
    EXPECT_NE(std::string(e.what()).find("'/no/such/file.cl'"), std::string::npos) << e.what();
  }
}

TEST_P(Device, MoreMemoryThanThereIsIsRefused) {
  EXPECT_THROW(static_cast<void>(d->allocate<char>(std::size_t{1} << 50)), out_of_memory);
  auto still = d->upload(std::vector<int>{1});
  EXPECT_EQ(still.read().get().at(0), 1);
}

TEST_P(Device, HelloWorld) {
  auto b = d->upload(std::vector<char>{'u', 'r', 'y', 'y', 'b', '-', 'j', 'b', 'e', 'y', 'q', '.', '\n'});
  auto turn = d->program(source("AMITY_KERNEL void turn(AMITY_GLOBAL char* x) {\n"
                                "  unsigned const i = AMITY_GLOBAL_ID(0);\n"
                                "  if (x[i] >= 'a' && x[i] <= 'z') x[i] = 'a' + (x[i] - 'a' + 13) % 26;\n}"))
                  .kernel<void(char*)>("turn");
  turn({.block = 13}, b);
  auto const text = b.read().get();
  EXPECT_EQ(std::string(text.begin(), text.end()), "hello-world.\n");
}

TEST_P(Device, ManyTasksUseOneDevice) {
  auto scale = p->kernel<void(const float*, float*, float)>("scale");
  finish([&] {
    for (int t = 0; t < 16; ++t)
      async([&, t] {
        auto in = d->upload(std::vector<float>(64, static_cast<float>(t))), out = d->allocate<float>(64);
        for (int i = 1; i < 20; ++i) {
          scale({.block = 64}, in, out, static_cast<float>(i));
          ASSERT_EQ(out.read().get(), std::vector<float>(64, static_cast<float>(i * t)));
        }
      });
  });
}

INSTANTIATE_TEST_SUITE_P(Of, Device, testing::Values("opencl", "cuda"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
}  // namespace amity::accel
