// OMP_PLACES and GOMP_CPU_AFFINITY: lists of sets of CPUs.
//
//   places   = name [ "(" count ")" ]  |  place { "," place }  |  nodes
//   nodes    = "nodes" [ "(" count | "{" threads "}" { "," "{" threads "}" } ")" ]
//   place    = [ "!" ] set [ ":" length [ ":" stride ] ]
//   set      = "{" resource { "," resource } "}"  |  number
//   resource = [ "!" ] number [ ":" length [ ":" stride ] ]
#include "amity/omp/settings/parse.hpp"

namespace amity::omp::parse {
namespace {

constexpr int most_cpus = 8192;  // CPU numbers beyond are refused; a set is a kilobyte on the stack
constexpr int most_places = 8192;

// A set of CPU numbers that may be shifted and taken from, which sys::cpu_mask can't.
struct cpu_bits {
  std::uint64_t word[most_cpus / 64] = {};

  [[nodiscard]] bool has(int cpu) const noexcept { return (word[cpu / 64] >> (cpu % 64) & 1) != 0; }
  void put(int cpu, bool in) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (cpu % 64);
    word[cpu / 64] = in ? word[cpu / 64] | bit : word[cpu / 64] & ~bit;
  }
  [[nodiscard]] int count() const noexcept {
    int sum = 0;
    for (std::uint64_t const w : word) sum += __builtin_popcountll(w);
    return sum;
  }
  // False when a CPU would get a number that is out of range.
  [[nodiscard]] bool shifted(long long by, cpu_bits& into) const noexcept {
    into = {};
    for (int cpu = 0; cpu < most_cpus; ++cpu) {
      if (!has(cpu)) continue;
      const long long moved = cpu + by;
      if (moved < 0 || moved >= most_cpus) return false;
      into.put(static_cast<int>(moved), true);
    }
    return true;
  }
};

// A list of places while it is read.
struct reading {
  const sys::cpu_mask& usable;
  sys::cpu_mask_list list, excluded;
  int left = most_places;  // counts down; those without a usable CPU count too, so that reading ends soon
  bool cut = false;        // something was left out because it may not be used

  // Adds the usable part of `bits` as a place, unless there is none of it.
  bool add(const cpu_bits& bits, sys::cpu_mask_list& into) noexcept {
    if (left-- <= 0) return false;
    sys::cpu_mask mask;
    int found = 0;
    for (int cpu = usable.first(); cpu >= 0 && cpu < most_cpus; cpu = usable.next(cpu)) {
      if (!bits.has(cpu)) continue;
      if (!mask.add(cpu)) return false;
      ++found;
    }
    if (found != bits.count()) cut = true;
    return found == 0 || into.add(static_cast<sys::cpu_mask&&>(mask));
  }

  // Takes the places out that are equal to one of `excluded`.
  bool finish(sys::cpu_mask_list& value) noexcept {
    sys::cpu_mask_list kept;
    for (const sys::cpu_mask& place : list) {
      bool out = false;
      for (const sys::cpu_mask& one : excluded) out = out || place == one;
      if (!out && !kept.add(place.copy())) return false;
    }
    if (kept.size() == 0) return false;
    value = static_cast<sys::cpu_mask_list&&>(kept);
    return true;
  }
};

// ":length" and ":length:stride" behind a number or a place.
bool take_interval(cursor& c, int& length, int& stride) noexcept {
  length = 1;
  stride = 1;
  if (!c.take(':')) return true;
  if (!c.take_integer(1, most_cpus, length)) return false;
  return !c.take(':') || c.take_integer(-most_cpus, most_cpus, stride);
}

bool take_resource(cursor& c, cpu_bits& bits) noexcept {
  const bool in = !c.take('!');
  int first, length, stride;
  if (!c.take_integer(0, most_cpus - 1, first) || !take_interval(c, length, stride)) return false;
  for (int i = 0; i < length; ++i) {
    const long long cpu = first + static_cast<long long>(i) * stride;
    if (cpu < 0 || cpu >= most_cpus) return false;
    bits.put(static_cast<int>(cpu), in);
  }
  return true;
}

bool take_set(cursor& c, cpu_bits& bits) noexcept {
  if (!c.take('{')) {
    int cpu;
    if (!c.take_integer(0, most_cpus - 1, cpu)) return false;
    bits.put(cpu, true);
    return true;
  }
  do {
    if (!take_resource(c, bits)) return false;
  } while (c.take(','));
  return c.take('}');
}

bool take_place(cursor& c, reading& r) noexcept {
  sys::cpu_mask_list& into = c.take('!') ? r.excluded : r.list;
  cpu_bits set;
  int length, stride;
  if (!take_set(c, set) || !take_interval(c, length, stride)) return false;
  for (int i = 0; i < length; ++i) {
    cpu_bits moved;
    if (!set.shifted(static_cast<long long>(i) * stride, moved) || !r.add(moved, into)) return false;
  }
  return true;
}

bool take_name(cursor& c, sys::object_kind& kind) noexcept {
  static constexpr struct {
    const char* word;
    sys::object_kind kind;
  } names[] = {{"threads", sys::object_kind::threads},
               {"cores", sys::object_kind::cores},
               {"ll_caches", sys::object_kind::ll_caches},
               {"numa_domains", sys::object_kind::numa_domains},
               {"sockets", sys::object_kind::sockets}};
  for (const auto& name : names)
    if (c.take_word(name.word)) return kind = name.kind, true;
  return false;
}

bool take_named_places(cursor& c, sys::object_kind kind, const sys::cpu_mask& usable,
                       sys::cpu_mask_list& value) noexcept {
  int count = most_places;
  if (c.take('(') && (!c.take_integer(1, 0x7fffffff, count) || !c.take(')'))) return false;
  if (!c.at_end()) return false;
  const sys::cpu_mask_list all = sys::object_sets(kind, usable);
  sys::cpu_mask_list first;
  for (std::size_t i = 0; i < all.size() && i < static_cast<std::size_t>(count); ++i)
    if (!first.add(all[i].copy())) return false;
  if (first.size() == 0) return false;
  value = static_cast<sys::cpu_mask_list&&>(first);
  return true;
}

}  // namespace

bool places(const char* text, const sys::cpu_mask& usable, sys::cpu_mask_list& value, bool& cut) noexcept {
  cursor c(text);
  cut = false;
  if (sys::object_kind kind; take_name(c, kind)) return take_named_places(c, kind, usable, value);
  reading r{usable, {}, {}};
  do {
    if (!take_place(c, r)) return false;
  } while (c.take(','));
  if (!c.at_end() || !r.finish(value)) return false;
  cut = r.cut;
  return true;
}

bool is_of_nodes(const char* text) noexcept { return cursor(text).take_word("nodes"); }

bool node_places_of(const char* text, node_places& value) noexcept {
  constexpr int most_threads = 0x7fff;
  cursor c(text);
  node_places read;
  if (!c.take_word("nodes")) return false;
  if (c.take('(')) {
    read.is_list = c.take('{');
    for (bool more = read.is_list; more;) {
      if (read.nodes == node_places::most) return false;
      if (!c.take_integer(1, most_threads, read.threads[read.nodes++]) || !c.take('}')) return false;
      more = c.take(',');
      if (more && !c.take('{')) return false;
    }
    if (!read.is_list && !c.take_integer(1, node_places::most, read.nodes)) return false;
    if (!c.take(')')) return false;
  }
  if (!c.at_end()) return false;
  value = read;
  return true;
}

bool cpu_list(const char* text, const sys::cpu_mask& usable, sys::cpu_mask_list& value, bool& cut) noexcept {
  cursor c(text);
  reading r{usable, {}, {}};
  while (!c.at_end()) {
    int first, last, stride = 1;
    if (!c.take_integer(0, most_cpus - 1, first)) return false;
    last = first;
    if (c.take('-') && !c.take_integer(first, most_cpus - 1, last)) return false;
    if (c.take(':') && !c.take_integer(1, most_cpus, stride)) return false;
    for (int cpu = first; cpu <= last; cpu += stride) {
      cpu_bits one;
      one.put(cpu, true);
      if (!r.add(one, r.list)) return false;
    }
    c.take(',');
  }
  if (!r.finish(value)) return false;
  cut = r.cut;
  return true;
}

}  // namespace amity::omp::parse
