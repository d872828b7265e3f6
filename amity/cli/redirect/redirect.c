// An auditor of the loader (rtld-audit(7)): whatever in the process asks for an OpenMP runtime, under whichever of
// their names and with whatever search path, gets Amity's. `amity run` names this library in LD_AUDIT and Amity's
// folder in AMITY_REDIRECT.
//
// LD_LIBRARY_PATH alone is lost where a program puts its own folders in front (R does) or carries its own copy beside
// itself.
//
// With AMITY_REDIRECT_REPORT (`amity run -v`) it says on stderr, a line each, which runtimes it has led to Amity, as
// that happens. The variable's value is the process that `amity run` became: that one says at its end, too, if there
// was none; the many small programs that a script starts do not.
//
// Built without libc: an auditor lives in a namespace of its own and would bring a second one along.

#define _GNU_SOURCE  // for the auditing interface
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static const char* folder;    // AMITY_REDIRECT; stays null if it is not set: then nothing is redirected
static char target[3][4096];  // folder/libgomp.so.1 and so on, made once; without these links, libomp_amity.so.1 itself

// By namespace: Amity's library is in the process. Set when the loader has opened it, which is for good (nodelete).
enum { most_namespaces = 16 };  // glibc's own limit
static char is_loaded[most_namespaces];

static long reporter;        // AMITY_REDIRECT_REPORT; 0: nothing is said
static const char* program;  // as the process was started
static long started_as;      // the process: a fork has another number
static int runtimes_seen;    // in this process
static char wanted[1024];    // the name for which the loader was last given a target, and what asked for it
static char wanted_by[1024];

static const char*
    launched_by;  // AMITY_RUN_LAUNCHER, of rank 0 of `amity run -n`: whose launcher, "MPICH", "Open MPI" or "Amity"

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

static long system_call(long number, long a, long b, long c) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#else
#error "amity_redirect.so: no system calls for this processor"
#endif
}

static int can_be_read(const char* path) {
  enum { from_current_folder = -100, to_read = 4 };  // AT_FDCWD, R_OK
  return system_call(SYS_faccessat, from_current_folder, (long)path, to_read) == 0;
}

static long own_process(void) { return system_call(SYS_getpid, 0, 0, 0); }

static void append_number(char* buffer, size_t size, long number) {
  char digits[24] = "";
  char* first = digits + sizeof digits - 1;
  for (*first = '\0'; first == digits + sizeof digits - 1 || number > 0; number /= 10)
    *--first = (char)('0' + number % 10);
  append(buffer, size, first);
}

static void set(char* buffer, size_t size, const char* text) {
  buffer[0] = '\0';
  append(buffer, size, text);
}

// "amity: python3 (process 4711): " and the parts, in one write. A line that is too long is cut.
static void report(const char* a, const char* b, const char* c, const char* d) {
  char line[4096] = "";
  append(line, sizeof line - 1, "amity: ");
  append(line, sizeof line - 1, program);
  append(line, sizeof line - 1, " (process ");
  append_number(line, sizeof line - 1, own_process());
  append(line, sizeof line - 1, "): ");
  const char* const parts[4] = {a, b, c, d};
  for (int i = 0; i < 4; ++i) append(line, sizeof line - 1, parts[i]);
  append(line, sizeof line, "\n");
  size_t length = 0;
  while (line[length] != '\0') ++length;
  system_call(SYS_write, 2, (long)line, (long)length);  // a closed stderr loses it, as it does any word
}

// By their hashes: dlopen may ask for the same name again and again.
static int is_said(const char* name) {
  enum { most = 256 };
  static uint64_t said[most];
  static int count;
  uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (; *name != '\0'; ++name) hash = (hash ^ (unsigned char)*name) * 1099511628211U;
  for (int i = 0; i < count; ++i)
    if (said[i] == hash) return 1;
  if (count < most) said[count++] = hash;
  return 0;
}

// `name` is what was asked for: Amity is what was got.
static void report_redirected(const char* name, const char* by) {
  runtimes_seen = 1;
  if (reporter != 0 && !is_said(base_name(name))) report(name, " -> Amity (asked for by ", by, ")");
}

// The loader passes what it passes to main().
__attribute__((constructor)) static void start(int argc, char** argv, char** environment) {
  program = argc > 0 ? base_name(argv[0]) : "?";
  started_as = own_process();
  for (; *environment != NULL; ++environment) {
    const char* value = behind(*environment, "AMITY_REDIRECT=");
    if (value != NULL && folder == NULL) folder = value;
    value = behind(*environment, "AMITY_RUN_LAUNCHER=");
    if (value != NULL && *value != '\0') launched_by = value;
    value = behind(*environment, "AMITY_REDIRECT_REPORT=");
    for (long number = 0; value != NULL && *value >= '0' && *value <= '9'; ++value)
      reporter = number = 10 * number + (*value - '0');
  }
  if (folder == NULL) return;
  for (int i = 0; i < 3; ++i) {
    append(target[i], sizeof target[i], folder);
    append(target[i], sizeof target[i], "/");
    append(target[i], sizeof target[i], names[i]);
    if (can_be_read(target[i])) continue;
    set(target[i], sizeof target[i], folder);
    append(target[i], sizeof target[i], "/../libomp_amity.so.1");
  }
}

static int are_equal(const char* a, const char* b) {
  const char* rest = behind(a, b);
  return rest != NULL && *rest == '\0';
}

// The loader was given one of them.
static int is_target(const char* path) {
  return are_equal(path, target[0]) || are_equal(path, target[1]) || are_equal(path, target[2]);
}

// After the program's own last words. A child that was forked, and what is replaced by exec, do not come here as
// themselves.
__attribute__((destructor)) static void end(void) {
  if (reporter == 0 || runtimes_seen || own_process() != reporter || started_as != reporter) return;
  report("no OpenMP runtime was loaded, Amity's or another", "", "", "");
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

// The cookie is what la_objsearch gets for the object that asks: its link map, and in the four topmost bits, which no
// address of a program has, its namespace.
enum { space_shift = 60 };
static uintptr_t cookie_of(const struct link_map* map, Lmid_t space) {
  return (uintptr_t)map | (uintptr_t)space << space_shift;
}
static const char* asked_by(uintptr_t cookie) {
  const struct link_map* map = (const struct link_map*)(cookie & (((uintptr_t)1 << space_shift) - 1));
  return map != NULL && map->l_name != NULL && map->l_name[0] != '\0' ? map->l_name : "the program";
}

// A word where an MPI is loaded that is not the launcher's, as by Python: `amity run` can't know that before. By the
// files' names, as launch/beside_mpi.cpp. Amity's own launcher speaks to its processes as MPICH's.
static void compare_mpi(const char* base) {
  if (launched_by == NULL) return;
  int const by_mpich = *launched_by != 'O';
  int const is_mpich = behind(base, "libmpich.so") != NULL || behind(base, "libmpi.so.12") != NULL;
  if (is_mpich == by_mpich || (!is_mpich && behind(base, "libmpi.so.") == NULL) || is_said("an MPI")) return;
  report(
      base,
      is_mpich ? " is MPICH's, and this process was started by " : " is Open MPI's, and this process was started by ",
      launched_by,
      is_mpich ? "'s launcher: in MPI it will be alone. 'amity run --launcher mpirun.mpich' fits"
               : "'s launcher: in MPI it will be alone. 'amity run --launcher mpirun.openmpi' fits");
}

unsigned la_objopen(struct link_map* map, Lmid_t space, uintptr_t* cookie) {
  int const known = space >= 0 && space < most_namespaces;
  *cookie = cookie_of(map, known ? space : 0);
  const char* base = base_name(map->l_name);
  compare_mpi(base);
  const char* file = folder == NULL ? NULL : behind(map->l_name, folder);
  int const redirected = file != NULL && *file == '/' && (is_target(map->l_name) || target_for(base) != NULL);
  // By its own name: preloaded, or what the program was linked with.
  int const by_name = !redirected && behind(base, "libomp_amity.so") != NULL;
  if (known && (redirected || by_name)) is_loaded[space] = 1;
  if (redirected) {
    report_redirected(wanted[0] != '\0' ? wanted : map->l_name, wanted[0] != '\0' ? wanted_by : "the program");
  } else if (by_name || target_for(base) != NULL) {
    runtimes_seen = 1;
    if (reporter != 0 && !is_said(map->l_name))
      report(map->l_name, by_name ? " is loaded by its own name: Amity" : " is loaded as it is: NOT Amity", "", "");
  }
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
  int const is_there = is_loaded[*cookie >> space_shift];
  if (found == NULL || (flag == LA_SER_ORIG && base == name && is_there)) return (char*)name;
  if (is_there) {
    report_redirected(name, asked_by(*cookie));
  } else {  // said once it is opened
    set(wanted, sizeof wanted, name);
    set(wanted_by, sizeof wanted_by, asked_by(*cookie));
  }
  return found;
}
