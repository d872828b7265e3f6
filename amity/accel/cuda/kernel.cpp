/// Kernels and their limits. CUDA refuses a launch that is too large by one word, so each is compared here first.

#include "amity/accel/cuda/objects.hpp"

namespace amity::accel::cuda {
namespace {

std::string words_of(const dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

bool exceeds(const dim3& one, const dim3& most) noexcept {
  const auto is_more = [](std::uint32_t a, std::uint32_t b) { return b != 0 && a > b; };
  return is_more(one.x, most.x) || is_more(one.y, most.y) || is_more(one.z, most.z);
}

}  // namespace

/// More shared memory than every kernel may have is an attribute of the driver's function, which all handles of the
/// kernel share, and every thread that launches it. So each handle sets it to the same: as much as there is.
kernel::kernel(const device& d, std::string name, function_handle f, detail::kernel_signature s)
    : handle(f), device_(d), name_(std::move(name)) {
  signature_ = std::move(s);
  most_threads_ = static_cast<std::uint64_t>(attribute(function_threads, 0));
  own_shared_ = static_cast<std::size_t>(attribute(function_own_shared, 0));
  std::size_t const always = d.shared_without_asking(), most = d.facts().shared_memory;
  most_shared_ = always > own_shared_ ? always - own_shared_ : 0;
  if (most <= always || most <= own_shared_) return;
  std::size_t const all = most - own_shared_;
  if (driver().set_function(handle, function_dynamic_shared, static_cast<int>(all)) == 0) most_shared_ = all;
}

int kernel::attribute(int which, int otherwise) const noexcept {
  int value = 0;
  return driver().function_attribute != nullptr && driver().function_attribute(&value, which, handle) == 0 ? value
                                                                                                           : otherwise;
}

void kernel::check_launch(const detail::command& c) const {
  std::string const whose = "the launch of the kernel '" + name_ + "' on " + device_.facts().name;
  const dim3 most_blocks = device_.largest_grid();
  if (exceeds(c.grid, most_blocks))
    throw kernel_error(whose + " has a grid of " + words_of(c.grid) + ", and CUDA takes " + words_of(most_blocks) +
                       " at most");
  if (exceeds(c.block, device_.facts().largest_block_sizes))
    throw kernel_error(whose + " has blocks of " + words_of(c.block) + "; the device takes " +
                       words_of(device_.facts().largest_block_sizes) + " at most");
  if (most_threads_ != 0 && c.block.count() > most_threads_)
    throw kernel_error(whose + " has blocks of " + std::to_string(c.block.count()) +
                       " work items; this kernel was compiled for " + std::to_string(most_threads_) +
                       " at most: it needs so many registers, or has __launch_bounds__");
  if (c.shared_bytes > most_shared_)
    throw kernel_error(whose + " asks for " + std::to_string(c.shared_bytes) + " bytes of shared memory, beside the " +
                       std::to_string(own_shared_) + " that the kernel itself has; " +
                       std::to_string(most_shared_ + own_shared_) + " is what a block can have");
}

}  // namespace amity::accel::cuda
