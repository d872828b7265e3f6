// The sizes at which the kernels are measured: elements of a vector, rows of a square matrix.
#pragma once

#include <stdbool.h>

enum { most_sizes = 512 };

struct sizes {
  int count;
  long n[most_sizes];
};

// Reads the value of --sizes, "few", "all", or elements with commas between them; false, with a word, if it is neither.
bool read_sizes(const char* text);

// `few`: what is measured unless asked otherwise, ending in 0. "all" is 1, 2, ... up to `most`, each a tenth more than
// the one before. Given sizes are elements: of a matrix the rows are their square root, rounded down.
void make_sizes(struct sizes* sizes, const long* few, long most, bool square);
