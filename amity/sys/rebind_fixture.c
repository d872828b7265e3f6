// What rebind_test loads: an object that calls a function of the C library's.
#include <unistd.h>

int parent_by_call(void) { return getppid(); }
