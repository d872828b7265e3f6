#include "amity/accel/internal/includes.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "amity/accel/internal/read_file.hpp"

namespace amity::accel::detail {
namespace {

std::string folder_of(const std::string& path) {
  std::size_t const slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

/// A compiler that opens it would wait, or read for long.
bool keeps_its_reader(std::string_view why) {
  return why.starts_with("it is a pipe") || why.starts_with("it is a device") || why.starts_with("it has more than");
}

std::string_view without_blanks(std::string_view line) {
  std::size_t const begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

/// What a line is about.
struct directive {
  bool is_include = false;
  bool is_quoted = false;
  std::string name;  ///< "": named by a macro
};
directive directive_of(std::string_view line) {
  directive d;
  line = without_blanks(line);
  if (!line.starts_with('#')) return d;
  line = without_blanks(line.substr(1));
  constexpr std::string_view word = "include";
  if (!line.starts_with(word)) return d;
  line = line.substr(word.size());
  std::string_view const rest = without_blanks(line);
  if (rest.empty() || (rest.size() == line.size() && rest[0] != '"' && rest[0] != '<')) return d;  // include_next
  d.is_include = true;
  d.is_quoted = rest[0] == '"';
  if (!d.is_quoted && rest[0] != '<') return d;
  std::size_t const close = rest.find(d.is_quoted ? '"' : '>', 1);
  if (close != std::string_view::npos) d.name = rest.substr(1, close - 1);
  return d;
}

/// That the next line is this one of that file, whose name may have any characters.
std::string line_directive(std::size_t number, const std::string& path) {
  std::string text = "#line " + std::to_string(number) + " \"";
  for (char const c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + "\"\n";
}

bool is_once(std::string_view text) {
  for (std::size_t at = 0; (at = text.find("#pragma once", at)) != std::string_view::npos; ++at)
    if (at == 0 || text[at - 1] == '\n') return true;
  return false;
}

class expander {
 public:
  explicit expander(const std::vector<std::string>& folders) : folders_(folders) {}

  void add(std::string_view text, const std::string& own_folder, const std::string& path) {
    open_.push_back(path);
    std::size_t number = 1;
    while (!text.empty()) {
      std::size_t const end = std::min(text.find('\n'), text.size());
      std::string_view const line = text.substr(0, end);
      bool const has_end = end < text.size();
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      directive const d = directive_of(line);
      if (d.is_include && put_file(d, own_folder)) {
        made.text += line_directive(number, path);
        continue;
      }
      if (d.is_include) made.is_whole = false;
      made.text += line;
      if (has_end) made.text += '\n';
    }
    open_.pop_back();
  }

  whole_source made;

 private:
  /// False: no folder has it.
  bool put_file(const directive& d, const std::string& own_folder) {
    if (d.name.empty()) return false;
    std::vector<std::string> paths;
    if (d.name.starts_with('/')) {
      paths.push_back(d.name);
    } else {
      if (d.is_quoted && !own_folder.empty()) paths.push_back(own_folder + "/" + d.name);
      for (const std::string& folder : folders_) paths.push_back(folder + "/" + d.name);
    }
    std::string refused;
    for (const std::string& path : paths) {
      std::string why;  // another folder may have it, or the compiler says so
      auto const text = read_file(path, why);
      if (!text) {
        if (refused.empty() && keeps_its_reader(why)) refused = path + ": " + why;
        continue;
      }
      // One that includes itself has a guard, or no compiler would end either.
      bool const is_open = std::find(open_.begin(), open_.end(), path) != open_.end();
      bool const was_put = !seen_.insert(path).second;
      if (is_open || (was_put && is_once(*text))) return true;
      made.text += line_directive(1, path);
      add(*text, folder_of(path), path);
      if (!made.text.ends_with('\n')) made.text += '\n';
      return true;
    }
    if (refused.empty()) return false;
    made.text += "#error " + refused + "\n";
    return true;
  }

  const std::vector<std::string>& folders_;
  std::vector<std::string> open_;  ///< paths, the outermost first
  std::set<std::string> seen_;
};

}  // namespace

whole_source with_includes(std::string_view source, const std::string& name, bool is_file,
                           const std::vector<std::string>& folders) {
  expander e(folders);
  e.add(source, is_file ? folder_of(name) : "", name);
  return std::move(e.made);
}

}  // namespace amity::accel::detail
