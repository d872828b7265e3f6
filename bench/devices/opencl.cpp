// OpenCL's own functions.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "devices/devices.hpp"
#include "devices/kernels.hpp"
#include "devices/native.hpp"

namespace devices::native {
namespace {

void check(int code, const char* what) {
  if (code == CL_SUCCESS) return;
  std::fprintf(stderr, "devices_opencl: %s: error %d\n", what, code);
  std::exit(2);
}

/// Devices that are used together, with kernels of their own.
struct group {
  cl_context context = nullptr;
  cl_kernel kernels[kernel_count] = {};
};
group one, several;
std::vector<cl_device_id> parts;
cl_command_queue queues[own_queues + most_devices];

group& group_of(int queue) { return queue < own_queues ? one : several; }
cl_mem memory(buffer* b) { return reinterpret_cast<cl_mem>(b); }

group make_group(const std::vector<cl_device_id>& devices) {
  group g;
  int error = 0;
  auto const n = static_cast<cl_uint>(devices.size());
  g.context = clCreateContext(nullptr, n, devices.data(), nullptr, nullptr, &error);
  check(error, "clCreateContext");
  const char* text = kernel_text;
  cl_program const program = clCreateProgramWithSource(g.context, 1, &text, nullptr, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(program, n, devices.data(), "", nullptr, nullptr), "clBuildProgram");
  for (int k = 0; k < kernel_count; ++k) {
    g.kernels[k] = clCreateKernel(program, kernel_names[k], &error);
    check(error, kernel_names[k]);
  }
  return g;
}

cl_command_queue make_queue(cl_context c, cl_device_id d) {
  int error = 0;
  cl_command_queue const q = clCreateCommandQueueWithProperties(c, d, nullptr, &error);
  check(error, "clCreateCommandQueueWithProperties");
  return q;
}

std::vector<cl_device_id> parts_of(cl_device_id d) {
  cl_device_partition_property const how[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_uint n = 0;
  if (clCreateSubDevices(d, how, 0, nullptr, &n) != CL_SUCCESS || n == 0) return {};
  std::vector<cl_device_id> all(n);
  check(clCreateSubDevices(d, how, n, all.data(), nullptr), "clCreateSubDevices");
  all.resize(std::min<std::size_t>(n, most_devices));
  return all;
}

}  // namespace

const char* begin() {
  if (chosen_backend() != backend::opencl) return "CUDA's devices are measured (AMITY_DEVICES)";
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
    return "there is no OpenCL device";
  one = make_group({device});
  for (int q = 0; q < own_queues; ++q) queues[q] = make_queue(one.context, device);
  parts = parts_of(device);
  if (parts.empty()) return nullptr;
  several = make_group(parts);
  for (std::size_t p = 0; p < parts.size(); ++p)
    queues[static_cast<std::size_t>(own_queues) + p] = make_queue(several.context, parts[p]);
  return nullptr;
}

int device_count() { return static_cast<int>(parts.size()); }

buffer* allocate(int queue, std::size_t bytes) {
  int error = 0;
  cl_mem const m = clCreateBuffer(group_of(queue).context, CL_MEM_READ_WRITE, bytes, nullptr, &error);
  check(error, "clCreateBuffer");
  return reinterpret_cast<buffer*>(m);
}
void release(buffer* b) { clReleaseMemObject(memory(b)); }

void write(int queue, buffer* to, const void* from, std::size_t bytes) {
  check(clEnqueueWriteBuffer(queues[queue], memory(to), CL_FALSE, 0, bytes, from, 0, nullptr, nullptr), "write");
}
void read(int queue, void* to, buffer* from, std::size_t bytes) {
  check(clEnqueueReadBuffer(queues[queue], memory(from), CL_FALSE, 0, bytes, to, 0, nullptr, nullptr), "read");
}
void fill_with_zeros(int queue, buffer* b, std::size_t bytes) {
  unsigned const zero = 0;
  check(clEnqueueFillBuffer(queues[queue], memory(b), &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr), "fill");
}
void launch(int queue, kernel k, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
            std::initializer_list<argument> arguments) {
  cl_kernel const its = group_of(queue).kernels[k];
  cl_uint number = 0;
  for (const argument& a : arguments) {
    cl_mem const m = memory(a.memory);
    check(clSetKernelArg(its, number++, a.memory != nullptr ? sizeof m : a.bytes, a.memory != nullptr ? &m : a.value),
          kernel_names[k]);
  }
  std::size_t const block[] = {block_x, block_y};
  std::size_t const all[] = {std::size_t{grid_x} * block_x, std::size_t{grid_y} * block_y};
  check(clEnqueueNDRangeKernel(queues[queue], its, all[1] == 1 ? 1 : 2, nullptr, all, block, 0, nullptr, nullptr),
        kernel_names[k]);
}
void flush(int queue) { check(clFlush(queues[queue]), "clFlush"); }
void finish(int queue) { check(clFinish(queues[queue]), "clFinish"); }

}  // namespace devices::native
