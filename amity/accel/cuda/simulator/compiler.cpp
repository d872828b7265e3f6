/// A libnvrtc.so.13 for tests: g++ compiles kernels for the host, and the "machine code" is a shared library of them.

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "amity/accel/cuda/simulator/kernel.hpp"

extern char** environ;

namespace {

using amity::accel::cuda::simulator::kernel;

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

/// The names behind "amity_simulated_kernel void".
std::vector<std::string> kernels_in(const std::string& text) {
  constexpr char mark[] = "amity_simulated_kernel";
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    at = text.find("void", at);
    if (at == std::string::npos) break;
    std::size_t const begin = text.find_first_not_of(" \t\n", at + 4);
    std::size_t const end = text.find_first_of("( \t\n", begin);
    if (begin == std::string::npos || end == std::string::npos) break;
    names.push_back(text.substr(begin, end - begin));
    at = end;
  }
  return names;
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

std::string ptx_of(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {};
  std::string ptx = "//\n// Written by a simulator for tests: what kernels take, and no code\n//\n.version 8.0\n";
  const auto all = reinterpret_cast<amity::accel::cuda::simulator::table>(dlsym(handle, "amity_kernels"))();
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
  return ptx;
}

}  // namespace

extern "C" {

struct compilation_record {
  std::string source, name, log, ptx, code;
};
using program = compilation_record*;

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return success;
}
const char* nvrtcGetErrorString(int code) {
  return code == success          ? "NVRTC_SUCCESS"
         : code == invalid_option ? "NVRTC_ERROR_INVALID_OPTION"
                                  : "NVRTC_ERROR_COMPILATION";
}
int nvrtcGetNumSupportedArchs(int* n) {
  *n = 4;
  return success;
}
int nvrtcGetSupportedArchs(int* all) {
  constexpr int known[] = {75, 80, 90, 100};
  memcpy(all, known, sizeof known);
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
  for (int i = 0; i < n; ++i) {
    std::string const o = options[i];
    const auto is = [&](const char* begin) { return o.starts_with(begin); };
    if (is("--define-macro=")) {
      common.push_back("-D" + o.substr(15));
    } else if (is("--include-path=")) {
      common.push_back("-I" + o.substr(15));
    } else if (is("-I") || is("-D")) {
      common.push_back(o);
    } else if (!is("--gpu-architecture=") && !is("--device-as-default") && !is("--std=") && !is("--fmad=")) {
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
  std::vector<std::string> const kernels = kernels_in(text);
  bool const has_barriers = text.find("__syncthreads", text.find('"' + p->name + '"')) != std::string::npos;
  replace(text, "extern amity_simulated_shared", "extern");
  replace(text, "amity_simulated_shared", "static");
  replace(text, "amity_simulated_kernel", "__attribute__((noinline))");
  text += epilogue;
  text += "extern \"C\" const amity_kernel* amity_kernels() {\n  static amity_kernel all[] = {\n";
  for (const std::string& k : kernels)
    text += "{nullptr, amity_call<&" + k + ">::run, amity_call<&" + k + ">::entry(false).parameters, amity_call<&" + k +
            ">::sizes, amity_call<&" + k + ">::types, " + (has_barriers ? "true" : "false") + ", (void*)&" + k + "},\n";
  text += "{}};\n  amity_name_kernels(all);\n  return all;\n}\n";
  std::ofstream(in_folder("in.ii")) << text;
  words = common;
  words.insert(words.end(), {"-fpreprocessed", "-shared", "-o", in_folder("out.so"), in_folder("in.ii")});
  is_good = run(words, in_folder("log"));
  p->log += contents_of(in_folder("log"));
  if (!is_good) return failed;
  p->code = contents_of(in_folder("out.so"));
  p->ptx = ptx_of(in_folder("out.so"));
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
