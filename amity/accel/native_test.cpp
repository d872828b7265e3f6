/// Another library's commands within the order of Amity's: here the driver's own calls.

#include "amity/accel/native.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "amity/accel/cuda/simulator/open.hpp"
#include "amity/future/future.hpp"

namespace amity::accel {
namespace {

template <class F>
F function_of(const char* library, const char* name) {
  void* const opened = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  auto const f = reinterpret_cast<F>(opened != nullptr ? dlsym(opened, name) : nullptr);
  if (f == nullptr) throw std::runtime_error(std::string(name) + " is not in " + library);
  return f;
}
constexpr const char* opencl_library = "libOpenCL.so.1";
constexpr const char* cuda_library = "libcuda.so.1";

// As a library does it: no mark of Amity's, no wait.
void fill(const native_queue& q, std::uintptr_t memory, unsigned value, std::size_t n) {
  int error;
  if (q.backend == "opencl") {
    using fill_buffer =
        int (*)(void*, void*, const void*, std::size_t, std::size_t, std::size_t, unsigned, const void*, void*);
    error = function_of<fill_buffer>(opencl_library, "clEnqueueFillBuffer")(
        q.queue, reinterpret_cast<void*>(memory), &value, sizeof value, 0, n * sizeof value, 0, nullptr, nullptr);
  } else {
    using set = int (*)(std::uint64_t, unsigned, std::size_t, void*);
    error = function_of<set>(cuda_library, "cuMemsetD32Async")(memory, value, n, q.queue);
  }
  if (error != 0) throw std::runtime_error("the other library failed: " + std::to_string(error));
}

struct Native : testing::TestWithParam<const char*> {
  void SetUp() override {
    cuda::simulator::open_where_no_driver_is();
    auto found = local_devices({.backend = GetParam()}).get();
    if (found.empty()) GTEST_SKIP() << status();
    d = std::make_unique<device>(found.front());
  }
  std::unique_ptr<device> d;
};

TEST_P(Native, ItsCommandsKeepTheOrderOfTheBuffers) {
  constexpr std::size_t n = 1 << 16;
  auto a = d->allocate<unsigned>(n), b = d->allocate<unsigned>(n);
  stream const one = d->make_stream(), other = d->make_stream();
  for (unsigned i = 0; i < 50; ++i) {
    static_cast<void>(a.write(std::vector<unsigned>(n, 2 * i)));
    static_cast<void>(call_native(
        *d, {writes(a)}, [a, i](const native_queue& q) { fill(q, q.memory<std::uintptr_t>(a), 2 * i + 1, n / 2); },
        {.on = i % 2 == 0 ? one : other}));
    static_cast<void>(copy(a, b));
    auto const got = b.read().get();
    ASSERT_EQ(got.front(), 2 * i + 1);
    ASSERT_EQ(got[n / 2 - 1], 2 * i + 1);
    ASSERT_EQ(got.back(), 2 * i);
  }
}

TEST_P(Native, ItComesAfterWhatItIsToldTo) {
  auto a = d->upload(std::vector<unsigned>(100, 1));
  promise<void> may_go;
  std::atomic<bool> is_called{false};
  auto done = call_native(*d, {writes(a)},
                          [&, a](const native_queue& q) {
                            is_called = true;
                            fill(q, q.memory<std::uintptr_t>(a), 5, 100);
                          },
                          {.after = {may_go.get_future().share()}});
  auto later = a.read();
  EXPECT_FALSE(is_called);
  may_go.set_value();
  done.get();
  EXPECT_TRUE(is_called);
  EXPECT_EQ(later.get(), std::vector<unsigned>(100, 5));
  EXPECT_THROW(static_cast<void>(call_native(*d, {}, [](const native_queue&) {}, {.after = {shared_future<void>()}})),
               std::invalid_argument);
}

TEST_P(Native, WhatItThrowsComesToItsFutureAndToWhatUsesItsBuffers) {
  auto a = d->upload(std::vector<unsigned>(10, 1)), b = d->upload(std::vector<unsigned>(10, 2));
  auto failing =
      call_native(*d, {reads(b), writes(a)}, [](const native_queue&) { throw std::runtime_error("sgemm: -7"); });
  auto later = a.read();
  std::string said;
  try {
    failing.get();
  } catch (const std::runtime_error& e) {
    said = e.what();
  }
  EXPECT_NE(said.find("sgemm: -7"), std::string::npos) << said;
  EXPECT_ANY_THROW(later.get());
  EXPECT_EQ(b.read().get().front(), 2u);  // it was read alone
  a.write(std::vector<unsigned>(10, 3)).get();
  EXPECT_EQ(a.read().get().front(), 3u);
}

TEST_P(Native, HandlesAreTheDrivers) {
  auto a = d->allocate<unsigned>(10);
  native_queue seen;
  call_native(*d, {reads(a)}, [&](const native_queue& q) { seen = q; }).get();
  EXPECT_EQ(seen.backend, GetParam());
  EXPECT_NE(seen.queue, nullptr);
  EXPECT_NE(seen.context, nullptr);
  EXPECT_THROW(static_cast<void>(seen.memory<void*>(buffer<int>())), empty_handle);
}

TEST_P(Native, MemoryOfTheProgramsOwnIsABuffer) {
  constexpr std::size_t n = 1000;
  std::uintptr_t made = 0;
  call_native(*d, {}, [&](const native_queue& q) {
    if (q.backend == "opencl") {
      using create = void* (*)(void*, std::uint64_t, std::size_t, void*, int*);
      int error = 0;
      made = reinterpret_cast<std::uintptr_t>(function_of<create>(opencl_library, "clCreateBuffer")(
          q.context, 1 /* CL_MEM_READ_WRITE */, n * sizeof(unsigned), nullptr, &error));
    } else {
      std::uint64_t address = 0;
      function_of<int (*)(std::uint64_t*, std::size_t)>(cuda_library, "cuMemAlloc_v2")(&address, n * sizeof(unsigned));
      made = address;
    }
  }).get();
  ASSERT_NE(made, 0u);
  {
    auto b = borrow<unsigned>(*d, made, n);
    std::vector<unsigned> values(n);
    std::iota(values.begin(), values.end(), 0u);
    static_cast<void>(b.write(values));
    EXPECT_EQ(b.read().get(), values);
    call_native(*d, {writes(b)}, [b, made](const native_queue& q) {
      EXPECT_EQ(q.memory<std::uintptr_t>(b), made);
      fill(q, made, 9, n);
    }).get();
    EXPECT_EQ(b.read().get().back(), 9u);
  }
  call_native(*d, {}, [&](const native_queue& q) {
    int const error = q.backend == "opencl"
                          ? function_of<int (*)(std::uintptr_t)>(opencl_library, "clReleaseMemObject")(made)
                          : function_of<int (*)(std::uint64_t)>(cuda_library, "cuMemFree_v2")(made);
    EXPECT_EQ(error, 0);  // it was still the program's
  }).get();
  EXPECT_THROW(static_cast<void>(borrow<int>(*d, std::uintptr_t{0}, 1)), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Of, Native, testing::Values("opencl", "cuda"),
                         [](const auto& i) { return std::string(i.param); });

}  // namespace
}  // namespace amity::accel
