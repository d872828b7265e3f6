/* A library with constructors, whose memory and thread-local data the program uses. */
#include "library.h"

#include <stdlib.h>
#include <string.h>

static int* heap;
static _Thread_local int number;
static char text[16];

__attribute__((constructor)) static void begin(int argc, char** argv) {
  heap = malloc(sizeof *heap);
  *heap = 77;
  number = 55;
  strcpy(text, argc > 0 && argv[0] != NULL ? "set" : "not set");
}

int library_heap(void) { return *heap; }
int library_number(void) { return number; }
const char* library_text(void) { return text; }
