// HPXCL's names after all others: what is a function among devices is an object among algorithms, such as copy.
#include <cstdio>

#include "amity/amity.hpp"
//
#include "amity/accel/hpxcl.hpp"

using namespace amity::hpxcl;

int main() {
  auto const devices = get_all_devices(1, 0).get();
  if (devices.empty()) return std::printf("skipped: %s\n", amity::accel::status().c_str()), 77;
  buffer from = devices[0].create_buffer(4).get(), to = devices[0].create_buffer(4).get();
  unsigned const value = 5;
  from.enqueue_write(0, 4, &value).get();
  from.p2p_copy(to, 4).get();
  program p = devices[0].create_program_with_source("AMITY_KERNEL void k(AMITY_GLOBAL unsigned* x) { ++*x; }").get();
  p.build({"-DX=1"}, {"k"}).get();
  p.run({to}, "k", {}, {}).get();
  unsigned* const got = to.enqueue_read_sync<unsigned>(0, 4);
  bool const is_right = *got == 6;
  delete[] got;
  return is_right ? 0 : 1;
}
