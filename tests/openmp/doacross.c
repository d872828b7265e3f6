// Doacross loops: recurrences over one, two and three dimensions with every schedule, compared with the same loops run
// by one thread. Two of them hang on other runtimes: libgomp 12 waits for `sink: i, j - 1` of an unsigned j = 0
// (plane_ull), clang's libomp for a sink just behind the end of an inner loop (plane, j + 1).
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

enum { length = 600, side = 24, depth = 6, loops = 20 };

static uint64_t line[loops][length];
static uint64_t plane[side][side];
static uint64_t cube[side][side][depth];
static uint64_t wanted[side * side * depth + loops * length];
static int parallel;
static int wrong;

// Depends on both values and on their order, so that one that came too late shows to the end.
static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t const x = (a ^ (b << 17 | b >> 47)) * 0x9e3779b97f4a7c15u + 1;
  return x ^ x >> 29;
}

static void compare(const char* what, void (*run)(void), void* array, size_t size) {
  memset(array, 0, size);
  parallel = 0;
  run();
  memcpy(wanted, array, size);
  memset(array, 0, size);
  parallel = 1;
  run();
  if (memcmp(array, wanted, size) != 0 && wrong++ < 10) printf("%s: not as by one thread\n", what);
}

#define PRAGMA(x) DO_PRAGMA(x)
#define DO_PRAGMA(x) _Pragma(#x)

// --- one dimension

#define LINE(NAME, SCHEDULE)                                                               \
  static void line_##NAME(void) {                                                          \
    uint64_t* const a = line[0];                                                           \
        PRAGMA(omp parallel for ordered(1) SCHEDULE if(parallel))                          \
    for (int i = 0; i < length; ++i) {                                                     \
      PRAGMA(omp ordered depend(sink : i - 1) depend(sink : i - 7))                        \
      a[i] = mix(i < 1 ? 1 : a[i - 1], i < 7 ? 2 : a[i - 7]);                              \
      PRAGMA(omp ordered depend(source))                                                   \
    }                                                                                      \
  }                                                                                        \
  static void sparse_line_##NAME(void) {                                                   \
    uint64_t* const a = line[0];                                                           \
        PRAGMA(omp parallel for ordered(1) SCHEDULE if(parallel))                          \
    for (long i = 2; i < length; i += 3) {                                                 \
      PRAGMA(omp ordered depend(sink : i - 9))                                             \
      a[i] = mix(i < 11 ? 1 : a[i - 9], (uint64_t)i);                                      \
      PRAGMA(omp ordered depend(source))                                                   \
    }                                                                                      \
  }                                                                                        \
  static void line_down_##NAME(void) {                                                     \
    uint64_t* const a = line[0];                                                           \
        PRAGMA(omp parallel for ordered(1) SCHEDULE if(parallel))                          \
    for (int i = length - 1; i > 3; i -= 2) {                                              \
      PRAGMA(omp ordered depend(sink : i + 2) depend(sink : i + 10))                       \
      a[i] = mix(i + 2 >= length ? 1 : a[i + 2], i + 10 >= length ? 2 : a[i + 10]);        \
      PRAGMA(omp ordered depend(source))                                                   \
    }                                                                                      \
  }                                                                                        \
  /* gcc and clang have a form of their own for numbers beyond the signed ones */          \
  static void line_ull_##NAME(void) {                                                      \
    uint64_t* const a = line[0];                                                           \
    ull const first = ULLONG_MAX - 5 * length;                                             \
        PRAGMA(omp parallel for ordered(1) SCHEDULE if(parallel))                          \
    for (ull i = first; i < ULLONG_MAX - 2 * length; i += 5) {                             \
      PRAGMA(omp ordered depend(sink : i - 10))                                            \
      ull const at = (i - first) / 5;                                                      \
      a[at] = mix(at < 2 ? 1 : a[at - 2], i);                                              \
      PRAGMA(omp ordered depend(source))                                                   \
    }                                                                                      \
  }                                                                                        \
  static void line_ull_down_##NAME(void) {                                                 \
    uint64_t* const a = line[0];                                                           \
        PRAGMA(omp parallel for ordered(1) SCHEDULE if(parallel))                          \
    for (ull i = ULLONG_MAX; i > ULLONG_MAX - length; --i) {                               \
      PRAGMA(omp ordered depend(sink : i + 1))                                             \
      ull const at = ULLONG_MAX - i;                                                       \
      a[at] = mix(at < 1 ? 1 : a[at - 1], i);                                              \
      PRAGMA(omp ordered depend(source))                                                   \
    }                                                                                      \
  }                                                                                        \
  static void line_least_##NAME(void) {                                                    \
    uint64_t* const a = line[0];                                                           \
    long const first = LONG_MIN + 9;                                                       \
        PRAGMA(omp parallel for ordered(1) SCHEDULE if(parallel))                          \
    for (long i = first; i < first + 4 * length; i += 4) {                                 \
      PRAGMA(omp ordered depend(sink : i - 4))                                             \
      long const at = (i - first) / 4;                                                     \
      a[at] = mix(at < 1 ? 1 : a[at - 1], (uint64_t)i);                                    \
      PRAGMA(omp ordered depend(source))                                                   \
    }                                                                                      \
  }                                                                                        \
  static void short_lines_##NAME(void) {                                                   \
    for (int n = 0; n < loops; ++n) {                                                      \
      uint64_t* const a = line[n];                                                         \
            PRAGMA(omp parallel for ordered(1) SCHEDULE if(parallel))                      \
      for (int i = 0; i < n; ++i) {                                                        \
        PRAGMA(omp ordered depend(sink : i - 1))                                           \
        a[i] = mix(i < 1 ? 1 : a[i - 1], 2);                                               \
        PRAGMA(omp ordered depend(source))                                                 \
      }                                                                                    \
    }                                                                                      \
  }                                                                                        \
  /* Fast threads are many loops ahead of slow ones, and meet plain loops between them. */ \
  static void lines_nowait_##NAME(void) {                                                  \
    PRAGMA(omp parallel if (parallel))                                                     \
    for (int n = 0; n < loops; ++n) {                                                      \
      uint64_t* const a = line[n];                                                         \
            PRAGMA(omp for ordered(1) SCHEDULE nowait)                                     \
      for (int i = 0; i < length / 4; ++i) {                                               \
        PRAGMA(omp ordered depend(sink : i - 1))                                           \
        a[i] = mix(i < 1 ? 1 : a[i - 1], (uint64_t)n);                                     \
        PRAGMA(omp ordered depend(source))                                                 \
      }                                                                                    \
            PRAGMA(omp for SCHEDULE nowait)                                                \
      for (int i = length / 4; i < length; ++i) a[i] = mix((uint64_t)i, (uint64_t)n);      \
    }                                                                                      \
  }

// --- two and three dimensions

#define SPACE(NAME, SCHEDULE)                                                                           \
  static void plane_##NAME(void) {                                                                      \
        PRAGMA(omp parallel for ordered(2) SCHEDULE if(parallel))                                       \
    for (int i = 0; i < side; ++i)                                                                      \
      for (int j = 0; j < side; ++j) {                                                                  \
        PRAGMA(omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1) depend(sink : i - 2, j + 1)) \
        uint64_t const up = i < 1 ? 1 : plane[i - 1][j], left = j < 1 ? 2 : plane[i][j - 1];            \
        plane[i][j] = mix(mix(up, left), i < 2 || j + 1 >= side ? 3 : plane[i - 2][j + 1]);             \
        PRAGMA(omp ordered depend(source))                                                              \
      }                                                                                                 \
  }                                                                                                     \
  static void plane_turned_##NAME(void) {                                                               \
        PRAGMA(omp parallel for ordered(2) SCHEDULE if(parallel))                                       \
    for (long i = 1; i < 2 * side; i += 2)                                                              \
      for (int j = side - 1; j >= 0; --j) {                                                             \
        PRAGMA(omp ordered depend(sink : i - 2, j) depend(sink : i - 2, j - 1))                         \
        uint64_t const up = i < 3 ? 1 : plane[i / 2 - 1][j];                                            \
        plane[i / 2][j] = mix(up, i < 3 || j < 1 ? 2 : plane[i / 2 - 1][j - 1]);                        \
        PRAGMA(omp ordered depend(source))                                                              \
      }                                                                                                 \
  }                                                                                                     \
  static void plane_ull_##NAME(void) {                                                                  \
        PRAGMA(omp parallel for ordered(2) SCHEDULE if(parallel))                                       \
    for (ull i = 0; i < side; ++i)                                                                      \
      for (unsigned j = 0; j < side; ++j) {                                                             \
        PRAGMA(omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1))                             \
        plane[i][j] = mix(i < 1 ? 1 : plane[i - 1][j], j < 1 ? 2 : plane[i][j - 1]);                    \
        PRAGMA(omp ordered depend(source))                                                              \
      }                                                                                                 \
  }                                                                                                     \
  static void empty_rows_##NAME(void) {                                                                 \
    int const none = parallel - 1;                                                                      \
        PRAGMA(omp parallel for ordered(2) SCHEDULE if(parallel))                                       \
    for (int i = 0; i < side; ++i)                                                                      \
      for (int j = 0; j < none; ++j) {                                                                  \
        PRAGMA(omp ordered depend(sink : i - 1, j))                                                     \
        plane[i][0] = 1;                                                                                \
        PRAGMA(omp ordered depend(source))                                                              \
      }                                                                                                 \
  }                                                                                                     \
  static void cube_##NAME(void) {                                                                       \
        PRAGMA(omp parallel for ordered(3) SCHEDULE if(parallel))                                       \
    for (int i = 0; i < side; ++i)                                                                      \
      for (int j = 0; j < side; ++j)                                                                    \
        for (int k = 0; k < depth; ++k) {                                                               \
          PRAGMA(omp ordered depend(sink : i - 1, j, k) depend(sink : i, j - 1, k))                     \
          PRAGMA(omp ordered depend(sink : i, j, k - 1) depend(sink : i - 1, j - 1, k + 1))             \
          uint64_t const x = i < 1 ? 1 : cube[i - 1][j][k], y = j < 1 ? 2 : cube[i][j - 1][k];          \
          uint64_t const z = k < 1 ? 3 : cube[i][j][k - 1];                                             \
          uint64_t const w = i < 1 || j < 1 || k + 1 >= depth ? 4 : cube[i - 1][j - 1][k + 1];          \
          cube[i][j][k] = mix(mix(x, y), mix(z, w));                                                    \
          PRAGMA(omp ordered depend(source))                                                            \
        }                                                                                               \
  }                                                                                                     \
  /* The first two loops are dealt out as one. */                                                       \
  static void cube_collapsed_##NAME(void) {                                                             \
        PRAGMA(omp parallel for collapse(2) ordered(3) SCHEDULE if(parallel))                           \
    for (int i = side - 1; i >= 0; --i)                                                                 \
      for (int j = 0; j < side; ++j)                                                                    \
        for (int k = 0; k < depth; ++k) {                                                               \
          PRAGMA(omp ordered depend(sink : i + 1, j, k) depend(sink : i, j - 1, k))                     \
          uint64_t const x = i + 1 >= side ? 1 : cube[i + 1][j][k];                                     \
          cube[i][j][k] = mix(x, j < 1 ? 2 : cube[i][j - 1][k]);                                        \
          PRAGMA(omp ordered depend(source))                                                            \
        }                                                                                               \
  }

#define CHECK(KERNEL, NAME, ARRAY) compare(#KERNEL ", " #NAME, KERNEL##_##NAME, ARRAY, sizeof ARRAY);
// gcc 12 mistakes `sink: i + 1` of an unsigned loop that counts down for a later iteration, and waits for ever.
#ifdef __clang__
#define CHECK_ULL_DOWN(NAME) CHECK(line_ull_down, NAME, line)
#else
#define CHECK_ULL_DOWN(NAME) (void)line_ull_down_##NAME;
#endif
#define CHECK_ALL(NAME, SCHEDULE)  \
  CHECK(line, NAME, line)          \
  CHECK(sparse_line, NAME, line)   \
  CHECK(line_down, NAME, line)     \
  CHECK(line_ull, NAME, line)      \
  CHECK_ULL_DOWN(NAME)             \
  CHECK(line_least, NAME, line)    \
  CHECK(short_lines, NAME, line)   \
  CHECK(lines_nowait, NAME, line)  \
  CHECK(plane, NAME, plane)        \
  CHECK(plane_turned, NAME, plane) \
  CHECK(plane_ull, NAME, plane)    \
  CHECK(empty_rows, NAME, plane)   \
  CHECK(cube, NAME, cube)          \
  CHECK(cube_collapsed, NAME, cube)

#define EACH_SCHEDULE(DO)             \
  DO(static, schedule(static))        \
  DO(static_1, schedule(static, 1))   \
  DO(static_5, schedule(static, 5))   \
  DO(dynamic, schedule(dynamic))      \
  DO(dynamic_7, schedule(dynamic, 7)) \
  DO(guided, schedule(guided))        \
  DO(guided_3, schedule(guided, 3))   \
  DO(auto, schedule(auto))            \
  DO(runtime, schedule(runtime))      \
  DO(unnamed, )

EACH_SCHEDULE(LINE)
EACH_SCHEDULE(SPACE)

// Each thread of the team leads a team with a loop of its own.
static void nested(void) {
#pragma omp parallel for num_threads(4) if (parallel)
  for (int n = 0; n < loops; ++n) {
#pragma omp parallel for ordered(1) schedule(dynamic, 2) num_threads(3)
    for (int i = 0; i < length / 4; ++i) {
#pragma omp ordered depend(sink : i - 1)
      line[n][i] = mix(i < 1 ? 1 : line[n][i - 1], (uint64_t)n);
#pragma omp ordered depend(source)
    }
  }
}

int main(void) {
  EACH_SCHEDULE(CHECK_ALL)
  omp_sched_t const kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
  for (int k = 0; k < 4; ++k)
    for (int chunk = 0; chunk < 9; chunk += 4) {
      omp_set_schedule(kinds[k], chunk);
      CHECK_ALL(runtime, )
    }
  omp_set_max_active_levels(2);
  compare("nested", nested, line, sizeof line);
  if (wrong != 0) return 1;
  puts("ok");
  return 0;
}
