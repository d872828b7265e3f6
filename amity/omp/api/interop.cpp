// omp_*: interoperability objects. The host has none, so every object is omp_interop_none.
#include <cstdint>

namespace {

constexpr int empty = -1;  // omp_irc_empty

template <class Value>
Value none(int* code) noexcept {
  if (code != nullptr) *code = empty;
  return Value{};
}

}  // namespace

extern "C" {

int omp_get_num_interop_properties(const void*) { return 0; }
int omp_get_num_interop_properties_(const void*) { return 0; }
std::intptr_t omp_get_interop_int(const void*, int, int* code) { return none<std::intptr_t>(code); }
std::intptr_t omp_get_interop_int_(const void*, const int*, int* code) { return none<std::intptr_t>(code); }
void* omp_get_interop_ptr(const void*, int, int* code) { return none<void*>(code); }
void* omp_get_interop_ptr_(const void*, const int*, int* code) { return none<void*>(code); }
const char* omp_get_interop_str(const void*, int, int* code) { return none<const char*>(code); }
const char* omp_get_interop_str_(const void*, const int*, int* code) { return none<const char*>(code); }
const char* omp_get_interop_name(const void*, int) { return nullptr; }
const char* omp_get_interop_name_(const void*, const int*) { return nullptr; }
const char* omp_get_interop_type_desc(const void*, int) { return nullptr; }
const char* omp_get_interop_type_desc_(const void*, const int*) { return nullptr; }
const char* omp_get_interop_rc_desc(const void*, int code) {
  return code == empty ? "the interop object is omp_interop_none: the host has none other" : nullptr;
}
const char* omp_get_interop_rc_desc_(const void*, const int* code) { return omp_get_interop_rc_desc(nullptr, *code); }

}  // extern "C"
