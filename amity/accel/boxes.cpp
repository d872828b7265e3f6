#include "amity/accel/internal/boxes.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace amity::accel::detail {
namespace {

/// A sum of products that says whether it has become larger than a number can be.
class sum {
 public:
  void add(std::size_t a, std::size_t b) noexcept {
    std::size_t product = 0;
    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(value_, product, &value_)) fits_ = false;
  }
  [[nodiscard]] std::optional<std::size_t> value() const noexcept {
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
    return fits_ && value_ <= most ? std::optional(value_) : std::nullopt;
  }

 private:
  std::size_t value_ = 0;
  bool fits_ = true;
};

std::string words_of(const std::size_t (&three)[3]) {
  return std::to_string(three[0]) + " bytes, " + std::to_string(three[1]) + " rows, " + std::to_string(three[2]) +
         " slices";
}

}  // namespace

std::optional<std::size_t> end_of(const box& b, const std::size_t (&region)[3]) noexcept {
  sum end;
  end.add(b.origin[0], 1);
  end.add(b.origin[1], b.row_pitch);
  end.add(b.origin[2], b.slice_pitch);
  end.add(region[2] - 1, b.slice_pitch);
  end.add(region[1] - 1, b.row_pitch);
  end.add(region[0], 1);
  return end.value();
}

std::optional<std::size_t> bytes_of(const std::size_t (&region)[3]) noexcept {
  sum rows, all;
  rows.add(region[0], region[1]);
  if (!rows.value()) return std::nullopt;
  all.add(*rows.value(), region[2]);
  return all.value();
}

box checked_box(const char* what, box b, const std::size_t (&region)[3], std::size_t bytes) {
  if (region[0] == 0 || region[1] == 0 || region[2] == 0)
    throw std::invalid_argument(std::string(what) + ": a region has no size: " + words_of(region));
  if (b.row_pitch == 0) b.row_pitch = region[0];
  sum slice;
  slice.add(region[1], b.row_pitch);
  if (b.slice_pitch == 0) b.slice_pitch = slice.value().value_or(std::numeric_limits<std::size_t>::max());
  if (b.row_pitch < region[0] || (slice.value() && b.slice_pitch < *slice.value()))
    throw std::invalid_argument(std::string(what) + ": a pitch of " + std::to_string(b.row_pitch) + " and " +
                                std::to_string(b.slice_pitch) + " bytes is less than a row or a slice of the region");
  std::optional<std::size_t> const end = slice.value() ? end_of(b, region) : std::nullopt;
  if (end && *end <= bytes) return b;
  throw std::out_of_range(std::string(what) + ": a region of " + words_of(region) + " at " + words_of(b.origin) +
                          " with pitches of " + std::to_string(b.row_pitch) + " and " + std::to_string(b.slice_pitch) +
                          (end ? " bytes ends at " + std::to_string(*end) + ", and there are " + std::to_string(bytes)
                               : std::string(" bytes ends beyond all memory")));
}

}  // namespace amity::accel::detail
