// All of Amity in one program: remote tasks within finish_spmd; in each, an OpenMP region and a kernel on a device at
// the same time, whose results are futures; a hierarchical reduction over all processes at the end. They share one
// worker for each core: nothing of it has threads of its own.
//
//   build/bin/amity run -n 2 build/examples/together
//
// It integrates 4 / (1 + x^2) from 0 to 1, in slices that go round the processes: of each slice half is computed by
// OpenMP, half by the device, if there is one. `amity run` puts Amity in the place of the compiler's OpenMP library;
// without it the program runs as well, with threads of OpenMP's beside the workers.
#include <amity/accel.hpp>
#include <amity/amity.hpp>
#include <amity/distributed.hpp>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <vector>

#include "../usage.hpp"

namespace accel = amity::accel;
namespace coll = amity::collectives;

namespace {

constexpr int slices = 16;
constexpr unsigned items = 64;  ///< of a kernel; each adds up a part of its own
const char* const text = R"(
AMITY_KERNEL void integrate(AMITY_GLOBAL float* sums, float from, float step, unsigned n) {
  unsigned const me = AMITY_GLOBAL_ID(0), all = AMITY_GLOBAL_SIZE(0);
  float sum = 0;
  for (unsigned i = me; i < n; i += all) {
    float const x = from + (i + 0.5f) * step;
    sum += 4 / (1 + x * x);
  }
  sums[me] = sum * step;
}
)";

/// The first device of this process, and its kernel.
struct on_device {
  accel::device device;
  accel::kernel<void(float*, float, float, unsigned)> integrate;
};
const std::optional<on_device>& own_device() {
  static std::optional<on_device> const found = []() -> std::optional<on_device> {
    auto const all = accel::local_devices().get();
    if (all.empty()) return {};
    auto const program = all.front().program(accel::source(text));
    return on_device{all.front(), program.kernel<void(float*, float, float, unsigned)>("integrate")};
  }();
  return found;
}

amity::future<double> by_device(double from, double to, unsigned n) {
  auto sums = own_device()->device.allocate<float>(items);
  own_device()->integrate({.grid = items / 32, .block = 32}, sums, static_cast<float>(from),
                          static_cast<float>((to - from) / n), n);
  return sums.read().then([](amity::future<std::vector<float>> f) {
    double all = 0;
    for (float const one : f.get()) all += static_cast<double>(one);
    return all;
  });
}

double by_openmp(double from, double to, unsigned n) {
  double const step = (to - from) / n;
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (unsigned i = 0; i < n; ++i) {
    double const x = from + (i + 0.5) * step;
    sum += 4 / (1 + x * x);
  }
  return sum * step;
}

std::atomic<double> total{0};  ///< of the slices of this process
std::atomic<long> by_devices{0};

/// One slice, in whatever process.
void integrate(double from, double to, unsigned n) {
  double const middle = (from + to) / 2;
  if (!own_device()) {
    total += by_openmp(from, to, n);
    return;
  }
  auto half = by_device(middle, to, n / 2);           // begins, and
  double const sum = by_openmp(from, middle, n / 2);  // goes on beside this
  total += sum + half.get();
  ++by_devices;
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[steps = 200000]");
  auto const n = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 200'000);
  int const me = amity::rank_me(), processes = amity::rank_n();
  amity::finish_spmd([&] {
    for (int s = me; s < slices; s += processes)  // each process deals out some
      amity::async_at((s * 7 + 3) % processes, [s, n] {
        integrate(static_cast<double>(s) / slices, static_cast<double>(s + 1) / slices, n / slices);
      });
  });

  auto const tree = coll::create_hierarchical_communicator("together", coll::num_sites_arg(processes),
                                                           coll::this_site_arg(me), coll::arity_arg(2));
  double const pi = coll::all_reduce(tree, total.load(), std::plus<>()).get();
  long const with_device = coll::all_reduce(tree, by_devices.load(), std::plus<>()).get();
  bool const is_right = std::fabs(pi - std::numbers::pi) < 1e-5;
  if (me == 0)
    std::printf("pi is %.6f, by %d processes, half of %ld of %d slices by their devices: %s\n", pi, processes,
                with_device, slices, is_right ? "right" : "wrong");
  return is_right ? 0 : 1;
}
