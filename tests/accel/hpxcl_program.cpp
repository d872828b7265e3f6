// A program as HPXCL's own are written: hpx's and hpxcl's headers, hpx::cuda, offsets in the host's memory, streams,
// dependences, a copy to another device. On the simulated driver of CUDA, which has two devices.
#include <hpx/future.hpp>
#include <hpx/hpx_main.hpp>
#include <hpx/iostream.hpp>
#include <hpxcl/cuda.hpp>

using namespace hpx::cuda;

static const char kernel_src[] =
    "extern \"C\" __global__ void twice(unsigned* values, unsigned* n) {\n"
    "  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n[0]; i += gridDim.x * blockDim.x) values[i] *= "
    "2;\n"
    "}\n";

int main(int, char**) {
  std::vector<device> devices = get_all_devices(1, 0).get();
  if (devices.size() < 2) {
    hpx::cerr << "No two CUDA devices found!" << hpx::endl;
    return 77;
  }
  constexpr unsigned size = 1000, half = size / 2;
  unsigned *input = nullptr, *n = nullptr;
  cudaMallocHost((void**)&input, sizeof(unsigned) * size);
  checkCudaError("Malloc inputData");
  cudaMallocHost((void**)&n, sizeof(unsigned));
  for (unsigned i = 0; i < size; ++i) input[i] = i;
  n[0] = half;

  device first = devices[0], second = devices[1];
  hpx::lcos::future<program> made = first.create_program_with_source(kernel_src);
  program prog = made.get();
  std::vector<std::string> flags;
  std::vector<hpx::lcos::future<void>> futures;
  futures.push_back(prog.build(flags, "twice"));

  buffer values = first.create_buffer(sizeof(unsigned) * half).get();
  // The second half of the input: the offset is one of the host's memory.
  futures.push_back(values.enqueue_write(sizeof(unsigned) * half, sizeof(unsigned) * half, input));
  buffer length = first.create_buffer(1).get();
  length.set_size_sync(sizeof(unsigned));
  futures.push_back(length.enqueue_write(0, sizeof(unsigned), n));
  hpx::wait_all(futures);

  hpx::cuda::server::program::Dim3 grid, block;
  grid.x = 4;
  block.x = 32;
  std::vector<buffer> args{values, length};
  int const stream = static_cast<int>(prog.create_stream().get());
  auto once = prog.run(args, "twice", grid, block, 0, stream);
  auto again = prog.run(args, "twice", grid, block, std::vector<buffer>{values}, 0);
  hpx::wait_all(once, again);

  buffer there = second.create_buffer(values.size_sync()).get();
  values.p2p_copy(there.get_device_pointer().get(), there.get_device_id().get(), values.size().get()).get();
  unsigned const zero[2] = {0, 7};
  there.enqueue_write_parcel(sizeof(unsigned) * 10, sizeof(unsigned), zero, sizeof(unsigned)).get();
  unsigned* result = there.enqueue_read_sync<unsigned>(0, sizeof(unsigned) * half);
  int wrong = prog.get_streams_size().get() != 1;
  for (unsigned i = 0; i < half; ++i) wrong += result[i] != (i == 10 ? 7 : 4 * (half + i));
  auto const part = there.enqueue_read(sizeof(unsigned), sizeof(unsigned)).get();
  unsigned one = 0;
  std::memcpy(&one, part.data(), part.size());
  wrong += one != 4 * (half + 1);
  try {
    there.enqueue_write(0, sizeof(unsigned) * size, input).get();
    ++wrong;  // it is too long
  } catch (const std::out_of_range&) {
  }
  hpx::cout << (wrong == 0 ? "correct" : "wrong") << hpx::endl;
  delete[] result;
  cudaFreeHost(n);
  cudaFreeHost(input);
  return wrong != 0 ? 1 : hpx::finalize();
}
