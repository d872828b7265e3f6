#pragma once

/// What a policy says about the way an algorithm is run: how its elements are cut into chunks, and by how many at a
/// time they are done. Plain data; chunkers and executors fill it in, algo::partition reads it.

#include <atomic>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::algo {

enum class chunking : std::uint8_t {
  automatic,   ///< the first elements are timed; what is short is not shared
  equal,       ///< chunks of one size, halved among idle workers
  first_come,  ///< chunks of one size, the next one to the worker that is free
  shrinking    ///< the same; each is a share of what is left
};

class chunk_team;
struct settings;

/// A chunker of the program's own (own_chunker.hpp), which has its say once the number of elements is known.
class chunk_chooser {
 public:
  chunk_chooser(const chunk_chooser&) = delete;
  chunk_chooser& operator=(const chunk_chooser&) = delete;
  /// For n elements. By the caller of the algorithm.
  virtual void choose(settings& s, std::uint64_t n) const noexcept = 0;

 protected:
  chunk_chooser() = default;
  ~chunk_chooser() = default;
};

struct settings {
  chunking how = chunking::automatic;
  bool alone = false;          ///< the caller does all of it, in order
  unsigned at_most = 0;        ///< so many chunks at a time; 0: one for each worker
  std::uint64_t chunk = 0;     ///< elements of a chunk, the smallest one if they shrink; 0: to be chosen
  std::uint64_t shortest = 0;  ///< automatic: nanoseconds that a chunk should take at least; 0: the default
  /// automatic: what an element took when it was measured last, in 2^-10 ticks; 0: not yet. Relaxed: any value will do.
  std::atomic<std::uint64_t>* remembered = nullptr;
  const char* annotation = nullptr;
  unsigned chunks_each = 0;                ///< equal, of no given size: chunks for each worker that takes part; 0: one
  std::uint64_t most_chunks = 0;           ///< whatever else is said; 0: any number
  const chunk_team* team = nullptr;        ///< does them; null: the caller and idle workers do
  const chunk_chooser* chooser = nullptr;  ///< says more when it comes to cutting; null: all has been said
};

inline constexpr settings in_order{.alone = true};

/// How many would take part: all workers, or fewer if the settings say so.
[[nodiscard]] AMITY_API unsigned parties(const settings& s) noexcept;

/// Only the caller would do anything: the algorithm may as well be the sequential one. A chunker that was asked for is
/// obeyed on one core, too.
[[nodiscard]] inline bool is_sequential(const settings& s) noexcept {
  return s.alone || (s.how == chunking::automatic && s.team == nullptr && parties(s) == 1);
}

}  // namespace amity::algo
