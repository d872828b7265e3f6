#pragma once

/// What stands in for functions of newer glibcs: see older_glibc.cpp.

#include <dlfcn.h>

namespace amity::sys {

/// What glibc 2.35's _dl_find_object finds out about the object that `address` lies in, but for its link map: by the
/// headers of all objects, one after the other. 0, or -1 where there is no object or it has no table for unwinding.
int find_object_by_headers(void* address, dl_find_object* found) noexcept;

}  // namespace amity::sys
