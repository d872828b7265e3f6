// devices.py reads the profile of this: WRITES writes, LAUNCHES launches and READS reads, one after the other.
#include <amity/accel.hpp>
#include <cstdio>
#include <vector>

int main() {
  namespace accel = amity::accel;
  constexpr int writes = 4, launches = 6, reads = 3;
  constexpr std::size_t n = 100'000;
  auto const devices = accel::local_devices().get();
  if (devices.empty()) return std::puts(accel::status().c_str()), 77;
  accel::device const device = devices.front();
  auto program = device.program(accel::source(R"(
    AMITY_KERNEL void churn(AMITY_GLOBAL float* x, unsigned turns) {
      float value = x[AMITY_GLOBAL_ID(0)];
      for (unsigned i = 0; i < turns; ++i) value = value * 0.5f + 1;
      x[AMITY_GLOBAL_ID(0)] = value;
    })"));
  program.build().get();
  auto const churn = program.kernel<void(float*, unsigned)>("churn");
  auto values = device.allocate<float>(n);
  for (int i = 0; i < writes; ++i) values.write(std::vector<float>(n, 1)).get();
  for (int i = 0; i < launches; ++i) churn({.grid = n / 100, .block = 100}, values, 300u).get();
  for (int i = 0; i < reads; ++i)
    if (values.read(0, n / 2).get().front() != 2) return std::puts("wrong"), 1;
}
