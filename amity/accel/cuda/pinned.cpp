#include "amity/accel/cuda/pinned.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "amity/accel/cuda/functions.hpp"
#include "amity/accel/cuda/later.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::accel::cuda {
namespace {

constexpr unsigned smallest_class = 12;                     // a page
constexpr std::size_t most_spare = std::size_t{128} << 20;  // bytes that are kept
constexpr unsigned classes = 64;

struct pool {
  sys::spin_lock lock;
  std::vector<std::byte*> spare[classes];
  std::size_t spare_bytes = 0;
};
pool& all() {
  static auto* const one = new pool;
  return *one;
}

std::byte* take_spare(unsigned size_class) {
  std::lock_guard const held(all().lock);
  auto& blocks = all().spare[size_class];
  if (blocks.empty()) return nullptr;
  std::byte* const one = blocks.back();
  blocks.pop_back();
  all().spare_bytes -= std::size_t{1} << size_class;
  return one;
}

bool keep_spare(std::byte* block, unsigned size_class) {
  std::size_t const bytes = std::size_t{1} << size_class;
  std::lock_guard const held(all().lock);
  if (all().spare_bytes + bytes > most_spare) return false;
  all().spare[size_class].push_back(block);
  all().spare_bytes += bytes;
  return true;
}

}  // namespace

pinned_block::pinned_block(std::size_t bytes)
    : size_class_(std::max(smallest_class, static_cast<unsigned>(std::bit_width(bytes - 1)))) {
  data_ = take_spare(size_class_);
  if (data_ != nullptr) return;
  std::size_t const all_bytes = std::size_t{1} << size_class_;
  void* made = nullptr;
  check(driver().allocate_host(&made, all_bytes, host_for_all_contexts | host_for_devices),
        ("pinned memory of the host, " + std::to_string(all_bytes) + " bytes").c_str());
  data_ = static_cast<std::byte*>(made);
}

pinned_block::pinned_block(pinned_block&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_class_(other.size_class_) {}

pinned_block& pinned_block::operator=(pinned_block&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_class_, other.size_class_);
  return *this;
}

pinned_block::~pinned_block() {
  if (data_ == nullptr || keep_spare(data_, size_class_)) return;
  context_handle context = nullptr;
  driver().get_context(&context);
  later(
      context, [](void* block) noexcept { driver().free_host(block); }, data_);
}

bool is_pinned(const void* host, std::size_t bytes) noexcept {
  auto const address = reinterpret_cast<device_address>(host);
  const auto ask = [address](int which, auto& value) {
    return driver().pointer_attribute(&value, which, address) == 0;
  };
  int type = 0;
  device_address begin = 0;
  std::size_t all = 0;
  return ask(pointer_memory_type, type) && type == host_memory && ask(pointer_range_begin, begin) &&
         ask(pointer_range_bytes, all) && address - begin < all && bytes <= all - (address - begin);
}

}  // namespace amity::accel::cuda
