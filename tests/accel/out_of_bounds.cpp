// A kernel that writes behind its buffer, or one that does not: argument 1 is how many elements too far. For
// oclgrind.sh, which has Oclgrind's simulator run it.
#include <amity/accel.hpp>
#include <cstdio>
#include <cstdlib>

int main(int, char** argv) {
  auto const devices = amity::accel::local_devices().get();
  if (devices.empty()) return std::puts(amity::accel::status().c_str()), 77;
  auto const& device = devices.front();
  auto b = device.allocate<int>(8);
  b.fill(0);
  auto write = device
                   .program(amity::accel::source("AMITY_KERNEL void write(AMITY_GLOBAL int* x, int ahead) {\n"
                                                 "  x[AMITY_GLOBAL_ID(0) + ahead] = 1;\n"
                                                 "}"))
                   .kernel<void(int*, int)>("write");
  write({.block = 8}, b, std::atoi(argv[1])).get();
  std::printf("%s: done\n", device.name().c_str());
}
