// KMP_HW_SUBSET: a part of the machine.
//
//   subset = [ ":" ] item { "," item }
//   item   = [ number | "*" ] layer [ "@" offset ]
//
// Layers are sockets, NUMA domains, last-level caches, cores and threads; those that are not named are taken whole.
// libomp knows more layers, and attributes of cores (":intel_core"); they are refused.
#include "amity/omp/settings/parse.hpp"

namespace amity::omp::parse {
namespace {

struct layer {
  bool named = false;
  int count = 0;  // 0: all
  int offset = 0;
};

// Outermost first.
constexpr sys::object_kind kinds[] = {sys::object_kind::sockets, sys::object_kind::numa_domains,
                                      sys::object_kind::ll_caches, sys::object_kind::cores, sys::object_kind::threads};
constexpr int layers = sizeof kinds / sizeof kinds[0];

bool take_layer(cursor& c, int& which) noexcept {
  static constexpr struct {
    const char* word;
    int layer;
  } names[] = {{"s", 0},           {"socket", 0},       {"sockets", 0}, {"n", 1},        {"numa", 1},      {"numas", 1},
               {"numa_domain", 1}, {"numa_domains", 1}, {"ll", 2},      {"ll_cache", 2}, {"ll_caches", 2}, {"c", 3},
               {"core", 3},        {"cores", 3},        {"t", 4},       {"thread", 4},   {"threads", 4}};
  for (const auto& name : names)
    if (c.take_word(name.word)) return which = name.layer, true;
  return false;
}

bool take_item(cursor& c, layer (&wanted)[layers]) noexcept {
  layer item{true, 0, 0};
  if (!c.take('*')) {
    long long number;
    const bool numbered = c.take_integer(number);
    if (numbered && (number < 1 || number > 0xffff)) return false;
    if (numbered) item.count = static_cast<int>(number);
  }
  int which;
  if (!take_layer(c, which) || wanted[which].named) return false;
  if (c.take('@') && !c.take_integer(0, 0xffff, item.offset)) return false;
  wanted[which] = item;
  return true;
}

// The chosen ones among the objects inside `parent`. False: there are too few.
bool choose(const sys::cpu_mask_list& objects, const sys::cpu_mask& parent, const layer& wanted,
            sys::cpu_mask_list& chosen) noexcept {
  int seen = 0, taken = 0;
  for (const sys::cpu_mask& object : objects) {
    sys::cpu_mask inside = object.copy();
    inside.intersect(parent);
    if (inside.empty()) continue;
    const bool in = seen >= wanted.offset && (wanted.count == 0 || taken < wanted.count);
    ++seen;
    if (!in) continue;
    ++taken;
    if (!chosen.add(static_cast<sys::cpu_mask&&>(inside))) return false;
  }
  return taken > 0 && taken >= wanted.count;
}

}  // namespace

bool hw_subset(const char* text, const sys::cpu_mask& usable, sys::cpu_mask& value) noexcept {
  cursor c(text);
  c.take(':');
  layer wanted[layers];
  do {
    if (!take_item(c, wanted)) return false;
  } while (c.take(','));
  if (!c.at_end() || usable.empty()) return false;
  sys::cpu_mask_list parts;
  if (!parts.add(usable.copy())) return false;
  for (int i = 0; i < layers; ++i) {
    if (!wanted[i].named) continue;
    const sys::cpu_mask_list objects = sys::object_sets(kinds[i], usable);
    sys::cpu_mask_list chosen;
    for (const sys::cpu_mask& part : parts)
      if (!choose(objects, part, wanted[i], chosen)) return false;
    parts = static_cast<sys::cpu_mask_list&&>(chosen);
  }
  sys::cpu_mask all;
  for (const sys::cpu_mask& part : parts)
    for (int cpu = part.first(); cpu >= 0; cpu = part.next(cpu))
      if (!all.add(cpu)) return false;
  value = static_cast<sys::cpu_mask&&>(all);
  return true;
}

}  // namespace amity::omp::parse
