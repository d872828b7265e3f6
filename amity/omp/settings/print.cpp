// Settings for people: `amity info`, OMP_DISPLAY_ENV, omp_display_env().
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "amity/omp/settings/internal/state.hpp"
#include "amity/omp/settings/settings.hpp"
#include "amity/omp/settings/show.hpp"
#include "amity/omp/settings/table.hpp"
#include "amity/sched/loop/pool.hpp"

namespace amity::omp {
namespace {

const char* name_of(setting_source source) noexcept {
  switch (source) {
    case setting_source::default_:
      return "default";
    case setting_source::environment:
      return "environment";
    case setting_source::refused:
      return "default; the environment's value is not allowed";
    case setting_source::overridden:
      return "given, but overridden by";
    case setting_source::ineffective:
      return "given, and without effect";
  }
  return "?";
}

struct settings_printer {
  FILE* out;
  bool verbose;
  int name_width = 0, value_width = 0;
  int left_out = 0;

  [[nodiscard]] bool shows(const setting_view& row) const noexcept {
    return verbose || row.works || row.source != setting_source::default_;
  }
  // Where there is nothing to be seen, the column still is.
  [[nodiscard]] static const char* value_of(const setting_view& row) noexcept {
    return row.value[0] != '\0' ? row.value : "-";
  }

  void measure(const setting_view& row) noexcept {
    constexpr int widest = 40;  // a list of places must not push everything aside
    int const name = static_cast<int>(strlen(row.name)), value = static_cast<int>(strlen(value_of(row)));
    if (!shows(row))
      ++left_out;
    else {
      if (name > name_width) name_width = name;
      if (value > value_width && value <= widest) value_width = value;
    }
  }

  void print(const setting_view& row) const noexcept {
    if (!shows(row)) return;
    fprintf(out, "  %-*s  %-*s  %s%s%s\n", name_width, row.name, value_width, value_of(row), name_of(row.source),
            row.why != nullptr ? " " : "", row.why != nullptr ? row.why : "");
    if (!verbose) return;
    fprintf(out, "      %s\n", row.meaning);
    if (row.allowed[0] != '\0')
      fprintf(out, "      default: %s; allowed: %s\n", row.default_value[0] != '\0' ? row.default_value : "-",
              row.allowed);
  }
};

// With a number where a list is empty because the default is not a constant.
void value_for_display(const setting_row& row, const settings& s, char* into, std::size_t size) noexcept {
  row.show(s, into, size);
  if (into[0] == '\0' && strcmp(row.name, "OMP_NUM_THREADS") == 0) show::print(into, size, "%d", sched::concurrency());
}

bool is_in_standard_display(const setting_row& row) noexcept { return strncmp(row.name, "OMP_", 4) == 0; }

}  // namespace

void visit_settings(void (*visit)(const setting_view&, void*), void* context) noexcept {
  const settings_state& state = current_settings();
  static const settings defaults;
  std::size_t index = 0;
  for (const setting_row& row : table()) {
    char value[settings::text_size], by_default[settings::text_size];
    row.show(state.values, value, sizeof value);
    row.show(defaults, by_default, sizeof by_default);
    visit({row.name, row.meaning, row.allowed, by_default, value, state.source[index], state.why[index],
           row.parse != nullptr && !row.idle},
          context);
    ++index;
  }
}

void print_settings(FILE* out, bool verbose) noexcept {
  settings_printer printer{out, verbose};
  visit_settings([](const setting_view& row, void* p) { static_cast<settings_printer*>(p)->measure(row); }, &printer);
  visit_settings([](const setting_view& row, void* p) { static_cast<settings_printer*>(p)->print(row); }, &printer);
  if (printer.left_out != 0)
    fprintf(out, "  and %d that are known and have no effect here: amity info -v\n", printer.left_out);
}

void display_environment(FILE* out, bool verbose) noexcept {
  const settings& s = environment();
  fprintf(out, "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n");
  for (const setting_row& row : table()) {
    if (row.parse == nullptr || row.idle || (!verbose && !is_in_standard_display(row))) continue;
    char value[settings::text_size];
    value_for_display(row, s, value, sizeof value);
    fprintf(out, "  %s = '%s'\n", row.name, value);
  }
  fprintf(out, "OPENMP DISPLAY ENVIRONMENT END\n");
}

}  // namespace amity::omp
