/// Programs: from source, from a binary, and from the cache.

#include <algorithm>
#include <cstring>
#include <utility>

#include "amity/accel/dialect.hpp"
#include "amity/accel/internal/cache.hpp"
#include "amity/accel/internal/options.hpp"
#include "amity/accel/opencl/objects.hpp"

namespace amity::accel::opencl {
namespace {

using detail::kernel_signature;
using detail::parameter;

std::string text_of(cl_kernel k, cl_uint number, cl_kernel_arg_info what) {
  std::size_t n = 0;
  if (cl().GetKernelArgInfo(k, number, what, 0, nullptr, &n) != CL_SUCCESS || n == 0) return {};
  std::string text(n, '\0');
  cl().GetKernelArgInfo(k, number, what, n, text.data(), nullptr);
  text.resize(n - 1);
  return text;
}

template <class T>
bool read(cl_kernel k, cl_uint number, cl_kernel_arg_info what, T& to) {
  return cl().GetKernelArgInfo(k, number, what, sizeof to, &to, nullptr) == CL_SUCCESS;
}

/// Images and pipes say how they are accessed; of samplers and the like there is only the name.
bool is_opaque(const std::string& type, cl_kernel_arg_access_qualifier access,
               cl_kernel_arg_type_qualifier qualifiers) {
  constexpr const char* names[] = {"sampler_t", "event_t", "queue_t", "clk_event_t", "reserve_id_t"};
  return access != CL_KERNEL_ARG_ACCESS_NONE || (qualifiers & CL_KERNEL_ARG_TYPE_PIPE) != 0 ||
         (type.starts_with("image") && type.ends_with("_t")) ||
         std::find(std::begin(names), std::end(names), type) != std::end(names);
}

kernel_signature signature_of(cl_kernel k) {
  kernel_signature s;
  cl_uint n = 0;
  if (cl().GetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof n, &n, nullptr) != CL_SUCCESS) return s;
  for (cl_uint i = 0; i < n; ++i) {
    cl_kernel_arg_address_qualifier where = 0;
    cl_kernel_arg_type_qualifier qualifiers = 0;
    if (!read(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, where) || !read(k, i, CL_KERNEL_ARG_TYPE_QUALIFIER, qualifiers))
      return {};  // a binary does not have it
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    if (!read(k, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, access)) access = CL_KERNEL_ARG_ACCESS_NONE;
    parameter p;
    p.type = text_of(k, i, CL_KERNEL_ARG_TYPE_NAME);
    p.writes = (qualifiers & CL_KERNEL_ARG_TYPE_CONST) == 0;
    p.is = is_opaque(p.type, access, qualifiers)     ? parameter::kind::opaque
           : where == CL_KERNEL_ARG_ADDRESS_GLOBAL   ? parameter::kind::memory
           : where == CL_KERNEL_ARG_ADDRESS_CONSTANT ? parameter::kind::constant_memory
           : where == CL_KERNEL_ARG_ADDRESS_LOCAL    ? parameter::kind::local
                                                     : parameter::kind::value;
    if (p.is == parameter::kind::constant_memory) p.writes = false;
    s.parameters.push_back(std::move(p));
  }
  s.is_known = true;
  return s;
}

template <class T>
T of_kernel(cl_kernel k, cl_device_id d, cl_kernel_work_group_info what) {
  T x{};
  return cl().GetKernelWorkGroupInfo(k, d, what, sizeof x, &x, nullptr) == CL_SUCCESS ? x : T{};
}

/// Requires: none of its arguments is set, or their local memory counts as its own.
detail::kernel_limits limits_of(cl_kernel k, cl_device_id d) {
  struct three {
    std::size_t x, y, z;
  };
  auto const said = of_kernel<three>(k, d, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
  return {
      of_kernel<cl_ulong>(k, d, CL_KERNEL_LOCAL_MEM_SIZE), of_kernel<std::size_t>(k, d, CL_KERNEL_WORK_GROUP_SIZE),
      dim3(static_cast<std::uint32_t>(said.x), static_cast<std::uint32_t>(said.y), static_cast<std::uint32_t>(said.z))};
}

class program final : public detail::native_program {
 public:
  program(cl_program p, cl_device_id d, std::string name) : handle_(p), device_(d), name_(std::move(name)) {}
  ~program() override { cl().ReleaseProgram(handle_); }

  std::unique_ptr<detail::native_kernel> kernel(const std::string& name) override {
    int error = 0;
    cl_kernel const k = cl().CreateKernel(handle_, name.c_str(), &error);
    if (error == CL_INVALID_KERNEL_NAME) {
      std::string there;
      for (const std::string& other : kernel_names()) there += (there.empty() ? "" : ", ") + other;
      throw kernel_error("there is no kernel '" + name + "' in " + name_ + ", which has " +
                             (there.empty() ? std::string("none") : there),
                         error);
    }
    check(error, ("the kernel '" + name + "'").c_str());
    const kernel_signature* const known = find(name);
    return std::make_unique<opencl::kernel>(k, known != nullptr ? *known : signature_of(k), limits_of(k, device_));
  }

  std::vector<std::string> kernel_names() const override {
    std::size_t n = 0;
    if (cl().GetProgramInfo(handle_, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &n) != CL_SUCCESS || n == 0) return {};
    std::string text(n, '\0');
    cl().GetProgramInfo(handle_, CL_PROGRAM_KERNEL_NAMES, n, text.data(), nullptr);
    text.resize(n - 1);
    std::vector<std::string> names;
    while (!text.empty()) {
      std::string const name = text.substr(0, text.find(';'));
      text.erase(0, name.size() + 1);
      names.push_back(name);
    }
    return names;
  }

  std::vector<std::byte> binary() const override { return detail::pack_program({drivers_binary(), signatures()}); }

  /// Throws device_error.
  [[nodiscard]] std::vector<std::byte> drivers_binary() const {
    // One for each device of the context; that of ours is wanted.
    cl_uint n = 0;
    check(cl().GetProgramInfo(handle_, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, nullptr), "a program's binary");
    std::vector<cl_device_id> devices(n);
    check(cl().GetProgramInfo(handle_, CL_PROGRAM_DEVICES, n * sizeof(cl_device_id), devices.data(), nullptr),
          "a program's binary");
    std::vector<std::size_t> sizes(n);
    check(cl().GetProgramInfo(handle_, CL_PROGRAM_BINARY_SIZES, n * sizeof(std::size_t), sizes.data(), nullptr),
          "a program's binary");
    std::vector<std::vector<std::byte>> all(n);
    std::vector<std::byte*> places(n);
    for (cl_uint i = 0; i < n; ++i) {
      all[i].resize(sizes[i]);
      places[i] = sizes[i] != 0 ? all[i].data() : nullptr;
    }
    check(cl().GetProgramInfo(handle_, CL_PROGRAM_BINARIES, n * sizeof(std::byte*), places.data(), nullptr),
          "a program's binary");
    for (cl_uint i = 0; i < n; ++i)
      if (devices[i] == device_) return std::move(all[i]);
    throw device_error("a program has no binary for its device");
  }

  /// Of all kernels, where they can be told.
  [[nodiscard]] std::vector<std::pair<std::string, kernel_signature>> signatures() const {
    if (!known_.empty()) return known_;
    std::vector<std::pair<std::string, kernel_signature>> all;
    for (const std::string& name : kernel_names()) {
      int error = 0;
      cl_kernel const k = cl().CreateKernel(handle_, name.c_str(), &error);
      if (error != CL_SUCCESS) continue;
      all.emplace_back(name, signature_of(k));
      cl().ReleaseKernel(k);
    }
    return all;
  }
  void know(std::vector<std::pair<std::string, kernel_signature>> signatures) { known_ = std::move(signatures); }

 private:
  [[nodiscard]] const kernel_signature* find(const std::string& name) const {
    for (const auto& [its, signature] : known_)
      if (its == name) return &signature;
    return nullptr;
  }

  cl_program handle_;
  cl_device_id device_;
  std::string name_;
  std::vector<std::pair<std::string, kernel_signature>> known_;  ///< of a binary
};

/// A driver parts its one text of options at blanks; not all of them know quotes.
std::string option_for_folder(const std::string& folder) {
  return folder.find_first_of(" \t\"'") == std::string::npos ? " -I" + folder : " -I\"" + folder + "\"";
}

std::string options_of(const detail::program_text& text, const detail::device_facts& f) {
  std::string options = "-cl-kernel-arg-info";
  bool const chooses_standard = std::any_of(text.options.begin(), text.options.end(), [](const std::string& o) {
    return o.find("-cl-std=") != std::string::npos;
  });
  if (!chooses_standard)
    options += f.capability >= std::pair{3, 0}   ? " -cl-std=CL3.0"
               : f.capability >= std::pair{2, 0} ? " -cl-std=CL2.0"
                                                 : " -cl-std=CL1.2";
  // What is found in a folder is in the source already; the driver needs them for what is left to it.
  if (!text.is_whole)
    for (const std::string& folder : text.includes) options += option_for_folder(folder);
  for (const std::string& o : text.options) options += " " + o;
  return options;
}

std::string log_of(cl_program p, cl_device_id d) {
  std::size_t n = 0;
  if (cl().GetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, 0, nullptr, &n) != CL_SUCCESS || n == 0) return {};
  std::string log(n, '\0');
  cl().GetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, n, log.data(), nullptr);
  log.resize(std::strlen(log.c_str()));
  return log;
}

/// Null: the driver does not take it.
cl_program from_binary(cl_context c, cl_device_id d, const std::vector<std::byte>& bytes, const std::string& options) {
  if (bytes.empty()) return nullptr;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t const size = bytes.size();
  int error = 0, its_error = 0;
  cl_program const p = cl().CreateProgramWithBinary(c, 1, &d, &size, &data, &its_error, &error);
  if (error != CL_SUCCESS) return nullptr;
  if (its_error == CL_SUCCESS && cl().BuildProgram(p, 1, &d, options.c_str(), nullptr, nullptr) == CL_SUCCESS) return p;
  cl().ReleaseProgram(p);
  return nullptr;
}

}  // namespace

std::unique_ptr<detail::native_program> device::build(const detail::program_text& text) {
  std::string const options = options_of(text, facts_);
  std::string const whose = text.name + " for " + facts_.name;
  if (!text.binary.empty()) {
    detail::program_entry entry = detail::unpack_program(text.binary);
    cl_program const p = from_binary(context, id, entry.binary, "");
    if (p == nullptr)
      throw build_error(whose + " is no binary that its driver takes",
                        "it was made by another driver, or is no program");
    auto made = std::make_unique<program>(p, id, text.name);
    made->know(std::move(entry.signatures));
    return made;
  }
  std::string const defines = detail::lines_of_defines(text);
  detail::program_cache cache(text, opencl_prelude() + defines,
                              facts_.platform + "\n" + facts_.name + "\n" + facts_.driver + "\n" + options);
  if (auto entry = cache.find()) {
    if (cl_program const p = from_binary(context, id, entry->binary, options); p != nullptr) {
      auto made = std::make_unique<program>(p, id, text.name);
      made->know(std::move(entry->signatures));
      return made;
    }
  }
  const char* texts[] = {opencl_prelude().c_str(), defines.c_str(), text.source.c_str()};
  constexpr cl_uint number_of_texts = 3;
  int error = 0;
  cl_program const p = cl().CreateProgramWithSource(context, number_of_texts, texts, nullptr, &error);
  check(error, whose.c_str());
  auto made = std::make_unique<program>(p, id, text.name);
  error = cl().BuildProgram(p, 1, &id, options.c_str(), nullptr, nullptr);
  if (error != CL_SUCCESS) {
    std::string const log = log_of(p, id);
    throw build_error(whose + " with options '" + options + "' can't be built: " + words_of_error(error) + "\n" + log,
                      log.empty() ? words_of_error(error) : log, error);
  }
  try {
    cache.keep({made->drivers_binary(), made->signatures()});
  } catch (const device_error&) {  // a driver that gives no binary: it is compiled again
  }
  return made;
}

}  // namespace amity::accel::opencl
