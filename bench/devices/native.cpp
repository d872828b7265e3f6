// The problems by a driver's own functions: one queue, or one for each of several parts.
#include "devices/native.hpp"

#include <future>

#include "devices/devices.hpp"

namespace {

using namespace devices::native;

buffer* x = nullptr;

const char* begin_all() {
  const char* const without = begin();
  if (without == nullptr) x = allocate(0, devices::items * sizeof(unsigned));
  return without;
}

unsigned first() {
  unsigned value = 0;
  read(0, &value, x, sizeof value);
  finish(0);
  return value;
}

unsigned launch_each(int n) {
  fill_with_zeros(0, x, devices::items * sizeof(unsigned));
  for (int i = 0; i < n; ++i) {
    launch(0, one_more, 1, 1, devices::items, 1, {of(x)});
    finish(0);
  }
  return first();
}

unsigned chain(int n) {
  fill_with_zeros(0, x, devices::items * sizeof(unsigned));
  for (int i = 0; i < n; ++i) launch(0, one_more, 1, 1, devices::items, 1, {of(x)});
  return first();
}

unsigned write_read(int n, std::size_t size) {
  static buffer* const b = allocate(0, size * sizeof(unsigned));
  static std::vector<unsigned> values(size), back(size);
  for (int i = 0; i < n; ++i) {
    values[0] = static_cast<unsigned>(i);
    write(0, b, values.data(), size * sizeof(unsigned));
    read(0, back.data(), b, size * sizeof(unsigned));
    finish(0);
  }
  return back[0];
}

unsigned busy_each(int n) {
  fill_with_zeros(0, x, devices::items * sizeof(unsigned));
  for (int i = 0; i < n; ++i) {
    launch(0, busy, 1, 1, devices::items, 1, {of(x), of(devices::busy_steps)});
    finish(0);
  }
  return first();
}

void run_stencil(const std::vector<float>& values, std::vector<float>& result) {
  std::size_t const bytes = values.size() * sizeof(float);
  auto const n = static_cast<unsigned>(values.size());
  buffer *const in = allocate(0, bytes), *const out = allocate(0, bytes);
  write(0, in, values.data(), bytes);
  launch(0, stencil, 32, 1, 32, 1, {of(in), of(out), of(n)});
  read(0, result.data(), out, bytes);
  finish(0);
  release(in);
  release(out);
}

/// Each part on a queue of its own: all are written, all computed, all read.
void in_parts(std::vector<float>& values, std::size_t parts, int first_queue) {
  constexpr unsigned block = 256;
  std::size_t const n = values.size() / parts, bytes = n * sizeof(float);
  std::vector<buffer*> buffers(parts);
  for (std::size_t p = 0; p < parts; ++p) {
    int const queue = first_queue + static_cast<int>(p);
    buffers[p] = allocate(queue, bytes);
    write(queue, buffers[p], values.data() + p * n, bytes);
  }
  for (std::size_t p = 0; p < parts; ++p) {
    auto const offset = static_cast<unsigned>(p * n);
    launch(first_queue + static_cast<int>(p), part, static_cast<unsigned>(n / block), 1, block, 1,
           {of(buffers[p]), of(offset)});
  }
  for (std::size_t p = 0; p < parts; ++p)
    read(first_queue + static_cast<int>(p), values.data() + p * n, buffers[p], bytes);
  for (std::size_t p = 0; p < parts; ++p) flush(first_queue + static_cast<int>(p));
  for (std::size_t p = 0; p < parts; ++p) finish(first_queue + static_cast<int>(p));
  for (buffer* const b : buffers) release(b);
}

void partition(std::vector<float>& values) { in_parts(values, devices::partitions, 0); }
void share(std::vector<float>& values, int n) { in_parts(values, static_cast<std::size_t>(n), own_queues); }

devices::image compute(unsigned size) {
  constexpr unsigned block = 16;
  devices::image pixels(std::size_t{3} * size * size);
  buffer* const b = allocate(0, pixels.size());
  launch(0, picture, size / block, size / block, block, block, {of(b), of(size), of(devices::iterations)});
  read(0, pixels.data(), b, pixels.size());
  finish(0);
  release(b);
  return pixels;
}

std::size_t pictures(const std::vector<unsigned>& sizes, bool beside) {
  std::size_t all = 0;
  std::future<std::size_t> writing;
  for (unsigned const size : sizes) {
    devices::image pixels = compute(size);
    if (!beside) {
      all += devices::encode(pixels, size);
      continue;
    }
    if (writing.valid()) all += writing.get();
    writing = std::async(std::launch::async, [its = std::move(pixels), size] { return devices::encode(its, size); });
  }
  return writing.valid() ? all + writing.get() : all;
}

float stream(std::size_t n) {
  constexpr unsigned block = 64;
  static std::vector<float> const one(n, 1), two(n, 2), zero(n, 0);
  std::size_t const bytes = n * sizeof(float);
  static buffer *const a = allocate(0, bytes), *const b = allocate(0, bytes), *const c = allocate(0, bytes);
  write(0, a, one.data(), bytes);
  write(0, b, two.data(), bytes);
  write(0, c, zero.data(), bytes);
  auto const grid = static_cast<unsigned>(n / block);
  for (unsigned i = 0; i < devices::stream_rounds; ++i) {
    launch(0, multiply, grid, 1, block, 1, {of(b), of(c), of(devices::stream_factor)});
    launch(0, add, grid, 1, block, 1, {of(c), of(a), of(b)});
    launch(0, triad, grid, 1, block, 1, {of(a), of(b), of(c), of(devices::stream_factor)});
  }
  float result = 0;
  read(0, &result, a, sizeof result);
  finish(0);
  return result;
}

void multiply_matrices(const std::vector<double>& a, const std::vector<double>& b, std::vector<double>& c, unsigned n) {
  constexpr unsigned block = 16;
  std::size_t const bytes = a.size() * sizeof(double);
  buffer *const da = allocate(0, bytes), *const db = allocate(0, bytes), *const dc = allocate(0, bytes);
  write(0, da, a.data(), bytes);
  write(0, db, b.data(), bytes);
  launch(0, dgemm, n / block, n / block, block, block, {of(da), of(db), of(dc), of(n)});
  read(0, c.data(), dc, bytes);
  finish(0);
  for (buffer* const one : {da, db, dc}) release(one);
}

template <class T>
buffer* upload(const std::vector<T>& values) {
  buffer* const b = allocate(0, values.size() * sizeof(T));
  write(0, b, values.data(), values.size() * sizeof(T));
  return b;
}

void multiply_sparse(const devices::sparse_matrix& m, const std::vector<double>& from, std::vector<double>& to) {
  auto const rows = static_cast<unsigned>(from.size());
  buffer *const begins = upload(m.begins), *const columns = upload(m.columns), *const values = upload(m.values);
  buffer* in = upload(from);
  buffer* out = allocate(0, from.size() * sizeof(double));
  for (unsigned i = 0; i < devices::product_rounds; ++i) {
    launch(0, smvp, 64, 1, 64, 1, {of(begins), of(columns), of(values), of(in), of(out), of(rows)});
    std::swap(in, out);
  }
  read(0, to.data(), in, to.size() * sizeof(double));
  finish(0);
  for (buffer* const one : {begins, columns, values, in, out}) release(one);
}

}  // namespace

const devices::idiom devices::this_idiom = {.begin = begin_all,
                                            .device_count = device_count,
                                            .launch = launch_each,
                                            .chain = chain,
                                            .graph = chain,
                                            .write_read = write_read,
                                            .busy = busy_each,
                                            .stencil = run_stencil,
                                            .partition = partition,
                                            .share = share,
                                            .pictures = pictures,
                                            .stream = stream,
                                            .dgemm = multiply_matrices,
                                            .smvp = multiply_sparse};
