// omp_*: interoperability objects. The host has none, so every object is omp_interop_none.
#include <cstdint>
#include <iterator>

#include "amity/omp/api/fortran.hpp"

namespace {

using amity::omp::fortran::give_string;

// omp_irc_*
constexpr int empty = -1, out_of_range = -2;

// omp_ipr_fr_id and what comes below it.
const char* name_of(int property) noexcept {
  static constexpr const char* names[] = {"fr_id",    "fr_name", "vendor",         "vendor_name", "device_num",
                                          "platform", "device",  "device_context", "targetsync"};
  constexpr int first = -1, last = -static_cast<int>(std::size(names));
  return property <= first && property >= last ? names[first - property] : nullptr;
}

// omp_irc_no_value and what comes below it, but for what only an implementation could tell.
const char* describe(int code) noexcept {
  static constexpr const char* texts[] = {"there is no meaningful value",
                                          "success",
                                          "the interop object is omp_interop_none: the host has none other",
                                          "there is no property with that number",
                                          "the property is an integer: omp_get_interop_int has it",
                                          "the property is a pointer: omp_get_interop_ptr has it",
                                          "the property is a string: omp_get_interop_str has it"};
  constexpr int first = 1, last = first + 1 - static_cast<int>(std::size(texts));
  return code <= first && code >= last ? texts[first - code] : nullptr;
}

template <class Value>
Value none(int property, int* code) noexcept {
  if (code != nullptr) *code = name_of(property) == nullptr ? out_of_range : empty;
  return Value{};
}

}  // namespace

extern "C" {

int omp_get_num_interop_properties(const void*) { return 0; }
int omp_get_num_interop_properties_(const void*) { return 0; }
std::intptr_t omp_get_interop_int(const void*, int property, int* code) { return none<std::intptr_t>(property, code); }
std::intptr_t omp_get_interop_int_(const void*, const int* property, int* code) {
  return none<std::intptr_t>(*property, code);
}
void* omp_get_interop_ptr(const void*, int property, int* code) { return none<void*>(property, code); }
void* omp_get_interop_ptr_(const void*, const int* property, int* code) { return none<void*>(*property, code); }
const char* omp_get_interop_str(const void*, int property, int* code) { return none<const char*>(property, code); }
const char* omp_get_interop_str_(const void*, const int* property, int* code) {
  return none<const char*>(*property, code);
}
const char* omp_get_interop_name(const void*, int property) { return name_of(property); }
const char* omp_get_interop_name_(const void*, const int* property) { return name_of(*property); }
const char* omp_get_interop_type_desc(const void*, int) { return nullptr; }
const char* omp_get_interop_type_desc_(const void*, const int*) { return nullptr; }
const char* omp_get_interop_rc_desc(const void*, int code) { return describe(code); }
const char* omp_get_interop_rc_desc_(const void*, const int* code) { return describe(*code); }

// gfortran's, with the length of what they give.
void omp_get_interop_str__at_GOMP_5_1_3(const char** string, std::size_t* length, const void*, int property,
                                        int* code) {
  give_string(none<const char*>(property, code), string, length);
}
void omp_get_interop_name__at_GOMP_5_1_3(const char** string, std::size_t* length, const void*, int property) {
  give_string(name_of(property), string, length);
}
void omp_get_interop_type_desc__at_GOMP_5_1_3(const char** string, std::size_t* length, const void*, int) {
  give_string(nullptr, string, length);
}
void omp_get_interop_rc_desc__at_GOMP_5_1_3(const char** string, std::size_t* length, const void*, int code) {
  give_string(describe(code), string, length);
}

}  // extern "C"
