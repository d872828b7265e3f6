/// A libnvrtc.so.13 for tests: g++ compiles kernels for the host, and the "machine code" is a shared library of them.

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "amity/accel/cuda/simulator/kernel.hpp"

extern char** environ;

namespace {

namespace simulated = amity::accel::cuda::simulator;
using simulated::kernel;

constexpr int success = 0, out_of_memory = 1, invalid_input = 3, invalid_option = 5, failed = 6;

constexpr char prelude[] =
#include AMITY_HOST_PRELUDE  // host_prelude.cpp as a string, made by the build
    ;
constexpr char epilogue[] =
#include AMITY_HOST_EPILOGUE  // the same of host_epilogue.cpp
    ;

std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

/// A kernel as it stands in the text.
struct kernel_text {
  std::size_t at;
  std::string name;
  std::string most_threads = "0";  ///< of __launch_bounds__
};

/// "void" and a name behind each "amity_simulated_kernel", perhaps with bounds.
std::vector<kernel_text> kernels_in(const std::string& text) {
  constexpr char mark[] = "amity_simulated_kernel", bounds[] = "amity_simulated_bounds(";
  std::vector<kernel_text> all;
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    kernel_text one{at, {}};
    std::size_t const body = text.find('{', at);
    if (std::size_t const n = text.find(bounds, at); n < body) {
      std::size_t const begin = n + strlen(bounds);
      one.most_threads = text.substr(begin, text.find(')', begin) - begin);
    }
    at = text.find("void", at);
    if (at == std::string::npos) break;
    std::size_t begin = text.find_first_not_of(" \t\n", at + 4);
    if (begin != std::string::npos && text.compare(begin, strlen(bounds), bounds) == 0)
      begin = text.find_first_not_of(" \t\n", text.find(')', begin) + 1);
    std::size_t const end = text.find_first_of("( \t\n", begin);
    if (begin == std::string::npos || end == std::string::npos) break;
    one.name = text.substr(begin, end - begin);
    all.push_back(std::move(one));
    at = end;
  }
  return all;
}

std::string section_of(std::size_t kernel) { return "amity_shared_" + std::to_string(kernel); }

/// Shared memory of a kernel's own lies in a section of the kernel's, so its size is known.
void place_shared_memory(std::string& text, const std::vector<kernel_text>& kernels) {
  constexpr char mark[] = "amity_simulated_shared", before[] = "extern ";
  std::string made;
  std::size_t from = 0, k = 0;
  for (std::size_t at; (at = text.find(mark, from)) != std::string::npos; from = at + strlen(mark)) {
    while (k < kernels.size() && kernels[k].at < at) ++k;
    made.append(text, from, at - from);
    if (made.ends_with(before)) continue;  // as many bytes as the launch has
    made += k == 0 ? "static" : "static __attribute__((section(\"" + section_of(k - 1) + "\"), used))";
  }
  text = made.append(text, from);
}

/// "amity_simulated_bounds(64)" goes.
void drop_bounds(std::string& text) {
  constexpr char mark[] = "amity_simulated_bounds(";
  for (std::size_t at; (at = text.find(mark)) != std::string::npos;) text.erase(at, text.find(')', at) + 1 - at);
}

/// A folder that goes with what is in it.
struct work_folder {
  std::string path = "/tmp/amity-simulated-XXXXXX";
  work_folder() { path = mkdtemp(path.data()) != nullptr ? path : std::string(); }
  ~work_folder() {
    for (const char* const name : {"in.cpp", "out.ii", "in.ii", "out.so", "log"}) unlink((path + "/" + name).c_str());
    rmdir(path.c_str());
  }
};

bool run(std::vector<std::string> words, const std::string& log) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  // g++ is no program of the test's: what the test preloads is not for it.
  std::vector<char*> environment;
  for (char** e = environ; *e != nullptr; ++e)
    if (strncmp(*e, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0 &&
        strncmp(*e, "LD_LIBRARY_PATH=", strlen("LD_LIBRARY_PATH=")) != 0)
      environment.push_back(*e);
  environment.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int status = posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  if (status != 0) {
    std::ofstream(log) << argv[0] << ": " << strerror(status) << '\n';
    return false;
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The version of the compiler that this library stands for: 12.4 in a folder "cuda-12.4"; 13.0 elsewhere.
int own_version() {
  static int const version = [] {
    Dl_info where;
    const char* const path =
        dladdr(reinterpret_cast<void*>(&own_version), &where) != 0 ? strstr(where.dli_fname, "/cuda-") : nullptr;
    int major = 13, minor = 0;
    if (path != nullptr) sscanf(path, "/cuda-%d.%d", &major, &minor);
    return major * 1000 + minor * 10;
  }();
  return version;
}

/// As the real ones of that version.
const std::vector<int>& own_architectures() {
  static const auto& all =
      *new std::vector<int>(own_version() < 12000   ? std::vector<int>{35, 50, 60, 70, 75, 80, 86}
                            : own_version() < 13000 ? std::vector<int>{50, 60, 70, 75, 80, 86, 89, 90}
                                                    : std::vector<int>{75, 80, 90, 100});
  return all;
}

/// What it was told to compile for: "sm_90" or "compute_90".
struct chosen_target {
  int architecture = 75;
  bool is_real = false;
  explicit chosen_target(const std::string& said) {
    is_real = said.starts_with("sm_");
    architecture = atoi(said.substr(said.find('_') + 1).c_str());
  }
  [[nodiscard]] bool is_known() const {
    const auto& all = own_architectures();
    return std::find(all.begin(), all.end(), architecture) != all.end();
  }
};

std::string digits_of(const std::string& bytes) {
  std::string text;
  for (unsigned char const c : bytes) {
    constexpr char digits[] = "0123456789abcdef";
    text += {digits[c >> 4], digits[c & 15]};
  }
  return text;
}

std::string ptx_of(const std::string& library, const std::string& code) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {};
  std::string ptx = "//\n// Written by a simulator for tests: what kernels take\n//\n.version 8.0\n";
  const auto all = reinterpret_cast<simulated::table>(dlsym(handle, "amity_kernels"))();
  for (const kernel* k = all; k->run != nullptr; ++k) {
    ptx += std::string("\n.visible .entry ") + k->name + "(\n";
    for (unsigned i = 0; i < k->parameters; ++i) {
      bool const is_struct = strcmp(k->types[i], "b8") == 0;
      std::string const name = std::string(k->name) + "_param_" + std::to_string(i);
      ptx += std::string("\t.param ") + (is_struct ? ".align 8 " : "") + "." + k->types[i] + " " + name +
             (is_struct ? "[" + std::to_string(k->sizes[i]) + "]" : "") + (i + 1 < k->parameters ? ",\n" : "\n");
    }
    ptx += ")\n{\n}\n";
  }
  dlclose(handle);
  if (!code.empty()) ptx += simulated::words_before_code + digits_of(code) + "\n";
  return ptx;
}

/// The function that tells the driver of them, and what each needs.
std::string table_of(const std::vector<kernel_text>& kernels, bool has_barriers) {
  std::string text = "extern \"C\" {\n", entries, needs;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::string const begin = "__start_" + section_of(i), end = "__stop_" + section_of(i);
    text += "extern const char " + begin + "[] __attribute__((weak, visibility(\"hidden\"))), " + end +
            "[] __attribute__((weak, visibility(\"hidden\")));\n";
    entries += "amity_entry<&" + kernels[i].name + ">((void*)&" + kernels[i].name + ", " +
               (has_barriers ? "true" : "false") + "),\n";
    needs += "{" + kernels[i].most_threads + ", " + begin + ", " + end + "},\n";
  }
  return text + "extern const amity_need " + simulated::name_of_needs + "[] = {\n" + needs +
         "{}};\nconst amity_kernel* amity_kernels() {\n  static amity_kernel all[] = {\n" + entries +
         "{}};\n  amity_name_kernels(all);\n  return all;\n}\n}\n";
}

}  // namespace

extern "C" {

struct compilation_record {
  std::string source, name, log, ptx, code;
};
using program = compilation_record*;

int nvrtcVersion(int* major, int* minor) {
  *major = own_version() / 1000;
  *minor = own_version() % 1000 / 10;
  return success;
}
const char* nvrtcGetErrorString(int code) {
  return code == success          ? "NVRTC_SUCCESS"
         : code == invalid_option ? "NVRTC_ERROR_INVALID_OPTION"
                                  : "NVRTC_ERROR_COMPILATION";
}
int nvrtcGetNumSupportedArchs(int* n) {
  *n = static_cast<int>(own_architectures().size());
  return success;
}
int nvrtcGetSupportedArchs(int* all) {
  std::copy(own_architectures().begin(), own_architectures().end(), all);
  return success;
}
int nvrtcCreateProgram(program* made, const char* source, const char* name, int, const char* const*,
                       const char* const*) {
  if (source == nullptr) return invalid_input;
  *made = new (std::nothrow) compilation_record{source, name != nullptr ? name : "default_program", {}, {}, {}};
  return *made != nullptr ? success : out_of_memory;
}
int nvrtcDestroyProgram(program* p) {
  delete *p;
  *p = nullptr;
  return success;
}

int nvrtcCompileProgram(program p, int n, const char* const* options) {
  std::vector<std::string> common{"g++", "-std=c++17", "-O1", "-w", "-fPIC"};
  chosen_target made_for("compute_" + std::to_string(own_architectures().front()));
  for (int i = 0; i < n; ++i) {
    std::string const o = options[i];
    const auto is = [&](const char* begin) { return o.starts_with(begin); };
    if (is("--define-macro=")) {
      common.push_back("-D" + o.substr(15));
    } else if (is("--include-path=")) {
      common.push_back("-I" + o.substr(15));
    } else if (is("-I") || is("-D")) {
      common.push_back(o);
    } else if (is("--gpu-architecture=")) {
      made_for = chosen_target(o.substr(o.find('=') + 1));
      if (made_for.is_known()) continue;
      p->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
      return invalid_option;
    } else if (!is("--device-as-default") && !is("--std=") && !is("--fmad=")) {
      p->log = "nvrtc: error: unrecognized option " + o + " found\n";
      return invalid_option;
    }
  }
  work_folder const folder;
  if (folder.path.empty()) return failed;
  const auto in_folder = [&](const char* name) { return folder.path + "/" + name; };
  std::string source = p->source;
  std::ofstream(in_folder("in.cpp")) << prelude << "\n# 1 \"" << p->name << "\"\n" << source << '\n';
  auto words = common;
  words.insert(words.end(), {"-E", "-o", in_folder("out.ii"), in_folder("in.cpp")});
  bool is_good = run(words, in_folder("log"));
  p->log = contents_of(in_folder("log"));
  if (!is_good) return failed;
  std::string text = contents_of(in_folder("out.ii"));
  std::vector<kernel_text> const kernels = kernels_in(text);
  bool const has_barriers = text.find("__syncthreads", text.find('"' + p->name + '"')) != std::string::npos;
  place_shared_memory(text, kernels);
  drop_bounds(text);
  replace(text, "amity_simulated_kernel", "__attribute__((noinline))");
  text += epilogue + table_of(kernels, has_barriers) + "extern \"C\" { extern const amity_made_for " +
          simulated::name_of_target + "{" + std::to_string(made_for.architecture) + ", " +
          std::to_string(own_version()) + "}; }\n";
  std::ofstream(in_folder("in.ii")) << text;
  words = common;
  words.insert(words.end(), {"-fpreprocessed", "-shared", "-o", in_folder("out.so"), in_folder("in.ii")});
  is_good = run(words, in_folder("log"));
  p->log += contents_of(in_folder("log"));
  if (!is_good) return failed;
  std::string code = contents_of(in_folder("out.so"));
  p->ptx = ptx_of(in_folder("out.so"), made_for.is_real ? "" : code);
  if (made_for.is_real) p->code = std::move(code);
  return success;
}

#define AMITY_SIMULATED_TEXT(what, member)                 \
  int nvrtcGet##what##Size(program p, std::size_t* n) {    \
    *n = p->member.size() + ((#member)[0] == 'c' ? 0 : 1); \
    return success;                                        \
  }                                                        \
  int nvrtcGet##what(program p, char* to) {                \
    memcpy(to, p->member.data(), p->member.size());        \
    if ((#member)[0] != 'c') to[p->member.size()] = '\0';  \
    return success;                                        \
  }
AMITY_SIMULATED_TEXT(ProgramLog, log)
AMITY_SIMULATED_TEXT(PTX, ptx)
AMITY_SIMULATED_TEXT(CUBIN, code)

}  // extern "C"
