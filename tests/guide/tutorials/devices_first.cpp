// [whole]
#include <amity/accel.hpp>
#include <cstdio>
#include <vector>

namespace accel = amity::accel;

const char* const kernels = R"(
AMITY_KERNEL void axpy(float a, AMITY_GLOBAL const float* x,
                       AMITY_GLOBAL float* y, unsigned n) {
  unsigned const i = AMITY_GLOBAL_ID(0);
  if (i < n) y[i] += a * x[i];
}
)";

int main() try {
  accel::device const device = accel::default_device();
  unsigned const n = 1000;
  auto x = device.upload(std::vector<float>(n, 2));
  auto y = device.upload(std::vector<float>(n, 1));
  auto program = device.program(accel::source(kernels));
  auto axpy = program.kernel<void(float, const float*, float*,
                                  unsigned)>("axpy");
  axpy({.grid = (n + 63) / 64, .block = 64}, 3, x, y, n);
  std::vector<float> const result = y.read().get();
  std::printf("%s: y[0] is %g, y[%u] is %g\n",
              device.name().c_str(), result[0], n - 1,
              result[n - 1]);
} catch (const accel::no_such_device& e) {
  std::printf("%s\n", e.what());
}
// [end]
