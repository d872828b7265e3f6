#pragma once

/// Memory for task descriptors and their arguments: size classes, a free list for each, one pool for each thread.
///
///     unsigned const c = frame_pool::class_of(bytes);
///     frame* f = pool.take(c);         // the owner's; null: out of memory
///     mine.give(f, c);                 // on any thread that has a pool: home at once, or in batches
///     frame_pool::give_home(f, c);     // on a thread that has none
///
/// Memory is type-stable: a frame stays a frame of its class and its pool for ever, so that a thief may read the header
/// of one that was freed and used again. `next` and `home` belong to the pool; what follows is the user's.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "amity/base/config.hpp"

namespace amity::sched {

class AMITY_API frame_pool;

/// Leaves an object's members as they are: for what is written at once.
struct unset_t {};
inline constexpr unset_t unset{};

struct frame {
  frame* next;       ///< in a free list; free for the user's lists meanwhile
  frame_pool* home;  ///< whose memory it is; never changes

  frame() noexcept : next(nullptr), home(nullptr) {}
  explicit frame(unset_t) noexcept {}                          // NOLINT(*-member-init)
  explicit frame(frame_pool* where) noexcept : home(where) {}  // NOLINT(*-member-init)
};

class alignas(base::cache_line) frame_pool {
 public:
  static constexpr unsigned classes = 11;
  static constexpr unsigned class_none = classes;  ///< larger than the largest
  /// Two classes more, for tasks that are little more than a closure; class_of() does not know them.
  static constexpr unsigned small_64 = classes, small_128 = classes + 1;
  static constexpr unsigned all_classes = classes + 2;
  /// Class 0 is for what is no task, so that nobody takes its memory for one.
  static constexpr std::uint16_t size_of_class[all_classes] = {192,  256,  320,  384,   512, 768, 1024,
                                                               2048, 4096, 8192, 16384, 64,  128};

  frame_pool() noexcept = default;
  frame_pool(const frame_pool&) = delete;
  frame_pool& operator=(const frame_pool&) = delete;
  /// Requires: nobody looks at a frame of it any more. Pools of threads are never destroyed.
  AMITY_API ~frame_pool();

  /// The smallest class of tasks with room for `bytes`.
  [[nodiscard]] static constexpr unsigned class_of(std::size_t bytes) noexcept {
    unsigned c = 1;
    while (c < classes && size_of_class[c] < bytes) ++c;
    return c;
  }

  [[nodiscard]] frame* take(unsigned size_class) noexcept {
    frame* f = free_[size_class];
    if (f == nullptr) [[unlikely]]
      return refill(size_class);
    free_[size_class] = f->next;
    return f;
  }

  /// The caller owns this pool; the frame may be another's.
  void give(frame* f, unsigned size_class) noexcept {
    if (f->home == this) [[likely]] {
      f->next = free_[size_class];
      free_[size_class] = f;
    } else {
      give_elsewhere(f, size_class);
    }
  }

  /// Any thread.
  AMITY_API static void give_home(frame* f, unsigned size_class) noexcept;

  /// Sends home what give() has collected; for owners that are going to wait.
  void flush() noexcept {
    for (batch& b : batches_)
      if (b.count != 0) send(b);
  }

  /// How many frames of other pools the owner has given back; may wrap.
  [[nodiscard]] std::uint32_t given_elsewhere() const noexcept { return given_elsewhere_; }

 private:
  struct batch {
    frame_pool* home = nullptr;
    frame* first = nullptr;
    frame* last = nullptr;
    unsigned size_class = 0;
    unsigned count = 0;
  };
  static constexpr unsigned batch_size = 32;

  AMITY_API frame* refill(unsigned size_class) noexcept;
  AMITY_API void give_elsewhere(frame* f, unsigned size_class) noexcept;
  static void send(batch& b) noexcept;

  frame* free_[all_classes] = {};
  std::uint8_t chunks_[all_classes] = {};  ///< taken from the system so far; they grow
  void* last_chunk_ = nullptr;             ///< all chunks, linked by their first word
  batch batches_[2];                       ///< of class 0, which goes along with tasks of some other; and of that other
  std::uint32_t given_elsewhere_ = 0;
  /// Frames that others gave back: pushed one chain at a time by anybody, taken all at once by the owner.
  alignas(base::cache_line) std::atomic<frame*> returned_[all_classes] = {};
};

}  // namespace amity::sched
