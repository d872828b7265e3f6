// Kernels in the dialect, in OpenCL C, and with options of
// the compiler.
#include <amity/accel.hpp>
#include <cstdio>
#include <vector>

namespace accel = amity::accel;

namespace {

// [dialect]
const char* const dialect = R"(
AMITY_DEVICE float square(float x) { return x * x; }

AMITY_KERNEL void sum(AMITY_GLOBAL const float* in, AMITY_GLOBAL float* out
                      AMITY_SHARED_PARAMETER(float, tile)) {
  AMITY_SHARED(float, tile);
  unsigned const me = AMITY_LOCAL_ID(0);
  tile[me] = square(in[AMITY_GLOBAL_ID(0)]);
  for (unsigned n = AMITY_LOCAL_SIZE(0) / 2; n > 0; n /= 2) {
    AMITY_BARRIER();
    if (me < n) tile[me] += tile[me + n];
  }
  if (me == 0) out[AMITY_GROUP_ID(0)] = tile[0];
}
)";
// [end]

float sums_of_blocks(const accel::device& device) {
  auto in = device.upload(std::vector<float>(256, 2));
  auto out = device.allocate<float>(4);
  // [dialect_launch]
  auto program = device.program(accel::source(dialect));
  auto sum =
      program.kernel<void(const float*, float*)>("sum");
  sum({.grid = 4,
       .block = 64,
       .shared_bytes = 64 * sizeof(float)},
      in, out);
  // [end]
  float all = 0;
  for (float const one : out.read().get()) all += one;
  return all;
}

// [opencl]
const char* const opencl_c = R"(
__kernel void reverse(__global float* x, __local float* tile) {
  size_t const me = get_local_id(0), n = get_local_size(0);
  tile[me] = x[me];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[me] = tile[n - 1 - me];
}
)";
// [end]

float reversed(const accel::device& device) {
  auto x = device.upload(std::vector<float>{1, 2, 3, 4});
  auto program = device.program(accel::source(opencl_c));
  // [opencl_launch]
  auto reverse =
      program.kernel<void(float*, accel::local<float>)>(
          "reverse");
  reverse({.block = 4}, x, accel::local<float>{4});
  // [end]
  return x.read(0, 1).get().at(0);
}

int with_options(const accel::device& device) {
  auto out = device.allocate<int>(1);
  // [options]
  auto program = device.program(
      accel::source("AMITY_KERNEL void k(AMITY_GLOBAL int* x)"
                    "{ x[0] = TILE; }"),
      {.defines = {{"TILE", "16 + 16"}}});
  program.build().get();  // waits; throws build_error
  auto names = program.kernel_names().get();  // "k"
  // [end]
  program.kernel<void(int*)>(names.at(0))({}, out);
  return out.read().get().at(0);
}

}  // namespace

int main() try {
  accel::device const device = accel::default_device();
  std::printf("sums of blocks: %g\n", sums_of_blocks(device));
  if (device.backend() == "opencl")
    std::printf("reversed: %g\n", reversed(device));
  std::printf("TILE: %d\n", with_options(device));
  std::puts("right");
} catch (const accel::no_such_device& e) {
  std::printf("%s\n", e.what());
}
