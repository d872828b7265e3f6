#include "amity/coll/call.hpp"

#include <algorithm>
#include <string>

#include "amity/base/hash.hpp"
#include "amity/coll/line_site.hpp"
#include "amity/coll/mailbox.hpp"

namespace amity::collectives::detail {
namespace {

std::string range(int n) { return "allowed: 0 to " + std::to_string(n - 1); }

}  // namespace

call::call(const communicator& of, communicator::state& s, kind k, const char* name, const operation_wishes& w)
    : of_(of), state_(s), name_(name), has_generation_(w.generation.is_set()), generation_(w.generation.value) {
  what_.what = k;
  what_.root = w.root.is_set() ? static_cast<std::int32_t>(w.root.value) : state_.root;
  what_.arity = state_.arity;
  if (has_generation_ && generation_ < 1)
    refuse("generation_arg " + std::to_string(generation_) + "; generations are counted from 1 on");
  if (w.site.is_set() && w.site.value != state_.site)
    refuse("this_site_arg " + std::to_string(w.site.value) + "; allowed: " + std::to_string(state_.site) +
           ", for which the communicator was created");
  if (w.root.is_set() && (w.root.value < 0 || w.root.value >= state_.sites))
    refuse("root " + std::to_string(w.root.value) + " of " + std::to_string(state_.sites) + " sites; " +
           range(state_.sites));
}

call& call::refuse(const std::string& why) {
  if (refused_.empty()) refused_ = "site " + std::to_string(state_.site) + " calls " + name_ + " with " + why;
  return *this;
}

call& call::wants_root(bool at_root) {
  if (is_at_root() == at_root) return *this;
  return refuse("root " + std::to_string(root()) + "; " + name_ + " is called by " +
                (at_root ? "the root alone" : "all but the root"));
}

call& call::wants_values(std::size_t values) {
  if (values == static_cast<std::size_t>(state_.sites)) return *this;
  return refuse(std::to_string(values) + " values for " + std::to_string(state_.sites) + " sites; allowed: one each");
}

call& call::wants_whole(std::size_t whole, std::size_t each) {
  auto const n = static_cast<std::size_t>(state_.sites);
  if (whole % n == 0 && whole / n == each) return *this;
  return refuse("a span of " + std::to_string(whole) + " elements for " + std::to_string(n) + " sites with " +
                std::to_string(each) + " each");
}

call& call::wants_counts(std::span<const std::size_t> counts, std::size_t whole) {
  if (counts.size() != static_cast<std::size_t>(state_.sites))
    return refuse(std::to_string(counts.size()) + " counts for " + std::to_string(state_.sites) + " sites");
  std::size_t total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > whole - total)
      return refuse("a count of " + std::to_string(counts[i]) + " for site " + std::to_string(i) + ", of which " +
                    std::to_string(whole - total) + " of a span of " + std::to_string(whole) +
                    " elements are left; allowed: counts of as many elements "
                    "as the span has");
    total += counts[i];
  }
  if (total == whole) return *this;
  return refuse("counts of " + std::to_string(total) + " elements in all, and a span of " + std::to_string(whole) +
                "; allowed: equally many");
}

call& call::wants_own(std::size_t own, std::span<const std::size_t> counts) {
  auto const me = static_cast<std::size_t>(state_.site);
  if (me >= counts.size() || own == counts[me]) return *this;  // the number of counts is refused elsewhere
  return refuse("a span of " + std::to_string(own) + " elements, and a count of " + std::to_string(counts[me]) +
                " for this site; allowed: equally many");
}

call& call::refuse_null(std::size_t size) {
  return refuse("a null pointer to " + std::to_string(size) + " elements; allowed: a place where they are");
}

call& call::by_counts_of_all(std::span<const std::size_t> counts) noexcept {
  std::uint64_t mark = hash_of_nothing;
  for (std::size_t n : counts) mark = hash_on(mark, n);
  what_.bytes = std::max<std::uint64_t>(mark, 1);
  return *this;
}

std::uint64_t call::number() const noexcept {
  if (has_generation_) return by_generation | static_cast<std::uint64_t>(std::max<std::int64_t>(generation_, 0));
  if (line_site* const its = state_.lines.get()) {
    std::uint64_t const n = its->count();
    its->pass(n);
    return n;
  }
  return state_.operations.fetch_add(1, std::memory_order_relaxed) + 1;  // pairs with nothing: it only counts
}

}  // namespace amity::collectives::detail
