#include "amity/accel/opencl/functions.hpp"

#include <dlfcn.h>

#include "amity/accel/opencl/one_at_a_time.hpp"

namespace amity::accel::opencl {
namespace {

functions loaded;

struct named_error {
  int code;
  const char* name;
};
#define AMITY_OPENCL_ERROR(name) \
  { name, #name }
constexpr named_error errors[] = {AMITY_OPENCL_ERROR(CL_DEVICE_NOT_FOUND),
                                  AMITY_OPENCL_ERROR(CL_DEVICE_NOT_AVAILABLE),
                                  AMITY_OPENCL_ERROR(CL_COMPILER_NOT_AVAILABLE),
                                  AMITY_OPENCL_ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE),
                                  AMITY_OPENCL_ERROR(CL_OUT_OF_RESOURCES),
                                  AMITY_OPENCL_ERROR(CL_OUT_OF_HOST_MEMORY),
                                  AMITY_OPENCL_ERROR(CL_MEM_COPY_OVERLAP),
                                  AMITY_OPENCL_ERROR(CL_BUILD_PROGRAM_FAILURE),
                                  AMITY_OPENCL_ERROR(CL_MISALIGNED_SUB_BUFFER_OFFSET),
                                  AMITY_OPENCL_ERROR(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                                  AMITY_OPENCL_ERROR(CL_DEVICE_PARTITION_FAILED),
                                  AMITY_OPENCL_ERROR(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_VALUE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_DEVICE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_CONTEXT),
                                  AMITY_OPENCL_ERROR(CL_INVALID_QUEUE_PROPERTIES),
                                  AMITY_OPENCL_ERROR(CL_INVALID_COMMAND_QUEUE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_MEM_OBJECT),
                                  AMITY_OPENCL_ERROR(CL_INVALID_BINARY),
                                  AMITY_OPENCL_ERROR(CL_INVALID_BUILD_OPTIONS),
                                  AMITY_OPENCL_ERROR(CL_INVALID_PROGRAM),
                                  AMITY_OPENCL_ERROR(CL_INVALID_PROGRAM_EXECUTABLE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_KERNEL_NAME),
                                  AMITY_OPENCL_ERROR(CL_INVALID_KERNEL_DEFINITION),
                                  AMITY_OPENCL_ERROR(CL_INVALID_KERNEL),
                                  AMITY_OPENCL_ERROR(CL_INVALID_ARG_INDEX),
                                  AMITY_OPENCL_ERROR(CL_INVALID_ARG_VALUE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_ARG_SIZE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_KERNEL_ARGS),
                                  AMITY_OPENCL_ERROR(CL_INVALID_WORK_DIMENSION),
                                  AMITY_OPENCL_ERROR(CL_INVALID_WORK_GROUP_SIZE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_WORK_ITEM_SIZE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_GLOBAL_OFFSET),
                                  AMITY_OPENCL_ERROR(CL_INVALID_EVENT_WAIT_LIST),
                                  AMITY_OPENCL_ERROR(CL_INVALID_EVENT),
                                  AMITY_OPENCL_ERROR(CL_INVALID_OPERATION),
                                  AMITY_OPENCL_ERROR(CL_INVALID_BUFFER_SIZE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_GLOBAL_WORK_SIZE),
                                  AMITY_OPENCL_ERROR(CL_INVALID_PROPERTY),
                                  AMITY_OPENCL_ERROR(CL_INVALID_DEVICE_PARTITION_COUNT)};
#undef AMITY_OPENCL_ERROR

}  // namespace

const functions* open_functions(std::string& why) {
  void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why = "libOpenCL.so.1 is not there (Debian: ocl-icd-libopencl1)";
    return nullptr;
  }
#define AMITY_OPENCL_FIND(name)                                                      \
  loaded.name = reinterpret_cast<decltype(&::cl##name)>(dlsym(library, "cl" #name)); \
  if (loaded.name == nullptr) {                                                      \
    why = "libOpenCL.so.1 has no cl" #name ": it is older than OpenCL 2.0";          \
    return nullptr;                                                                  \
  }
  AMITY_OPENCL_FUNCTIONS(AMITY_OPENCL_FIND)
#undef AMITY_OPENCL_FIND
  return &loaded;
}

const functions& cl() noexcept { return loaded; }

void call_one_at_a_time() noexcept {
#define AMITY_OPENCL_GUARD(name) one_at_a_time<&functions::name>::put_into(loaded);
  AMITY_OPENCL_FUNCTIONS(AMITY_OPENCL_GUARD)
#undef AMITY_OPENCL_GUARD
}

std::string words_of_error(int code) {
  for (const named_error& e : errors)
    if (e.code == code) return std::string(e.name) + " (" + std::to_string(code) + ")";
  return "OpenCL's error " + std::to_string(code);
}

void check(int code, const char* what) {
  if (code == CL_SUCCESS) return;
  std::string const words = std::string(what) + ": " + words_of_error(code);
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE ||
      code == CL_OUT_OF_RESOURCES)
    throw out_of_memory(words, code);
  throw device_error(words, code);
}

}  // namespace amity::accel::opencl
