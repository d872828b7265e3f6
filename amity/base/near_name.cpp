#include "amity/base/near_name.hpp"

#include <algorithm>
#include <cstring>

#include "amity/base/report.hpp"

namespace amity::base {
namespace {

constexpr std::size_t longest_name = 63;  // a longer one is near none

// Letters to be put in, left out, or changed.
std::size_t distance(std::string_view a, std::string_view b) noexcept {
  std::size_t line[longest_name + 1];
  for (std::size_t j = 0; j <= b.size(); ++j) line[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t before = line[0];  // of the line above, one to the left
    line[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const above = line[j];
      line[j] = std::min({above + 1, line[j - 1] + 1, before + (a[i - 1] == b[j - 1] ? 0 : 1)});
      before = above;
    }
  }
  return line[b.size()];
}

// Beyond that another name is not what was meant.
std::size_t farthest(std::string_view name) noexcept {
  std::size_t const own = name.size() - (name.find('_') + 1);  // without the prefix
  return own < 4 ? 1 : own < 9 ? 2 : 3;
}

}  // namespace

const char* nearest_name(std::string_view name, std::span<const char* const> names) noexcept {
  if (name.size() > longest_name) return nullptr;
  const char* nearest = nullptr;
  std::size_t least = farthest(name) + 1;
  for (const char* one : names) {
    if (std::strlen(one) > longest_name) continue;
    std::size_t const far = distance(name, one);
    if (far >= least) continue;
    least = far;
    nearest = one;
  }
  return nearest;
}

void warn_of_unknown_variable(std::string_view name, const char* nearest) noexcept {
  char shown[128];
  std::size_t const length = std::min(name.size(), sizeof shown - 1);
  std::memcpy(shown, name.data(), length);
  shown[length] = '\0';
  bool const near = nearest != nullptr;
  warn("%s is not a setting that is known here%s%s%s It is ignored (KMP_WARNINGS=0 silences this)", quoted(shown).text,
       near ? "; did you mean " : ".", near ? nearest : "", near ? "?" : "");
}

bool is_for_build_systems(std::string_view name) noexcept {
  constexpr std::string_view ends[] = {"FLAGS", "_LIB",     "_LIBS", "_LIBRARY", "_LIBRARIES", "_INC",
                                       "_DIR",  "_INCLUDE", "_ROOT", "_HOME",    "_PATH",      "_PREFIX"};
  return std::any_of(std::begin(ends), std::end(ends), [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace amity::base
