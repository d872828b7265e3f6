// A process that has come to its end serves its devices before any library ends, also one that was first used after
// the devices were opened; static objects of the program may hold buffers of other processes. Skipped where there is no
// device.
#include <chrono>
#include <cstdlib>
#include <vector>

#include "amity/accel.hpp"
#include "check.hpp"

namespace accel = amity::accel;
using namespace std::chrono_literals;
using test::check;

namespace {

const char* const kernels = R"(
AMITY_KERNEL void twice(AMITY_GLOBAL float* x) { x[AMITY_GLOBAL_ID(0)] = sqrt(4.0f) * x[AMITY_GLOBAL_ID(0)]; }
)";

std::vector<accel::buffer<float>> kept;  // made before the devices are opened, destroyed after the process has left
bool libraries_have_ended = false;

void use(const accel::device& d) {
  auto x = d.upload(std::vector<float>(100, 1.5f));
  d.program(accel::source(kernels)).kernel<void(float*)>("twice")({.block = 100}, x);
  check(x.read().get() == std::vector<float>(100, 3.0f), "a kernel of a process that has come to its end");
}

}  // namespace

int main() {
  auto const devices = accel::devices().get();
  if (devices.empty()) {
    std::printf("skipped: %s\n", accel::status().c_str());
    return 77;
  }
  for (const accel::device& d : accel::local_devices().get()) use(d);
  for (const accel::device& d : accel::remote_devices().get()) kept.push_back(d.upload(std::vector<float>(10)));
  static std::vector<accel::buffer<float>> const kept_longer = kept;
  std::atexit([] { libraries_have_ended = true; });  // as a library's static object that was just made
  amity::barrier_all();
  if (amity::rank_me() != 0) return test::wrong != 0;
  amity::this_thread::sleep_for(300ms);
  for (int r = 1; r < amity::rank_n(); ++r)
    check(!amity::rpc(r, [] { return libraries_have_ended; }).get(), "others are served before libraries end");
  for (const accel::device& d : accel::remote_devices().get()) use(d);
  if (test::wrong == 0) std::puts("ok");
  return test::wrong != 0;
}
