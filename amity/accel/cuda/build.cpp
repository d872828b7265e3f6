/// Programs: from source, from a binary, and from the cache.

#include <algorithm>
#include <array>

#include "amity/accel/cuda/compile.hpp"
#include "amity/accel/cuda/later.hpp"
#include "amity/accel/cuda/objects.hpp"
#include "amity/accel/cuda/signatures.hpp"
#include "amity/accel/internal/cache.hpp"

namespace amity::accel::cuda {
namespace {

class program final : public detail::native_program {
 public:
  program(const device& d, module_handle m, detail::program_entry e, std::string name)
      : device_(d), context_(d.context()), module_(m), entry_(std::move(e)), name_(std::move(name)) {}
  /// The last launch may hold it.
  ~program() override {
    later(
        context_, [](void* m) noexcept { driver().unload_module(static_cast<module_handle>(m)); }, module_);
  }

  std::unique_ptr<detail::native_kernel> kernel(const std::string& name) override {
    const auto& [linker_name, signature] = choose_kernel(entry_.signatures, name, name_);
    within_context const its(context_);
    function_handle found = nullptr;
    check(driver().function(&found, module_, linker_name.c_str()), ("the kernel '" + name + "'").c_str());
    detail::kernel_signature s = signature;
    s.takes_any_shared_bytes = true;
    return std::make_unique<cuda::kernel>(device_, name, found, std::move(s));
  }

  std::vector<std::string> kernel_names() const override {
    std::vector<std::string> names;
    for (const auto& [linker_name, signature] : entry_.signatures) {
      std::string plain = plain_name(linker_name);
      const auto same = [&](const auto& other) { return plain_name(other.first) == plain; };
      bool const is_unique = std::count_if(entry_.signatures.begin(), entry_.signatures.end(), same) == 1;
      names.push_back(is_unique ? std::move(plain) : linker_name);
    }
    return names;
  }

  std::vector<std::byte> binary() const override { return detail::pack_program(entry_); }

 private:
  const device& device_;
  context_handle context_;
  module_handle module_;
  detail::program_entry entry_;
  std::string name_;
};

/// Null: the driver does not take it, and `why` says so.
module_handle load(context_handle context, const std::vector<std::byte>& code, std::string& why) {
  if (code.empty()) return nullptr;
  within_context const its(context);
  std::array<char, 8192> log{};
  std::array<int, 2> what{jit_error_log, jit_error_log_bytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  module_handle made = nullptr;
  std::string text(reinterpret_cast<const char*>(code.data()), code.size());  // PTX ends with 0
  result const error = driver().load_module(&made, text.c_str(), 2, what.data(), values.data());
  if (error == 0) return made;
  why = words_of_error(error) + (log[0] != '\0' ? std::string("\n") + log.data() : std::string());
  return nullptr;
}

}  // namespace

std::unique_ptr<detail::native_program> device::build(const detail::program_text& text) {
  std::string const whose = text.name + " for " + facts_.name;
  std::string why;
  const auto loaded = [&](detail::program_entry e) -> std::unique_ptr<program> {
    module_handle const m = load(context(), e.binary, why);
    return m == nullptr ? nullptr : std::make_unique<program>(*this, m, std::move(e), text.name);
  };
  if (!text.binary.empty()) {
    if (auto made = loaded(detail::unpack_program(text.binary)); made != nullptr) return made;
    throw build_error(whose + " is no binary that its driver takes" + (why.empty() ? "" : ": ") + why,
                      why.empty() ? "it was made for another device, or is no program" : why);
  }
  std::vector<compiler_choice> const fitting = compilers_for(facts_.capability, driver_version_, why);
  if (fitting.empty()) throw build_error(whose + " can't be built: " + why, why);
  std::string refused;
  for (const compiler_choice& c : fitting) {
    std::vector<std::string> const options = options_of(text, c);
    std::string rest = "cuda\n" + facts_.driver + "\n" + std::to_string(c.by->version());
    for (const std::string& o : options) rest += "\n" + o;
    detail::program_cache const cache(text, text_before(text), rest);
    if (auto entry = cache.find())
      if (auto made = loaded(std::move(*entry)); made != nullptr) return made;
    detail::program_entry entry;
    try {
      compiled_program compiled = compile(*c.by, text, options, whose);
      entry = {std::move(compiled.code), std::move(compiled.kernels)};
    } catch (const build_error& e) {
      constexpr result lacks_builtins = 7;  // a part of the compiler is not there; the program may be right
      if (e.code() != lacks_builtins || &c == &fitting.back()) throw;
      refused += std::string("\n") + e.what();
      continue;
    }
    if (auto made = loaded(entry); made != nullptr) {
      cache.keep(entry);
      return made;
    }
    refused += "\nby " + c.by->path + " for " + c.architecture + ": " + why;
  }
  throw build_error(whose + " was compiled, and its driver does not take it:" + refused, refused);
}

}  // namespace amity::accel::cuda
