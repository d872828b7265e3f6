#include "amity/accel/internal/options.hpp"

#include <algorithm>
#include <string_view>

namespace amity::accel::detail {
namespace {

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool may_begin_name(char c) noexcept {
  return is_letter(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

bool may_be_in_name(char c) noexcept { return may_begin_name(c) || (c >= '0' && c <= '9'); }

/// NAME, or NAME(...): a macro with parameters.
bool is_macro(std::string_view name) noexcept {
  std::string_view const plain = name.substr(0, name.find('('));
  if (plain.empty() || !may_begin_name(plain.front()) || !std::all_of(plain.begin(), plain.end(), may_be_in_name))
    return false;
  std::string_view const rest = name.substr(plain.size());
  return rest.empty() || (rest.find(')') == rest.size() - 1 && rest.find('\n') == std::string_view::npos);
}

/// One line: a compiler's option can't have more either.
std::string in_one_line(std::string value) {
  std::replace(value.begin(), value.end(), '\n', ' ');
  std::replace(value.begin(), value.end(), '\r', ' ');
  return value;
}

void add_define(program_text& to, std::string name, std::string value) {
  if (!is_macro(name))
    throw build_error("'" + name + "' is no name of a macro, which " + to.name + " is to be built with",
                      "'" + name + "' is no name of a macro");
  to.defines.emplace_back(std::move(name), in_one_line(std::move(value)));
}

/// "NAME", "NAME=VALUE" as after -D. "NAME" is 1; of "NAME=" there is nothing, which is a blank here.
void add_define_of_option(program_text& to, std::string_view said) {
  std::size_t const equals = said.find('=');
  std::string name(said.substr(0, equals));
  if (equals == std::string_view::npos) return add_define(to, std::move(name), "1");
  std::string const value(said.substr(equals + 1));
  add_define(to, std::move(name), value.empty() ? " " : value);
}

/// Where the next option begins in a text of several: at a dash behind a blank and before a letter. What is before it
/// may have blanks: a value, a folder.
std::size_t end_of_option(std::string_view text) noexcept {
  for (std::size_t i = 1; i + 2 < text.size(); ++i) {
    if (text[i] != ' ' || text[i + 1] != '-') continue;
    bool const is_long = text[i + 2] == '-' && i + 3 < text.size() && is_letter(text[i + 3]);
    if (is_long || is_letter(text[i + 2])) return i;
  }
  return text.size();
}

std::string_view without_blanks(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Each option by itself.
std::vector<std::string> parted(const std::vector<std::string>& options) {
  std::vector<std::string> each;
  for (const std::string& o : options) {
    for (std::string_view rest = without_blanks(o); !rest.empty();) {
      std::size_t const end = end_of_option(rest);
      each.emplace_back(without_blanks(rest.substr(0, end)));
      rest = without_blanks(rest.substr(end));
    }
  }
  return each;
}

}  // namespace

void take_options(program_text& to, const build_options& how) {
  to.includes = how.includes;
  for (const auto& [name, value] : how.defines) add_define(to, name, value.empty() ? "1" : value);
  std::vector<std::string> const each = parted(how.options);
  for (std::size_t i = 0; i < each.size(); ++i) {
    std::string_view const one = each[i];
    bool const is_define = one.starts_with("-D"), is_folder = one.starts_with("-I");
    if (!is_define && !is_folder) {
      to.options.push_back(each[i]);
      continue;
    }
    std::string_view said = without_blanks(one.substr(2));
    if (said.empty() && i + 1 < each.size()) said = each[++i];
    if (is_define)
      add_define_of_option(to, said);
    else
      to.includes.emplace_back(said);
  }
}

std::string lines_of_defines(const program_text& text) {
  std::string lines;
  for (const auto& [name, value] : text.defines) {
    // The last of several counts, as among options.
    lines += "#undef " + name.substr(0, name.find('(')) + "\n#define " + name + " " + value;
    if (value.ends_with('\\')) lines += "/**/";  // the line ends here all the same
    lines += '\n';
  }
  return lines.empty() ? lines : lines + "#line 1\n";
}

}  // namespace amity::accel::detail
