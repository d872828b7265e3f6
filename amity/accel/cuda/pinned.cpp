#include "amity/accel/cuda/pinned.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "amity/accel/cuda/functions.hpp"
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
  if (data_ != nullptr && !keep_spare(data_, size_class_)) driver().free_host(data_);
}

bool is_pinned(const void* host) noexcept {
  int type = 0;
  return driver().pointer_attribute(&type, pointer_memory_type, reinterpret_cast<device_address>(host)) == 0 &&
         type == host_memory;
}

}  // namespace amity::accel::cuda
