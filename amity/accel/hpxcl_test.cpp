/// The paper's listings, with their printing errors corrected.

#include "amity/accel/hpxcl.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "amity/future/combine.hpp"

namespace amity {
namespace {

using namespace hpxcl;

TEST(Hpxcl, Listing1) {
  std::vector<device> devices = get_all_devices(1, 0).get();
  std::vector<device> local = get_local_devices(1, 0).get();
  EXPECT_EQ(devices.size(), local.size());
  EXPECT_TRUE(get_remote_devices(1, 0).get().empty());
}

TEST(Hpxcl, Listing2) {
  constexpr std::size_t SIZE = 1000;
  auto const path = std::filesystem::temp_directory_path() / ("kernel-" + std::to_string(getpid()) + ".k");
  std::ofstream(path) << "AMITY_KERNEL void sum(AMITY_GLOBAL unsigned* array, AMITY_GLOBAL unsigned* count,\n"
                         "                      AMITY_GLOBAL unsigned* n) {\n"
                         "  for (unsigned i = AMITY_GLOBAL_ID(0); i < n[0]; i += AMITY_GLOBAL_SIZE(0))\n"
                         "    AMITY_ATOMIC_ADD(count, array[i]);\n"
                         "}\n";
  // Get list of available devices.
  std::vector<device> devices = get_all_devices(2, 0).get();
  if (devices.empty()) GTEST_SKIP() << accel::status();
  // Allocate the host data.
  std::vector<unsigned int> input(SIZE), result(1, 0), n(1, SIZE);
  std::iota(input.begin(), input.end(), 1u);
  // Create a device component from the first device found.
  device cudaDevice = devices[0];
  // Create buffers and copy data into them.
  std::vector<future<void>> futures;
  buffer outbuffer = cudaDevice.create_buffer(SIZE * sizeof(unsigned int)).get();
  futures.push_back(outbuffer.enqueue_write(0, SIZE * sizeof(unsigned int), input.data()));
  buffer resbuffer = cudaDevice.create_buffer(sizeof(unsigned int)).get();
  futures.push_back(resbuffer.enqueue_write(0, sizeof(unsigned int), result.data()));
  buffer lengthbuffer = cudaDevice.create_buffer(sizeof(unsigned int)).get();
  futures.push_back(lengthbuffer.enqueue_write(0, sizeof(unsigned int), n.data()));
  // Compile the kernel.
  program prog = cudaDevice.create_program_with_file(path.string()).get();
  futures.push_back(prog.build("sum"));
  // Prepare the configuration of the kernel.
  Dim3 grid;
  Dim3 block;
  grid.x = grid.y = grid.z = 1;
  block.x = 32;
  block.y = block.z = 1;
  // Set the arguments of the kernel.
  std::vector<buffer> args;
  args.push_back(outbuffer);
  args.push_back(resbuffer);
  args.push_back(lengthbuffer);
  // Synchronize the copy of data to the device and the compilation of the kernel.
  wait_all(futures);
  // Run the kernel.
  prog.run(args, "sum", grid, block).get();
  // Copy the result back.
  unsigned int* res = resbuffer.enqueue_read_sync<unsigned int>(0, sizeof(unsigned int));
  EXPECT_EQ(res[0], 500500u);
  delete[] res;
  std::filesystem::remove(path);

  EXPECT_THROW(prog.run(args, "missing", grid, block).get(), accel::kernel_error);
  EXPECT_THROW(outbuffer.enqueue_write(3990, 20, input.data()), std::out_of_range);
  EXPECT_THROW(cudaDevice.create_program_with_file("no/such/file").get().build("sum").get(), accel::build_error);
  EXPECT_THROW(prog.run({outbuffer}, "sum", grid, block).get(), accel::kernel_error);
  grid.x = 0;
  EXPECT_THROW(prog.run(args, "sum", grid, block), std::invalid_argument);
  EXPECT_EQ(cudaDevice.get_device_architecture_major().get(), cudaDevice.get().capability().first);
}

// build(flags, names), as HPXCL has it: two vectors of texts must not change places without a word.
TEST(Hpxcl, BuildTakesOptionsBeforeKernels) {
  std::vector<device> devices = get_all_devices(1, 0).get();
  if (devices.empty()) GTEST_SKIP() << accel::status();
  program p = devices[0].create_program_with_source("AMITY_KERNEL void one(AMITY_GLOBAL int* o) { o[0] = X; }").get();
  std::vector<std::string> flags{"-DX=1"}, kernels{"one"};
  p.build(flags, kernels).get();
  p.build(flags, "one").get();
  p.build(flags, kernels, 1).get();
  p.build(flags, 0).get();
  p.build(flags).get();
  p.build("one", flags).get();
  p.build({"-DX=1", "-DY=2"}, {"one", "two"}).get();
  try {
    p.build(kernels, flags).get();
    ADD_FAILURE() << "a kernel is no option";
  } catch (const accel::build_error& e) {
    EXPECT_STREQ(e.what(), "'one' is no option of a compiler: build(options, kernels)");
  }
}

TEST(Hpxcl, HandlesOfNothingSaySo) {
  buffer const none;
  EXPECT_EQ(none.size().get(), 0u);
  EXPECT_THROW(none.enqueue_write(0, 0, nullptr), accel::empty_handle);
  EXPECT_THROW(static_cast<void>(none.enqueue_read(0, 0)), accel::empty_handle);
  EXPECT_THROW(none.p2p_copy(none, 0), accel::empty_handle);
  device const nowhere;
  EXPECT_THROW(static_cast<void>(nowhere.create_buffer(1)), accel::empty_handle);
  EXPECT_THROW(static_cast<void>(nowhere.get_device_id()), accel::empty_handle);
  program p = nowhere.create_program_with_source("").get();
  EXPECT_THROW(p.build("one"), accel::empty_handle);
  EXPECT_THROW(p.run({}, "one", Dim3(), Dim3()), accel::empty_handle);
}

}  // namespace
}  // namespace amity
