#pragma once

/// Which page a thread waited for after which, so that the next ones can be asked for with the first. A program that
/// repeats a loop waits for the same pages in the same order, as long as they go and come.
///
///     history h;
///     h.note(thread, {7, access::read}, t);       // a thread waits for page 7, and 50 us later for 9; twice
///     h.follows({7, access::read})                // 9, to read
///
/// One thread uses it. Tables of fixed size, in which one entry may push out another: what is forgotten is learnt anew.

#include <cstdint>

#include "amity/dsm/protocol.hpp"

namespace amity::dsm {

class history {
 public:
  struct want {
    std::uint32_t page = 0;
    access how = access::none;  ///< none: there is no want
    friend bool operator==(const want&, const want&) = default;
  };

  /// Later than so many nanoseconds after another, a want does not belong to it: there may be a barrier in between,
  /// before which another process still writes to that page.
  static constexpr std::int64_t at_once = 300'000;

  /// OS thread `thread` waits for `w`, at time `t` (nanoseconds).
  void note(int thread, const want& w, std::int64_t t) noexcept {
    last& l = last_of(thread);
    if (l.thread == thread && l.of.how != access::none && t - l.when < at_once && l.of.page != w.page) learn(l.of, w);
    l = {thread, w, t};
  }

  /// `w` was asked for ahead, so that `thread` will not wait for it: what it waits for next follows that.
  void pass_over(int thread, const want& w, std::int64_t t) noexcept { last_of(thread) = {thread, w, t}; }

  /// What was waited for after `w`, each time; or nothing. Now and then it says nothing to learn anew, as what has come
  /// ahead is not waited for, be it needed or not.
  [[nodiscard]] want follows(const want& w) noexcept {
    link& l = link_of(w);
    if (l.from != w || l.seen < sure) return {};
    return ++l.told % tells == 0 ? want{} : l.to;
  }

 private:
  static constexpr int sure = 2, tells = 16;
  static constexpr std::uint32_t links_room = 4096, lasts_room = 64;
  struct link {
    want from, to;
    std::uint8_t seen = 0, told = 0;
  };
  struct last {
    int thread = -1;
    want of;
    std::int64_t when = 0;
  };

  void learn(const want& from, const want& to) noexcept {
    link& l = link_of(from);
    if (l.from == from && l.to == to) {
      if (l.seen < sure) ++l.seen;
    } else {
      l = {from, to, 1, 0};
    }
  }
  link& link_of(const want& w) noexcept {
    return links_[(w.page * 2 + (w.how == access::write ? 1 : 0)) * 0x9E3779B1u >> 20];
  }
  last& last_of(int thread) noexcept { return lasts_[static_cast<std::uint32_t>(thread) % lasts_room]; }

  link links_[links_room];
  last lasts_[lasts_room];
};

}  // namespace amity::dsm
