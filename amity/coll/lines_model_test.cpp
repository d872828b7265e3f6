// Lines (README-lines.md: L1, L2, L4, L5, L7) as a model: two sites with one line each, and three operations. In each
// both need the other's value, or site 1 needs that of site 0 alone, or site 0 leads: it looks for the value of site 1
// before it gives. Each step is one access to memory, and every order is tried. What is shown: both end, and each gets
// the value of the operation. Each rule is left out in turn, and the model must find what goes wrong.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amity/base/explore.hpp"

namespace amity {
namespace {

constexpr const char* stuck = "somebody waits for ever";
constexpr const char* wrong_value = "a site reads the value of another operation";

enum rule : unsigned {
  everything = 0,
  number_last = 1,     // L1: the value is written before the number
  waits_for_room = 2,  // L2: a line is written again when the others are through with what it held
  looks_again = 4,     // L4: a site that falls asleep says so, then looks once more
  rings = 8            // L5: who has written a line, or is through with one, looks who sleeps
};

constexpr int sites = 2, operations = 3;

enum step : std::int8_t {
  has_room,
  first_store,
  second_store,
  rings_for_line,
  looks,
  says_asleep,
  looks_once_more,
  sleeps,
  reads,
  is_through,
  rings_for_room,
  finished
};

struct site_state {
  std::int8_t at = has_room, operation = 1, waits_at = 0, permit = 0;
  // the board
  std::int8_t number = 0, value = 0, through = 0, asleep = 0;
};

struct world {
  site_state one[sites];
  std::int8_t wrong = 0;
};

/// Which site needs the value of the other one.
enum class form : std::uint8_t {
  mutual,
  one_sided,  ///< site 0 needs nothing
  led         ///< site 0 looks, then gives
};

class model {
 public:
  static constexpr int actors = sites, choices = 1;
  model(unsigned left_out, form f) : without_(left_out), form_(f) {}

  static std::string visit(const world& w) { return w.wrong != 0 ? wrong_value : ""; }
  static std::string final(const world& w) {
    for (const site_state& s : w.one)
      if (s.at != finished) return stuck;
    return {};
  }

  bool advance(world& w, int number, int) const {
    site_state& me = w.one[number];
    site_state& other = w.one[1 - number];
    bool const has_line = other.number == me.operation;
    bool const room = other.through >= me.operation - 1 || !has(waits_for_room);
    auto const waits = [&](bool is_there, step next) {
      if (is_there) return to(me, next);
      if (me.at != looks_once_more) me.waits_at = me.at;
      return to(me, me.at == looks_once_more || !has(looks_again) ? sleeps : says_asleep);
    };
    switch (static_cast<step>(me.at)) {
      case has_room:
        return waits(room, first_store);
      case first_store:
        (has(number_last) ? me.value : me.number) = me.operation;
        return to(me, second_store);
      case second_store:
        (has(number_last) ? me.number : me.value) = me.operation;
        return to(me, rings_for_line);
      case rings_for_line:
        if (has(rings)) ring(other);
        return to(me, form_ != form::mutual && number == 0 ? is_through : looks);
      case looks:
        return waits(has_line, reads);
      case says_asleep:
        me.asleep = 1;
        return to(me, looks_once_more);
      case looks_once_more:
        return me.waits_at == has_room ? waits(room, first_store) : waits(has_line, reads);
      case sleeps:
        if (!has(looks_again)) me.asleep = 1;
        if (me.permit == 0) return false;
        me.permit = 0;
        return to(me, static_cast<step>(me.waits_at));
      case reads:
        if (other.value != me.operation) w.wrong = 1;
        return to(me, leads(number) ? has_room : is_through);
      case is_through:
        me.through = me.operation;
        return to(me, rings_for_room);
      case rings_for_room:
        if (has(rings)) ring(other);
        return to(me, ++me.operation > operations ? finished : begins(number));
      default:
        return false;
    }
  }

  [[nodiscard]] step begins(int number) const { return leads(number) ? looks : has_room; }

 private:
  [[nodiscard]] bool leads(int number) const { return form_ == form::led && number == 0; }
  [[nodiscard]] bool has(rule r) const { return (without_ & r) == 0; }
  static bool to(site_state& me, step next) { return me.at = next, true; }
  static void ring(site_state& other) {
    if (other.asleep == 0) return;
    other.asleep = 0;
    other.permit = 1;
  }

  unsigned without_;
  form form_;
};

std::string explore(unsigned left_out, form f = form::mutual, std::size_t* worlds = nullptr) {
  model const m(left_out, f);
  world first;
  for (int number = 0; number < sites; ++number) first.one[number].at = m.begins(number);
  return base::explore(first, m, worlds);
}

TEST(lines_model, ends_with_the_right_values) {
  std::size_t worlds = 0;
  EXPECT_EQ(explore(everything, form::mutual, &worlds), "");
  EXPECT_GT(worlds, 500u);
  EXPECT_EQ(explore(everything, form::one_sided), "");
  EXPECT_EQ(explore(everything, form::led), "");
}
TEST(lines_model, needs_the_number_to_be_last) {
  EXPECT_EQ(explore(number_last), wrong_value);
  EXPECT_EQ(explore(number_last, form::led), wrong_value);
}
TEST(lines_model, needs_room) { EXPECT_EQ(explore(waits_for_room, form::one_sided), wrong_value); }
TEST(lines_model, needs_the_last_look) {
  EXPECT_EQ(explore(looks_again), stuck);
  EXPECT_EQ(explore(looks_again, form::led), stuck);
}
TEST(lines_model, needs_rings) {
  EXPECT_EQ(explore(rings), stuck);
  EXPECT_EQ(explore(rings, form::one_sided), stuck);
  EXPECT_EQ(explore(rings, form::led), stuck);
}

}  // namespace
}  // namespace amity
