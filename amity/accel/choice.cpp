#include "amity/accel/internal/choice.hpp"

#include <stdlib.h>

#include <algorithm>
#include <charconv>

#include "amity/base/report.hpp"

namespace amity::accel::detail {

device_choice device_choice::of(std::string_view text, std::string& wrong) {
  device_choice c;
  c.text_ = text;
  c.is_said_ = true;
  if (text == "none") return c;
  while (!text.empty() && wrong.empty()) {
    std::string_view const word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    std::size_t const colon = word.find(':');
    std::string_view const backend = word.substr(0, colon);
    int number = -1;
    if (backend != "opencl" && backend != "cuda") wrong = word;
    if (colon != std::string_view::npos) {
      const char* const end = word.data() + word.size();
      auto const read = std::from_chars(word.data() + colon + 1, end, number);
      if (read.ec != std::errc() || read.ptr != end || number < 0) wrong = word;
    }
    c.some_.push_back({std::string(backend), number});
  }
  return c;
}

device_choice device_choice::of_environment() {
  const char* const text = getenv("AMITY_DEVICES");
  if (text == nullptr || *text == '\0') return {};
  std::string wrong;
  device_choice c = of(text, wrong);
  if (wrong.empty()) return c;
  base::warn(
      "AMITY_DEVICES='%s': '%s' is no device; allowed are none, cuda, opencl, these with :NUMBER, and several with "
      "commas. "
      "It has no effect",
      text, wrong.c_str());
  return {};
}

bool device_choice::wants(std::string_view backend) const {
  return !is_said_ || std::any_of(some_.begin(), some_.end(), [&](const one& o) { return o.backend == backend; });
}

bool device_choice::wants(std::string_view backend, int number) const {
  return !is_said_ || std::any_of(some_.begin(), some_.end(), [&](const one& o) {
    return o.backend == backend && (o.number == -1 || o.number == number);
  });
}

}  // namespace amity::accel::detail
