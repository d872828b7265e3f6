#include "amity/launch/plugin.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>

#include "amity/launch/wire_up.hpp"
#include "amity/sys/plugin_words.hpp"

namespace amity::launching {
namespace {

/// By plugins_are_in.
std::string& said_folder() {
  static auto* const folder = new std::string;
  return *folder;
}

/// The folder that this library lies in, with a '/' at its end.
std::string own_folder() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&open_plugin), &here) == 0 || here.dli_fname == nullptr) return {};
  char real[PATH_MAX];
  if (realpath(here.dli_fname, real) == nullptr) return {};
  *(strrchr(real, '/') + 1) = '\0';
  return real;
}

/// Until the next call.
const char* keep(const std::string& text) {
  static auto* const kept = new std::string;
  *kept = text;
  return kept->c_str();
}

}  // namespace

void plugins_are_in(const std::string& folder) { said_folder() = folder + "/"; }

const void* open_plugin(const char* name, const char* symbol, const char** why) noexcept {
  std::string const path = (said_folder().empty() ? own_folder() + "amity/" : said_folder()) + name;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    *why = keep(std::string(name) + ": " + sys::why_no_plugin(path, dlerror()));
    return nullptr;
  }
  const void* const found = dlsym(library, symbol);
  if (found == nullptr) *why = keep(path + " is of another version of Amity");
  return found;
}

const wire_up* find_wire_up(wiring by, const char** why) noexcept {
  if (by == wiring::pmi1) return &pmi1_wire_up;
  return static_cast<const wire_up*>(open_plugin("libamity_pmix.so", "amity_wire_up", why));
}

}  // namespace amity::launching
