#pragma once

/// A work-stealing queue of pointers whose newest part belongs to the owner alone, so that pushing and popping there
/// costs no fence and no atomic read-modify-write.
///
///     split_deque<job> jobs;                          // the owner's
///     if (!jobs.push(j)) run(j);                      // full: 16384 entries
///     job* mine = jobs.pop(base);                     // newest first, not below `base`
///     job* theirs = jobs.steal([](job& j) { return true; });   // any thread; oldest first
///
///     oldest                                    newest
///       | top ...  public ... split | ... private ... | bottom
///
/// `word_` holds top, the number of public entries, a tag and five flags, so that one compare-and-swap decides every
/// conflict:
///  * a thief takes the entry at top: top + 1, count - 1.
///  * the owner publishes (count + n) when nothing is public or when a thief left the flag `wanted`, and reclaims
///    (count - n, tag + 1) when it has eaten its private part. The tag makes a thief fail that looked at an entry which
///    was reclaimed and replaced.
///  * a thief that finds private entries only, and an owner that does not come by (it runs a long task), *raids*: it
///    sets the flag `raided`, makes every thread of the process pass a memory barrier (membarrier), reads bottom, and
///    publishes on the owner's behalf. The owner's pop writes bottom, then reads word_, with nothing but a compiler
///    barrier in between: either the raider sees the new bottom or the owner sees the flag, and then it waits until the
///    raid is over.
///
/// The owner keeps its own copy of `split`, which only raids change behind its back: they leave the flag `moved`. So
/// its fast path is to compare with the copy and to look whether any flag is set; `dry`, set exactly while nothing is
/// public, saves the push a look at the number.
///
/// Requires: objects are never unmapped. A thief may look at one that was taken meanwhile (`may` runs before the
/// claim); what it saw then counts only if the claim succeeds, and then it was right, because the entry was in the
/// queue all the time.

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "amity/base/config.hpp"
#include "amity/base/private_memory.hpp"
#include "amity/base/processor.hpp"
#include "amity/sys/process_barrier.hpp"

namespace amity::sched {

/// What a thief found.
enum class haul : std::uint8_t {
  taken,
  nothing,  ///< the queue is empty
  refused,  ///< the oldest entry is not for this thief, or another was faster
  hidden,   ///< all entries are private; the owner was asked to publish
};

template <class T>
class alignas(base::cache_line) split_deque {
  using word = std::uint64_t;

 public:
  static constexpr std::uint32_t max_capacity = 1u << 14;
  static constexpr std::uint32_t first_capacity = 64;

  split_deque() noexcept = default;
  split_deque(const split_deque&) = delete;
  split_deque& operator=(const split_deque&) = delete;
  /// Requires: no thief is left.
  ~split_deque() {
    for (buffer* b = owned_; b != nullptr;) {
      buffer* const smaller = b->smaller;
      base::give_back(b);
      b = smaller;
    }
  }

  // --- the owner's

  /// Where the next entry goes. Entries pushed from now on are not below it.
  [[nodiscard]] std::uint32_t bottom() const noexcept { return bottom_.load(std::memory_order_relaxed); }

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint16_t>(bottom() - top_of(word_.load(std::memory_order_relaxed)));
  }

  /// How many thieves have taken so far, modulo 2^16.
  [[nodiscard]] std::uint16_t stolen() const noexcept { return top_of(word_.load(std::memory_order_relaxed)); }

  /// Refuses every push from now on. Requires: it is empty and there has been none.
  void close() noexcept { closed_ = true; }

  /// True before the first push: the caller may want to make the queue known to thieves.
  [[nodiscard]] bool untouched() const noexcept { return owned_ == nullptr; }

  /// False: no room, or no memory for more.
  [[nodiscard]] bool push(T* item) noexcept {
    if (!put(item, bottom())) [[unlikely]]
      return false;
    word const w = word_.load(std::memory_order_relaxed);
    if (w >= flags_for_push) [[unlikely]]
      publish(w);
    return true;
  }

  /// The same for an entry that the owner is going to pop next: it is not published for its own sake, nor because a
  /// thief asked. Thieves get it by a raid, or when the owner publishes for another reason.
  [[nodiscard]] bool push_quietly(T* item) noexcept {
    if (!put(item, bottom())) [[unlikely]]
      return false;
    word const w = word_.load(std::memory_order_relaxed);
    if ((w & eager) != 0) [[unlikely]]
      publish(w);
    return true;
  }

  /// What became of a push_and_tell().
  enum class pushed : std::uint8_t {
    quietly,    ///< there were public entries already
    published,  ///< nothing was public, or a thief asked: somebody who sleeps may want to know
    refused,    ///< no room, or no memory for more
  };

  /// push() for owners that tell sleeping thieves. It looks at word_ again after bottom has moved: a thief that made
  /// all threads pass a memory barrier and then found this queue empty is certain that the next push says `published`.
  [[nodiscard]] pushed push_and_tell(T* item) noexcept { return push_and_tell(item, bottom()); }

  /// The same where the caller has asked for bottom() already.
  [[nodiscard]] pushed push_and_tell(T* item, std::uint32_t at) noexcept {
    if (!put(item, at)) [[unlikely]]
      return pushed::refused;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the processor's part is the thief's await_all_stores
    if (word_.load(std::memory_order_relaxed) < flags_for_push) [[likely]]
      return pushed::quietly;
    publish_after_raid();
    return pushed::published;
  }

  /// Calls `change()` if `item` is the newest entry and nobody else can have it before the change is done. The raid's
  /// protocol as in pop() and push_and_tell(): for a moment the entry is not in the queue. `published` as there.
  template <class Change>
  [[gnu::always_inline]] bool amend_newest(const T* item, bool& published, Change change) noexcept {
    std::uint32_t const b = bottom_.load(std::memory_order_relaxed);
    if (slots_[(b - 1) & mask_].load(std::memory_order_relaxed) != item) return false;
    bottom_.store(b - 1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    word const w = word_.load(std::memory_order_relaxed);
    bool const ours = w < flags_for_pop ? is_mine(b - 1) : (w & raided) == 0 && is_private(b - 1, w);
    if (ours) [[likely]]
      change();
    bottom_.store(b, std::memory_order_release);  // pairs with raid
    std::atomic_signal_fence(std::memory_order_seq_cst);
    published = word_.load(std::memory_order_relaxed) >= flags_for_push;
    if (published) [[unlikely]]
      publish_after_raid();
    return ours;
  }

  /// The newest entry, unless all that is left was pushed before bottom() was `base`.
  [[nodiscard]] T* pop(std::uint32_t base) noexcept {
    std::uint32_t b = bottom_.load(std::memory_order_relaxed);
    if (static_cast<std::int32_t>(b - base) <= 0) return nullptr;
    if (take_back(--b)) [[likely]]
      return slots_[b & mask_].load(std::memory_order_relaxed);
    return pop_shared(b);
  }

  /// Takes the newest entry, which lies at `index` == bottom() - 1: pop() for an owner that knows what lies there.
  /// False: it is no longer there.
  [[nodiscard]] bool pop_at(std::uint32_t index) noexcept {
    if (take_back(index)) [[likely]]
      return true;
    return pop_shared(index) != nullptr;
  }

  /// Takes `item` if it is the newest.
  [[nodiscard]] bool pop_if_newest(const T* item) noexcept {
    std::uint32_t const at = bottom() - 1;
    return slots_[at & mask_].load(std::memory_order_relaxed) == item && pop_at(at);
  }

  /// `item` lies at `index`, or lay there until a thief took it.
  [[nodiscard]] bool holds(const T* item, std::uint32_t index) const noexcept {
    return static_cast<std::int32_t>(bottom() - index) > 0 &&
           slots_[index & mask_].load(std::memory_order_relaxed) == item;
  }

  /// Takes the entry at `index` out from among the owner's own, and puts the newest in its place. False: others may
  /// have it already, or will. The raid's protocol as in pop() and push_and_tell(): for a moment none of the entries
  /// from there on is in the queue. `published` as there.
  [[nodiscard]] bool take_out(std::uint32_t index, bool& published) noexcept {
    std::uint32_t const b = bottom();
    bool const ours = take_back(index);
    if (ours)
      slots_[index & mask_].store(slots_[(b - 1) & mask_].load(std::memory_order_relaxed), std::memory_order_relaxed);
    bottom_.store(ours ? b - 1 : b, std::memory_order_release);  // pairs with raid
    std::atomic_signal_fence(std::memory_order_seq_cst);
    published = word_.load(std::memory_order_relaxed) >= flags_for_push;
    if (published) [[unlikely]]
      publish_after_raid();
    return ours;
  }

  /// The entry that pop() would give, for a look: a thief may take it meanwhile. Null: none.
  [[nodiscard]] T* newest() const noexcept {
    if (size() == 0) return nullptr;
    return slots_[(bottom() - 1) & mask_].load(std::memory_order_relaxed);
  }

  /// Makes all entries public: for an owner that is going to wait, or that has just pushed several of which others
  /// could have some at once.
  void publish_all() noexcept {
    word w = word_.load(std::memory_order_relaxed);
    while ((w & raided) == 0) {
      word const hidden = hidden_below(bottom(), w);
      if (hidden == 0) return;
      if (replace_as_owner(w, (w & ~(wanted | moved)) + hidden * one_public)) return;
    }
  }

  // --- anybody's

  /// Takes the oldest entry if it is public and `may` accepts it.
  template <class May>
  [[nodiscard]] haul steal(T*& taken, May may) noexcept {
    word w = word_.load(std::memory_order_acquire);  // pairs with publish
    if ((w & count_mask) == 0) {
      if (hidden_below(bottom_.load(std::memory_order_relaxed), w) == 0) return haul::nothing;
      if ((w & wanted) == 0) replace(w, w | wanted);
      return haul::hidden;
    }
    // The buffer may be newer than `w`, and its slot empty or reused: then the claim fails.
    const buffer* b = buffer_.load(std::memory_order_acquire);
    T* const item = b->slot[top_of(w) & (b->capacity - 1)].load(std::memory_order_relaxed);
    if (item == nullptr || !may(*item)) return haul::refused;
    if (!word_.compare_exchange_strong(w, without_oldest(w, 1), std::memory_order_acq_rel, std::memory_order_relaxed))
      return haul::refused;
    taken = item;
    return haul::taken;
  }

  /// Takes the older half of the public entries, at most `room` of them, with one claim: where entries are short work,
  /// that spares both sides most of the cache misses.
  [[nodiscard]] haul steal_half(T** taken, std::uint32_t room, std::uint32_t& count) noexcept {
    word w = word_.load(std::memory_order_acquire);  // pairs with publish
    std::uint32_t const open = (w & count_mask) / one_public;
    if (open < 2) {
      count = 1;
      return steal(*taken, [](const T&) { return true; });
    }
    count = (open + 1) / 2 < room ? (open + 1) / 2 : room;
    const buffer* b = buffer_.load(std::memory_order_acquire);  // as in steal
    for (std::uint32_t i = 0; i < count; ++i) {
      taken[i] = b->slot[(top_of(w) + i) & (b->capacity - 1)].load(std::memory_order_relaxed);
      if (taken[i] == nullptr) return haul::refused;
    }
    return word_.compare_exchange_strong(w, without_oldest(w, count), std::memory_order_acq_rel,
                                         std::memory_order_relaxed)
               ? haul::taken
               : haul::refused;
  }

  /// If all that there is, is one public entry: a number that stays as long as that lies there, and comes again only
  /// after 2^28 others. Else 0. A hint. Reads what the owner writes at every push.
  [[nodiscard]] std::uint64_t alone() const noexcept {
    word const w = word_.load(std::memory_order_relaxed);
    bool const one = (w & count_mask) == one_public;
    return one && hidden_below(bottom_.load(std::memory_order_relaxed), w) == 0 ? w : 0;
  }

  /// Something to steal at once.
  [[nodiscard]] bool has_public() const noexcept { return (word_.load(std::memory_order_relaxed) & count_mask) != 0; }

  /// Something, public or hidden. Reads what the owner writes at every push.
  [[nodiscard]] bool has_any() const noexcept {
    word const w = word_.load(std::memory_order_relaxed);
    return (w & count_mask) != 0 || hidden_below(bottom_.load(std::memory_order_relaxed), w) != 0;
  }

  /// Something that the owner keeps to itself.
  [[nodiscard]] bool has_hidden() const noexcept {
    return hidden_below(bottom_.load(std::memory_order_relaxed), word_.load(std::memory_order_relaxed)) != 0;
  }

  /// Publishes what the owner keeps to itself. Costs microseconds. True: there was something.
  bool raid() noexcept {
    word w = word_.load(std::memory_order_relaxed);
    if ((w & raided) != 0 || hidden_below(bottom_.load(std::memory_order_relaxed), w) == 0) return false;
    if (!replace(w, w | raided)) return false;
    word const leave = sys::await_all_stores() ? moved : moved | eager;
    w = word_.load(std::memory_order_acquire);
    for (;;) {
      // Acquire: the entries below; pairs with push.
      word const hidden = hidden_below(bottom_.load(std::memory_order_acquire), w);
      if (replace(w, ((w & ~(wanted | raided)) | leave) + hidden * one_public)) return hidden != 0;
    }
  }

 private:
  struct buffer {
    std::uint32_t capacity;
    buffer* smaller;  ///< freed with the queue only: a late thief may read there
    std::atomic<T*> slot[1];
  };

  // Bits of word_: top 16, tag 28, count of public entries 15, five flags.
  static constexpr word top_mask = 0xffff;
  static constexpr word one_tag = word{1} << 16;
  static constexpr word tag_mask = ((word{1} << 28) - 1) << 16;
  static constexpr word one_public = word{1} << 44;
  static constexpr word count_mask = ((word{1} << 15) - 1) << 44;
  static constexpr word dry = word{1} << 59;     ///< the count is 0
  static constexpr word eager = word{1} << 60;   ///< a raid takes long here, without membarrier: nothing stays private
  static constexpr word moved = word{1} << 61;   ///< a raid has published; `split_` is not right any more
  static constexpr word wanted = word{1} << 62;  ///< a thief asks for more
  static constexpr word raided = word{1} << 63;
  static constexpr word flags_for_push = dry, flags_for_pop = eager;  ///< this one or a higher one is set
  static_assert(max_capacity <= count_mask / one_public);

  static std::uint16_t top_of(word w) noexcept { return static_cast<std::uint16_t>(w); }
  static std::uint16_t split_of(word w) noexcept {
    return static_cast<std::uint16_t>(top_of(w) + (w & count_mask) / one_public);
  }
  /// `w` after a thief's claim.
  static word without_oldest(word w, std::uint32_t count) noexcept {
    return with_dry(((w - count * one_public) & ~top_mask) | static_cast<std::uint16_t>(top_of(w) + count));
  }
  static word with_dry(word w) noexcept { return (w & count_mask) != 0 ? w & ~dry : w | dry; }

  static bool is_private(std::uint32_t index, word w) noexcept {
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(index - split_of(w))) >= 0;
  }

  /// Private entries below `bottom`. While the owner tries an empty queue, bottom is one less than split for a moment.
  static word hidden_below(std::uint32_t bottom, word w) noexcept {
    auto const n = static_cast<std::int16_t>(static_cast<std::uint16_t>(bottom - split_of(w)));
    return n > 0 ? static_cast<word>(n) : 0;
  }

  /// Release: the entries that become public; pairs with steal. Acquire: what a raider or thief did.
  bool replace(word& expected, word desired) noexcept {
    return word_.compare_exchange_strong(expected, with_dry(desired), std::memory_order_acq_rel,
                                         std::memory_order_acquire);
  }

  // --- the owner's

  /// replace() for an owner who has seen no raid and moves the split, or clears `moved`.
  bool replace_as_owner(word& expected, word desired) noexcept {
    if (!replace(expected, desired)) return false;
    std::uint32_t const b = bottom();
    split_ =
        b - static_cast<std::uint32_t>(static_cast<std::int16_t>(static_cast<std::uint16_t>(b - split_of(desired))));
    return true;
  }

  /// Requires: no flag that says that `split_` may be wrong.
  [[nodiscard]] bool is_mine(std::uint32_t index) const noexcept {
    return static_cast<std::int32_t>(index - split_) >= 0;
  }

  /// Moves bottom to `index`, one below. True: the entry there was private. Else pop_shared() decides.
  [[nodiscard]] bool take_back(std::uint32_t index) noexcept {
    bottom_.store(index, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the processor's part is the raider's await_all_stores
    return word_.load(std::memory_order_relaxed) < flags_for_pop && is_mine(index);
  }

  [[nodiscard]] bool put(T* item, std::uint32_t b) noexcept {
    if (b == limit_) [[unlikely]]
      if (!make_room(b)) return false;
    slots_[b & mask_].store(item, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);  // pairs with raid
    return true;
  }

  /// Looks how far thieves have come since `limit_` was found, and takes a larger buffer where that is not enough.
  [[gnu::noinline]] bool make_room(std::uint32_t b) noexcept {
    if (closed_) return false;
    std::uint16_t const top = top_of(word_.load(std::memory_order_relaxed));
    std::uint32_t const used = static_cast<std::uint16_t>(b - top);
    if (owned_ == nullptr || used >= owned_->capacity)
      if (!grow(b, top)) return false;
    limit_ = b - used + owned_->capacity;
    return true;
  }

  [[gnu::noinline]] void publish(word w) noexcept {
    while ((w & raided) == 0) {
      word const hidden = hidden_below(bottom(), w);
      if (hidden == 0) return;
      bool const all = (w & (wanted | eager)) != 0;
      word const share = all ? hidden : (hidden + 1) / 2;
      if (replace_as_owner(w, (w & ~(wanted | moved)) + share * one_public)) return;
    }
  }

  [[gnu::noinline]] void publish_after_raid() noexcept {
    word w = word_.load(std::memory_order_acquire);
    while ((w & raided) != 0) {  // the raider may not have seen what was pushed just now
      base::cpu_relax();
      w = word_.load(std::memory_order_acquire);
    }
    publish(w);
  }

  [[gnu::noinline]] T* pop_shared(std::uint32_t b) noexcept {
    word w = word_.load(std::memory_order_acquire);
    for (;;) {
      if ((w & raided) != 0) {
        base::cpu_relax();
        w = word_.load(std::memory_order_acquire);  // pairs with raid
        continue;
      }
      if ((w & moved) != 0) {
        if (replace_as_owner(w, w & ~moved)) w &= ~moved;
        continue;
      }
      if (is_private(b, w)) {
        T* const item = slots_[b & mask_].load(std::memory_order_relaxed);
        if ((w & wanted) != 0) publish(w);
        return item;
      }
      word const open = (w & count_mask) / one_public;
      if (open == 0) {  // all stolen
        bottom_.store(b + 1, std::memory_order_relaxed);
        return nullptr;
      }
      word const share = (open + 1) / 2;
      word const tag = (w + one_tag) & tag_mask;
      if (replace_as_owner(w, ((w & ~tag_mask) | tag) - share * one_public))
        return slots_[b & mask_].load(std::memory_order_relaxed);
    }
  }

  [[gnu::noinline]] bool grow(std::uint32_t b, std::uint16_t top) noexcept {
    std::uint32_t const capacity = owned_ == nullptr ? first_capacity : 2 * owned_->capacity;
    if (capacity > max_capacity) return false;
    auto* larger = static_cast<buffer*>(base::take_private_zeroed(sizeof(buffer) + capacity * sizeof(std::atomic<T*>)));
    if (larger == nullptr) return false;
    larger->capacity = capacity;
    larger->smaller = owned_;
    for (auto i = static_cast<std::uint16_t>(b - top); i != 0; --i)
      larger->slot[(b - i) & (capacity - 1)].store(slots_[(b - i) & mask_].load(std::memory_order_relaxed),
                                                   std::memory_order_relaxed);
    owned_ = larger;
    slots_ = larger->slot;
    mask_ = capacity - 1;
    buffer_.store(larger, std::memory_order_release);  // pairs with steal
    return true;
  }

  // --- written by the owner
  std::atomic<std::uint32_t> bottom_{0};
  std::uint32_t limit_ = 0;  ///< there is room up to here, or more since thieves went on
  std::uint32_t split_ = 0;  ///< what lies below is public, if `moved` and `raided` are not set
  std::uint32_t mask_ = 0;
  std::atomic<T*>* slots_ = &none_;
  buffer* owned_ = nullptr;
  std::atomic<T*> none_{nullptr};  ///< the slot before there is a buffer
  bool closed_ = false;            ///< then limit_ stays 0
  // --- what thieves look at
  alignas(base::cache_line) std::atomic<word> word_{dry};
  std::atomic<buffer*> buffer_{nullptr};
};

}  // namespace amity::sched
