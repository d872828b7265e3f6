// What programs with a tool linked in share: the tool writes down what the initial thread is told of one construct at a
// time, and the program compares. Where the two compilers' code calls the runtime for different things, so do the words
// differ.
#pragma once
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int mistakes;
// What the initial thread was told since the last look.
static char told[2000];
static __thread int listens;

__attribute__((format(printf, 1, 2))) static void note(const char* format, ...) {
  size_t const length = strlen(told);
  va_list arguments;
  if (!listens) return;
  va_start(arguments, format);
  vsnprintf(told + length, sizeof told - length, format, arguments);
  va_end(arguments);
}

static void expect(int line, const char* words) {
  size_t const length = strlen(told);
  if (length != 0) told[length - 1] = '\0';  // a blank
  if (strcmp(told, words) != 0) {
    fprintf(stderr, "line %d: told   \"%s\"\n     instead of \"%s\"\n", line, told, words);
    ++mistakes;
  }
  told[0] = '\0';
}
#define EXPECT(words) expect(__LINE__, words)
#ifdef __clang__
#define BY_COMPILER(gcc, clang) clang
#else
#define BY_COMPILER(gcc, clang) gcc
#endif

static void check(int good, int line, const char* what) {
  if (good) return;
  fprintf(stderr, "line %d: %s\n", line, what);
  __atomic_fetch_add(&mistakes, 1, __ATOMIC_RELAXED);
}
#define CHECK(c) check(c, __LINE__, #c)
