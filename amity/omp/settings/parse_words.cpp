// Schedules, binding lists, allocators and KMP_AFFINITY: values made of words.
#include <stdio.h>
#include <string.h>

#include "amity/omp/settings/affinity_field.hpp"
#include "amity/omp/settings/parse.hpp"

namespace amity::omp::parse {

bool schedule_of(const char* text, schedule& value) noexcept {
  cursor c(text);
  schedule parsed;
  if (c.take_word("monotonic")) {
    parsed.monotonic = true;
    if (!c.take(':')) return false;
  } else if (c.take_word("nonmonotonic")) {
    if (!c.take(':')) return false;
  }
  if (c.take_word("static"))
    parsed.kind = schedule_kind::static_;
  else if (c.take_word("dynamic"))
    parsed.kind = schedule_kind::dynamic;
  else if (c.take_word("guided"))
    parsed.kind = schedule_kind::guided;
  else if (c.take_word("auto"))
    parsed.kind = schedule_kind::automatic;
  else if (c.take_word("static_steal"))
    parsed.kind = schedule_kind::dynamic;
  else if (c.take_word("trapezoidal"))
    parsed.kind = schedule_kind::trapezoidal;
  else
    return false;
  parsed.chunk = parsed.kind == schedule_kind::static_ ? 0 : 1;
  if (c.take(',')) {
    int chunk;
    int const least = parsed.kind == schedule_kind::static_ ? 0 : 1;  // static,0: without a chunk
    if (!c.take_integer(least, 0x7fffffff, chunk)) return false;
    if (parsed.kind != schedule_kind::automatic) parsed.chunk = chunk;
  }
  if (!c.at_end()) return false;
  value = parsed;
  return true;
}

bool affinity_format(const char* text, char* value, std::size_t size, const char*& unknown) noexcept {
  if (*text == '\0' || strlen(text) >= size) return false;
  const char* first_unknown = nullptr;
  for (const char* p = text; *p != '\0';) {
    if (*p++ != '%') continue;
    if (*p == '%') {
      ++p;
      continue;
    }
    const char* const from = p - 1;
    affinity_field field;
    if (!take_affinity_field(p, field)) return false;
    if (field.type == 0 && first_unknown == nullptr) first_unknown = from;
  }
  memcpy(value, text, strlen(text) + 1);
  unknown = first_unknown;
  return true;
}

bool bind_list(const char* text, proc_bind* values, int& count) noexcept {
  cursor c(text);
  bool single;
  if (boolean(text, single)) {
    values[0] = single ? proc_bind::true_ : proc_bind::false_;
    count = 1;
    return true;
  }
  proc_bind parsed[settings::most_levels];
  int n = 0;
  do {
    if (n == settings::most_levels) return false;
    if (c.take_word("master") || c.take_word("primary"))
      parsed[n++] = proc_bind::primary;
    else if (c.take_word("close"))
      parsed[n++] = proc_bind::close;
    else if (c.take_word("spread"))
      parsed[n++] = proc_bind::spread;
    else
      return false;
  } while (c.take(','));
  if (!c.at_end()) return false;
  memcpy(values, parsed, sizeof(proc_bind) * static_cast<std::size_t>(n));
  count = n;
  return true;
}

namespace {

struct named {
  const char* name;
  std::uintptr_t value;
};

// The names' numbers are those of both headers: omp_alloctrait_value_t.
constexpr named sync_hints[] = {
    {"contended", 3}, {"uncontended", 4}, {"serialized", 5}, {"sequential", 5}, {"private", 6}};
constexpr named accesses[] = {{"all", 7}, {"thread", 8}, {"pteam", 9}, {"cgroup", 10}};
constexpr named fallbacks[] = {{"default_mem_fb", 11}, {"null_fb", 12}, {"abort_fb", 13}, {"allocator_fb", 14}};
constexpr named truths[] = {{"true", 1}, {"false", 0}};
constexpr named partitions[] = {{"environment", 15}, {"nearest", 16}, {"blocked", 17}, {"interleaved", 18}};
constexpr named predefined_allocators[] = {{"omp_default_mem_alloc", 1}, {"omp_large_cap_mem_alloc", 2},
                                           {"omp_const_mem_alloc", 3},   {"omp_high_bw_mem_alloc", 4},
                                           {"omp_low_lat_mem_alloc", 5}, {"omp_cgroup_mem_alloc", 6},
                                           {"omp_pteam_mem_alloc", 7},   {"omp_thread_mem_alloc", 8}};
constexpr named spaces[] = {{"omp_default_mem_space", 0},
                            {"omp_large_cap_mem_space", 1},
                            {"omp_const_mem_space", 2},
                            {"omp_high_bw_mem_space", 3},
                            {"omp_low_lat_mem_space", 4}};

template <std::size_t N>
const char* find_name(const named (&words)[N], std::uintptr_t value) noexcept {
  for (const named& word : words)
    if (word.value == value) return word.name;
  return nullptr;
}

template <std::size_t N>
bool take_named(cursor& c, const named (&words)[N], std::uintptr_t& value) noexcept {
  for (const named& word : words)
    if (c.take_word(word.name)) return value = word.value, true;
  return false;
}

bool take_number(cursor& c, std::uintptr_t& value) noexcept {
  long long number;
  if (!c.take_integer(number) || number <= 0) return false;
  value = static_cast<std::uintptr_t>(number);
  return true;
}

// "key=value"; the keys' numbers are those of omp_alloctrait_key_t.
bool take_trait(cursor& c, allocator_trait& trait) noexcept {
  const auto begins = [&](const char* word, int key) {
    if (!c.take_word(word)) return false;
    trait.key = key;
    return c.take('=');
  };
  if (begins("sync_hint", 1)) return take_named(c, sync_hints, trait.value);
  if (begins("alignment", 2)) return take_number(c, trait.value) && (trait.value & (trait.value - 1)) == 0;
  if (begins("access", 3)) return take_named(c, accesses, trait.value);
  if (begins("pool_size", 4)) return take_number(c, trait.value);
  if (begins("fallback", 5)) return take_named(c, fallbacks, trait.value);
  if (begins("fb_data", 6)) return take_named(c, predefined_allocators, trait.value);
  // Locking pages is not ours to do, so `true` can't be had.
  if (begins("pinned", 7)) return take_named(c, truths, trait.value);
  if (begins("partition", 8)) return take_named(c, partitions, trait.value);
  return false;
}

}  // namespace

const char* name_of_trait_value(const allocator_trait& trait) noexcept {
  switch (trait.key) {
    case 1:
      return find_name(sync_hints, trait.value);
    case 3:
      return find_name(accesses, trait.value);
    case 5:
      return find_name(fallbacks, trait.value);
    case 6:
      return find_name(predefined_allocators, trait.value);
    case 7:
      return find_name(truths, trait.value);
    case 8:
      return find_name(partitions, trait.value);
    default:
      return nullptr;
  }
}

bool allocator(const char* text, allocator_setting& value) noexcept {
  cursor c(text);
  allocator_setting parsed;
  if (take_named(c, predefined_allocators, parsed.predefined)) {
    if (!c.at_end()) return false;
    return value = parsed, true;
  }
  int number;
  if (c.take_integer(1, 8, number)) {
    if (!c.at_end()) return false;
    parsed.predefined = static_cast<std::uintptr_t>(number);
    return value = parsed, true;
  }
  if (!take_named(c, spaces, parsed.space)) return false;
  constexpr int most = sizeof parsed.trait / sizeof parsed.trait[0];
  if (c.take(':')) {
    do {
      if (parsed.traits == most || !take_trait(c, parsed.trait[parsed.traits++])) return false;
    } while (c.take(','));
  }
  if (!c.at_end()) return false;
  if (parsed.traits == 0) {  // a space alone stands for its predefined allocator, numbered alike
    parsed.predefined = parsed.space + 1;
  }
  value = parsed;
  return true;
}

namespace {

// proclist=[0,1-3,{4,5}]: the sets in braces are taken as their CPUs one by one.
bool take_proclist(cursor& c, kmp_affinity& value) noexcept {
  if (!c.take('=') || !c.take('[')) return false;
  const char* const from = c.rest();
  const char* const to = strchr(from, ']');
  if (to == nullptr || static_cast<std::size_t>(to - from) >= sizeof value.list) return false;
  std::size_t n = 0;
  for (const char* p = from; p != to; ++p) value.list[n++] = *p == '{' || *p == '}' ? ' ' : *p;
  value.list[n] = '\0';
  c = cursor(to + 1);
  return true;
}

bool take_granularity(cursor& c, kmp_affinity& value) noexcept {
  if (!c.take('=')) return false;
  if (c.take_word("fine") || c.take_word("thread"))
    value.granularity = sys::object_kind::threads;
  else if (c.take_word("core") || c.take_word("tile") || c.take_word("module"))
    value.granularity = sys::object_kind::cores;
  else if (c.take_word("ll_cache") || c.take_word("l3") || c.take_word("die"))
    value.granularity = sys::object_kind::ll_caches;
  else if (c.take_word("node") || c.take_word("numa"))
    value.granularity = sys::object_kind::numa_domains;
  else if (c.take_word("socket") || c.take_word("package") || c.take_word("group"))
    value.granularity = sys::object_kind::sockets;
  else
    return false;
  return true;
}

// One item of the list; permute and offset are numbers that change nothing here.
bool take_affinity_item(cursor& c, kmp_affinity& value) noexcept {
  int number;
  const auto bound = [&](proc_bind how) {
    value.bound = true;
    value.bind = how;
    return true;
  };
  if (c.take_word("none") || c.take_word("disabled")) return value.bound = false, true;
  if (c.take_word("compact")) return bound(proc_bind::close);
  if (c.take_word("scatter") || c.take_word("balanced")) return bound(proc_bind::spread);
  if (c.take_word("explicit")) return value.is_explicit = true, bound(proc_bind::close);
  if (c.take_word("granularity")) return take_granularity(c, value);
  if (c.take_word("proclist")) return take_proclist(c, value);
  if (c.take_word("verbose")) return value.verbose = true;
  if (c.take_word("noverbose")) return value.verbose = false, true;
  if (c.take_word("reset")) return value.reset = true;
  if (c.take_word("noreset")) return value.reset = false, true;
  for (const char* word : {"warnings", "nowarnings", "respect", "norespect", "duplicates", "noduplicates"})
    if (c.take_word(word)) return true;
  return ++value.numbers <= 2 && c.take_integer(0, 0x7fffffff, number);
}

}  // namespace

bool kmp_affinity_of(const char* text, kmp_affinity& value) noexcept {
  cursor c(text);
  kmp_affinity parsed;
  do {
    if (!take_affinity_item(c, parsed)) return false;
  } while (c.take(','));
  if (!c.at_end() || (parsed.is_explicit && parsed.list[0] == '\0')) return false;
  value = parsed;
  return true;
}

}  // namespace amity::omp::parse
