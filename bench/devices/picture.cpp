// A picture as a PNG in memory, by libpng.
#include "devices/devices.hpp"

#ifdef AMITY_HAS_PNG
#include <png.h>

std::size_t devices::encode(const image& pixels, unsigned size) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = png.height = size;
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png);
  image file(bytes);
  return png_image_write_to_memory(&png, file.data(), &bytes, 0, pixels.data(), 0, nullptr) != 0 ? bytes : 0;
}
#else
std::size_t devices::encode(const image&, unsigned) { return 0; }
#endif
