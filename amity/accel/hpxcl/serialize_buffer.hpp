#pragma once

/// HPX's array of values that travels as its bytes: hpx::serialization::serialize_buffer, as HPXCL's programs use it.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <vector>

#include "amity/accel/buffer.hpp"

namespace amity::hpxcl {

/// Values that its copies share.
template <class T>
class serialize_buffer {
 public:
  /// What becomes of the array that it is made from: copied; used in place, while it stays where it is; or owned, and
  /// deleted by delete[] at the end.
  enum init_mode { copy = 0, reference = 1, take = 2 };

  /// Of no values.
  serialize_buffer() noexcept = default;
  /// `count` values, which are not known.
  explicit serialize_buffer(std::size_t count) : data_(new T[count]), size_(count) {}
  /// `count` values from `values`.
  serialize_buffer(T* values, std::size_t count, init_mode mode) : size_(count) {
    if (mode == copy) {
      data_.reset(new T[count]);
      std::copy_n(values, count, data_.get());
    } else if (mode == reference) {
      data_ = std::shared_ptr<T[]>(values, [](T*) {});
    } else {
      data_.reset(values);
    }
  }
  /// The same of values that are not to be written.
  serialize_buffer(const T* values, std::size_t count, init_mode mode)
      : serialize_buffer(const_cast<T*>(values), count, mode) {}

  [[nodiscard]] T* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] T* begin() const noexcept { return data(); }
  [[nodiscard]] T* end() const noexcept { return data() + size_; }

  template <std::same_as<out_archive> Out>  // whose class need not be known here
  friend void save(Out& out, const serialize_buffer& b) {
    out << std::vector<T>(b.begin(), b.end());
  }
  template <std::same_as<in_archive> In>
  friend void load(In& in, serialize_buffer& b) {
    std::vector<T> values;
    in >> values;
    b = serialize_buffer(values.data(), values.size(), copy);
  }

 private:
  std::shared_ptr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace amity::hpxcl
