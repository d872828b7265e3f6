#include "amity/coll/rules.hpp"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <string>
#include <utility>

#include "amity/base/report.hpp"
#include "amity/coll/choice_text.hpp"
#include "amity/coll/communicator.hpp"

namespace amity::collectives::tuning {
namespace {

table built_in() { return {default_table().begin(), default_table().end()}; }

std::uint64_t mark_of(const table& rules) {
  std::uint64_t const mark = collectives::detail::hash_of(text_of(rules), rules.size());
  return mark != 0 ? mark : 1;
}

/// Null, or what the system says against it.
const char* read_file(const char* path, std::string& text) {
  constexpr std::size_t most = 1 << 20;
  FILE* const f = fopen(path, "re");
  if (f == nullptr) return strerror(errno);
  char part[4096];
  for (std::size_t n = 1; n != 0 && text.size() <= most; text.append(part, n)) n = fread(part, 1, sizeof part, f);
  bool const failed = ferror(f) != 0;
  fclose(f);
  if (failed) return "it can't be read";
  return text.size() > most ? "it is larger than 1 MiB" : nullptr;
}

/// The file that the environment names. What is wrong there is told, and the built-in table is used: where other
/// processes use theirs, the first operation says so.
const rules_in_use* from_environment() {
  const char* const path = getenv("AMITY_COLLECTIVES");
  table rules = built_in();
  if (path == nullptr || *path == '\0') return new rules_in_use(std::move(rules), 0);
  std::string text;
  const char* const refused = read_file(path, text);
  std::string const wrong = refused != nullptr ? refused : parse_table(text, rules);
  if (!wrong.empty())
    base::warn("AMITY_COLLECTIVES='%s': %s; the built-in table of collective operations is used",
               base::quoted(path).text, wrong.c_str());
  std::uint64_t const mark = wrong.empty() ? mark_of(rules) : 0;
  return new rules_in_use(std::move(rules), mark);
}

/// Tables last: an operation may be using one.
std::atomic<const rules_in_use*>& in_use() noexcept {
  static std::atomic<const rules_in_use*> one{from_environment()};
  return one;
}

}  // namespace

rules_in_use::rules_in_use(table all, std::uint64_t its_mark) : rules(std::move(all)), mark(its_mark) {
  for (const rule& r : rules) by_operation_[static_cast<std::size_t>(r.of)].push_back(r);
}

const rules_in_use& rules_here() noexcept {
  return *in_use().load(std::memory_order_acquire);  // pairs with use_rules
}

void use_rules(const table& rules) {
  table all = built_in();
  put_first(rules, all);
  std::uint64_t const mark = mark_of(all);
  in_use().store(new rules_in_use(std::move(all), mark), std::memory_order_release);  // pairs with rules_here
}

}  // namespace amity::collectives::tuning
