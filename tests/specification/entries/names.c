// section: 18
//
// Routines under the names that Fortran calls, those that print, and the interop objects of a machine that has none.
// Null where a library lacks one.
#include <fcntl.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define PERHAPS extern __attribute__((weak))
PERHAPS void omp_display_env_(const int32_t*), omp_display_env_8_(const int64_t*);
PERHAPS void omp_display_affinity_(const char*, size_t), ompc_display_affinity(const char*);
PERHAPS int omp_control_tool_(const int*, const int*, void*);
PERHAPS void omp_set_default_device_8_(const int64_t*);
PERHAPS int kmp_get_cancellation_status(int), kmp_get_cancellation_status_(const int*);
PERHAPS int omp_get_num_interop_properties_(const void*);
PERHAPS intptr_t omp_get_interop_int_(const void*, const int*, int*);
PERHAPS void* omp_get_interop_ptr_(const void*, const int*, int*);
PERHAPS const char *omp_get_interop_str_(const void*, const int*, int*),
    *omp_get_interop_name_(const void*, const int*);
PERHAPS const char *omp_get_interop_type_desc_(const void*, const int*),
    *omp_get_interop_rc_desc_(const void*, const int*);
#ifndef __clang__  // its omp.h has them
PERHAPS int omp_get_num_interop_properties(const void*);
PERHAPS intptr_t omp_get_interop_int(const void*, int, int*);
PERHAPS void* omp_get_interop_ptr(const void*, int, int*);
PERHAPS const char *omp_get_interop_str(const void*, int, int*), *omp_get_interop_name(const void*, int);
PERHAPS const char *omp_get_interop_type_desc(const void*, int), *omp_get_interop_rc_desc(const void*, int);
#endif

static char said[1 << 16];

// What is written to stdout and stderr meanwhile.
static const char* listen_to(void (*speak)(void)) {
  char name[] = "/tmp/names-XXXXXX";
  fflush(NULL);
  int const file = mkstemp(name), out = dup(1), err = dup(2);
  unlink(name);
  dup2(file, 1);
  dup2(file, 2);
  speak();
  fflush(NULL);
  dup2(out, 1);
  dup2(err, 2);
  close(out);
  close(err);
  ssize_t const length = pread(file, said, sizeof said - 1, 0);
  said[length > 0 ? length : 0] = '\0';
  close(file);
  return said;
}

static void environment_4(void) { omp_display_env_(&(int32_t){0}); }
static void environment_8(void) { omp_display_env_8_(&(int64_t){1}); }
static void affinity_c(void) { omp_display_affinity("number %n of %N, %% level %L"); }
static void affinity_fortran(void) { omp_display_affinity_("number %n of %N, %% level %L not this", 28); }
static void affinity_fortran_c(void) { ompc_display_affinity("number %n of %N, %% level %L"); }

static void printed(void) {
  static const char affinity[] = "number 0 of 1, % level 0\n";
  CHECK(strcmp(listen_to(affinity_c), affinity) == 0, "omp_display_affinity: %s", said);
  if (omp_display_affinity_ != NULL) CHECK(strcmp(listen_to(affinity_fortran), affinity) == 0, "Fortran's: %s", said);
  if (ompc_display_affinity != NULL)
    CHECK(strcmp(listen_to(affinity_fortran_c), affinity) == 0, "C's for it: %s", said);
  if (omp_display_env_ != NULL) {
    listen_to(environment_4);
    CHECK(strstr(said, "OPENMP DISPLAY ENVIRONMENT BEGIN") != NULL, "omp_display_env: %s", said);
    CHECK(strstr(said, "OMP_NUM_THREADS") != NULL && strstr(said, "_OPENMP") != NULL, "omp_display_env: %s", said);
    CHECK(strstr(said, "OPENMP DISPLAY ENVIRONMENT END") != NULL, "omp_display_env: %s", said);
  }
  if (omp_display_env_8_ != NULL) {
    listen_to(environment_8);
    CHECK(strstr(said, "OMP_SCHEDULE") != NULL && strstr(said, "OMP_STACKSIZE") != NULL, "omp_display_env: %s", said);
  }
}

static void interop(void) {
  if (omp_get_num_interop_properties_ == NULL) return;
  enum { fr_id = -1, empty = -1 };
  int const property = fr_id, code = empty;
  int said_code = 7;
  SAME(omp_get_num_interop_properties(NULL), 0);
  SAME(omp_get_num_interop_properties_(NULL), 0);
  SAME(omp_get_interop_int(NULL, fr_id, &said_code), 0);
  CHECK(said_code < 0, "success of what is not there: %d", said_code);
  SAME(omp_get_interop_int_(NULL, &property, NULL), 0);
  SAME(omp_get_interop_ptr(NULL, fr_id, NULL) == NULL, 1);
  said_code = 7;
  SAME(omp_get_interop_ptr_(NULL, &property, &said_code) == NULL, 1);
  CHECK(said_code < 0, "success of what is not there: %d", said_code);
  SAME(omp_get_interop_str(NULL, fr_id, NULL) == NULL, 1);
  SAME(omp_get_interop_str_(NULL, &property, NULL) == NULL, 1);
  // A property has a name whatever the object; libomp has no names without a device.
  const char* const name = omp_get_interop_name(NULL, fr_id);
  CHECK(name == NULL || strcmp(name, "fr_id") == 0, "the name of fr_id is %s", name);
  SAME(omp_get_interop_name_(NULL, &property) == name, 1);
  SAME(omp_get_interop_name(NULL, 1) == NULL, 1);
  SAME(omp_get_interop_type_desc(NULL, fr_id) == NULL, 1);
  SAME(omp_get_interop_type_desc_(NULL, &property) == NULL, 1);
  const char* const words = omp_get_interop_rc_desc(NULL, empty);
  SAME(words == omp_get_interop_rc_desc_(NULL, &code), 1);
}

static void control(void) {
  if (omp_control_tool_ != NULL) {
    int const start = 1, none = 0;
    // There is no tool, or one without a function for it (specification.py --tool).
    SAME(omp_control_tool_(&start, &none, NULL), getenv("OMP_TOOL_LIBRARIES") == NULL ? -2 : -1);
  }
  if (omp_set_default_device_8_ != NULL) {
    int64_t const initial = omp_get_initial_device();
    omp_set_default_device_8_(&initial);
    SAME(omp_get_default_device(), initial);
  }
}

// 1, 2, 3, 4: parallel, loop, sections, taskgroup. Nothing is cancelled here.
static void cancellation(void) {
  if (kmp_get_cancellation_status == NULL) return;
  int answers = 0;
#pragma omp parallel reduction(+ : answers)
  for (int kind = 1; kind <= 4; ++kind) {
    answers += kmp_get_cancellation_status(kind) != 0;
    answers += kmp_get_cancellation_status_(&kind) != 0;
  }
  SAME(answers, 0);
}

int main(void) {
  printed();
  interop();
  control();
  cancellation();
  return finish();
}
