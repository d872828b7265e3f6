#include "amity/coll/intention.hpp"

#include <iterator>

namespace amity::collectives::detail {

const char* name_of(kind k) noexcept {
  constexpr const char* names[] = {
      "?",          "barrier",    "broadcast",      "reduce",         "scatter",        "gather", "all_reduce",
      "all_gather", "all_to_all", "inclusive_scan", "exclusive_scan", "reduce_scatter", "split"};
  auto const i = static_cast<std::size_t>(k);
  return i < std::size(names) ? names[i] : "?";
}

namespace {

std::string elements_of(const intention& i) {
  const char* const type = i.type == type_class::floating       ? "floating-point "
                           : i.type == type_class::whole_number ? "whole-number "
                                                                : "";
  return type + std::string("elements of ") + std::to_string(i.element) + " bytes";
}

}  // namespace

std::string described(const intention& i) {
  std::string words = name_of(i.what);
  if (i.about == form::counted) words += "_v";
  words += " with root " + std::to_string(i.root);
  if (i.about == form::value)
    words += i.element != 0 ? " of values that are " + elements_of(i) : std::string(" of serialised values");
  if (i.about == form::span) words += " of " + std::to_string(i.bytes - 1) + " bytes in " + elements_of(i);
  if (i.about == form::counted) {
    words += " of " + elements_of(i);
    if (i.bytes != 0) words += " by counts with the mark " + std::to_string(i.bytes % 10'000);
  }
  if (i.arity != 0) words += " by trees of arity " + std::to_string(i.arity);
  if (i.by_engine != 0) words += " by MPI";
  if (i.unordered != 0) words += " in any order";
  return words;
}

}  // namespace amity::collectives::detail
