// A ring between two processes (README-memory.md, U1 to U3) as a model: three cells, and messages of one or two of
// them, whose bytes look like a word. Each step is one access to memory, and every order is tried. What is shown: all
// messages come, each once and whole, and the reader does not sleep while one lies there. Each rule is left out in
// turn, and the model must find what goes wrong.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amity/base/explore.hpp"

namespace amity {
namespace {

constexpr const char* stuck = "a message lies there, and its reader sleeps";
constexpr const char* wrong_message = "what is taken for a message is none, or not the next one";

enum rule : unsigned {
  everything = 0,
  word_last = 1,       // U1: the word is written behind the bytes
  waits_for_room = 2,  // U2: what is not read is not written over
  clears_all = 4,      // U2: the reader clears all that could be taken for a word, before it says what it has read
  looks_again = 8,     // U3: who falls asleep says so, then looks once more
  rings = 16           // U3: who has written looks whether the reader sleeps
};

// A cell holds bytes at first and a word later, and the last message does not fit behind the one before it.
constexpr int cells = 3, messages = 6, sizes[messages] = {2, 1, 1, 2, 2, 2};
constexpr int size_of(int message) { return sizes[message - 1]; }
constexpr std::int8_t at_front = -1;

enum step : std::int8_t {
  // the writer
  has_room,
  skips,
  first_write,
  second_write,
  looks_who_sleeps,
  // the reader
  looks,
  says_asleep,
  looks_once_more,
  asleep,
  reads,
  clears_body,
  clears_head,
  says_read,
  finished
};

struct world {
  std::int8_t word[cells] = {}, bytes[cells] = {};  // a word is the number of cells
  std::int8_t read = 0, sleeps = 0, bell = 0;
  std::int8_t writer = has_room, written = 0, next_written = 0, seen_read = 0;
  std::int8_t reader = looks, taken = 0, next_read = 0, found = 0;
  std::int8_t wrong = 0;
};

class model {
 public:
  static constexpr int actors = 2, choices = 1;
  explicit model(unsigned left_out) : without_(left_out) {}

  static std::string visit(const world& w) { return w.wrong != 0 ? wrong_message : ""; }
  static std::string final(const world& w) { return w.reader == finished ? "" : stuck; }

  [[nodiscard]] bool advance(world& w, int actor, int) const { return actor == 0 ? write(w) : read(w); }

 private:
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }
  static std::int8_t place(int position) { return static_cast<std::int8_t>(position % cells); }

  [[nodiscard]] bool write(world& w) const {
    if (w.written == messages) return false;
    int const size = size_of(w.written + 1), at = place(w.next_written);
    bool const skipping = at + size > cells;
    switch (w.writer) {
      case has_room:
        if (w.next_written + (skipping ? cells - at : 0) + size > w.seen_read + cells && has(waits_for_room)) {
          if (w.seen_read == w.read) return false;
          w.seen_read = w.read;
          return true;
        }
        w.writer = skipping ? skips : first_write;
        return true;
      case skips:
        w.word[at] = at_front;
        w.next_written = static_cast<std::int8_t>(w.next_written + cells - at);
        w.writer = first_write;
        return true;
      case first_write:
      case second_write:
        if ((w.writer == first_write) == has(word_last)) {
          w.bytes[at] = static_cast<std::int8_t>(w.written + 1);
          if (size == 2) w.word[at + 1] = 1;  // its bytes
        } else {
          w.word[at] = static_cast<std::int8_t>(size);
        }
        if (++w.writer == looks_who_sleeps) w.next_written = static_cast<std::int8_t>(w.next_written + size);
        return true;
      case looks_who_sleeps:
        if (w.sleeps != 0 && has(rings)) {
          w.sleeps = 0;
          w.bell = 1;
        }
        w.writer = ++w.written == messages ? finished : has_room;
        return true;
      default:
        return false;
    }
  }

  [[nodiscard]] bool read(world& w) const {
    int const at = place(w.next_read);
    switch (w.reader) {
      case looks:
        w.found = w.word[at];
        w.reader = w.found == 0 ? says_asleep : w.found == at_front ? clears_head : reads;
        return true;
      case says_asleep:
        w.sleeps = 1;
        w.reader = has(looks_again) ? looks_once_more : asleep;
        return true;
      case looks_once_more:
        if (w.word[at] == 0) {
          w.reader = asleep;
        } else {
          w.sleeps = 0;
          w.reader = looks;
        }
        return true;
      case asleep:
        if (w.bell == 0) return false;
        w.bell = 0;
        w.reader = looks;
        return true;
      case reads:
        if (w.found != size_of(w.taken + 1) || w.bytes[at] != w.taken + 1) w.wrong = 1;
        w.reader = w.found == 2 && has(clears_all) ? clears_body : clears_head;
        return true;
      case clears_body:
        w.word[at + 1] = 0;
        w.reader = clears_head;
        return true;
      case clears_head:
        w.word[at] = 0;
        w.next_read = static_cast<std::int8_t>(w.next_read + (w.found == at_front ? cells - at : w.found));
        if (w.found != at_front) ++w.taken;
        w.reader = says_read;
        return true;
      case says_read:
        w.read = w.next_read;
        w.reader = w.taken == messages ? finished : looks;
        return true;
      default:
        return false;
    }
  }

  unsigned without_;
};

std::string explore(unsigned left_out, std::size_t* worlds = nullptr) {
  return base::explore(world{}, model(left_out), worlds);
}

TEST(ring_model, all_messages_come) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(everything, &worlds), "");
  EXPECT_GT(worlds, 500u);
}

TEST(ring_model, needs_the_word_to_be_last) { EXPECT_EQ(explore(word_last), wrong_message); }
TEST(ring_model, needs_writers_to_wait_for_room) { EXPECT_EQ(explore(waits_for_room), stuck); }
TEST(ring_model, needs_the_reader_to_clear_bytes) { EXPECT_EQ(explore(clears_all), wrong_message); }
TEST(ring_model, needs_who_falls_asleep_to_look_again) { EXPECT_EQ(explore(looks_again), stuck); }
TEST(ring_model, needs_writers_to_ring) { EXPECT_EQ(explore(rings), stuck); }

}  // namespace
}  // namespace amity
