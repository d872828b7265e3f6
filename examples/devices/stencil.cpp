// The stencil of the HPXCL paper on a device: out[i] = 0.5 in[i - 1] + in[i] + 0.5 in[i + 1]. The host computes the
// same meanwhile, by all of its workers, and compares.
//
//   build/examples/stencil 1000000
//
// Without a device it says why, and computes on the host alone.
#include <amity/accel.hpp>
#include <amity/amity.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../usage.hpp"

namespace accel = amity::accel;

namespace {

const char* const text = R"(
AMITY_KERNEL void stencil(AMITY_GLOBAL const float* in, AMITY_GLOBAL float* out, unsigned n) {
  for (unsigned i = AMITY_GLOBAL_ID(0); i < n; i += AMITY_GLOBAL_SIZE(0)) {
    float const left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
    out[i] = 0.5f * left + in[i] + 0.5f * right;
  }
}
)";

std::vector<float> on_host(const std::vector<float>& in) {
  std::vector<float> out(in.size());
  amity::for_loop(amity::execution::par, std::size_t{0}, in.size(), [&](std::size_t i) {
    float const left = i > 0 ? in[i - 1] : 0, right = i + 1 < in.size() ? in[i + 1] : 0;
    out[i] = 0.5f * left + in[i] + 0.5f * right;
  });
  return out;
}

}  // namespace

int main(int argc, char** argv) try {
  answer_help(argc, argv, "[values = 100000]");
  auto const n = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 100'000);
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 100) / 10;

  accel::device const device = accel::default_device();
  auto const begun = std::chrono::steady_clock::now();
  auto in = device.upload(std::span<const float>(values));
  auto out = device.allocate<float>(n);
  auto stencil = device.program(accel::source(text)).kernel<void(const float*, float*, unsigned)>("stencil");
  stencil({.grid = 32, .block = 32}, in, out, static_cast<unsigned>(n));  // after the upload and the build
  auto result = out.read();                                               // after the launch; nobody has waited yet

  std::vector<float> const expected = on_host(values);
  std::vector<float> const computed = result.get();
  double const ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += std::fabs(computed[i] - expected[i]) > 1e-4f;
  std::printf("%s: %zu values, %zu wrong, %.1f ms with the host's own computation beside it\n", device.name().c_str(),
              n, wrong, ms);
  return wrong != 0;
} catch (const accel::no_such_device& e) {
  return std::printf("%s\n", e.what()), 0;
}
