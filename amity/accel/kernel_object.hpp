#pragma once

/// A program and its kernels, as handles of users refer to them.

#include <atomic>
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
  program_object(device_object& d, program_text t);
  ~program_object() {
    if (is_child_of_user.load(std::memory_order_relaxed)) static_cast<void>(native.release());  // as of a buffer
  }

  device_object& of;
  program_text text;

  // --- until it is built under the lock of program_object.cpp
  std::atomic<bool> is_built{false};  ///< release: `native` and `failure`; acquire: a reader without the lock
  std::unique_ptr<native_program> native;
  std::exception_ptr failure;
  std::vector<operation*> waiting;                     ///< launches; each holds (operation.hpp)
  program_object *before = nullptr, *after = nullptr;  ///< among those that are being built
  promise<void> built;
  shared_future<void> told = built.get_future().share();  ///< on question (future/state.hpp)
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
/// In the child of a fork: what was being built there is not built here, and fails. By one thread.
void give_up_builds() noexcept;
/// A child of a fork finds the list of what is being built whole.
void hold_builds_over_forks() noexcept;
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
