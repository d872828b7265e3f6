#pragma once

/// Tables of algorithms as text, a rule a line; what is behind # is not read:
///
///     # operation  sites  bytes  method  arity  piece
///     reduce       16     32k    tree    8
///     reduce       any    8k     tree    16:4          # 16 between nodes, 4 within a node
///     reduce       any    any    lanes   -      128k
///
/// Sites and bytes are the most that the rule is for. The last rule of an operation must be for any. An operation that
/// no rule is for keeps the rules that it had. Rules with the methods mpi and lines don't count for either: they hold
/// where MPI carries the messages or the sites share memory, before those that hold anyway. For example, with
///
///     all_reduce   any    1k     lines
///
/// alone, all_reduce goes by lines up to 1 KiB, and otherwise as by the built-in table.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "amity/coll/choice.hpp"

namespace amity::collectives::tuning {

namespace detail {

/// Which methods an operation has.
[[nodiscard]] inline bool has_method(operation o, method m) noexcept {
  if (is_only_somewhere(m)) return true;
  switch (o) {
    case operation::broadcast:
      return m == method::tree || m == method::lanes;
    case operation::reduce:
      return m == method::tree || m == method::parts || m == method::lanes;
    case operation::all_reduce:
      return m == method::tree || m == method::parts || m == method::lanes || m == method::doubling;
    case operation::gather:
    case operation::scatter:
      return m == method::tree || m == method::straight;
    case operation::all_gather:
      return m == method::straight || m == method::bruck || m == method::ring || m == method::lanes;
    case operation::all_to_all:
      return m == method::straight || m == method::lanes;
  }
  return false;
}

[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  constexpr const char* blanks = " \t\r";
  while (true) {
    std::size_t const first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos) return words;
    std::size_t const last = std::min(line.find_first_of(blanks, first), line.size());
    words.push_back(line.substr(first, last - first));
    line.remove_prefix(last);
  }
}

/// A whole number, with k or m for 1024 and 1024 * 1024 where `units`.
[[nodiscard]] inline bool read_number(std::string_view word, bool units, std::size_t most, std::size_t& number) {
  std::size_t unit = 1;
  if (units && !word.empty() && (word.back() == 'k' || word.back() == 'm')) {
    unit = word.back() == 'k' ? 1024 : 1024 * 1024;
    word.remove_suffix(1);
  }
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 1 || number > most / unit) return false;
  number *= unit;
  return true;
}

/// The number of a name; -1: it is none.
template <std::size_t N>
[[nodiscard]] int number_of(const char* const (&names)[N], std::string_view word) {
  for (std::size_t i = 0; i < N; ++i)
    if (word == names[i]) return static_cast<int>(i);
  return -1;
}

/// One line; the text of what is wrong with it, or nothing.
class rule_reader {
 public:
  explicit rule_reader(std::span<const std::string_view> words) : words_(words) {}
  [[nodiscard]] std::string read(rule& r) const {
    if (words_.size() < 4 || words_.size() > 6)
      return std::to_string(words_.size()) +
             " words; a rule is: operation, sites, bytes, method, and if need be arity, " + "piece";
    std::string wrong = read_names(r);
    if (wrong.empty()) wrong = read_bounds(r);
    if (wrong.empty() && words_.size() > 4) wrong = read_arity(r.how);
    if (wrong.empty() && words_.size() > 5) wrong = read_piece(r.how);
    return wrong;
  }

 private:
  static constexpr std::size_t most_sites = 1 << 24, most_bytes = std::size_t{1} << 48;

  [[nodiscard]] std::string word(std::size_t i) const { return "'" + std::string(words_[i]) + "'"; }

  [[nodiscard]] std::string read_names(rule& r) const {
    int const o = number_of(operation_names, words_[0]), m = number_of(method_names, words_[3]);
    std::string known;
    if (o < 0) {
      for (const char* name : operation_names) known += std::string(known.empty() ? "" : ", ") + name;
      return "no operation is named " + word(0) + "; those with a choice are: " + known;
    }
    r.of = static_cast<operation>(o);
    if (m >= 0 && has_method(r.of, static_cast<method>(m))) {
      r.how.how = static_cast<method>(m);
      return {};
    }
    for (std::size_t i = 0; i < std::size(method_names); ++i)
      if (has_method(r.of, static_cast<method>(i))) known += std::string(known.empty() ? "" : ", ") + method_names[i];
    return std::string(words_[0]) + " has no method " + word(3) + "; it has: " + known;
  }

  [[nodiscard]] std::string read_bounds(rule& r) const {
    std::size_t sites = 0, bytes = 0;
    if (words_[1] != "any" && !read_number(words_[1], false, most_sites, sites))
      return "sites " + word(1) + "; allowed: 1 or more, or any";
    if (words_[2] != "any" && !read_number(words_[2], true, most_bytes, bytes))
      return "bytes " + word(2) + "; allowed: 1 or more, as 512, 32k or 1m, or any";
    r.sites = static_cast<int>(sites);
    r.bytes = bytes;
    return {};
  }

  [[nodiscard]] std::string read_arity(choice& c) const {
    if (words_[4] == "-") return {};
    std::size_t const colon = words_[4].find(':');
    std::size_t far = 0, near = 0;
    bool const good =
        read_number(words_[4].substr(0, colon), false, most_sites, far) &&
        (colon == std::string_view::npos || read_number(words_[4].substr(colon + 1), false, most_sites, near));
    if (!good) return "arity " + word(4) + "; allowed: 1 (a chain) or more, two as 2:8 (between nodes, within), or -";
    c.arity = static_cast<int>(far);
    c.near_arity = static_cast<int>(near == 0 ? far : near);
    return {};
  }

  [[nodiscard]] std::string read_piece(choice& c) const {
    constexpr std::size_t least = 1024;
    std::size_t piece = 0;
    if (words_[5] == "-") return {};
    if (!read_number(words_[5], true, most_bytes, piece) || piece < least)
      return "piece " + word(5) + "; allowed: 1k or more, or -";
    c.piece = piece;
    return {};
  }

  std::span<const std::string_view> words_;
};

/// What is said of an operation whose last rule leaves something out.
[[nodiscard]] inline std::string left_out(const table& rules) {
  for (std::size_t i = 0; i < std::size(operation_names); ++i) {
    const rule* last = nullptr;
    for (const rule& r : rules)
      if (static_cast<std::size_t>(r.of) == i && !is_only_somewhere(r.how.how)) last = &r;
    if (last != nullptr && (last->sites != 0 || last->bytes != 0))
      return std::string("the last rule of ") + operation_names[i] + " is not for any number of sites and any of bytes";
  }
  return {};
}

}  // namespace detail

/// Puts the rules of `first` before those of `t`, and takes out those of `t` that can't be reached any more.
inline void put_first(const table& first, table& t) {
  std::erase_if(t, [&](const rule& old) {
    return std::any_of(first.begin(), first.end(),
                       [&](const rule& r) { return r.of == old.of && !is_only_somewhere(r.how.how); });
  });
  t.insert(t.begin(), first.begin(), first.end());
}

/// Reads a table's text, and puts its rules before those of `t`. Gives an empty string; or what is wrong with the text,
/// with the line's number, and then `t` stays as it was.
[[nodiscard]] inline std::string parse_table(std::string_view text, table& t) {
  table read;
  for (int line = 1; !text.empty(); ++line) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    std::vector<std::string_view> const words = detail::words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty()) continue;
    rule r;
    std::string const wrong = detail::rule_reader(words).read(r);
    if (!wrong.empty()) return "line " + std::to_string(line) + ": " + wrong;
    read.push_back(r);
  }
  if (std::string wrong = detail::left_out(read); !wrong.empty()) return wrong;
  put_first(read, t);
  return {};
}

/// The text of a table, as parse_table reads it.
[[nodiscard]] inline std::string text_of(std::span<const rule> rules) {
  std::string text = "# operation  sites  bytes  method  arity  piece\n";
  auto const bound = [](std::size_t n) { return n == 0 ? std::string("any") : std::to_string(n); };
  for (const rule& r : rules)
    text += std::string(operation_names[static_cast<std::size_t>(r.of)]) + " " +
            bound(static_cast<std::size_t>(r.sites)) + " " + bound(r.bytes) + " " +
            method_names[static_cast<std::size_t>(r.how.how)] + " " + std::to_string(r.how.arity) + ":" +
            std::to_string(r.how.near_arity) + " " + std::to_string(r.how.piece) + "\n";
  return text;
}

}  // namespace amity::collectives::tuning
