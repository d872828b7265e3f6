// How the programs that use oneTBB are told how many threads to run.
#pragma once

#include <oneapi/tbb/global_control.h>

#include <cstddef>
#include <memory>

namespace bench {

/// For the rest of the program.
inline void begin_tbb(int threads) {
  static std::unique_ptr<tbb::global_control> limit;
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(threads));
}

}  // namespace bench
