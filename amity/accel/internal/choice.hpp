#pragma once

/// AMITY_DEVICES: which devices a program gets to see.
///
///     AMITY_DEVICES=none              no device
///     AMITY_DEVICES=cuda              all of one back-end
///     AMITY_DEVICES=opencl:0,opencl:2 some of them, by the back-end's numbers

#include <string>
#include <string_view>
#include <vector>

namespace amity::accel::detail {

class device_choice {
 public:
  /// Of AMITY_DEVICES. What makes no sense is said once, and leaves all devices in.
  [[nodiscard]] static device_choice of_environment();
  /// Of such a text. `wrong`: what makes no sense in it.
  [[nodiscard]] static device_choice of(std::string_view text, std::string& wrong);

  [[nodiscard]] bool wants(std::string_view backend) const;
  [[nodiscard]] bool wants(std::string_view backend, int number) const;
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  struct one {
    std::string backend;
    int number;  ///< -1: all
  };
  std::string text_;
  bool is_said_ = false;
  std::vector<one> some_;
};

}  // namespace amity::accel::detail
