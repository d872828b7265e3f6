// What goes through its memory once or a few times, so that a core more brings little and a mistake costs much.
//
//   double const found = this_passes.count_if({first, last, second, out});
//
// Each returns what it found, as a number, and may write to `out`; main.cpp compares both with what libstdc++ finds and
// writes without threads. What a library has no algorithm for is null. passes.inc has them for libraries like the
// standard's.
#pragma once

#include <cstddef>

namespace algorithms {

/// `first` to `last`, as many from `second` on, and as many from `out` on, which hold what is between `first` and
/// `last` when the algorithm begins. All are whole numbers below 16, in any order.
struct operands {
  const double* first;
  const double* last;
  const double* second;
  double* out;

  [[nodiscard]] double* out_last() const { return out + (last - first); }
  [[nodiscard]] std::ptrdiff_t size() const { return last - first; }
};

inline double distance(const double* first, const double* found) { return static_cast<double>(found - first); }

/// `out` is equal to the input but for its last element then: comparisons go to the end.
inline void change_last(const operands& o) { o.out_last()[-1] += 1; }

// Objects, not functions: a pointer to a function is called for each element wherever the compiler can't see through
// it.
inline constexpr auto changed_twice = [](double x) { return 1.5 * (1.5 * x + 1) + 1; };
inline constexpr auto is_small = [](double x) { return x < 4; };
inline constexpr auto is_absent = [](double x) { return x < 0; };

struct passes {
  using pass = double (*)(const operands&);
  pass copy, fill, generate, transform, transform_two, replace_if, swap_ranges, reverse, rotate;
  pass count_if, find_if, all_of, equal, lexicographical_compare, min_element, minmax_element, adjacent_find, is_sorted;
  pass adjacent_difference, transform_scan, copy_if, remove_if, unique, partition, stable_partition, nth_element;
};

struct named_pass {
  const char* name;
  passes::pass passes::*which;
  bool in_any_order = false;  // what it writes is
};

inline constexpr named_pass all_passes[] = {{"copy", &passes::copy},
                                            {"fill", &passes::fill},
                                            {"generate", &passes::generate},
                                            {"transform", &passes::transform},
                                            {"transform_two", &passes::transform_two},
                                            {"replace_if", &passes::replace_if},
                                            {"swap_ranges", &passes::swap_ranges},
                                            {"reverse", &passes::reverse},
                                            {"rotate", &passes::rotate},
                                            {"count_if", &passes::count_if},
                                            {"find_if", &passes::find_if},
                                            {"all_of", &passes::all_of},
                                            {"equal", &passes::equal},
                                            {"lexicographical_compare", &passes::lexicographical_compare},
                                            {"min_element", &passes::min_element},
                                            {"minmax_element", &passes::minmax_element},
                                            {"adjacent_find", &passes::adjacent_find},
                                            {"is_sorted", &passes::is_sorted},
                                            {"adjacent_difference", &passes::adjacent_difference},
                                            {"transform_scan", &passes::transform_scan},
                                            {"copy_if", &passes::copy_if},
                                            {"remove_if", &passes::remove_if},
                                            {"unique", &passes::unique},
                                            {"partition", &passes::partition, true},
                                            {"stable_partition", &passes::stable_partition},
                                            {"nth_element", &passes::nth_element, true}};

extern const passes this_passes;

}  // namespace algorithms
