#include "amity/accel/cuda/signatures.hpp"

#include <cxxabi.h>
#include <stdlib.h>

#include <array>
#include <charconv>
#include <memory>

#include "amity/accel/cuda/abi.hpp"
#include "amity/accel/error.hpp"

namespace amity::accel::cuda {
namespace {

using detail::kernel_signature;
using detail::parameter;
using kernels = std::vector<std::pair<std::string, kernel_signature>>;

/// "" where it is none of C++.
std::string demangled(const std::string& linker_name) {
  if (!linker_name.starts_with("_Z")) return {};
  int status = 0;
  std::unique_ptr<char, decltype(&free)> const text(abi::__cxa_demangle(linker_name.c_str(), nullptr, nullptr, &status),
                                                    free);
  return status == 0 && text != nullptr ? text.get() : std::string();
}

/// Where the list of parameters begins; npos: there is none.
std::size_t parameters_of(std::string_view function) {
  int depth = 0;
  for (std::size_t i = function.size(); i-- != 0;) {
    depth += function[i] == ')' ? 1 : function[i] == '(' ? -1 : 0;
    if (depth == 0 && function[i] == '(') return i;
  }
  return std::string_view::npos;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> all;
  int depth = 0;
  std::string one;
  for (char const c : list) {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      all.push_back(std::move(one));
      one.clear();
    } else if (c != ' ' || !one.empty()) {
      one += c;
    }
  }
  if (!one.empty()) all.push_back(std::move(one));
  return all;
}

/// As OpenCL would call it: signature.cpp knows those names.
std::string common_name(std::string type) {
  struct pair {
    std::string_view cuda, common;
  };
  static constexpr std::array<pair, 12> others{{{"signed char", "char"},
                                                {"bool", "char"},
                                                {"long long", "long"},
                                                {"unsigned long long", "ulong"},
                                                {"unsigned int", "uint"},
                                                {"unsigned long", "ulong"},
                                                {"__half", "half"},
                                                {"__half2", "half2"},
                                                {"longlong2", "long2"},
                                                {"longlong4", "long4"},
                                                {"ulonglong2", "ulong2"},
                                                {"ulonglong4", "ulong4"}}};
  for (const pair& p : others)
    if (type == p.cuda) return std::string(p.common);
  return type;
}

/// Of elements that OpenCL does not know. CUDA's vectors of three are as large as three; OpenCL's as four. 0: it is
/// none.
std::uint32_t bytes_of_own(std::string_view type) {
  if (type == "__nv_bfloat16") return 2;
  if (type == "__nv_bfloat162") return 4;
  if (!type.ends_with('3')) return 0;
  type.remove_suffix(1);
  if (type == "char" || type == "uchar") return 3;
  if (type == "short" || type == "ushort") return 6;
  if (type == "int" || type == "uint" || type == "float") return 12;
  if (type == "long" || type == "ulong" || type == "longlong" || type == "ulonglong" || type == "double") return 24;
  return 0;
}

/// Of C++'s type; `bytes`: as many the parameter has.
parameter typed(std::string type, std::uint32_t bytes) {
  parameter p;
  p.is = parameter::kind::value;
  p.bytes = bytes;
  if (type.ends_with('*')) {
    type.pop_back();
    p.is = parameter::kind::memory;
    p.writes = !type.ends_with(" const");
    if (!p.writes) type.resize(type.size() - std::string_view(" const").size());
    p.bytes = bytes_of_own(type);
  }
  p.type = common_name(std::move(type));
  if (p.is == parameter::kind::memory) p.type += '*';
  return p;
}

/// ".param .align 4 .b8 name[8]" has 8 bytes, ".param .u16 name" has 2.
std::uint32_t bytes_of_declaration(std::string_view declaration) {
  std::uint32_t bits = 0, count = 1;
  for (std::size_t at = 0; (at = declaration.find('.', at)) != std::string_view::npos; ++at) {
    std::string_view const word = declaration.substr(at + 1, declaration.find_first_of(" \t.", at + 1) - at - 1);
    if (word.size() < 2 || std::string_view("busf").find(word[0]) == std::string_view::npos) continue;
    std::uint32_t n = 0;
    auto const read = std::from_chars(word.data() + 1, word.data() + word.size(), n);
    if (read.ec == std::errc() && read.ptr == word.data() + word.size()) bits = n;
  }
  if (std::size_t const open = declaration.rfind('['); open != std::string_view::npos)
    std::from_chars(declaration.data() + open + 1, declaration.data() + declaration.size(), count);
  return bits / 8 * count;
}

kernel_signature signature_of(const std::string& linker_name, std::string_view declarations) {
  kernel_signature s;
  s.is_known = true;
  std::vector<std::uint32_t> sizes;
  for (const std::string& one : split(declarations))
    if (one.find(".param") != std::string::npos) sizes.push_back(bytes_of_declaration(one));
  std::string const whole = demangled(linker_name);
  std::size_t const open = parameters_of(whole);
  std::vector<std::string> types;
  if (open != std::string::npos) types = split(std::string_view(whole).substr(open + 1, whole.size() - open - 2));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (types.size() == sizes.size()) {
      s.parameters.push_back(typed(types[i], sizes[i]));
    } else {
      parameter p;
      p.bytes = sizes[i];
      s.parameters.push_back(std::move(p));
    }
  }
  return s;
}

}  // namespace

kernels signatures_of(std::string_view ptx) {
  constexpr std::string_view mark = ".entry";
  kernels all;
  for (std::size_t at = 0; (at = ptx.find(mark, at)) != std::string_view::npos;) {
    at += mark.size();
    std::size_t const begin = ptx.find_first_not_of(" \t\n", at);
    std::size_t const end = ptx.find_first_of("( \t\n{", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    std::string name(ptx.substr(begin, end - begin));
    std::string_view declarations;
    std::size_t const open = ptx.find_first_not_of(" \t\n", end);
    if (open != std::string_view::npos && ptx[open] == '(')
      declarations = ptx.substr(open + 1, ptx.find(')', open) - open - 1);
    auto s = signature_of(name, declarations);
    all.emplace_back(std::move(name), std::move(s));
  }
  return all;
}

std::string plain_name(const std::string& linker_name) {
  std::string whole = demangled(linker_name);
  if (whole.empty()) return linker_name;
  std::size_t const open = parameters_of(whole);
  if (open != std::string::npos) whole.resize(open);
  if (whole.starts_with("void ")) whole.erase(0, 5);  // templates say it
  return whole;
}

const std::pair<std::string, kernel_signature>& choose_kernel(const kernels& all, const std::string& name,
                                                              const std::string& of_program) {
  std::vector<const std::pair<std::string, kernel_signature>*> fitting;
  std::string there;
  for (const auto& one : all) {
    std::string const plain = plain_name(one.first);
    there += (there.empty() ? "" : ", ") + plain;
    if (one.first == name) return one;
    if (plain == name || plain.ends_with("::" + name)) fitting.push_back(&one);
  }
  if (fitting.size() == 1) return *fitting.front();
  if (fitting.size() > 1)
    throw kernel_error("the kernel '" + name + "' is there " + std::to_string(fitting.size()) + " times in " +
                           of_program + ": say which by its linker name, as " + fitting.front()->first,
                       not_found);
  throw kernel_error("there is no kernel '" + name + "' in " + of_program + ", which has " +
                         (there.empty() ? std::string("none") : there),
                     not_found);
}

}  // namespace amity::accel::cuda
