#include "amity/omp/settings/show.hpp"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "amity/omp/settings/parse.hpp"

namespace amity::omp::show {
namespace {

// Text that grows at its end, and stops growing when the buffer is full.
class line {
 public:
  line(char* into, std::size_t size) noexcept : at_(into), left_(size) {
    if (size != 0) *into = '\0';
  }
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) noexcept {
    va_list arguments;
    va_start(arguments, format);
    const int written = vsnprintf(at_, left_, format, arguments);
    va_end(arguments);
    if (written < 0) return;
    const std::size_t n =
        static_cast<std::size_t>(written) < left_ ? static_cast<std::size_t>(written) : left_ - (left_ != 0);
    at_ += n;
    left_ -= n;
  }

 private:
  char* at_;
  std::size_t left_;
};

}  // namespace

void print(char* into, std::size_t size, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(into, size, format, arguments);
  va_end(arguments);
}

const char* name_of(bool value) noexcept { return value ? "TRUE" : "FALSE"; }

const char* name_of(proc_bind value) noexcept {
  switch (value) {
    case proc_bind::false_:
      return "FALSE";
    case proc_bind::true_:
      return "TRUE";
    case proc_bind::primary:
      return "PRIMARY";
    case proc_bind::close:
      return "CLOSE";
    case proc_bind::spread:
      return "SPREAD";
  }
  return "?";
}

const char* name_of(offload value) noexcept {
  switch (value) {
    case offload::default_:
      return "DEFAULT";
    case offload::mandatory:
      return "MANDATORY";
    case offload::disabled:
      return "DISABLED";
  }
  return "?";
}

void text(const char* value, char* into, std::size_t size) noexcept {
  line out(into, size);
  for (; *value != '\0'; ++value) {
    const auto c = static_cast<unsigned char>(*value);
    if (c >= 0x20 && c < 0x7f)
      out.add("%c", c);
    else
      out.add("\\x%02x", c);
  }
}

bool is_loaded_as_libomp() noexcept {
  Dl_info own;  // the loader keeps the name by which a library was found first
  if (dladdr(reinterpret_cast<const void*>(&is_loaded_as_libomp), &own) == 0 || own.dli_fname == nullptr) return false;
  const char* const slash = strrchr(own.dli_fname, '/');
  const char* const name = slash == nullptr ? own.dli_fname : slash + 1;
  return strncmp(name, "libomp.so", 9) == 0 || strncmp(name, "libiomp5.so", 11) == 0;
}

void schedule_text(const schedule& value, char* into, std::size_t size) noexcept {
  static constexpr const char* kinds[] = {"?", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
  line out(into, size);
  const char* const kind = value.kind == schedule_kind::trapezoidal    ? "TRAPEZOIDAL"
                           : value.kind == schedule_kind::static_steal ? "STATIC_STEAL"
                                                                       : kinds[static_cast<int>(value.kind) % 5];
  out.add("%s%s", value.monotonic ? "MONOTONIC:" : "", kind);
  // The chunk that is understood is left out, as it may be in the variable.
  if (value.chunk != (value.kind == schedule_kind::static_ ? 0 : 1))
    out.add(",%lld", static_cast<long long>(value.chunk));
}

void bytes(std::size_t value, char* into, std::size_t size) noexcept {
  if (value != 0 && value % (1u << 20) == 0) return print(into, size, "%zuM", value >> 20);
  if (value != 0 && value % (1u << 10) == 0) return print(into, size, "%zuK", value >> 10);
  print(into, size, value == 0 ? "0" : "%zuB", value);
}

void num_threads(const settings& s, char* into, std::size_t size) noexcept {
  line out(into, size);
  for (int i = 0; i < s.num_threads_levels; ++i) out.add(i == 0 ? "%d" : ",%d", s.num_threads[i]);
}

void bind_list(const settings& s, char* into, std::size_t size) noexcept {
  line out(into, size);
  if (s.bind_levels == 0) out.add("FALSE");
  for (int i = 0; i < s.bind_levels; ++i) out.add(i == 0 ? "%s" : ",%s", name_of(s.bind[i]));
}

void places(const settings& s, char* into, std::size_t size) noexcept {
  line out(into, size);
  bool first_place = true;
  for (const sys::cpu_mask& place : s.places) {
    out.add(first_place ? "{" : ",{");
    first_place = false;
    for (int cpu = place.first(); cpu >= 0; cpu = place.next(cpu)) out.add(cpu == place.first() ? "%d" : ",%d", cpu);
    out.add("}");
  }
}

void allocator(const allocator_setting& value, char* into, std::size_t size) noexcept {
  static constexpr const char* names[] = {"omp_null_allocator",   "omp_default_mem_alloc", "omp_large_cap_mem_alloc",
                                          "omp_const_mem_alloc",  "omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc",
                                          "omp_cgroup_mem_alloc", "omp_pteam_mem_alloc",   "omp_thread_mem_alloc"};
  static constexpr const char* spaces[] = {"omp_default_mem_space", "omp_large_cap_mem_space", "omp_const_mem_space",
                                           "omp_high_bw_mem_space", "omp_low_lat_mem_space"};
  static constexpr const char* keys[] = {"?",        "sync_hint", "alignment", "access",   "pool_size",
                                         "fallback", "fb_data",   "pinned",    "partition"};
  line out(into, size);
  if (value.traits == 0) return out.add("%s", names[value.predefined % 9]);
  out.add("%s", spaces[value.space % 5]);
  for (int i = 0; i < value.traits; ++i) {
    const allocator_trait& trait = value.trait[i];
    out.add("%c%s=", i == 0 ? ':' : ',', keys[trait.key % 9]);
    if (const char* const name = parse::name_of_trait_value(trait))
      out.add("%s", name);
    else
      out.add("%zu", static_cast<std::size_t>(trait.value));
  }
}

void duration(std::uint64_t microseconds, char* into, std::size_t size) noexcept {
  const auto us = static_cast<unsigned long long>(microseconds);
  if (us >= static_cast<unsigned long long>(parse::for_ever_us)) return print(into, size, "INFINITE");
  if (us % 1000 == 0) return print(into, size, "%llums", us / 1000);
  print(into, size, "%lluus", us);
}

}  // namespace amity::omp::show
