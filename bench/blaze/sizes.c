#include "blaze/sizes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum { few_of_them, all_of_them, given } choice = few_of_them;
static struct sizes elements;
static const long most_elements = 10000000;

bool read_sizes(const char* text) {
  if (strcmp(text, "few") == 0) return choice = few_of_them, true;
  if (strcmp(text, "all") == 0) return choice = all_of_them, true;
  choice = given;
  elements.count = 0;
  for (const char* at = text;;) {
    char* end;
    const long n = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : 0;
    if (n < 1 || n > most_elements || (*end != '\0' && *end != ',') || elements.count == most_sizes) {
      fprintf(stderr, "blaze: --sizes: '%s'; allowed: few, all, or up to %d numbers from 1 to %ld: 1000,100000\n", text,
              most_sizes, most_elements);
      return false;
    }
    elements.n[elements.count++] = n;
    if (*end == '\0') return true;
    at = end + 1;
  }
}

static void add(struct sizes* sizes, long n) {
  for (int i = 0; i < sizes->count; ++i)
    if (sizes->n[i] == n) return;
  if (sizes->count < most_sizes) sizes->n[sizes->count++] = n;
}

static long root(long n) {
  long r = 0;
  while ((r + 1) * (r + 1) <= n) ++r;
  return r;
}

void make_sizes(struct sizes* sizes, const long* few, long most, bool square) {
  sizes->count = 0;
  switch (choice) {
    case few_of_them:
      for (const long* n = few; *n != 0; ++n) add(sizes, *n);
      break;
    case all_of_them:
      for (long n = 1; n <= most; n = n * 11 / 10 > n ? n * 11 / 10 : n + 1) add(sizes, n);
      break;
    case given:
      for (int i = 0; i < elements.count; ++i) {
        const long n = square ? root(elements.n[i]) : elements.n[i];
        if (n <= most) add(sizes, n);
      }
      break;
  }
}
