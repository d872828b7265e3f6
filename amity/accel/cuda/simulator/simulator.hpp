#pragma once

/// What tests can do with the simulated driver.

#include <atomic>

namespace amity::accel::cuda::simulator {

struct controls {
  // What goes wrong.
  std::atomic<int> fails_at_once{0};     ///< the next command that is asked for is refused with this code
  std::atomic<int> fails_later{0};       ///< the next launch fails when it runs; its device takes nothing any more
  std::atomic<bool> loses_calls{false};  ///< functions of the host are never called
  std::atomic<int> delay_us{0};          ///< each command takes that long, at least
  std::atomic<bool> is_paused{false};    ///< no command begins
  std::atomic<bool> holds_frees{false};  ///< whatever the real driver lets wait for its device waits: frees, unloads

  // What happened.
  std::atomic<int> launches{0};
  std::atomic<int> host_calls{0};
  std::atomic<int> events{0};            ///< that are alive
  std::atomic<int> waits_for_events{0};  ///< of streams
  std::atomic<int> pageable_copies{0};   ///< between a device and memory that is not pinned: CUDA may block
  std::atomic<int> graphs{0};            ///< launches of graphs
  std::atomic<long> bytes{0};            ///< of memory of devices, in use
  std::atomic<int> frees{0};             ///< calls of those that may wait
  std::atomic<int> peer_accesses{0};     ///< contexts that were told to use another's memory
};

}  // namespace amity::accel::cuda::simulator

/// Of the library that is there.
extern "C" amity::accel::cuda::simulator::controls* amity_simulated_cuda();
