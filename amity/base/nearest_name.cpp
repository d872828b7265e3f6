#include "amity/base/nearest_name.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "amity/base/report.hpp"

namespace amity::base {

std::size_t edits_between(const char* a, const char* b, std::size_t most) noexcept {
  constexpr std::size_t longest = 63;
  std::size_t const n = std::strlen(a), m = std::strlen(b);
  if (n > longest || m > longest || (n > m ? n - m : m - n) > most) return most + 1;
  std::size_t rows[3][longest + 1];
  std::size_t *before = rows[0], *last = rows[1], *now = rows[2];
  for (std::size_t j = 0; j <= m; ++j) last[j] = j;
  for (std::size_t i = 1; i <= n; ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= m; ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return std::min(last[m], most + 1);
}

void warn_of_unknown_setting(const char* name, const char* meant) noexcept {
  const quoted given(name);
  if (meant == nullptr)
    warn("%s is set, but is no setting that is known here: it has no effect (amity info -v lists them)", given.text);
  else
    warn("%s is set, but is no setting that is known here: it has no effect; did you mean %s?", given.text, meant);
}

nearest_name::nearest_name(const char* given) noexcept : given_(given), most_(std::strlen(given) / 4) {}

void nearest_name::look_at(const char* known) noexcept {
  std::size_t const edits = edits_between(given_, known, most_);
  if (edits > most_) return;
  found_ = known;
  if (edits == 0) return;
  most_ = edits - 1;  // from here on, only what is nearer
}

}  // namespace amity::base
