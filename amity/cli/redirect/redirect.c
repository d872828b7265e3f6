// An auditor of the loader (rtld-audit(7)): whatever in the process asks for an OpenMP runtime, under whichever of
// their names and with whatever search path, gets Amity's. `amity run` names this library in LD_AUDIT and Amity's
// folder in AMITY_REDIRECT.
//
// LD_LIBRARY_PATH alone is lost where a program puts its own folders in front (R does) or carries its own copy beside
// itself.
//
// Built without libc: an auditor lives in a namespace of its own and would bring a second one along.

#define _GNU_SOURCE  // for the auditing interface
#include <link.h>
#include <stddef.h>
#include <stdint.h>

static const char* folder;    // AMITY_REDIRECT; stays null if it is not set: then nothing is redirected
static char target[3][4096];  // folder/libgomp.so.1 and so on, made once

static const char* const names[3] = {"libgomp.so.1", "libomp.so.5", "libiomp5.so"};
// Wheels carry renamed copies: libgomp-a34b3233.so.1.0.0. What follows these prefixes must be '.' or '-'.
static const char* const prefixes[3] = {"libgomp", "libomp", "libiomp5"};

static const char* base_name(const char* path) {
  const char* base = path;
  for (const char* p = path; *p != '\0'; ++p)
    if (*p == '/') base = p + 1;
  return base;
}

// The rest of `text` behind `prefix`, or null.
static const char* behind(const char* text, const char* prefix) {
  while (*prefix != '\0')
    if (*text++ != *prefix++) return NULL;
  return text;
}

static int names_shared_object(const char* rest) {
  for (; *rest != '\0'; ++rest)
    if (behind(rest, ".so") != NULL) return 1;
  return 0;
}

static void append(char* buffer, size_t size, const char* text) {
  size_t length = 0;
  while (buffer[length] != '\0') ++length;
  while (*text != '\0' && length + 1 < size) buffer[length++] = *text++;
  buffer[length] = '\0';
}

// The loader passes what it passes to main().
__attribute__((constructor)) static void start(int argc, char** argv, char** environment) {
  (void)argc;
  (void)argv;
  for (; *environment != NULL && folder == NULL; ++environment) folder = behind(*environment, "AMITY_REDIRECT=");
  if (folder == NULL) return;
  for (int i = 0; i < 3; ++i) {
    append(target[i], sizeof target[i], folder);
    append(target[i], sizeof target[i], "/");
    append(target[i], sizeof target[i], names[i]);
  }
}

unsigned la_version(unsigned offered) { return offered < LAV_CURRENT ? offered : LAV_CURRENT; }

char* la_objsearch(const char* name, uintptr_t* cookie, unsigned flag) {
  (void)cookie;
  (void)flag;
  if (folder != NULL) {
    const char* base = base_name(name);
    for (int i = 0; i < 3; ++i) {
      const char* rest = behind(base, prefixes[i]);
      if (rest != NULL && (*rest == '.' || *rest == '-') && names_shared_object(rest)) return target[i];
    }
  }
  return (char*)name;
}
