// How the programs that use Amity are told how many workers to run.
#pragma once

#include <cstdlib>
#include <string>

namespace bench {

/// Before Amity's first use, which is when it reads its settings.
inline void begin_amity(int threads) { setenv("AMITY_THREADS", std::to_string(threads).c_str(), 1); }

}  // namespace bench
