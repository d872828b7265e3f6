// Operations on devices and OpenMP tasks that wait for one another: a task's dependence comes before a write to a
// device, and the read from there fulfils a detached task, which further tasks depend on. Skipped without a device.
#include <omp.h>

#include <amity/accel.hpp>
#include <amity/amity.hpp>
#include <amity/omp/future.hpp>
#include <atomic>
#include <cstdio>
#include <vector>

namespace accel = amity::accel;

namespace {

constexpr int chains = 16, rounds = 10;
std::atomic<int> wrong{0};

const char* const text = R"(
AMITY_KERNEL void triple(AMITY_GLOBAL int* x, int plus) { x[0] = 3 * x[0] + plus; }
)";

}  // namespace

int main() {
  auto const devices = accel::local_devices().get();
  if (devices.empty()) return std::printf("skipped: %s\n", accel::status().c_str()), 77;
  accel::device const device = devices.front();
  auto triple = device.program(accel::source(text)).kernel<void(int*, int)>("triple");
  std::vector<accel::buffer<int>> buffers;
  for (int i = 0; i < chains; ++i) buffers.push_back(device.allocate<int>(1));
  std::vector<int> value(chains), expected(chains);

#pragma omp parallel
#pragma omp single
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < chains; ++i) {
      [[maybe_unused]] int* const v = &value[static_cast<std::size_t>(i)];
      const accel::buffer<int>& b = buffers[static_cast<std::size_t>(i)];
      expected[static_cast<std::size_t>(i)] = 3 * (expected[static_cast<std::size_t>(i)] + i) + round;
      // On the host, by OpenMP.
#pragma omp task depend(inout : v[0]) firstprivate(v, i)
      *v += i;
      // To the device, once that is done, and back.
      auto gathered = amity::omp_depend_in(v).then([v](amity::future<void>) { return std::vector<int>{*v}; });
      b.write(std::move(gathered), 1);
      triple({}, b, round);
      auto back = b.read().then([v](amity::future<std::vector<int>> f) { *v = f.get().at(0); });
      // It writes what the tasks of OpenMP depend on, so it takes its place among them: as a detached task.
      omp_event_handle_t done{};
#pragma omp task depend(inout : v[0]) detach(done)
      {}
      amity::omp_fulfill_when(back, done);
      [[maybe_unused]] int const now = expected[static_cast<std::size_t>(i)];
#pragma omp task depend(in : v[0]) firstprivate(v, now)
      if (*v != now) {
        std::printf("wrong: %d, not %d\n", *v, now);
        ++wrong;
      }
    }
  }
  // A finish waits for operations that begin within tasks of OpenMP's as for others.
  amity::finish([&] {
    for (int i = 0; i < chains; ++i) triple({}, buffers[static_cast<std::size_t>(i)], 1);
  });
  for (int i = 0; i < chains; ++i)
    if (buffers[static_cast<std::size_t>(i)].read().get().at(0) != 3 * expected[static_cast<std::size_t>(i)] + 1)
      ++wrong;
  if (wrong == 0) std::puts("ok");
  return wrong == 0 ? 0 : 1;
}
