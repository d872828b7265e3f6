// All that shares the cores of a process, at once: remote tasks within finish_spmd that open OpenMP regions (of gcc's
// or clang's, argument 1) and launch kernels on devices here and elsewhere, whose results are futures; at the end a
// hierarchical reduction. One pool in each process; the answer is checked. Skipped where there is no device.
#include <dlfcn.h>

#include "amity/accel.hpp"
#include "amity/coll/collectives.hpp"
#include "check.hpp"

namespace accel = amity::accel;
namespace coll = amity::collectives;

namespace {

using sum_function = long (*)(long, int*);
std::atomic<sum_function> sum_by_regions{nullptr};
std::atomic<long> total{0};

const char* const kernels = R"(
AMITY_KERNEL void triangle(AMITY_GLOBAL unsigned* sums, unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i < n + AMITY_GLOBAL_ID(0); ++i) sum += i;
  sums[AMITY_GLOBAL_ID(0)] = sum;
}
)";

long below(long n) { return n * (n - 1) / 2; }

amity::future<long> on_device(const accel::device& d, unsigned n) {
  constexpr unsigned items = 32;
  auto sums = d.allocate<unsigned>(items);
  auto triangle = d.program(accel::source(kernels)).kernel<void(unsigned*, unsigned)>("triangle");
  triangle({.grid = 2, .block = items / 2}, sums, n);
  return sums.read().then([](amity::future<std::vector<unsigned>> f) {
    long all = 0;
    for (unsigned const one : f.get()) all += one;
    return all;
  });
}

long expected_on_device(long n) {
  long all = 0;
  for (long i = 0; i < 32; ++i) all += below(n + i);
  return all;
}

}  // namespace

int main(int, char** argv) {
  int const me = amity::rank_me(), n = amity::rank_n();
  void* const library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  sum_by_regions = reinterpret_cast<sum_function>(dlsym(library, "sum_by_regions"));
  auto const devices = accel::devices().get();
  if (devices.empty()) return std::printf("skipped: %s\n", accel::status().c_str()), 77;
  amity::barrier_all();

  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round)
    amity::finish_spmd([&] {
      for (int r = 0; r < n; ++r)
        amity::async_at(r, [round] {
          int threads = 0;
          auto computed = on_device(accel::local_devices().get().front(), 100 + static_cast<unsigned>(round));
          total += sum_by_regions.load()(1000 + round, &threads);  // beside the kernel
          total += computed.get();
        });
      auto elsewhere = on_device(devices.back(), 50);  // perhaps of another process
      total += elsewhere.get();
    });

  long wanted = 0;
  for (int round = 0; round < rounds; ++round)
    wanted += n * (below(1000 + round) + expected_on_device(100 + round)) + expected_on_device(50);
  test::check(total == wanted, "the sum is " + std::to_string(total) + ", not " + std::to_string(wanted));

  auto const tree = coll::create_hierarchical_communicator("all_together", coll::num_sites_arg(n),
                                                           coll::this_site_arg(me), coll::arity_arg(2));
  long const of_all = coll::all_reduce(tree, total.load(), std::plus<>()).get();
  test::check(of_all == n * wanted, "the sum of all processes");
  return test::end();
}
