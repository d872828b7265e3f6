// A piece of the work for each device.
#include <amity/accel.hpp>
#include <cstdio>
#include <vector>

namespace accel = amity::accel;

namespace {

const char* const kernels = R"(
AMITY_KERNEL void square(AMITY_GLOBAL float* x) {
  unsigned const i = AMITY_GLOBAL_ID(0);
  x[i] *= x[i];
}
)";

}  // namespace

int main() try {
  // [devices]
  auto devices = accel::local_devices().get();
  for (const accel::device& d : devices)
    std::printf("%d: %s, %s, %u compute units\n", d.number(),
                d.backend().c_str(), d.name().c_str(),
                d.compute_units());
  // [end]
  if (devices.empty()) {
    std::printf("there is no device: %s\n",
                accel::status().c_str());
    return 0;
  }
  // [split]
  accel::device const one = devices.at(0);
  if (devices.size() == 1 && one.backend() == "opencl" &&
      one.compute_units() > 1)
    devices = one.split(one.compute_units() / 2);
  // [end]
  std::printf("%zu devices\n", devices.size());

  // [share]
  std::size_t const n = 64 * 100;  // values for each
  std::vector<amity::future<std::vector<float>>> parts;
  for (const accel::device& d : devices) {
    auto x = d.upload(std::vector<float>(n, 3));
    auto square = d.program(accel::source(kernels))
                      .kernel<void(float*)>("square");
    square({.grid = 100, .block = 64}, x);
    parts.push_back(x.read());
  }
  for (auto& part : parts)  // the first wait
    std::printf("%g\n", part.get().back());
  // [end]

  // [filter]
  auto with_double = accel::default_device(
      {.backend = one.backend(), .fp64 = true});
  // [end]

  // [copy]
  auto from =
      devices.front().upload(std::vector<int>{1, 2, 3});
  auto to = devices.back().allocate<int>(3);
  copy(from, to);
  int const last = to.read().get().back();  // 3
  // [end]
  std::puts(last == 3 && with_double.has_fp64() ? "right"
                                                : "wrong");
  return last != 3;
} catch (const accel::no_such_device& e) {
  std::printf("%s\n", e.what());
}
