#pragma once

/// What the sites of a node give to an operation, in memory that their processes share: no message is sent where nobody
/// sleeps.
///
/// Each site has a *board* with a few lines. In the line of operation n it writes what it takes the operation for and
/// its value, then the number. Others look whether the number is there. A line is written again `apart` operations
/// later, when all others are through with the operation before. Sites have numbers of this node here, from 0 on.
/// README-lines.md, L1 to L8.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "amity/base/config.hpp"
#include "amity/coll/intention.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::collectives::detail {

struct alignas(base::cache_line) line {
  static constexpr std::size_t room = 32;
  std::atomic<std::uint64_t> operation{0};  ///< whose it is; written last. 0: none yet
  intention what;
  /// The value; or, if it is longer, how many bytes from the board's begin it lies (std::int64_t).
  alignas(room) std::byte value[room];
};
static_assert(sizeof(line) == base::cache_line);

/// One site's, which others read. Only `sleeps` is written by them.
struct board {
  static constexpr std::uint64_t lines = 8;
  line of[lines];
  /// For each line, the last operation that this site is through with: it reads nothing of it any more.
  alignas(base::cache_line) std::atomic<std::uint64_t> through[lines];
  /// 1: somebody sleeps here until another site has written a line, or is through with an operation.
  alignas(base::cache_line) std::atomic<std::uint32_t> sleeps{0};
};

/// Whose lines a site needs.
enum class needed : std::uint8_t {
  none,
  root,
  all,
  before  ///< those of the sites before this one
};

/// One site's operation, on its way. A site gives first, and looks for what the others give. One that `gives_last`
/// looks first: when it is complete, it may give what has come of that (L7).
struct turn {
  enum class stage : std::uint8_t {
    begins,           ///< an earlier operation, of the same line, is not over at this site
    waits_for_room,   ///< `site` is not through with an operation of long ago
    waits_for_lines,  ///< of `site`
    differs,          ///< `site` takes it for another operation
    complete
  };
  std::uint64_t operation = 0;
  intention what;
  needed needs = needed::all;
  int root = 0;  ///< whose line it is that needed::root means
  bool gives_last = false;
  std::span<const std::byte> value;  ///< what this site gives; stays as it is until that is written
  stage at = stage::begins;
  int site = 0;
  [[nodiscard]] bool is_over() const noexcept { return at >= stage::differs; }
  /// It has begun, and nothing keeps it from looking at others' lines.
  [[nodiscard]] bool may_look() const noexcept { return at >= stage::waits_for_lines; }
};

/// One site's part. It counts the communicator's operations: each is either one of lines, from go_on() to end(), or
/// passes them. Thread-safe; never blocks.
class lines {
 public:
  static constexpr std::uint64_t apart = board::lines;
  /// What is needed of outside.
  struct surroundings {
    void* of = nullptr;
    /// Memory that the other sites see at the same distance from the board; null: there is none at the moment.
    void* (*allocate)(void* of, std::size_t bytes) noexcept = nullptr;
    void (*release)(void* of, void* memory) noexcept = nullptr;
    /// `site` sleeps, and is to look again.
    void (*ring)(void* of, int site) noexcept = nullptr;
  };

  /// 0 `sites`: it is not known yet how many there are, and `among` says it.
  lines(int sites, int site, const surroundings& around);
  lines(const lines&) = delete;
  lines& operator=(const lines&) = delete;
  AMITY_API ~lines();

  /// The next operation of this site, from 1 on.
  [[nodiscard]] AMITY_API std::uint64_t count() noexcept;
  /// The same as t.operation, and goes on with it, if the board is open.
  AMITY_API void start(turn& t) noexcept;
  /// It does not go by lines.
  AMITY_API void pass(std::uint64_t operation) noexcept;

  /// This is site `site` of so many. Before others know of this site; once.
  AMITY_API void among(int sites, int site);
  /// `own` is empty, and stays as long as anybody may read it. Before the first turn; once.
  AMITY_API void open(board& own) noexcept;
  [[nodiscard]] bool is_open() const noexcept { return own_.load(std::memory_order_acquire) != nullptr; }
  /// Where the board of `site` is in this process. By any thread, once.
  AMITY_API void know(int site, board& its) noexcept;

  /// As far as it gets: writes the line, looks for those of others. Then t.is_over(), or it is to be called again.
  AMITY_API void go_on(turn& t) noexcept;
  /// The same of a turn that is complete, and gives last: now this site gives t.value. Others may need it.
  AMITY_API void give(turn& t) noexcept;
  /// Requires: t is complete, and `site` is one that it needs or this one, and has given so many bytes.
  [[nodiscard]] AMITY_API const std::byte* value_of(int site, const turn& t, std::size_t bytes) const noexcept;
  /// Requires: t differs. What `site` takes it for.
  [[nodiscard]] AMITY_API intention what_of(int site, const turn& t) const noexcept;
  /// This site reads nothing of it any more, however it went.
  AMITY_API void end(const turn& t) noexcept;

  /// Some other site rings when it has written a line or is through with an operation. Look once more before you sleep.
  void falls_asleep() noexcept {
    own_.load(std::memory_order_relaxed)->sleeps.store(1,
                                                       std::memory_order_seq_cst);  // pairs with ring_sleepers
  }

 private:
  /// Operations of one line that are not over here, in order, and the last one before them.
  struct queue {
    std::vector<std::uint64_t> pending;
    std::uint64_t over = 0;
    std::uint64_t written = 0;  ///< the last one whose line was written
  };
  static std::size_t index_of(std::uint64_t operation) noexcept { return operation % apart; }
  /// The last operation of the line that was counted.
  [[nodiscard]] std::uint64_t last_of(std::size_t index) const noexcept {
    return counted_ - (counted_ + apart - index) % apart;
  }
  [[nodiscard]] bool has_room(turn& t) noexcept;
  [[nodiscard]] bool write(const turn& t) noexcept;
  [[nodiscard]] std::uint64_t count_locked() noexcept;
  [[nodiscard]] bool begin_locked(turn& t) noexcept;
  void has_begun(turn& t) const noexcept;
  void look(turn& t) const noexcept;
  [[nodiscard]] bool is_there(int site, turn& t) const noexcept;
  void ring_sleepers() const noexcept;

  int sites_ = 0, site_ = 0;
  surroundings const around_;
  std::atomic<board*> own_{nullptr};
  std::vector<std::atomic<board*>> boards_;  ///< of sites; null: not known yet

  sys::spin_lock lock_;  ///< of what follows, and of writing to the own board
  std::uint64_t counted_ = 0;
  queue of_line_[apart];
  std::vector<std::uint64_t> known_through_;  ///< of sites, each with `apart`; as seen last
  std::byte* values_ = nullptr;               ///< longer ones: `apart` times `room_`
  std::size_t room_ = 0;
  std::vector<void*> outgrown_;
};

}  // namespace amity::collectives::detail
