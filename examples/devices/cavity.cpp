// A flow in a box whose lid moves, on a device: vorticity and stream function in finite differences, a dozen kernels in
// each of many time steps. No step is awaited; while the device computes on, tasks of the host draw pictures of the
// steps before.
//
//   build/examples/cavity 65 20 pictures     // 65 x 65 points, until the time 20; a picture for each time, in a folder
//
// At the end it compares the vortex with that of Ghia, Ghia and Shin (1982, Table VI) for a Reynolds number of 100.
// Without a device it says why.
#include <png.h>

#include <algorithm>
#include <amity/accel.hpp>
#include <amity/amity.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "../usage.hpp"

namespace accel = amity::accel;

namespace {

constexpr float reynolds = 100;

// psi is the stream function, w the vorticity; N points a side, H apart. Points lie in rows, from the bottom up.
const char* const text = R"(
#define AT(x, y) ((y) * n + (x))
AMITY_KERNEL void advance(AMITY_GLOBAL const float* w, AMITY_GLOBAL const float* psi, AMITY_GLOBAL float* next,
                          unsigned n, float h, float dt, float reynolds) {
  unsigned const x = AMITY_GLOBAL_ID(0), y = AMITY_GLOBAL_ID(1);
  if (x == 0 || y == 0 || x + 1 >= n || y + 1 >= n) return;
  float const u = (psi[AT(x, y + 1)] - psi[AT(x, y - 1)]) / (2 * h);
  float const v = -(psi[AT(x + 1, y)] - psi[AT(x - 1, y)]) / (2 * h);
  float const here = w[AT(x, y)];
  float const east = w[AT(x + 1, y)], west = w[AT(x - 1, y)], north = w[AT(x, y + 1)], south = w[AT(x, y - 1)];
  float const carried = u * (east - west) / (2 * h) + v * (north - south) / (2 * h);
  float const spread = (east + west + north + south - 4 * here) / (reynolds * h * h);
  next[AT(x, y)] = here + dt * (spread - carried);
}
AMITY_KERNEL void relax(AMITY_GLOBAL float* psi, AMITY_GLOBAL const float* w, unsigned n, float h, float factor,
                        unsigned colour) {
  unsigned const x = AMITY_GLOBAL_ID(0), y = AMITY_GLOBAL_ID(1);
  if (x == 0 || y == 0 || x + 1 >= n || y + 1 >= n || (x + y) % 2 != colour) return;
  float const around = psi[AT(x + 1, y)] + psi[AT(x - 1, y)] + psi[AT(x, y + 1)] + psi[AT(x, y - 1)];
  psi[AT(x, y)] += factor * (0.25f * (around + h * h * w[AT(x, y)]) - psi[AT(x, y)]);
}
AMITY_KERNEL void walls(AMITY_GLOBAL float* w, AMITY_GLOBAL const float* psi, unsigned n, float h) {
  unsigned const i = AMITY_GLOBAL_ID(0);
  if (i >= n) return;
  float const f = -2 / (h * h);
  w[AT(i, 0)] = f * psi[AT(i, 1)];
  w[AT(0, i)] = f * psi[AT(1, i)];
  w[AT(n - 1, i)] = f * psi[AT(n - 2, i)];
  w[AT(i, n - 1)] = f * psi[AT(i, n - 2)] - 2 / h;  // the lid, which moves with the speed 1
}
)";

using field = std::vector<float>;

/// The speed as brightness; lines along which the flow goes.
bool draw(const field& psi, unsigned n, const std::string& name) {
  constexpr unsigned size = 256;
  auto const last = static_cast<float>(n - 1);
  // Between the points, in lines; the lower row of the picture is that of the first points.
  const auto at = [&](float column, float row) {
    float const fx = std::clamp(column / size * last, 0.f, last - 1e-3f);
    float const fy = std::clamp((size - row) / size * last, 0.f, last - 1e-3f);
    auto const x = static_cast<std::size_t>(fx), y = static_cast<std::size_t>(fy);
    float const dx = fx - static_cast<float>(x), dy = fy - static_cast<float>(y);
    const float* const p = &psi[y * n + x];
    return (1 - dy) * ((1 - dx) * p[0] + dx * p[1]) + dy * ((1 - dx) * p[n] + dx * p[n + 1]);
  };
  std::vector<unsigned char> pixels;
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column) {
      auto const x = static_cast<float>(column), y = static_cast<float>(row);
      float const step = size / last;  // as wide as between two points
      float const speed = std::hypot(at(x, y - step) - at(x, y + step), at(x + step, y) - at(x - step, y)) * last / 2;
      const auto level = [&](float c, float r) { return std::floor(at(c, r) * 100); };
      bool const is_line = level(x, y) != level(x + 1, y) || level(x, y) != level(x, y + 1);
      float const shade = std::min(255.f, 30 + 450 * speed);
      for (float const part : {0.25f, 0.5f, 1.f})
        pixels.push_back(static_cast<unsigned char>(is_line ? 255 : part * shade));
    }
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = png.height = size;
  png.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&png, name.c_str(), 0, pixels.data(), 0, nullptr) != 0) return true;
  std::printf("%s: %s\n", name.c_str(), png.message);
  return false;
}

}  // namespace

int main(int argc, char** argv) try {
  answer_help(argc, argv, "[points of a side = 33] [time = 15] [folder for pictures]");
  auto const n = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 33);
  int const end = argc > 2 ? std::atoi(argv[2]) : 15;
  std::string const folder = argc > 3 ? argv[3] : "";
  if (n < 9 || n > 2049 || end < 1) {
    std::printf("usage: cavity [POINTS [TIME [FOLDER]]]: POINTS a side, from 9 to 2049; TIME, 1 at least\n");
    return 2;
  }
  if (!folder.empty()) std::filesystem::create_directories(folder);
  accel::device const device = accel::default_device();

  float const h = 1 / static_cast<float>(n - 1);
  // Stable: what spreads, and what is carried.
  int const steps = 2 * static_cast<int>(std::ceil(0.5f / std::min(0.2f * h * h * reynolds, 0.5f * h)));
  float const dt = 1 / static_cast<float>(steps), factor = 2 / (1 + std::sin(3.14159265f * h));
  constexpr int sweeps = 5;

  auto const program = device.program(accel::source(text));
  auto advance = program.kernel<void(const float*, const float*, float*, unsigned, float, float, float)>("advance");
  auto relax = program.kernel<void(float*, const float*, unsigned, float, float, unsigned)>("relax");
  auto walls = program.kernel<void(float*, const float*, unsigned, float)>("walls");
  auto w = device.allocate<float>(std::size_t{n} * n), next = device.allocate<float>(std::size_t{n} * n),
       psi = device.allocate<float>(std::size_t{n} * n);
  for (auto* const field : {&w, &next, &psi}) field->fill(0);
  unsigned const blocks = (n + 15) / 16;
  accel::launch_options const all{.grid = {blocks, blocks}, .block = {16, 16}}, edge{.grid = blocks, .block = 16};

  // Two steps, there and back, are always the same launches.
  accel::graph two_steps(device);
  for (int step = 0; step < 2; ++step) {
    two_steps.add(advance, all, w, psi, next, n, h, dt, reynolds);
    for (int s = 0; s < sweeps; ++s)
      for (unsigned const colour : {0u, 1u}) two_steps.add(relax, all, psi, next, n, h, factor, colour);
    two_steps.add(walls, edge, next, psi, n, h);
    std::swap(w, next);
  }

  auto const begun = std::chrono::steady_clock::now();
  std::vector<amity::future<bool>> pictures;
  walls(edge, w, psi, n, h);
  for (int time = 1; time <= end; ++time) {
    for (int step = 0; step < steps; step += 2) two_steps();
    if (folder.empty()) continue;
    std::string const number = std::to_string(1000 + time).substr(1);
    pictures.push_back(psi.read().then(
        [n, name = folder + "/cavity-" + number + ".png"](amity::future<field> f) { return draw(f.get(), n, name); }));
  }
  field const result = psi.read().get();
  bool are_drawn = true;
  for (auto& p : pictures) are_drawn = p.get() && are_drawn;
  double const ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();

  auto const lowest = static_cast<unsigned>(std::min_element(result.begin(), result.end()) - result.begin());
  float const x = static_cast<float>(lowest % n) * h, y = static_cast<float>(lowest / n) * h;
  // The lid moves to the right, so the vortex turns clockwise.
  constexpr float their_psi = -0.103423f, their_x = 0.6172f, their_y = 0.7344f;
  bool const is_right = std::fabs(result[lowest] - their_psi) < 0.05f * std::fabs(their_psi) &&
                        std::fabs(x - their_x) < 0.05f && std::fabs(y - their_y) < 0.05f;
  std::printf(
      "%u x %u points, %d steps on %s in %.0f ms, %zu pictures: the vortex at (%.3f, %.3f) has %.4f, that of Ghia et "
      "al. "
      "at (%.3f, %.3f) %.4f: %s\n",
      n, n, steps * end, device.name().c_str(), ms, pictures.size(), static_cast<double>(x), static_cast<double>(y),
      static_cast<double>(result[lowest]), static_cast<double>(their_x), static_cast<double>(their_y),
      static_cast<double>(their_psi), is_right && are_drawn ? "right" : "wrong");
  return is_right && are_drawn ? 0 : 1;
} catch (const accel::no_such_device& e) {
  return std::printf("%s\n", e.what()), 0;
}
