#pragma once

/// The rules by which processes hand pages to one another: functions without any effect. `step` takes the state of one
/// page and what has happened, changes that state, and says what is to be done. The pager does it (pager.cpp); the
/// model in protocol_model_test.cpp explores the same functions in every order.
///
///     entry of_home;                                   // process 0 is the page's home, and may write to it
///     actions todo;
///     message const asks{.about = topic::ask, .what = access::read, .page = 7};
///     step(of_home, {.own = 0, .home = 0, .page = 7}, 1, asks, todo);   // process 1 wants to read it
///     // todo: send a recall to process 0 itself, which may go on reading
///
/// README.md has the rules by number. Nothing here blocks, takes memory or knows the time.

#include <cstdint>

namespace amity::dsm {

inline constexpr int most_processes = 64;

/// What a process may do with its copy of a page.
enum class access : std::uint8_t { none, read, write };

enum class topic : std::uint8_t {
  ask,       ///< to the home: I want to do `what`
  grant,     ///< from the home: you may
  recall,    ///< from the home: keep no more than `what`
  give_back  ///< to the home: I have kept no more than that
};

/// As it goes over a stream. With `has_data`, the page's contents follow.
struct message {
  topic about;
  access what = access::none;
  bool has_data = false;
  bool was_written = false;  ///< give_back, by a process that could write
  std::uint32_t page = 0;
};
static_assert(sizeof(message) == 8);

/// What `step` wants done, in order.
struct action {
  enum class kind : std::uint8_t {
    send,   ///< `m` to process `to`, which may be the own one
    open,   ///< let the threads of this process do m.what with the page; wake those that wait for it
    close,  ///< see that they do no more than m.what, from here on
    hold    ///< a recall has come: tell `recall_is_due` of it, at once or a little later
  };
  kind what;
  int to = 0;
  message m{};
};

/// No longer than one step needs: a recall for each process, and a grant.
class actions {
 public:
  void add(const action& a) noexcept { all_[count_++] = a; }
  [[nodiscard]] const action* begin() const noexcept { return all_; }
  [[nodiscard]] const action* end() const noexcept { return all_ + count_; }

 private:
  int count_ = 0;
  action all_[2 * most_processes + 2];
};

/// Which page, and from where it is seen.
struct place {
  int own = 0;   ///< the calling process
  int home = 0;  ///< the process that decides who has the page; it has it first
  std::uint32_t page = 0;
};

/// A process's copy of a page. All zero: nothing has happened yet.
struct copy {
  bool is_known : 1 = false;
  bool is_clean : 1 = false;  ///< it may write, and has not yet: its threads are let read
  access has : 2 = access::none;
  access asked : 2 = access::none;  ///< of the home, which has not granted it yet
  bool is_recalled : 1 = false;
  access keeps : 2 = access::none;  ///< with is_recalled: what may stay
};
static_assert(sizeof(copy) == 2);

/// A thread of this process wants to read or write, and could not.
void fault(copy& c, const place& at, access wanted, actions& todo) noexcept;
/// A grant or a recall has come from the home.
void step(copy& c, const place& at, const message& m, actions& todo) noexcept;
/// Follows each `hold`, in any order with all else.
void recall_is_due(copy& c, const place& at, actions& todo) noexcept;

/// Threads of this process may do `wanted` already.
[[nodiscard]] bool allows(const copy& c, const place& at, access wanted) noexcept;

/// No other process can use the page or its contents, or is about to.
[[nodiscard]] bool is_ours_alone(const copy& c, const place& at) noexcept;

/// What the home knows of a page. All zero: nothing has happened yet, and the home may write.
struct entry {
  std::uint64_t readers = 0;     ///< a bit for each process that may read
  std::uint64_t awaited = 0;     ///< recalled, and not given back yet
  std::uint64_t want_read = 0;   ///< asked while another request was under way
  std::uint64_t want_write = 0;  ///< the same
  std::int8_t writer = 0;        ///< the one that may write; -1: nobody
  std::int8_t requester = 0;     ///< whose request is under way, or was last
  access requested = access::none;
  std::int8_t last_writer = 0;  ///< the last that was let write
  bool is_known = false;
  bool is_busy = false;
  bool migrates = false;  ///< who reads it writes to it next, mostly: README.md, P8
};

/// A process asks for the page or gives it back. What came with it is in the home's memory already.
void step(entry& e, const place& at, int from, const message& m, actions& todo) noexcept;

}  // namespace amity::dsm
