// A matrix product by CLBlast on a device, between a kernel of the program's own and the way back: CLBlast's commands
// keep the order of the buffers, and nobody waits in between. The host computes the same, and compares.
//
//   build/examples/sgemm 256
//
// CLBlast is for OpenCL. Without a device of it the program says why, and ends well.
#include <clblast_c.h>

#include <amity/accel.hpp>
#include <amity/amity.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "../usage.hpp"

namespace accel = amity::accel;

namespace {

const char* const text = R"(
AMITY_KERNEL void identity(AMITY_GLOBAL float* x, unsigned n) {
  unsigned const i = AMITY_GLOBAL_ID(0);
  if (i < n * n) x[i] = i % n == i / n ? 2.f : 0.f;
}
)";

/// c = a * b, of n rows and columns each.
amity::future<void> multiply(const accel::device& device, accel::buffer<float> a, accel::buffer<float> b,
                             accel::buffer<float> c, std::size_t n) {
  return accel::call_native(
      device, {accel::reads(a), accel::reads(b), accel::writes(c)}, [=](const accel::native_queue& q) {
        auto queue = static_cast<cl_command_queue>(q.queue);
        CLBlastStatusCode const status = CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, n,
                                                      n, n, 1.f, q.memory<cl_mem>(a), 0, n, q.memory<cl_mem>(b), 0, n,
                                                      0.f, q.memory<cl_mem>(c), 0, n, &queue, nullptr);
        if (status != CLBlastSuccess) throw std::runtime_error("CLBlastSgemm: " + std::to_string(status));
      });
}

}  // namespace

int main(int argc, char** argv) try {
  answer_help(argc, argv, "[rows = 64]");
  auto const n = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 64);
  auto const found = accel::local_devices({.backend = "opencl"}).get();
  if (found.empty()) {
    std::printf("there is no device of OpenCL: %s\n", accel::status().c_str());
    return 0;
  }
  const accel::device& device = found.front();

  std::vector<float> values(n * n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17);
  auto a = device.upload(values), twice = device.allocate<float>(n * n), c = device.allocate<float>(n * n);
  auto identity = device.program(accel::source(text)).kernel<void(float*, unsigned)>("identity");
  identity({.grid = static_cast<unsigned>((n * n + 63) / 64), .block = 64}, twice, static_cast<unsigned>(n));
  auto done = multiply(device, a, twice, c, n);  // after the kernel, and after the upload
  auto result = c.read();                        // after CLBlast's kernels
  done.get();

  std::vector<float> const computed = result.get();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) wrong += std::fabs(computed[i] - 2 * values[i]) > 1e-3f;
  std::printf("%s: a product of %zu x %zu by CLBlast, %zu wrong\n", device.name().c_str(), n, n, wrong);
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "sgemm: %s\n", e.what());
  return 1;
}
