// The parsers of the environment, one for each kind of value. Each reads all of `text`, changes its target only when it
// understands it, and says whether it did. White space around words and numbers is allowed, letters may be of either
// case.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amity/omp/settings/icv.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/sys/topology.hpp"

namespace amity::omp::parse {

// A place in a text that is being read.
class cursor {
 public:
  explicit cursor(const char* text) noexcept : at_(text) {}

  // Each skips white space first, and moves on only when it succeeds.
  [[nodiscard]] bool at_end() noexcept;
  bool take(char c) noexcept;
  bool take_word(const char* word) noexcept;     // a whole word: letters, digits, '_'
  bool take_integer(long long& value) noexcept;  // with a sign; refuses what does not fit
  bool take_integer(long long least, long long most, int& value) noexcept;
  [[nodiscard]] const char* rest() noexcept;

 private:
  void skip_space() noexcept;
  const char* at_;
};

[[nodiscard]] bool boolean(const char* text, bool& value) noexcept;
[[nodiscard]] bool integer(const char* text, long long least, long long most, int& value) noexcept;
// Bytes; `unit` multiplies a number without B, K, M, G or T.
[[nodiscard]] bool size(const char* text, std::size_t unit, std::size_t& value) noexcept;
[[nodiscard]] bool text(const char* from, char* into, std::size_t size) noexcept;
[[nodiscard]] bool integer_list(const char* text, long long least, int* values, int& count) noexcept;

[[nodiscard]] bool schedule_of(const char* text, schedule& value) noexcept;
[[nodiscard]] bool bind_list(const char* text, proc_bind* values, int& count) noexcept;
// The word for its value; null: it is a number.
[[nodiscard]] const char* name_of_trait_value(const allocator_trait& trait) noexcept;
[[nodiscard]] bool allocator(const char* text, allocator_setting& value) noexcept;

// "10000", "300k", "infinite".
[[nodiscard]] bool spin_count(const char* text, std::uint64_t& value) noexcept;
// "200", "200ms", "50us", "infinite"; in microseconds.
[[nodiscard]] bool blocktime(const char* text, std::int64_t& microseconds) noexcept;
inline constexpr std::int64_t for_ever_us = 1'000'000'000'000;  // eleven days

// OMP_PLACES. `usable`: the CPUs that count; a place that has none of them is left out. `cut`: some CPU was left out.
[[nodiscard]] bool places(const char* text, const sys::cpu_mask& usable, sys::cpu_mask_list& value, bool& cut) noexcept;
// OMP_PLACES=nodes, nodes(2), nodes({2},{4}): how threads are dealt to the nodes of `amity run --nodes`.
struct node_places {
  static constexpr int most = 64;
  int nodes = 0;           // the first so many; 0: all
  bool is_list = false;    // says how many threads each has
  int threads[most] = {};  // of each, with is_list
};
[[nodiscard]] bool is_of_nodes(const char* text) noexcept;  // it begins with that word
[[nodiscard]] bool node_places_of(const char* text, node_places& value) noexcept;
// GOMP_CPU_AFFINITY: "0 3 1-2 4-15:2"; a place for each CPU.
[[nodiscard]] bool cpu_list(const char* text, const sys::cpu_mask& usable, sys::cpu_mask_list& value,
                            bool& cut) noexcept;

// KMP_HW_SUBSET: "1s,2c@4,1t": of each socket so many cores from the fifth on, and so on. `usable`: the CPUs that
// count.
[[nodiscard]] bool hw_subset(const char* text, const sys::cpu_mask& usable, sys::cpu_mask& value) noexcept;

// OMP_AFFINITY_FORMAT, into `value`, which has `size` bytes. `unknown`: the first field that has no meaning, within
// `text`, or null: OpenMP has "undefined" printed for it.
[[nodiscard]] bool affinity_format(const char* text, char* value, std::size_t size, const char*& unknown) noexcept;

// The part of KMP_AFFINITY that has a meaning here.
struct kmp_affinity {
  bool bound = false;
  proc_bind bind = proc_bind::false_;
  sys::object_kind granularity = sys::object_kind::cores;
  bool is_explicit = false;
  char list[256] = {};  // proclist, in GOMP_CPU_AFFINITY's form
  bool verbose = false;
  bool reset = false;
  int numbers = 0;  // permute and offset
};
[[nodiscard]] bool kmp_affinity_of(const char* text, kmp_affinity& value) noexcept;

}  // namespace amity::omp::parse
