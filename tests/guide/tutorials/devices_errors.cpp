// The words of errors, and how long they stay.
#include <amity/accel.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace accel = amity::accel;

namespace {

int wrong = 0;

template <class F>
void expect(const std::string& words, F f) {
  std::string said = "nothing";
  try {
    f();
  } catch (const std::exception& e) {
    said = e.what();
  }
  if (said.find(words) != std::string::npos) return;
  std::printf("'%s', not '%s'\n", said.c_str(),
              words.c_str());
  ++wrong;
}

}  // namespace

int main() try {
  accel::device const device = accel::default_device();
  auto x = device.upload(std::vector<int>{1, 2, 3, 4});

  // [build]
  const char* const text =
      "AMITY_KERNEL void k() { nowhere; }";
  try {
    device.program(accel::source(text)).build().get();
  } catch (const accel::build_error& e) {
    std::printf("%s", e.log().c_str());
  }
  // [end]

  // [stays]
  auto y = device.allocate<int>(4);
  auto k = device.program(accel::file("lost.cl"))
               .kernel<void(const int*, int*)>("k");
  k({.block = 4}, x, y);  // fails; nobody takes its future
  try {
    y.read().get();
  } catch (const accel::build_error& e) {
    std::printf("%s\n", e.what());
  }
  y.fill(0);  // writes all of y: the error is gone
  std::vector<int> const zeros = y.read().get();
  // [end]
  wrong += zeros.at(3) != 0;

  auto program = device.program(accel::source(
      "AMITY_KERNEL void add(AMITY_GLOBAL int* x, int n) "
      "{ x[AMITY_GLOBAL_ID(0)] += n; }"));
  auto add = program.kernel<void(int*, int)>("add");
  expect(
      "there is no kernel 'ad' in a source, which has add",
      [&] { program.kernel<void(int*)>("ad")({}, x).get(); });
  expect(
      "the kernel 'add' takes 2 arguments, and 1 are given",
      [&] {
        program.kernel<void(int*)>("add")({}, x).get();
      });
  expect(
      "which has another type of numbers; the caller says "
      "'float'",
      [&] {
        program.kernel<void(int*, float)>("add")({}, x, 1)
            .get();
      });
  expect("has a grid of (0, 1, 1)",
         [&] { add({.grid = 0}, x, 1); });
  expect("has blocks of (1048576, 1, 1)",
         [&] { add({.block = 1 << 20}, x, 1); });
  expect(
      "write: [2, 2 + 4) is not within the 4 that are there",
      [&] { x.write(std::vector<int>(4), 2); });
  expect("a buffer is used that stands for nothing",
         [] { (void)accel::buffer<int>().read(); });
  expect("1125899906842624 bytes: ",
         [&] { (void)device.allocate<char>(1UL << 50); });
  expect("there is no device with 'Teapot' in its name: ",
         [] {
           (void)accel::default_device({.name = "Teapot"});
         });
  add({.block = 4}, x, 1);
  wrong += x.read().get().at(3) != 5;
  std::puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
} catch (const accel::no_such_device& e) {
  std::printf("%s\n", e.what());
}
