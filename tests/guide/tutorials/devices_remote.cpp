// [whole]
#include <amity/accel.hpp>
#include <amity/amity.hpp>
#include <amity/distributed.hpp>
#include <cstdio>
#include <vector>

namespace accel = amity::accel;

const char* const kernels = R"(
AMITY_KERNEL void add(AMITY_GLOBAL int* x, int n) {
  x[AMITY_GLOBAL_ID(0)] += n;
}
)";

int main() {
  if (amity::rank_me() == 0) {
    auto devices = accel::devices().get();  // of all ranks
    if (devices.empty())
      std::printf("there is no device: %s\n",
                  accel::status().c_str());
    for (const accel::device& d : devices) {
      auto x = d.upload(std::vector<int>(64, 1));
      auto add = d.program(accel::source(kernels))
                     .kernel<void(int*, int)>("add");
      add({.grid = 4, .block = 16}, x, 10 * (d.rank() + 1));
      int const here = x.read(0, 1).get().at(0);
      int const there = amity::rpc(
                            d.rank(),
                            [](accel::buffer<int> b) {
                              return b.read().get().at(63);
                            },
                            x)
                            .get();
      std::printf("device %d of rank %d: %d, %d\n",
                  d.number(), d.rank(), here, there);
    }
  }
  amity::barrier_all();
}
// [end]
