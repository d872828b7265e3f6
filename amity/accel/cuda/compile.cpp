#include "amity/accel/cuda/compile.hpp"

#include <algorithm>
#include <memory>

#include "amity/accel/cuda/signatures.hpp"
#include "amity/accel/dialect.hpp"

namespace amity::accel::cuda {
namespace {

template <class Size, class Get>
std::string text_of(compilation program, Size size_of, Get get) {
  std::size_t n = 0;
  if (size_of(program, &n) != 0 || n == 0) return {};
  std::string text(n, '\0');
  return get(program, text.data()) == 0 ? text : std::string();
}

}  // namespace

std::vector<std::string> options_of(const detail::program_text& text, const compiler_choice& c) {
  std::vector<std::string> options{"--gpu-architecture=" + c.architecture, "--device-as-default-execution-space"};
  bool const chooses_standard = std::any_of(text.options.begin(), text.options.end(),
                                            [](const std::string& o) { return o.find("-std=") != std::string::npos; });
  if (!chooses_standard) options.emplace_back("--std=c++17");
  for (const std::string& folder : text.includes) options.push_back("--include-path=" + folder);
  if (text.source.find("half") != std::string::npos) options.emplace_back("--define-macro=AMITY_INCLUDE_FP16");
  if (!c.by->headers.empty()) options.push_back("--include-path=" + c.by->headers);
  options.insert(options.end(), text.options.begin(), text.options.end());
  return options;
}

/// Macros are lines behind all that the compiler has before a source: its own headers use names such as T.
std::string text_before(const detail::program_text& text) {
  std::string all = cuda_prelude();
  for (const auto& [name, value] : text.defines)
    all +=
        "#undef " + name.substr(0, name.find('(')) + "\n#define " + name + " " + (value.empty() ? "1" : value) + "\n";
  return text.defines.empty() ? all : all + "#line 1\n";
}

compiled_program compile(const compiler_functions& c, const detail::program_text& text,
                         const std::vector<std::string>& options, const std::string& whose) {
  std::string const source = text_before(text) + text.source;
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
