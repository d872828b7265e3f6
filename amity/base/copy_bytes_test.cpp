#include "amity/base/copy_bytes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace amity::base {
namespace {

TEST(CopyBytes, CopiesAllOfThemAndNothingElse) {
  constexpr std::size_t most = 20000;
  std::vector<unsigned char> from(most + 8192), to;
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7 + i / 256);
  for (std::size_t n : {0, 1, 2047, 2048, 2049, 4096, 6145, 20000})
    for (std::size_t offset : {0, 1, 3, 4, 16, 34, 66, 67, 255, 2048, 4080, 4095}) {
      to.assign(most + 8192, 0);
      copy_bytes(to.data() + offset, from.data() + 3, n);
      for (std::size_t i = 0; i < to.size(); ++i) {
        bool const inside = i >= offset && i < offset + n;
        ASSERT_EQ(to[i], inside ? from[i - offset + 3] : 0) << n << " bytes, offset " << offset << ", byte " << i;
      }
    }
}

}  // namespace
}  // namespace amity::base
