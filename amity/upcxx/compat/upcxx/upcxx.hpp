// For programs of UPC++, whose `#include <upcxx/upcxx.hpp>` finds this with `-I .../amity/upcxx/compat`.
//
// Such programs say `using namespace std; using namespace upcxx;` and then `future<>`. Amity's headers include
// <future>, so that would be two templates. Here std's two have other names; AMITY_KEEP_STD_FUTURE leaves them as they
// are.
#pragma once

#ifndef AMITY_KEEP_STD_FUTURE
#define future std_future
#define promise std_promise
#include <future>
#undef future
#undef promise
#endif

// What its programs take for granted.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "amity/upcxx/runtime.hpp"
