#pragma once

/// A place in the program's source, in the form that compilers print: "file:line:column".
///
///     base::warn("%s: no such team", source_place(where).text);

#include <stdio.h>
#include <string.h>

#include "amity/omp/kmp/kmp.hpp"

namespace amity::omp::kmp {

struct source_place {
  /// "unknown" where the compiler left none. What is not of the compilers' form is shown as it is.
  explicit source_place(const ident* where) noexcept {
    const char* const given = where != nullptr && where->source != nullptr ? where->source : ";unknown";
    const char* const file = *given == ';' ? given + 1 : given;
    const char* const function = strchr(file, ';');
    const char* const line = function == nullptr ? nullptr : strchr(function + 1, ';');
    const char* const column = line == nullptr ? nullptr : strchr(line + 1, ';');
    if (column == nullptr) {
      snprintf(text, sizeof text, "%s", file);
      return;
    }
    snprintf(text, sizeof text, "%.*s:%.*s:%.*s", static_cast<int>(function - file), file,
             static_cast<int>(column - line - 1), line + 1, static_cast<int>(strcspn(column + 1, ";")), column + 1);
  }
  char text[512];
};

}  // namespace amity::omp::kmp
