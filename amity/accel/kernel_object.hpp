#pragma once

/// A program and its kernels, as handles of users refer to them.

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "amity/accel/objects.hpp"
#include "amity/base/language.hpp"
#include "amity/future/future.hpp"

namespace amity::accel::detail {

/// It is being built from its making on, by a task.
struct AMITY_API program_object : counted<program_object> {
  program_object(device_object& d, program_text t) : of(d), text(std::move(t)) {}

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
  /// The kernel as it was compiled has one parameter more, for local memory of a launch's own size.
  [[nodiscard]] bool takes_shared_memory() const noexcept { return has_shared_; }

 private:
  std::atomic<native_kernel*> made_{nullptr};  ///< released by the launch that makes it, acquired by the others
  std::unique_ptr<native_kernel> owned_;
  bool has_shared_ = false;
  bool is_checked_ = true;
};

/// Begins to build it; or it has failed already.
[[nodiscard]] ref<program_object> new_program(device_object& d, program_text text, std::exception_ptr failure);
/// `op` waits for the build.
void wait_for_build(operation& op, program_object& p);
/// Throws kernel_error if the kernel was compiled with other parameters than the caller says. True: there is one more
/// at the end, for local memory.
bool check_signature(const std::string& name, const std::vector<parameter>& wanted, const kernel_signature& compiled);

}  // namespace amity::accel::detail
