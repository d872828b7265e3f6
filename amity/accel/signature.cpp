/// Whether a kernel takes what its caller says.

#include <array>
#include <string>
#include <string_view>

#include "amity/accel/kernel_object.hpp"

namespace amity::accel::detail {
namespace {

/// The size of OpenCL C's own types; 0: a type of the program's.
std::uint32_t bytes_of_type(std::string_view type) {
  while (!type.empty() && (type.back() == '*' || type.back() == ' ')) type.remove_suffix(1);
  std::uint32_t lanes = 1;
  std::size_t end = type.size();
  while (end > 0 && type[end - 1] >= '0' && type[end - 1] <= '9') --end;
  if (end < type.size()) lanes = static_cast<std::uint32_t>(std::stoul(std::string(type.substr(end))));
  type = type.substr(0, end);
  struct known {
    std::string_view name;
    std::uint32_t bytes;
  };
  static constexpr std::array<known, 16> all{{{"char", 1},
                                              {"uchar", 1},
                                              {"unsigned char", 1},
                                              {"short", 2},
                                              {"ushort", 2},
                                              {"unsigned short", 2},
                                              {"half", 2},
                                              {"int", 4},
                                              {"uint", 4},
                                              {"unsigned int", 4},
                                              {"float", 4},
                                              {"long", 8},
                                              {"ulong", 8},
                                              {"unsigned long", 8},
                                              {"double", 8},
                                              {"size_t", 8}}};
  for (const known& k : all)
    if (k.name == type) return k.bytes * (lanes == 3 ? 4 : lanes);
  return 0;
}

/// 'f': floating point, 'i': an integer, '?': a type of the program's.
char family_of(std::string_view type) {
  if (bytes_of_type(type) == 0) return '?';
  for (std::string_view const f : {"float", "double", "half"})
    if (type.starts_with(f)) return 'f';
  return 'i';
}

std::string words_of(const parameter& p) {
  std::string const type = p.type.empty() ? "a type of the program's" : p.type;
  switch (p.is) {
    case parameter::kind::memory:
      return p.writes ? type : "const " + type;
    case parameter::kind::constant_memory:
      return "constant " + type;
    case parameter::kind::local:
      return "local " + type;
    case parameter::kind::value:
    case parameter::kind::unknown:
      break;
  }
  return type;
}

/// What is wrong; "": nothing.
std::string difference(const parameter& said, const parameter& compiled) {
  using kind = parameter::kind;
  if (compiled.is == kind::unknown) {  // only its size is known
    constexpr std::uint32_t of_pointer = 8;
    std::uint32_t const bytes = said.is == kind::memory ? of_pointer : said.bytes;
    if (said.is == kind::local) return "is another kind of parameter";
    return bytes == compiled.bytes ? std::string()
                                   : "has " + std::to_string(compiled.bytes) + " bytes, not " + std::to_string(bytes);
  }
  bool const is_memory = compiled.is == kind::memory || compiled.is == kind::constant_memory;
  if (said.is == kind::memory ? !is_memory : said.is != compiled.is) return "is another kind of parameter";
  if (said.is == kind::local) return {};
  std::uint32_t const bytes = compiled.bytes != 0 ? compiled.bytes : bytes_of_type(compiled.type);
  if (bytes != 0 && said.bytes != bytes) {
    // A vector type stands for as many of its elements.
    bool const of_elements = said.is == kind::memory && bytes % said.bytes == 0 && said.bytes < bytes;
    if (!of_elements) return "has elements of " + std::to_string(bytes) + " bytes, not " + std::to_string(said.bytes);
  }
  char const a = family_of(said.type), b = family_of(compiled.type);
  if (a != b && a != '?' && b != '?') return "has another type of numbers";
  if (said.is == kind::memory && compiled.writes && !said.writes) return "may be written by the kernel";
  return {};
}

}  // namespace

bool check_signature(const std::string& name, const std::vector<parameter>& wanted, const kernel_signature& compiled) {
  if (!compiled.is_known) return false;
  std::size_t const n = compiled.parameters.size();
  bool const has_shared = n == wanted.size() + 1 && compiled.parameters.back().is == parameter::kind::local;
  if (n != wanted.size() && !has_shared)
    throw kernel_error("the kernel '" + name + "' takes " + std::to_string(n) + " arguments, and " +
                       std::to_string(wanted.size()) + " are given");
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::string const what = difference(wanted[i], compiled.parameters[i]);
    if (what.empty()) continue;
    throw kernel_error("parameter " + std::to_string(i) + " of the kernel '" + name + "' is '" +
                       words_of(compiled.parameters[i]) + "', which " + what + "; the caller says '" +
                       words_of(wanted[i]) + "'");
  }
  return has_shared;
}

}  // namespace amity::accel::detail
