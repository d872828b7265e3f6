/// Platforms and devices.

#include <algorithm>
#include <cstdio>

#include "amity/accel/internal/backends.hpp"
#include "amity/accel/opencl/objects.hpp"
#include "amity/future/async.hpp"
#include "amity/sys/environment.hpp"

namespace amity::accel {
namespace opencl {
namespace {

std::string platform_text(cl_platform_id p, cl_platform_info what) {
  std::size_t n = 0;
  if (cl().GetPlatformInfo(p, what, 0, nullptr, &n) != CL_SUCCESS || n == 0) return {};
  std::string text(n, '\0');
  cl().GetPlatformInfo(p, what, n, text.data(), nullptr);
  text.resize(n - 1);
  return text;
}

/// PoCL computes by threads of its own, as many as the machine has cores. Beside our workers there should be no more
/// than this process may use.
void limit_threads_of_pocl(const sys::library_start& start) {
  start.set_default("POCL_MAX_PTHREAD_COUNT", std::to_string(worker_count()).c_str());
}

/// OpenCL (specification, A.2) has its functions safe among threads. Oclgrind's are not: clFlush runs the queue's
/// commands in the calling thread, on lists and a memory that all queues share, without a lock. Version 21.10 crashed
/// in one of six runs where two threads each had an upload.
bool is_safe_among_threads(cl_platform_id p) { return platform_text(p, CL_PLATFORM_NAME) != "Oclgrind"; }

void add_devices(cl_platform_id p, detail::found_devices& to) {
  cl_uint n = 0;
  if (cl().GetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) != CL_SUCCESS || n == 0) return;
  std::vector<cl_device_id> ids(n);
  if (cl().GetDeviceIDs(p, CL_DEVICE_TYPE_ALL, n, ids.data(), nullptr) != CL_SUCCESS) return;
  int error = 0;
  cl_context const context = cl().CreateContext(nullptr, n, ids.data(), nullptr, nullptr, &error);
  if (error != CL_SUCCESS) {
    to.status += (to.status.empty() ? "" : "; ") + platform_text(p, CL_PLATFORM_NAME) + ": " + words_of_error(error);
    return;
  }
  for (cl_device_id const id : ids)
    if (device_value<cl_bool>(id, CL_DEVICE_AVAILABLE) != CL_FALSE &&
        device_value<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE) != CL_FALSE)
      to.devices.push_back(std::make_unique<device>(context, id, facts_of(p, id)));
}

}  // namespace

std::string device_text(cl_device_id d, cl_device_info what) {
  std::size_t n = 0;
  if (cl().GetDeviceInfo(d, what, 0, nullptr, &n) != CL_SUCCESS || n == 0) return {};
  std::string text(n, '\0');
  cl().GetDeviceInfo(d, what, n, text.data(), nullptr);
  text.resize(n - 1);
  return text;
}

detail::device_facts facts_of(cl_platform_id p, cl_device_id d) {
  detail::device_facts f;
  f.backend = "opencl";
  f.name = device_text(d, CL_DEVICE_NAME);
  f.platform = platform_text(p, CL_PLATFORM_NAME);
  f.driver = device_text(d, CL_DRIVER_VERSION);
  std::sscanf(device_text(d, CL_DEVICE_VERSION).c_str(), "OpenCL %d.%d", &f.capability.first, &f.capability.second);
  f.memory = device_value<cl_ulong>(d, CL_DEVICE_GLOBAL_MEM_SIZE);
  f.largest_buffer = device_value<cl_ulong>(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  f.is_processor = (device_value<cl_device_type>(d, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
  f.compute_units = device_value<cl_uint>(d, CL_DEVICE_MAX_COMPUTE_UNITS);
  f.largest_block = device_value<std::size_t>(d, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  std::size_t sizes[8] = {};
  cl().GetDeviceInfo(d, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, nullptr);
  f.largest_block_sizes = {static_cast<std::uint32_t>(sizes[0]), static_cast<std::uint32_t>(sizes[1]),
                           static_cast<std::uint32_t>(sizes[2])};
  f.shared_memory = device_value<cl_ulong>(d, CL_DEVICE_LOCAL_MEM_SIZE);
  std::string const extensions = device_text(d, CL_DEVICE_EXTENSIONS);
  f.has_fp64 = extensions.find("cl_khr_fp64") != std::string::npos;
  f.has_fp16 = extensions.find("cl_khr_fp16") != std::string::npos;
  return f;
}

std::unique_ptr<detail::native_memory> device::allocate(std::size_t bytes) {
  int error = 0;
  cl_mem const m = cl().CreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &error);
  check(error, ("a buffer of " + std::to_string(bytes) + " bytes on " + facts_.name).c_str());
  return std::make_unique<memory>(m);
}

std::unique_ptr<detail::native_memory> device::borrow(std::uintptr_t handle) {
  auto const m = reinterpret_cast<cl_mem>(handle);
  check(cl().RetainMemObject(m), ("a buffer of memory that the program has made on " + facts_.name).c_str());
  return std::make_unique<memory>(m);
}

std::vector<std::unique_ptr<detail::native_device>> device::split(std::uint32_t units) {
  cl_device_partition_property const how[] = {CL_DEVICE_PARTITION_EQUALLY, units, 0};
  std::string const what = facts_.name + " can't be divided into devices of " + std::to_string(units) + " of its " +
                           std::to_string(facts_.compute_units) + " compute units";
  cl_uint n = 0;
  check(cl().CreateSubDevices(id, how, 0, nullptr, &n), what.c_str());
  std::vector<cl_device_id> ids(n);
  check(cl().CreateSubDevices(id, how, n, ids.data(), nullptr), what.c_str());
  int error = 0;
  cl_context const shared = cl().CreateContext(nullptr, n, ids.data(), nullptr, nullptr, &error);
  check(error, what.c_str());
  std::vector<std::unique_ptr<detail::native_device>> parts;
  for (cl_device_id const part : ids)
    parts.push_back(
        std::make_unique<device>(shared, part, facts_of(device_value<cl_platform_id>(part, CL_DEVICE_PLATFORM), part)));
  return parts;
}

std::vector<std::pair<std::string, std::string>> device::properties() const {
  const auto yes_or_no = [&](cl_device_info what) {
    return std::string(device_value<cl_bool>(id, what) != CL_FALSE ? "yes" : "no");
  };
  const auto number = [&](auto x) { return std::to_string(x); };
  return {{"name", facts_.name},
          {"vendor", device_text(id, CL_DEVICE_VENDOR)},
          {"platform", facts_.platform},
          {"version", device_text(id, CL_DEVICE_VERSION)},
          {"driver", facts_.driver},
          {"C version", device_text(id, CL_DEVICE_OPENCL_C_VERSION)},
          {"compute units", number(facts_.compute_units)},
          {"clock in MHz", number(device_value<cl_uint>(id, CL_DEVICE_MAX_CLOCK_FREQUENCY))},
          {"memory in bytes", number(facts_.memory)},
          {"largest buffer in bytes", number(facts_.largest_buffer)},
          {"local memory in bytes", number(facts_.shared_memory)},
          {"cache in bytes", number(device_value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE))},
          {"cache line in bytes", number(device_value<cl_uint>(id, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE))},
          {"largest block", number(facts_.largest_block)},
          {"memory shared with the host", yes_or_no(CL_DEVICE_HOST_UNIFIED_MEMORY)},
          {"error correction", yes_or_no(CL_DEVICE_ERROR_CORRECTION_SUPPORT)},
          {"little endian", yes_or_no(CL_DEVICE_ENDIAN_LITTLE)},
          {"largest number of parts", number(device_value<cl_uint>(id, CL_DEVICE_PARTITION_MAX_SUB_DEVICES))},
          {"extensions", device_text(id, CL_DEVICE_EXTENSIONS)}};
}

}  // namespace opencl

detail::found_devices detail::find_opencl_devices() {
  using namespace opencl;
  found_devices found;
  sys::library_start const start;  // PoCL sets a variable itself, too, for hwloc
  limit_threads_of_pocl(start);
  if (open_functions(found.status) == nullptr) return found;
  cl_uint n = 0;
  int const error = cl().GetPlatformIDs(0, nullptr, &n);
  if (error != CL_SUCCESS || n == 0) {
    found.status = "libOpenCL.so.1 is there, and no driver (Debian has one for CPUs in pocl-opencl-icd)";
    return found;
  }
  std::vector<cl_platform_id> platforms(n);
  cl().GetPlatformIDs(n, platforms.data(), nullptr);
  if (!std::all_of(platforms.begin(), platforms.end(), is_safe_among_threads)) call_one_at_a_time();
  for (cl_platform_id const p : platforms) add_devices(p, found);
  std::string const more = found.status.empty() ? "" : "; " + found.status;
  std::size_t const devices = found.devices.size();
  std::string drivers;
  for (cl_platform_id const p : platforms)
    drivers += (drivers.empty() ? "" : ", ") + platform_text(p, CL_PLATFORM_NAME);
  found.status = devices == 0 ? "no device that can be used, by " + drivers +
                                    " (PoCL has none where it can't write its cache, POCL_CACHE_DIR)"
                              : std::to_string(devices) + (devices == 1 ? " device" : " devices");
  found.status += more;
  return found;
}

}  // namespace amity::accel
