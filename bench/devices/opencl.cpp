// By OpenCL's own functions: one queue, or one for each of several partitions.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>

#include "devices/devices.hpp"

namespace {

void check(int code, const char* what) {
  if (code == CL_SUCCESS) return;
  std::fprintf(stderr, "devices_opencl: %s: error %d\n", what, code);
  std::exit(2);
}

constexpr std::size_t parts = 4, block = 256;

struct all_of_it {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queues[parts] = {};
  cl_program program = nullptr;
  cl_kernel one_more = nullptr, stencil = nullptr, part = nullptr, busy = nullptr;
  cl_mem x = nullptr;
};
all_of_it here;

cl_kernel kernel(const char* name) {
  int error = 0;
  cl_kernel const k = clCreateKernel(here.program, name, &error);
  check(error, name);
  return k;
}

cl_mem buffer(std::size_t bytes) {
  int error = 0;
  cl_mem const m = clCreateBuffer(here.context, CL_MEM_READ_WRITE, bytes, nullptr, &error);
  check(error, "clCreateBuffer");
  return m;
}

const char* begin() {
  cl_platform_id platform = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &here.device, nullptr) != CL_SUCCESS)
    return "there is no OpenCL device";
  int error = 0;
  here.context = clCreateContext(nullptr, 1, &here.device, nullptr, nullptr, &error);
  check(error, "clCreateContext");
  for (cl_command_queue& q : here.queues) {
    q = clCreateCommandQueueWithProperties(here.context, here.device, nullptr, &error);
    check(error, "clCreateCommandQueueWithProperties");
  }
  const char* text = devices::kernel_text;
  here.program = clCreateProgramWithSource(here.context, 1, &text, nullptr, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(here.program, 1, &here.device, "", nullptr, nullptr), "clBuildProgram");
  here.one_more = kernel("one_more");
  here.stencil = kernel("stencil");
  here.part = kernel("part");
  here.busy = kernel("busy");
  here.x = buffer(devices::items * sizeof(unsigned));
  return nullptr;
}

void fill_with_zeros() {
  unsigned const zero = 0;
  check(clEnqueueFillBuffer(here.queues[0], here.x, &zero, sizeof zero, 0, devices::items * sizeof zero, 0, nullptr,
                            nullptr),
        "clEnqueueFillBuffer");
}

unsigned first() {
  unsigned value = 0;
  check(clEnqueueReadBuffer(here.queues[0], here.x, CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  return value;
}

void enqueue(cl_kernel k, cl_command_queue q, std::size_t all, std::size_t local, cl_event* done) {
  check(clEnqueueNDRangeKernel(q, k, 1, nullptr, &all, &local, 0, nullptr, done), "clEnqueueNDRangeKernel");
}

void enqueue_and_wait(cl_kernel k) {
  cl_event done = nullptr;
  enqueue(k, here.queues[0], devices::items, devices::items, &done);
  check(clWaitForEvents(1, &done), "clWaitForEvents");
  clReleaseEvent(done);
}

unsigned launch(int n) {
  fill_with_zeros();
  check(clSetKernelArg(here.one_more, 0, sizeof here.x, &here.x), "clSetKernelArg");
  for (int i = 0; i < n; ++i) enqueue_and_wait(here.one_more);
  return first();
}

unsigned chain(int n) {
  fill_with_zeros();
  check(clSetKernelArg(here.one_more, 0, sizeof here.x, &here.x), "clSetKernelArg");
  for (int i = 0; i < n; ++i) enqueue(here.one_more, here.queues[0], devices::items, devices::items, nullptr);
  return first();
}

unsigned write_read(int n, std::size_t size) {
  static cl_mem const b = buffer(size * sizeof(unsigned));
  static std::vector<unsigned> values(size), back(size);
  for (int i = 0; i < n; ++i) {
    values[0] = static_cast<unsigned>(i);
    check(clEnqueueWriteBuffer(here.queues[0], b, CL_FALSE, 0, size * sizeof(unsigned), values.data(), 0, nullptr,
                               nullptr),
          "clEnqueueWriteBuffer");
    check(clEnqueueReadBuffer(here.queues[0], b, CL_TRUE, 0, size * sizeof(unsigned), back.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  }
  return back[0];
}

void stencil(const std::vector<float>& values, std::vector<float>& result) {
  std::size_t const bytes = values.size() * sizeof(float);
  auto const n = static_cast<unsigned>(values.size());
  cl_mem const in = buffer(bytes), out = buffer(bytes);
  check(clEnqueueWriteBuffer(here.queues[0], in, CL_FALSE, 0, bytes, values.data(), 0, nullptr, nullptr), "write");
  check(clSetKernelArg(here.stencil, 0, sizeof in, &in), "clSetKernelArg");
  check(clSetKernelArg(here.stencil, 1, sizeof out, &out), "clSetKernelArg");
  check(clSetKernelArg(here.stencil, 2, sizeof n, &n), "clSetKernelArg");
  enqueue(here.stencil, here.queues[0], 1024, 32, nullptr);
  check(clEnqueueReadBuffer(here.queues[0], out, CL_TRUE, 0, bytes, result.data(), 0, nullptr, nullptr), "read");
  clReleaseMemObject(in);
  clReleaseMemObject(out);
}

void partition(std::vector<float>& x) {
  std::size_t const n = x.size() / parts, bytes = n * sizeof(float);
  cl_mem buffers[parts];
  for (std::size_t p = 0; p < parts; ++p) {
    buffers[p] = buffer(bytes);
    check(clEnqueueWriteBuffer(here.queues[p], buffers[p], CL_FALSE, 0, bytes, x.data() + p * n, 0, nullptr, nullptr),
          "write");
  }
  for (std::size_t p = 0; p < parts; ++p) {
    auto const offset = static_cast<unsigned>(p * n);
    check(clSetKernelArg(here.part, 0, sizeof buffers[p], &buffers[p]), "clSetKernelArg");
    check(clSetKernelArg(here.part, 1, sizeof offset, &offset), "clSetKernelArg");
    enqueue(here.part, here.queues[p], n, block, nullptr);
  }
  for (std::size_t p = 0; p < parts; ++p)
    check(clEnqueueReadBuffer(here.queues[p], buffers[p], CL_FALSE, 0, bytes, x.data() + p * n, 0, nullptr, nullptr),
          "read");
  for (cl_command_queue const q : here.queues) check(clFlush(q), "clFlush");
  for (cl_command_queue const q : here.queues) check(clFinish(q), "clFinish");
  for (cl_mem const b : buffers) clReleaseMemObject(b);
}

unsigned busy(int n) {
  fill_with_zeros();
  check(clSetKernelArg(here.busy, 0, sizeof here.x, &here.x), "clSetKernelArg");
  check(clSetKernelArg(here.busy, 1, sizeof devices::busy_steps, &devices::busy_steps), "clSetKernelArg");
  for (int i = 0; i < n; ++i) enqueue_and_wait(here.busy);
  return first();
}

}  // namespace

const devices::idiom devices::this_idiom = {.begin = begin,
                                            .launch = launch,
                                            .chain = chain,
                                            .write_read = write_read,
                                            .stencil = stencil,
                                            .partition = partition,
                                            .busy = busy};
