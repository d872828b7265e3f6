// What comes after what, without a wait.
#include <amity/accel.hpp>
#include <amity/amity.hpp>
#include <cstdio>
#include <vector>

namespace accel = amity::accel;

namespace {

const char* const kernels = R"(
AMITY_KERNEL void add(AMITY_GLOBAL int* x, int n) {
  x[AMITY_GLOBAL_ID(0)] += n;
}
AMITY_KERNEL void sum(AMITY_GLOBAL const int* x, AMITY_GLOBAL const int* y,
                      AMITY_GLOBAL int* z) {
  unsigned const i = AMITY_GLOBAL_ID(0);
  z[i] = x[i] + y[i];
}
)";

bool is_right(bool is, const char* what) {
  if (!is) std::printf("wrong: %s\n", what);
  return is;
}

}  // namespace

int main() try {
  accel::device const device = accel::default_device();
  // [kernels]
  auto program = device.program(accel::source(kernels));
  auto add = program.kernel<void(int*, int)>("add");
  auto sum =
      program.kernel<void(const int*, const int*, int*)>(
          "sum");
  accel::launch_options const all{.grid = 4, .block = 16};
  auto x = device.allocate<int>(64);
  auto y = device.allocate<int>(64);
  auto z = device.allocate<int>(64);
  // [end]
  bool right = true;

  // [buffers]
  x.fill(0);
  y.fill(0);
  for (int i = 0; i < 1000; ++i) {
    add(all, x, 1);  // each after the one before
    add(all, y, 2);  // beside x's, if the device can
  }
  sum(all, x, y, z);                             // after both
  std::vector<int> const sums = z.read().get();  // 3000 ...
  // [end]
  right &= is_right(sums[63] == 3000, "order by buffers");

  // [then]
  amity::future<long> total =
      z.read().then([](amity::future<std::vector<int>> f) {
        long s = 0;
        for (int const one : f.get()) s += one;
        return s;
      });
  add(all, z, 1);  // after the read
  // [end]
  right &= is_right(total.get() == 64 * 3000, "then");

  // [from_tasks]
  auto values =
      amity::async([] { return std::vector<int>(64, 40); });
  auto number = amity::async([] { return 2; });
  x.write(std::move(values), 64);  // 64 elements, when ready
  add(all, x,
      std::move(number));  // after that and the number
  // [end]
  right &= is_right(x.read(7, 1).get().at(0) == 42, "tasks");

  // [streams]
  accel::stream first = device.make_stream();
  accel::stream second = device.make_stream();
  auto step = [&](accel::stream& on, accel::buffer<int>& b) {
    return add({.grid = 4, .block = 16, .on = on}, b, 1);
  };
  amity::shared_future<void> done = step(first, x).share();
  step(second, y);
  amity::future<void> last = add(
      {.grid = 4, .block = 16, .on = second, .after = {done}},
      z, 1);
  last.get();  // and so all three are over
  // [end]
  right &=
      is_right(x.read(7, 1).get().at(0) == 43, "streams");

  // [finish]
  amity::finish([&] {
    x.fill(1);
    add(all, x, 1);
  });  // both are over
  // [end]
  right &= is_right(x.read(7, 1).get().at(0) == 2, "finish");

  // [graph]
  accel::graph two_steps(device);
  two_steps.add(add, all, x, 1)
      .copy(x, 0, y, 0, 64)
      .add(sum, all, x, y, z);
  for (int i = 0; i < 100; ++i) two_steps();
  // [end]
  right &= is_right(z.read(7, 1).get().at(0) == 204, "graph");

  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
} catch (const accel::no_such_device& e) {
  std::printf("%s\n", e.what());
}
