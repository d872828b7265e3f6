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

// By namespace: Amity's library is in the process. Set when the loader has opened it, which is for good (nodelete).
enum { most_namespaces = 16 };  // glibc's own limit
static char is_loaded[most_namespaces];

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

// The target that stands for the runtime that `base` names, or null.
static char* target_for(const char* base) {
  for (int i = 0; i < 3; ++i) {
    const char* rest = behind(base, prefixes[i]);
    if (rest != NULL && (*rest == '.' || *rest == '-') && names_shared_object(rest)) return target[i];
  }
  return NULL;
}

unsigned la_version(unsigned offered) { return offered < LAV_CURRENT ? offered : LAV_CURRENT; }

// The cookie is what la_objsearch gets for the object that asks: its namespace.
unsigned la_objopen(struct link_map* map, Lmid_t space, uintptr_t* cookie) {
  int const known = space >= 0 && space < most_namespaces;
  *cookie = known ? (uintptr_t)space : 0;
  const char* file = folder == NULL ? NULL : behind(map->l_name, folder);
  int const redirected = file != NULL && *file == '/' && target_for(base_name(file)) != NULL;
  // By its own name: preloaded, or what the program was linked with.
  if (known && (redirected || behind(base_name(map->l_name), "libomp_amity.so") != NULL)) is_loaded[space] = 1;
  return 0;  // its symbols are none of our business
}

// The loader asks first for the name as it is wanted (LA_SER_ORIG), then for each path that it would try.
//
// The first time, the name becomes the target's path, so that the object goes by that path; the loader remembers the
// wanted name with it. The library may then be wanted by another name (libgomp.so.1 after a wheel's
// libgomp-a34b3233.so.1.0.0). If that became a path as well, the loader would find the same file, and forget the name
// this time; and looking it up for the versions of its symbols, it would stop the process ("Assertion `needed != NULL'
// failed"). So a later name stays, and what becomes the target is the path that it leads to.
char* la_objsearch(const char* name, uintptr_t* cookie, unsigned flag) {
  if (folder == NULL) return (char*)name;
  const char* base = base_name(name);
  char* found = target_for(base);
  int const is_there = *cookie < most_namespaces && is_loaded[*cookie];
  if (found == NULL || (flag == LA_SER_ORIG && base == name && is_there)) return (char*)name;
  return found;
}
