#pragma once

/// Marks a function that comes before the one of the same name elsewhere; all else in this library is hidden.
#define AMITY_PUBLIC [[gnu::visibility("default")]]
