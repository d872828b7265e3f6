// The Mandelbrot set on a device, in pictures of growing size. While the device computes the next picture, a task of
// the host writes the one before: the two take turns on nothing, and the whole takes as long as the slower one.
//
//   build/examples/mandelbrot 256 4 pictures      // 256 x 256, then 512, 1024 and 2048; kept in that folder
//
// It compares with the same without overlap. Without a device it says why.
#include <png.h>
#include <unistd.h>

#include <amity/accel.hpp>
#include <amity/amity.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "../usage.hpp"

namespace accel = amity::accel;

namespace {

const char* const text = R"(
AMITY_KERNEL void mandelbrot(AMITY_GLOBAL uchar* image, unsigned size, unsigned iterations) {
  unsigned const x = AMITY_GLOBAL_ID(0), y = AMITY_GLOBAL_ID(1);
  if (x >= size || y >= size) return;
  float const re = -2.2f + 3.0f * x / size, im = -1.5f + 3.0f * y / size;
  float a = 0, b = 0;
  unsigned n = 0;
  for (; n < iterations && a * a + b * b < 4; ++n) {
    float const next = a * a - b * b + re;
    b = 2 * a * b + im;
    a = next;
  }
  AMITY_GLOBAL uchar* const pixel = image + 3 * (y * size + x);
  unsigned const shade = n == iterations ? 0 : 55 + 200 * n / iterations;
  pixel[0] = shade;
  pixel[1] = n == iterations ? 0 : (n * 7) % 256;
  pixel[2] = n == iterations ? 40 : 255 - shade / 2;
}
)";
constexpr unsigned iterations = 256;

using image = std::vector<unsigned char>;
using kernel = accel::kernel<void(unsigned char*, unsigned, unsigned)>;

// An image that the device computes.
amity::future<image> compute(const accel::device& device, const kernel& mandelbrot, unsigned size) {
  auto pixels = device.allocate<unsigned char>(std::size_t{3} * size * size);
  unsigned const blocks = (size + 15) / 16;
  mandelbrot({.grid = {blocks, blocks}, .block = {16, 16}}, pixels, size, iterations);
  return pixels.read();
}

bool write(const image& pixels, unsigned size, const std::string& name) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = png.height = size;
  png.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&png, name.c_str(), 0, pixels.data(), 0, nullptr) != 0) return true;
  std::printf("%s: %s\n", name.c_str(), png.message);
  return false;
}

std::vector<image> read_back(const std::vector<std::string>& names) {
  std::vector<image> all;
  for (const std::string& name : names) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    image pixels;
    if (png_image_begin_read_from_file(&png, name.c_str()) != 0) {
      png.format = PNG_FORMAT_RGB;
      pixels.resize(PNG_IMAGE_SIZE(png));
      if (png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr) == 0) pixels.clear();
    }
    all.push_back(std::move(pixels));
  }
  return all;
}

double milliseconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

int main(int argc, char** argv) try {
  answer_help(argc, argv, "[points of the first side = 128] [pictures = 3] [folder that keeps them]");
  auto const first = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 128);
  int const pictures = argc > 2 ? std::atoi(argv[2]) : 3;
  bool const keeps = argc > 3;
  auto const own = std::filesystem::temp_directory_path() / ("mandelbrot-" + std::to_string(getpid()));
  std::string const folder = keeps ? argv[3] : own.string();
  std::filesystem::create_directories(folder);
  accel::device const device = accel::default_device();
  auto mandelbrot = device.program(accel::source(text)).kernel<void(unsigned char*, unsigned, unsigned)>("mandelbrot");
  compute(device, mandelbrot, 16).get();  // compiled by now

  std::vector<unsigned> sizes;
  std::vector<std::string> names;
  for (int i = 0; i < pictures; ++i) {
    sizes.push_back(first << i);
    names.push_back(folder + "/mandelbrot-" + std::to_string(sizes.back()) + ".png");
  }

  bool written = true;
  std::vector<image> images;
  auto begun = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    images.push_back(compute(device, mandelbrot, sizes[i]).get());
    written = write(images.back(), sizes[i], names[i]) && written;
  }
  double const in_turn = milliseconds_since(begun);

  begun = std::chrono::steady_clock::now();
  std::vector<amity::future<bool>> files;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    files.push_back(
        compute(device, mandelbrot, sizes[i]).then([size = sizes[i], name = names[i]](amity::future<image> f) {
          return write(f.get(), size, name);
        }));
  for (auto& f : files) written = f.get() && written;
  double const overlapped = milliseconds_since(begun);

  bool const same = read_back(names) == images;
  if (!keeps) std::filesystem::remove_all(own);
  std::printf("%d pictures up to %u x %u on %s: %.0f ms in turn, %.0f ms with the writing beside the computing: %s\n",
              pictures, sizes.empty() ? 0 : sizes.back(), sizes.empty() ? 0 : sizes.back(), device.name().c_str(),
              in_turn, overlapped, written && same ? "right" : "wrong");
  return written && same ? 0 : 1;
} catch (const accel::no_such_device& e) {
  return std::printf("%s\n", e.what()), 0;
}
