#pragma once

/// A program and its kernels, as handles of users refer to them.

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "amity/accel/objects.hpp"
#include "amity/base/language.hpp"
#include "amity/future/future.hpp"

namespace amity::accel::detail {

/// It is being built from its making on, by a task.
struct AMITY_API program_object : counted<program_object> {
  program_object(device_object& d, program_text t) : of(d), text(std::move(t)) {}
  ~program_object() {
    if (is_child_of_user.load(std::memory_order_relaxed)) static_cast<void>(native.release());  // as of a buffer
  }

  device_object& of;
  program_text text;

  sync::mutex lock;  ///< of what follows, until it is built
  bool is_built = false;
  std::unique_ptr<native_program> native;
  std::exception_ptr failure;
  std::vector<operation*> waiting;  ///< launches; each holds (operation.hpp)
  promise<void> built;
  shared_future<void> told = built.get_future().share();
};

/// A kernel as its caller describes it; the driver's is made at the first launch.
struct AMITY_API kernel_object : counted<kernel_object> {
  enum unchecked_t { unchecked };
  /// Of a caller who has compared the signature himself.
  kernel_object(ref<program_object> p, std::string n, unchecked_t)
      : of(std::move(p)), name(std::move(n)), is_checked_(false) {}
  kernel_object(ref<program_object> p, std::string n, std::vector<parameter> s)
      : of(std::move(p)), name(std::move(n)), wanted(std::move(s)) {}

  ref<program_object> of;
  std::string name;
  std::vector<parameter> wanted;
  sync::mutex lock;  ///< of the driver's kernel

  /// The driver's. Requires: the program is built. Throws build_error, kernel_error.
  [[nodiscard]] native_kernel& native();
  /// Its caller has said what it takes, and it does.
  [[nodiscard]] bool is_checked() const noexcept { return is_checked_; }

 private:
  std::atomic<native_kernel*> made_{nullptr};  ///< released by the launch that makes it, acquired by the others
  std::unique_ptr<native_kernel> owned_;
  bool is_checked_ = true;
};

/// The largest number, if there is more than a number can say.
[[nodiscard]] constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) noexcept {
  return a + b >= a ? a + b : ~std::uint64_t{0};
}
/// "(8, 8, 1)"
[[nodiscard]] std::string words_of(const dim3& d);
/// Begins to build it; or it has failed already.
[[nodiscard]] ref<program_object> new_program(device_object& d, program_text text, std::exception_ptr failure);
/// `op` waits for the build.
void wait_for_build(operation& op, program_object& p);
/// Throws kernel_error if the kernel was compiled with other parameters than the caller says. There may be one more at
/// the end, for local memory.
void check_signature(const std::string& name, const std::vector<parameter>& wanted, const kernel_signature& compiled);
/// The kernel has one parameter more than a launch gives, for local memory of the launch's own size.
[[nodiscard]] bool takes_shared_memory(std::size_t given, const kernel_signature& compiled) noexcept;
/// Throws kernel_error if the kernel can't take what a launch gives. For a caller who has not said what it takes.
void check_given(const std::string& name, std::span<const argument> given, const kernel_signature& compiled);

}  // namespace amity::accel::detail
