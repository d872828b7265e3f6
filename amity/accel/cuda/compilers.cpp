#include "amity/accel/cuda/compilers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "amity/accel/cuda/toolkits.hpp"

namespace amity::accel::cuda {
namespace {

std::string version_words(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// "7.5" of 75.
std::string architecture_words(int architecture) {
  return std::to_string(architecture / 10) + "." + std::to_string(architecture % 10);
}

/// "": all is there.
std::string find_functions(void* library, compiler_functions& to) {
#define AMITY_NVRTC_FIND(member, symbol, required, ...)                                   \
  to.member = reinterpret_cast<std::add_pointer_t<__VA_ARGS__>>(dlsym(library, #symbol)); \
  if (to.member == nullptr && (required)) return "it has no " #symbol;
  AMITY_NVRTC_FUNCTIONS(AMITY_NVRTC_FIND)
#undef AMITY_NVRTC_FIND
  result const code = to.version(&to.major_version, &to.minor_version);
  return code == 0 ? std::string() : std::string("it does not tell its version: ") + to.error_text(code);
}

std::vector<int> architectures_of(const compiler_functions& c) {
  int n = 0;
  std::vector<int> known;
  if (c.architecture_count(&n) != 0 || n <= 0) return known;
  known.resize(static_cast<std::size_t>(n));
  if (c.architectures(known.data()) != 0) known.clear();
  std::sort(known.begin(), known.end());
  return known;
}

/// The compiler looks for its built-in functions by a bare name at its first use, and finds them only where the loader
/// does, or if they are there already.
void open_builtins(const std::string& folder, const compiler_functions& c) {
  std::string const version = std::to_string(c.major_version) + "." + std::to_string(c.minor_version);
  for (const std::string& name : names_in(folder, "libnvrtc-builtins.so." + version))
    dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

struct all_compilers {
  std::vector<void*> libraries;
  std::vector<std::unique_ptr<compiler>> compilers;
  std::string words;  ///< what was found where

  void look() {
    for (const toolkit_place& place : toolkit_places()) {
      std::string found;
      for (const std::string& name : place.libraries) {
        std::string const one = add(name, place.is_said);
        if (!one.empty()) found += (found.empty() ? "" : ", ") + one;
      }
      words += (words.empty() ? "" : "; ") + place.words + ": " + (found.empty() ? "none" : found);
    }
  }

  /// What is to be told of it; "": it is not there.
  std::string add(const std::string& name, bool is_said) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return name.front() == '/' ? std::string(dlerror()) : std::string();
    if (std::find(libraries.begin(), libraries.end(), library) != libraries.end()) {
      for (const auto& c : compilers) c->is_said = c->is_said || (is_said && c->library == library);
      return name + " once more";
    }
    libraries.push_back(library);
    auto made = std::make_unique<compiler>();
    if (std::string const wrong = find_functions(library, *made); !wrong.empty()) return name + ": " + wrong;
    made->is_said = is_said;
    made->library = library;
    made->is_simulated = dlsym(library, "nvrtcAddNameExpression") == nullptr;
    made->architectures = architectures_of(*made);
    Dl_info where;
    if (dladdr(reinterpret_cast<void*>(made->compile), &where) != 0 && where.dli_fname != nullptr)
      made->path = where.dli_fname;
    std::string const folder = made->path.substr(0, std::min(made->path.rfind('/'), made->path.size()));
    open_builtins(folder, *made);
    made->headers = folder_of_headers(folder, made->major_version, made->minor_version);
    std::string text = made->path + " of version " + version_words(made->version());
    if (!made->architectures.empty())
      text += ", for " + architecture_words(made->architectures.front()) + " to " +
              architecture_words(made->architectures.back());
    compilers.push_back(std::move(made));
    return text;
  }
};

/// Opened once, and never closed: tasks may build programs while the process ends.
const all_compilers& all() {
  static const auto* const found = [] {
    auto* const made = new all_compilers;
    made->look();
    return made;
  }();
  return *found;
}

struct ranked {
  compiler_choice choice;
  int rank;
};

/// Rank 0: of no use.
int rank_of(const compiler& c, bool is_code, int driver_version) noexcept {
  constexpr int last_resort = 1, text = 2, code = 3;
  if (!is_code) return c.version() <= driver_version ? text : 0;
  return c.major_version <= driver_version / 1000 ? code : last_resort;
}

/// The newest that is not newer than the device. 0: all are.
int newest_for(const compiler& c, int wanted) noexcept {
  int best = 0;
  for (int const one : c.architectures)
    if (one <= wanted) best = std::max(best, one);
  return best;
}

}  // namespace

std::vector<compiler_choice> choices(const std::vector<const compiler*>& all, std::pair<int, int> capability,
                                     int driver_version) {
  std::vector<ranked> fitting;
  for (const compiler* const c : all) {
    int const best = newest_for(*c, capability.first * 10 + capability.second);
    const auto add = [&](const char* kind, bool is_code) {
      if (int const rank = rank_of(*c, is_code, driver_version); rank != 0)
        fitting.push_back({{c, kind + std::to_string(best)}, rank});
    };
    if (best == 0) continue;
    if (best / 10 == capability.first) add("sm_", true);  // devices run no machine code of another generation
    add("compute_", false);
  }
  const auto is_better = [](const ranked& a, const ranked& b) {
    bool const a_wins = a.choice.by->is_said && a.rank > 1, b_wins = b.choice.by->is_said && b.rank > 1;
    if (a_wins != b_wins) return a_wins;
    if (a.rank != b.rank) return a.rank > b.rank;
    return a.choice.by->version() > b.choice.by->version();
  };
  std::stable_sort(fitting.begin(), fitting.end(), is_better);
  std::vector<compiler_choice> made;
  for (ranked& one : fitting) made.push_back(std::move(one.choice));
  return made;
}

std::vector<compiler_choice> compilers_for(std::pair<int, int> capability, int driver_version, std::string& why) {
  std::vector<const compiler*> there;
  // NVIDIA's own asks the driver for a table, and reads it without a look whether it has got one.
  for (const auto& c : all().compilers)
    if (c->is_simulated || !is_driver_simulated()) there.push_back(c.get());
  std::vector<compiler_choice> fitting = choices(there, capability, driver_version);
  if (!fitting.empty()) return fitting;
  constexpr std::pair oldest_of_13{7, 5}, oldest_of_12{5, 0};
  int const newest = std::min(driver_version / 1000, capability < oldest_of_12   ? 11
                                                     : capability < oldest_of_13 ? 12
                                                                                 : driver_version / 1000);
  std::string const major = std::to_string(newest);
  why = "there is none of CUDA's run-time compilers (NVRTC) that compiles for compute capability " +
        std::to_string(capability.first) + "." + std::to_string(capability.second) +
        " and whose code a driver for CUDA " + version_words(driver_version) + " takes. Looked at " + all().words +
        ". CUDA " + major + " has one that fits, and so has PyPI's nvidia-cuda-nvrtc" +
        (newest <= 12 ? "-cu" + major : "==" + major + ".*") +
        "; CUDA_HOME (the toolkit's folder, or the wheels' folder 'nvidia') says where it is";
  return fitting;
}

}  // namespace amity::accel::cuda
