// How long things take.
#include <amity/accel.hpp>
#include <chrono>
#include <cstdio>
#include <vector>

namespace accel = amity::accel;

int main() try {
  accel::device const device = accel::default_device();
  auto x = device.upload(std::vector<float>(1 << 20, 1));
  // [time]
  auto program = device.program(accel::source(
      "AMITY_KERNEL void scale(AMITY_GLOBAL float* x)"
      "{ x[AMITY_GLOBAL_ID(0)] *= 2; }"));
  auto scale = program.kernel<void(float*)>("scale");
  accel::launch_options const all{.grid = (1 << 20) / 64,
                                  .block = 64};
  program.build().get();  // so that the build is not in it
  scale(all, x).get();    // nor what a first launch does
  auto const begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) scale(all, x);
  x.ready().get();
  std::chrono::duration<double, std::micro> const time =
      std::chrono::steady_clock::now() - begun;
  std::printf("%.1f us a launch\n", time.count() / 100);
  // [end]
  std::puts("right");
} catch (const accel::no_such_device& e) {
  std::printf("%s\n", e.what());
}
