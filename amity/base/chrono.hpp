#pragma once

/// std::chrono's durations, time points and clocks. <chrono> itself also has calendars and their text, with streams:
/// to read that takes a compiler a tenth of what all of amity.hpp takes, in each file of a user's.

#include <version>

#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif

#include "amity/base/language.hpp"
