// By Amity: dependences follow from the buffers, and nothing is awaited but the last result.
#include "amity/amity.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "amity/accel.hpp"
#include "devices/devices.hpp"
#include "devices/kernels.hpp"

namespace {

namespace accel = amity::accel;

struct all_of_it {
  accel::device device;
  accel::program program;
  template <class Signature>
  accel::kernel<Signature> kernel(const char* name) const {
    return program.kernel<Signature>(name);
  }
  accel::kernel<void(unsigned*)> one_more = kernel<void(unsigned*)>("one_more");
  accel::kernel<void(const float*, float*, unsigned)> stencil = kernel<void(const float*, float*, unsigned)>("stencil");
  accel::kernel<void(unsigned*, unsigned)> busy = kernel<void(unsigned*, unsigned)>("busy");
  accel::kernel<void(unsigned char*, unsigned, unsigned)> picture =
      kernel<void(unsigned char*, unsigned, unsigned)>("picture");
  accel::kernel<void(float*, const float*, float)> multiply = kernel<void(float*, const float*, float)>("multiply");
  accel::kernel<void(float*, const float*, const float*)> add = kernel<void(float*, const float*, const float*)>("add");
  accel::kernel<void(float*, const float*, const float*, float)> triad =
      kernel<void(float*, const float*, const float*, float)>("triad");
  accel::kernel<void(const double*, const double*, double*, unsigned)> dgemm =
      kernel<void(const double*, const double*, double*, unsigned)>("dgemm");
  accel::kernel<void(const unsigned*, const unsigned*, const double*, const double*, double*, unsigned)> smvp =
      kernel<void(const unsigned*, const unsigned*, const double*, const double*, double*, unsigned)>("smvp");
  accel::buffer<unsigned> x = device.allocate<unsigned>(devices::items);
};
std::optional<all_of_it> here;

/// One of those that share a problem, and its kernel.
struct part_of_it {
  accel::device device;
  accel::kernel<void(float*, unsigned)> part;
};
std::vector<part_of_it> whole, shares;

part_of_it with_kernel(const accel::device& d, const accel::program& p) {
  return {d, p.kernel<void(float*, unsigned)>("part")};
}

const char* begin() {
  static std::string why;
  bool const is_cuda = devices::chosen_backend() == devices::backend::cuda;
  auto found = accel::local_devices({.backend = is_cuda ? "cuda" : "opencl"}).get();
  if (found.empty()) return (why = accel::status()).c_str();
  accel::device const d = found.front();
  here.emplace(d, d.program(accel::source(devices::kernel_text)));
  whole.assign(devices::partitions, with_kernel(d, here->program));
  constexpr std::size_t most = 4;
  if (!is_cuda) try {
      found = d.split(1);
    } catch (const accel::device_error&) {
      found.clear();
    }
  for (std::size_t i = 0; i < std::min(found.size(), most); ++i)
    shares.push_back(with_kernel(found[i], found[i].program(accel::source(devices::kernel_text))));
  return nullptr;
}

int device_count() { return static_cast<int>(shares.size()); }

unsigned launch(int n) {
  here->x.fill(0);
  for (int i = 0; i < n; ++i) here->one_more({.grid = 1, .block = devices::items}, here->x).get();
  return here->x.read(0, 1).get().front();
}

unsigned chain(int n) {
  here->x.fill(0);
  for (int i = 0; i < n; ++i) here->one_more({.grid = 1, .block = devices::items}, here->x);
  return here->x.read(0, 1).get().front();
}

unsigned graph(int n) {
  constexpr int links = 100;
  static accel::graph const repeated = [] {
    accel::graph g(here->device);
    for (int i = 0; i < links; ++i) g.add(here->one_more, {.grid = 1, .block = devices::items}, here->x);
    return g;
  }();
  here->x.fill(0);
  for (int i = 0; i < n; i += links) repeated();
  return here->x.read(0, 1).get().front();
}

unsigned write_read(int n, std::size_t size) {
  static auto b = here->device.allocate<unsigned>(size);
  static std::vector<unsigned> values(size), back(size);
  for (int i = 0; i < n; ++i) {
    values[0] = static_cast<unsigned>(i);
    b.write(std::span<const unsigned>(values));
    b.read(std::span<unsigned>(back)).get();
  }
  return back[0];
}

unsigned busy(int n) {
  here->x.fill(0);
  for (int i = 0; i < n; ++i) here->busy({.grid = 1, .block = devices::items}, here->x, devices::busy_steps).get();
  return here->x.read(0, 1).get().front();
}

void stencil(const std::vector<float>& values, std::vector<float>& result) {
  auto in = here->device.upload(std::span<const float>(values));
  auto out = here->device.allocate<float>(values.size());
  here->stencil({.grid = 32, .block = 32}, in, out, static_cast<unsigned>(values.size()));
  out.read(std::span<float>(result)).get();
}

void in_parts(std::vector<float>& x, const std::vector<part_of_it>& parts, std::size_t count) {
  constexpr std::size_t block = 256;
  std::size_t const n = x.size() / count;
  std::vector<accel::buffer<float>> buffers;
  std::vector<amity::future<void>> done;
  for (std::size_t p = 0; p < count; ++p)
    buffers.push_back(parts[p].device.upload(std::span<const float>(x.data() + p * n, n)));
  for (std::size_t p = 0; p < count; ++p)
    parts[p].part({.grid = static_cast<unsigned>(n / block), .block = block}, buffers[p], static_cast<unsigned>(p * n));
  for (std::size_t p = 0; p < count; ++p) done.push_back(buffers[p].read(std::span<float>(x.data() + p * n, n)));
  for (auto& one : done) one.get();
}

void partition(std::vector<float>& x) { in_parts(x, whole, devices::partitions); }
void share(std::vector<float>& x, int n) { in_parts(x, shares, static_cast<std::size_t>(n)); }

amity::future<devices::image> compute(unsigned size) {
  constexpr unsigned block = 16;
  auto pixels = here->device.allocate<unsigned char>(std::size_t{3} * size * size);
  here->picture({.grid = {size / block, size / block}, .block = {block, block}}, pixels, size, devices::iterations);
  return pixels.read();
}

std::size_t pictures(const std::vector<unsigned>& sizes, bool beside) {
  std::size_t all = 0;
  if (!beside) {
    for (unsigned const size : sizes) all += devices::encode(compute(size).get(), size);
    return all;
  }
  std::vector<amity::future<std::size_t>> files;
  for (unsigned const size : sizes)
    files.push_back(compute(size).then(
        [size](amity::future<devices::image> pixels) { return devices::encode(pixels.get(), size); }));
  for (auto& one : files) all += one.get();
  return all;
}

float stream(std::size_t n) {
  constexpr unsigned block = 64;
  static std::vector<float> const one(n, 1), two(n, 2), zero(n, 0);
  static auto a = here->device.allocate<float>(n), b = here->device.allocate<float>(n),
              c = here->device.allocate<float>(n);
  a.write(std::span<const float>(one));
  b.write(std::span<const float>(two));
  c.write(std::span<const float>(zero));
  accel::launch_options const how{.grid = static_cast<unsigned>(n / block), .block = block};
  for (unsigned i = 0; i < devices::stream_rounds; ++i) {
    here->multiply(how, b, c, devices::stream_factor);
    here->add(how, c, a, b);
    here->triad(how, a, b, c, devices::stream_factor);
  }
  return a.read(0, 1).get().front();
}

void dgemm(const std::vector<double>& a, const std::vector<double>& b, std::vector<double>& c, unsigned n) {
  constexpr unsigned block = 16;
  auto da = here->device.upload(std::span<const double>(a)), db = here->device.upload(std::span<const double>(b));
  auto dc = here->device.allocate<double>(c.size());
  here->dgemm({.grid = {n / block, n / block}, .block = {block, block}}, da, db, dc, n);
  dc.read(std::span<double>(c)).get();
}

void smvp(const devices::sparse_matrix& m, const std::vector<double>& x, std::vector<double>& y) {
  const accel::device& d = here->device;
  auto begins = d.upload(std::span<const unsigned>(m.begins)), columns = d.upload(std::span<const unsigned>(m.columns));
  auto values = d.upload(std::span<const double>(m.values));
  auto in = d.upload(std::span<const double>(x)), out = d.allocate<double>(x.size());
  for (unsigned i = 0; i < devices::product_rounds; ++i) {
    here->smvp({.grid = 64, .block = 64}, begins, columns, values, in, out, static_cast<unsigned>(x.size()));
    std::swap(in, out);
  }
  in.read(std::span<double>(y)).get();
}

}  // namespace

const devices::idiom devices::this_idiom = {.begin = begin,
                                            .device_count = device_count,
                                            .launch = launch,
                                            .chain = chain,
                                            .graph = graph,
                                            .write_read = write_read,
                                            .busy = busy,
                                            .stencil = stencil,
                                            .partition = partition,
                                            .share = share,
                                            .pictures = pictures,
                                            .stream = stream,
                                            .dgemm = dgemm,
                                            .smvp = smvp};
