/// Whether a kernel takes what its caller says.

#include <array>
#include <string>
#include <string_view>

#include "amity/accel/kernel_object.hpp"

namespace amity::accel::detail {
namespace {

/// What the name of a type tells.
struct type_facts {
  std::string_view name;    ///< of an element, without the lanes of a vector
  std::uint32_t bytes = 0;  ///< of an element; 0: a type of the program's
  std::uint32_t lanes = 1;  ///< of a vector
  char family = '?';        ///< 'f': floating point, 'i': an integer, '?': a type of the program's
  unsigned pointers = 0;    ///< how many stars it has

  /// Of a vector, as OpenCL C lays it down.
  [[nodiscard]] std::uint32_t all_bytes() const noexcept { return bytes * (lanes == 3 ? 4 : lanes); }
};

struct known_type {
  std::string_view name;
  std::uint32_t bytes;
  char family;
};
constexpr known_type known_types[] = {
    {"char", 1, 'i'},          {"signed char", 1, 'i'},    {"uchar", 1, 'i'},
    {"unsigned char", 1, 'i'}, {"bool", 1, 'i'},           {"short", 2, 'i'},
    {"ushort", 2, 'i'},        {"unsigned short", 2, 'i'}, {"half", 2, 'f'},
    {"int", 4, 'i'},           {"uint", 4, 'i'},           {"unsigned int", 4, 'i'},
    {"float", 4, 'f'},         {"long", 8, 'i'},           {"ulong", 8, 'i'},
    {"unsigned long", 8, 'i'}, {"double", 8, 'f'},         {"size_t", 8, 'i'},
    {"ptrdiff_t", 8, 'i'},     {"intptr_t", 8, 'i'},       {"uintptr_t", 8, 'i'},
    {"atomic_int", 4, 'i'},    {"atomic_uint", 4, 'i'},    {"atomic_float", 4, 'f'},
    {"atomic_long", 8, 'i'},   {"atomic_ulong", 8, 'i'},   {"atomic_double", 8, 'f'},
    {"_Atomic(int)", 4, 'i'},  {"_Atomic(uint)", 4, 'i'},  {"_Atomic(float)", 4, 'f'},
    {"_Atomic(long)", 8, 'i'}, {"_Atomic(ulong)", 8, 'i'}, {"_Atomic(double)", 8, 'f'}};

/// How many lanes the digits at the end say; a type of the program's may end in any number.
std::uint32_t lanes_of(std::string_view digits) noexcept {
  for (std::uint32_t const n : {2U, 3U, 4U, 8U, 16U})
    if (digits == std::to_string(n)) return n;
  return 0;
}

type_facts facts_of(std::string_view type) {
  type_facts f;
  for (; !type.empty() && (type.back() == '*' || type.back() == ' '); type.remove_suffix(1))
    if (type.back() == '*') ++f.pointers;
  std::size_t const last = type.find_last_not_of("0123456789");
  std::string_view const digits = last == std::string_view::npos ? std::string_view() : type.substr(last + 1);
  f.name = digits.empty() ? type : type.substr(0, last + 1);
  f.lanes = digits.empty() ? 1 : lanes_of(digits);
  for (const known_type& k : known_types) {
    if (k.name != f.name || f.lanes == 0) continue;
    f.bytes = k.bytes;
    f.family = k.family;
    return f;
  }
  f.name = type;
  f.lanes = 1;
  return f;
}

std::string words_of(const parameter& p) {
  std::string const type = p.type.empty() ? "a type of the program's" : p.type;
  switch (p.is) {
    case parameter::kind::memory:
      return p.writes ? type : "const " + type;
    case parameter::kind::constant_memory:
      return "constant " + type;
    case parameter::kind::local:
      return "local " + type + (p.type.ends_with('*') ? "" : "*");
    case parameter::kind::value:
    case parameter::kind::opaque:
    case parameter::kind::unknown:
      break;
  }
  return type;
}

std::string of_bytes(std::uint32_t compiled, std::uint32_t said) {
  return "has elements of " + std::to_string(compiled) + " bytes, not " + std::to_string(said);
}

/// C++ has no half before C++23: its bits are an unsigned short's.
bool is_half_as_bits(const type_facts& said, const type_facts& compiled) noexcept {
  return compiled.name == "half" && (said.name == "ushort" || said.name == "unsigned short");
}

/// What is wrong with the values that the caller has for it; "": nothing. `stands_alone`: it is one value, and no row
/// of elements.
std::string difference_of_types(const parameter& said, const parameter& compiled, bool stands_alone) {
  type_facts const theirs = facts_of(compiled.type), ours = facts_of(said.type);
  if (theirs.pointers > (stands_alone ? 0 : 1)) return "is a pointer to pointers, which mean nothing elsewhere";
  std::uint32_t const bytes = compiled.bytes != 0 ? compiled.bytes : theirs.all_bytes();
  bool const same_family =
      ours.family == '?' || theirs.family == '?' || ours.family == theirs.family || is_half_as_bits(ours, theirs);
  if (theirs.lanes > 1 && ours.family != '?') {
    if (stands_alone) return "is a vector, for which a struct of " + std::to_string(bytes) + " bytes stands";
    if (theirs.bytes != said.bytes) return of_bytes(theirs.bytes, said.bytes);
  } else if (bytes != 0 && bytes != said.bytes) {
    return stands_alone ? "has " + std::to_string(bytes) + " bytes, not " + std::to_string(said.bytes)
                        : of_bytes(bytes, said.bytes);
  }
  return same_family ? std::string() : "has another type of numbers";
}

/// What is wrong; "": nothing.
std::string difference(const parameter& said, const parameter& compiled) {
  using kind = parameter::kind;
  if (compiled.is == kind::opaque) return "no launch can give";
  if (compiled.is == kind::unknown) {  // only its size is known
    constexpr std::uint32_t of_pointer = 8;
    std::uint32_t const bytes = said.is == kind::memory ? of_pointer : said.bytes;
    if (said.is == kind::local) return "is another kind of parameter";
    return bytes == compiled.bytes ? std::string()
                                   : "has " + std::to_string(compiled.bytes) + " bytes, not " + std::to_string(bytes);
  }
  bool const is_memory = compiled.is == kind::memory || compiled.is == kind::constant_memory;
  if (said.is == kind::memory ? !is_memory : said.is != compiled.is) return "is another kind of parameter";
  // Local memory has no values before the kernel gives it some: it may be said in bytes.
  if (said.is == kind::local && said.bytes == 1) return {};
  std::string const types = difference_of_types(said, compiled, said.is == kind::value);
  if (!types.empty()) return types;
  if (said.is == kind::memory && compiled.writes && !said.writes) return "may be written by the kernel";
  return {};
}

/// The kernel has one parameter more than are given, for local memory of the launch's size.
bool has_one_for_shared(std::size_t given, const kernel_signature& compiled) noexcept {
  return compiled.is_known && compiled.parameters.size() == given + 1 &&
         compiled.parameters.back().is == parameter::kind::local;
}

[[noreturn]] void refuse_count(const std::string& name, std::size_t given, std::size_t compiled) {
  throw kernel_error("the kernel '" + name + "' takes " + std::to_string(compiled) + " arguments, and " +
                     std::to_string(given) + " are given");
}

}  // namespace

void check_signature(const std::string& name, const std::vector<parameter>& wanted, const kernel_signature& compiled) {
  if (!compiled.is_known) return;
  std::size_t const n = compiled.parameters.size();
  if (n != wanted.size() && !has_one_for_shared(wanted.size(), compiled)) refuse_count(name, wanted.size(), n);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::string const what = difference(wanted[i], compiled.parameters[i]);
    if (what.empty()) continue;
    throw kernel_error("parameter " + std::to_string(i) + " of the kernel '" + name + "' is '" +
                       words_of(compiled.parameters[i]) + "', which " + what + "; the caller says '" +
                       words_of(wanted[i]) + "'");
  }
}

bool takes_shared_memory(std::size_t given, const kernel_signature& compiled) noexcept {
  return !compiled.takes_any_shared_bytes && has_one_for_shared(given, compiled);
}

void check_given(const std::string& name, std::span<const argument> given, const kernel_signature& compiled) {
  using kind = parameter::kind;
  if (!compiled.is_known) return;
  if (given.size() != compiled.parameters.size()) refuse_count(name, given.size(), compiled.parameters.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const parameter& p = compiled.parameters[i];
    bool const is_memory = given[i].is == kind::memory;
    std::uint32_t const bytes = p.bytes != 0 ? p.bytes : facts_of(p.type).all_bytes();
    bool fits = given[i].is == p.is || (is_memory && p.is == kind::constant_memory);
    if (p.is == kind::unknown) fits = given[i].is == kind::value ? given[i].bytes == bytes : is_memory;
    if (p.is == kind::value && fits) fits = bytes == 0 || given[i].bytes == bytes;
    if (fits && p.is != kind::opaque) continue;
    throw kernel_error("parameter " + std::to_string(i) + " of the kernel '" + name + "' is '" + words_of(p) +
                       (p.is == kind::opaque ? "', which no launch can give"
                        : is_memory          ? "', and a buffer is given"
                                             : "', and something else is given"));
  }
}

}  // namespace amity::accel::detail
