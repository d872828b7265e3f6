#include "amity/accel/cuda/compile.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <memory>

#include "amity/accel/cuda/signatures.hpp"
#include "amity/accel/dialect.hpp"

namespace amity::accel::cuda {
namespace {

bool is_folder(const std::string& path) noexcept {
  struct stat is {};
  return stat(path.c_str(), &is) == 0 && S_ISDIR(is.st_mode);
}

/// Where CUDA's own headers are, such as cuda_fp16.h: beside the compiler. "": they are not there.
std::string folder_of_headers() {
  for (const char* const beside : {"/../include", "/../../include"})
    if (std::string path = compiler_folder() + beside; is_folder(path)) return path;
  return is_folder("/usr/local/cuda/include") ? "/usr/local/cuda/include" : std::string();
}

template <class Size, class Get>
std::string text_of(compilation program, Size size_of, Get get) {
  std::size_t n = 0;
  if (size_of(program, &n) != 0 || n == 0) return {};
  std::string text(n, '\0');
  return get(program, text.data()) == 0 ? text : std::string();
}

}  // namespace

std::string architecture_for(const compiler_functions& c, std::pair<int, int> capability) {
  int n = 0;
  std::vector<int> known;
  if (c.architecture_count(&n) == 0 && n > 0) {
    known.resize(static_cast<std::size_t>(n));
    if (c.architectures(known.data()) != 0) known.clear();
  }
  int const wanted = capability.first * 10 + capability.second;
  int best = 0;
  for (int const one : known)
    if (one <= wanted) best = std::max(best, one);
  bool const same_generation = best / 10 == capability.first;
  return (same_generation ? "sm_" : "compute_") + std::to_string(best != 0 ? best : wanted);
}

std::vector<std::string> options_of(const detail::program_text& text, const std::string& architecture) {
  std::vector<std::string> options{"--gpu-architecture=" + architecture, "--device-as-default-execution-space"};
  bool const chooses_standard = std::any_of(text.options.begin(), text.options.end(),
                                            [](const std::string& o) { return o.find("-std=") != std::string::npos; });
  if (!chooses_standard) options.emplace_back("--std=c++17");
  for (const auto& [name, value] : text.defines)
    options.push_back("--define-macro=" + name + (value.empty() ? "" : "=" + value));
  for (const std::string& folder : text.includes) options.push_back("--include-path=" + folder);
  if (text.source.find("half") != std::string::npos) options.emplace_back("--define-macro=AMITY_INCLUDE_FP16");
  if (std::string const headers = folder_of_headers(); !headers.empty()) options.push_back("--include-path=" + headers);
  options.insert(options.end(), text.options.begin(), text.options.end());
  return options;
}

compiled_program compile(const compiler_functions& c, const detail::program_text& text,
                         const std::vector<std::string>& options, const std::string& whose) {
  std::string const source = cuda_prelude() + text.source;
  compilation made = nullptr;
  result code = c.create(&made, source.c_str(), text.name.c_str(), 0, nullptr, nullptr);
  if (code != 0) throw build_error(whose + " can't be built: " + c.error_text(code), c.error_text(code), code);
  const auto destroy = [&](compilation* p) { c.destroy(p); };
  std::unique_ptr<compilation, decltype(destroy)> const at_end(&made, destroy);
  std::vector<const char*> words;
  std::string all_options;
  for (const std::string& o : options) {
    words.push_back(o.c_str());
    all_options += (all_options.empty() ? "" : " ") + o;
  }
  code = c.compile(made, static_cast<int>(words.size()), words.data());
  if (code != 0) {
    std::string log = text_of(made, c.log_size, c.log);
    log.resize(std::min(log.size(), log.find('\0')));
    throw build_error(whose + " with options '" + all_options + "' can't be built: " + c.error_text(code) + "\n" + log,
                      log, code);
  }
  std::string const ptx = text_of(made, c.ptx_size, c.ptx);
  std::string const machine_code = text_of(made, c.cubin_size, c.cubin);
  const std::string& best = machine_code.empty() ? ptx : machine_code;
  const auto* const bytes = reinterpret_cast<const std::byte*>(best.data());
  return {{bytes, bytes + best.size()}, signatures_of(ptx)};
}

}  // namespace amity::accel::cuda
