#include "amity/cli/contenders.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "amity/base/report.hpp"
#include "amity/cli/own_folder.hpp"
#include "amity/cli/program.hpp"
#include "amity/cli/system_libraries.hpp"

namespace amity::cli {
namespace {

namespace fs = std::filesystem;
using base::warn;

struct programs {
  std::string gcc;
  std::string clang;
};

std::string existing(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? path.string() : std::string();
}

// What the loader gives the program for an OpenMP runtime; empty when it finds none.
std::string runtime_of(const contender& one) {
  const elf_file file(one.program);
  for (const loaded_library& library : list_libraries(file.interpreter(), one.program, environment_of(one)))
    if (is_openmp_runtime(library.name)) return library.path;
  return {};
}

void add(std::vector<contender>& all, contender one) {
  one.runtime = runtime_of(one);
  if (one.runtime.empty())
    warn("bench: %s: the loader finds no OpenMP runtime for %s; left out", one.label.c_str(), one.program.c_str());
  else
    all.push_back(one);
}

// libomp is often installed where only its own compiler looks: then its folder has to be named.
std::string libomp_folder() {
  const auto found = find_system_library("libomp.so.5");
  return found && !found->in_path ? fs::path(found->path).parent_path().string() : std::string();
}

void add_folder(std::vector<contender>& all, const std::string& rival, const programs& of, std::string& error) {
  const std::size_t equals = rival.find('=');
  if (equals == std::string::npos || equals == 0) {
    error = "--rivals: '" + rival +
            "' is not known; allowed: libgomp, libomp, or NAME=FOLDER with a libgomp.so.1 or a libomp.so in it";
    return;
  }
  const std::string name = rival.substr(0, equals);
  const fs::path folder = rival.substr(equals + 1);
  const bool gcc = !existing(folder / "libgomp.so.1").empty() && !of.gcc.empty();
  const bool clang =
      (!existing(folder / "libomp.so.5").empty() || !existing(folder / "libomp.so").empty()) && !of.clang.empty();
  if (gcc) add(all, {name + (clang ? "(gcc)" : ""), of.gcc, folder.string(), "", false});
  if (clang) add(all, {name + (gcc ? "(clang)" : ""), of.clang, folder.string(), "", false});
  if (!gcc && !clang) error = "--rivals: '" + rival + "': neither libgomp.so.1 nor libomp.so is in that folder";
}

bool is_rival(const suite& of, const std::string& name) {
  return !name.starts_with("amity") && std::find(of.idioms.begin(), of.idioms.end(), name) != of.idioms.end();
}

/// A program for each contender. They find their libraries by themselves.
void add_idioms(std::vector<contender>& all, const suite& of, const bench_options& options) {
  for (const std::string& idiom : of.idioms) {
    const bool own = idiom.starts_with("amity");
    if (!own && std::find(options.rivals.begin(), options.rivals.end(), idiom) == options.rivals.end()) continue;
    const std::string program = find_bench_file(options.programs, of.program(idiom.c_str()));
    if (program.empty())
      warn("bench: there is no %s: %s is left out", of.program(idiom.c_str()).c_str(), idiom.c_str());
    else
      all.push_back({idiom, program, "", program, own, idiom == "serial"});
  }
}

// The folder of a build, and not of an installation.
bool is_build(const fs::path& folder) { return !existing(folder / "CMakeCache.txt").empty(); }

}  // namespace

std::string lack_of_programs(const suite& of, const bench_options& options) {
  const auto is_there = [&](const char* one) { return !find_bench_file(options.programs, of.program(one)).empty(); };
  if (of.openmp && (is_there("gcc") || is_there("clang"))) return {};
  for (const std::string& idiom : of.idioms)
    if (is_there(idiom.c_str())) return {};
  const std::string lack = "the programs that it measures are not here";
  if (!options.programs.empty()) return lack + ": there are none in " + options.programs + ", which --programs names";
  const fs::path root = own_program().parent_path().parent_path();
  const std::string build = "cmake --build " + (is_build(root) ? root.string() : "BUILD") + " --target bench/all";
  if (is_build(root))
    return lack + ": this build was made without them. '" + build +
           "' makes them (with AMITY_BENCHES=ON, as by default)";
  return lack + ": in the folder in which Amity was built, '" + build +
         "' makes them, and then 'cmake --install BUILD --prefix " + root.string() +
         " --component bench' installs them. --programs names another folder";
}

std::string wrong_rival(const suite& of, const std::string& name) {
  std::string known;
  for (const std::string& idiom : of.idioms)
    if (is_rival(of, idiom)) known += (known.empty() ? "" : ", ") + idiom;
  return is_rival(of, name) ? std::string() : "--rivals: '" + name + "' is not known; allowed: " + known;
}

std::map<std::string, std::string> environment_of(const contender& one) {
  std::map<std::string, std::string> environment = {{"LD_LIBRARY_PATH", one.folder}, {"LD_PRELOAD", ""}};
  environment.insert(one.environment.begin(), one.environment.end());
  return environment;
}

std::string find_bench_file(const std::string& given, const std::string& name) {
  if (!given.empty()) return existing(fs::path(given) / name);
  const fs::path root = own_program().parent_path().parent_path();
  for (const char* folder : {"bench", "libexec/amity", "lib/amity/bench"}) {
    const std::string found = existing(root / folder / name);
    if (!found.empty()) return found;
  }
  return {};
}

namespace {

/// The pair of programs, on the runtimes of `rivals` and on Amity.
void add_openmp(std::vector<contender>& all, const suite& of_suite, const std::vector<std::string>& rivals,
                const programs& of, std::string& error) {
  for (const std::string& rival : rivals) {
    if (rival == "libgomp") {
      if (of.gcc.empty())
        warn("bench: there is no %s: libgomp is left out", of_suite.program("gcc").c_str());
      else
        add(all, {rival, of.gcc, "", "", false});
    } else if (rival == "libomp") {
      if (of.clang.empty())
        warn("bench: there is no %s: libomp is left out", of_suite.program("clang").c_str());
      else
        add(all, {rival, of.clang, libomp_folder(), "", false});
    } else {
      add_folder(all, rival, of, error);
    }
  }
  std::string looked_in;
  const auto own = find_own_libraries(looked_in);
  if (!own) {
    warn("bench: Amity's own library is missing (looked in %s): only the rivals are measured", looked_in.c_str());
    return;
  }
  if (!of.gcc.empty()) add(all, {"amity(gcc)", of.gcc, own->folder.string(), "", true});
  if (!of.clang.empty()) add(all, {"amity(clang)", of.clang, own->folder.string(), "", true});
}

}  // namespace

std::vector<contender> find_contenders(const suite& of, const bench_options& options, std::string& error) {
  std::vector<contender> all;
  error = lack_of_programs(of, options);
  if (!error.empty()) return all;
  add_idioms(all, of, options);
  std::vector<std::string> others;
  for (const std::string& rival : options.rivals)
    if (!is_rival(of, rival)) others.push_back(rival);
  if (!of.openmp) {
    if (!others.empty()) error = wrong_rival(of, others.front());
    return all;
  }
  const programs pair = {find_bench_file(options.programs, of.program("gcc")),
                         find_bench_file(options.programs, of.program("clang"))};
  if (!pair.gcc.empty() || !pair.clang.empty()) add_openmp(all, of, others, pair, error);
  return all;
}

}  // namespace amity::cli
