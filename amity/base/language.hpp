// Every public header reaches this one before anything that an older compiler, or one that was told to be older, would
// not understand: it is included by those that include none of ours.
#pragma once

#if __cplusplus < 202002L
#error "amity: its C++ interface needs C++20 or newer: -std=c++20"
#include <compile with -std=c++20>  // There is no such file. Here compilers stop; after an #error alone they go on.
#elif !defined(__cpp_exceptions)
#error "amity: its C++ interface reports errors by exceptions, and can't be used with -fno-exceptions"
#include <compile without -fno-exceptions>
#endif
