// By Amity: dependences follow from the buffers, and nothing is awaited but the last result.
#include <optional>
#include <span>

#include "amity/accel.hpp"
#include "devices/devices.hpp"

namespace {

namespace accel = amity::accel;

struct all_of_it {
  accel::device device;
  accel::program program;
  accel::kernel<void(unsigned*)> one_more = program.kernel<void(unsigned*)>("one_more");
  accel::kernel<void(const float*, float*, unsigned)> stencil =
      program.kernel<void(const float*, float*, unsigned)>("stencil");
  accel::kernel<void(float*, unsigned)> part = program.kernel<void(float*, unsigned)>("part");
  accel::kernel<void(unsigned*, unsigned)> busy = program.kernel<void(unsigned*, unsigned)>("busy");
  accel::buffer<unsigned> x = device.allocate<unsigned>(devices::items);
};
std::optional<all_of_it> here;

const char* begin() {
  static std::string why;
  auto const found = accel::local_devices({.backend = "opencl"}).get();
  if (found.empty()) return (why = accel::status()).c_str();
  here.emplace(found.front(), found.front().program(accel::source(devices::kernel_text)));
  return nullptr;
}

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

void stencil(const std::vector<float>& values, std::vector<float>& result) {
  auto in = here->device.upload(std::span<const float>(values));
  auto out = here->device.allocate<float>(values.size());
  here->stencil({.grid = 32, .block = 32}, in, out, static_cast<unsigned>(values.size()));
  out.read(std::span<float>(result)).get();
}

void partition(std::vector<float>& x) {
  constexpr std::size_t parts = 4, block = 256;
  std::size_t const n = x.size() / parts;
  std::vector<accel::buffer<float>> buffers;
  std::vector<amity::future<void>> done;
  for (std::size_t p = 0; p < parts; ++p)
    buffers.push_back(here->device.upload(std::span<const float>(x.data() + p * n, n)));
  for (std::size_t p = 0; p < parts; ++p)
    here->part({.grid = static_cast<unsigned>(n / block), .block = block}, buffers[p], static_cast<unsigned>(p * n));
  for (std::size_t p = 0; p < parts; ++p) done.push_back(buffers[p].read(std::span<float>(x.data() + p * n, n)));
  for (auto& one : done) one.get();
}

unsigned busy(int n) {
  here->x.fill(0);
  for (int i = 0; i < n; ++i) here->busy({.grid = 1, .block = devices::items}, here->x, devices::busy_steps).get();
  return here->x.read(0, 1).get().front();
}

}  // namespace

const devices::idiom devices::this_idiom = {.begin = begin,
                                            .launch = launch,
                                            .chain = chain,
                                            .write_read = write_read,
                                            .stencil = stencil,
                                            .partition = partition,
                                            .busy = busy};
