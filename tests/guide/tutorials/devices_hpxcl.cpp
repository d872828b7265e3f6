// [whole]
#include <amity/accel/hpxcl.hpp>
#include <amity/amity.hpp>
#include <cstdio>
#include <vector>

using namespace amity::hpxcl;

int main() {
  auto const devices = get_all_devices(1, 0).get();
  if (devices.empty()) {
    std::printf("there is no device: %s\n",
                amity::accel::status().c_str());
    return 0;
  }
  std::vector<unsigned> input(1000, 3);
  auto const bytes = input.size() * sizeof(unsigned);
  buffer values = devices[0].create_buffer(bytes).get();
  buffer total =
      devices[0].create_buffer(sizeof(unsigned)).get();
  unsigned const zero = 0;
  std::vector<amity::future<void>> futures;
  futures.push_back(
      values.enqueue_write(0, bytes, input.data()));
  futures.push_back(total.enqueue_write(0, 4, &zero));
  program prog =
      devices[0]
          .create_program_with_source(
              "AMITY_KERNEL void sum("
              "AMITY_GLOBAL const unsigned* values, "
              "AMITY_GLOBAL unsigned* total) {"
              "  AMITY_ATOMIC_ADD(total, "
              "values[AMITY_GLOBAL_ID(0)]); }")
          .get();
  futures.push_back(prog.build("sum"));
  amity::wait_all(futures);
  Dim3 const grid{10, 1, 1}, block{100, 1, 1};
  prog.run({values, total}, "sum", grid, block).get();
  unsigned* const sum =
      total.enqueue_read_sync<unsigned>(0, sizeof(unsigned));
  std::printf("the sum is %u\n", *sum);
  delete[] sum;
}
// [end]
