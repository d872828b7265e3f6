// The kernels of this folder: one text that OpenCL's and CUDA's compilers take, so that all programs compile the same.
#pragma once

namespace devices {

inline constexpr const char* kernel_text = R"(
#ifdef __OPENCL_VERSION__
#define KERNEL __kernel
#define GLOBAL __global
#define X get_global_id(0)
#define Y get_global_id(1)
#define ALL_X get_global_size(0)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef uchar byte;
#else
#define KERNEL extern "C" __global__
#define GLOBAL
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define ALL_X (gridDim.x * blockDim.x)
typedef unsigned char byte;
#endif
KERNEL void one_more(GLOBAL unsigned* x) { x[X] += 1; }
KERNEL void stencil(GLOBAL const float* in, GLOBAL float* out, unsigned n) {
  for (unsigned i = X; i < n; i += ALL_X) {
    float const left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
    out[i] = 0.5f * left + in[i] + 0.5f * right;
  }
}
KERNEL void part(GLOBAL float* x, unsigned offset) {
  unsigned const i = X;
  float const s = sin((float)(i + offset)), c = cos((float)(i + offset));
  x[i] = x[i] + sqrt(s * s + c * c);
}
KERNEL void busy(GLOBAL unsigned* x, unsigned steps) {
  unsigned v = x[X];
  for (unsigned i = 0; i < steps; ++i) v = v * 1664525u + 1013904223u;
  x[X] = v;
}
KERNEL void picture(GLOBAL byte* image, unsigned size, unsigned iterations) {
  unsigned const x = X, y = Y;
  float const re = -2.2f + 3.0f * x / size, im = -1.5f + 3.0f * y / size;
  float a = 0, b = 0;
  unsigned n = 0;
  for (; n < iterations && a * a + b * b < 4; ++n) {
    float const next = a * a - b * b + re;
    b = 2 * a * b + im;
    a = next;
  }
  GLOBAL byte* const pixel = image + 3 * (y * size + x);
  pixel[0] = n;
  pixel[1] = n * 7;
  pixel[2] = n == iterations ? 40 : 255 - n / 2;
}
KERNEL void multiply(GLOBAL float* b, GLOBAL const float* c, float s) { b[X] = s * c[X]; }
KERNEL void add(GLOBAL float* c, GLOBAL const float* a, GLOBAL const float* b) { c[X] = a[X] + b[X]; }
KERNEL void triad(GLOBAL float* a, GLOBAL const float* b, GLOBAL const float* c, float s) { a[X] = b[X] + s * c[X]; }
KERNEL void dgemm(GLOBAL const double* a, GLOBAL const double* b, GLOBAL double* c, unsigned n) {
  unsigned const i = Y, j = X;
  double sum = 0;
  for (unsigned k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}
KERNEL void smvp(GLOBAL const unsigned* begins, GLOBAL const unsigned* columns, GLOBAL const double* values,
                 GLOBAL const double* x, GLOBAL double* y, unsigned rows) {
  for (unsigned i = X; i < rows; i += ALL_X) {
    double sum = 0;
    for (unsigned k = begins[i]; k < begins[i + 1]; ++k) sum += values[k] * x[columns[k]];
    y[i] = sum;
  }
}
)";

}  // namespace devices
