#include "amity/dsm/protocol.hpp"

#include <bit>

#include "amity/base/assert.hpp"

namespace amity::dsm {
namespace {

constexpr std::uint64_t bit(int process) noexcept { return std::uint64_t{1} << process; }

void know(copy& c, const place& at) noexcept {
  if (c.is_known) return;
  c.is_known = true;
  c.has = at.own == at.home ? access::write : access::none;
}

void send(actions& todo, int to, const place& at, topic about, access what, bool has_data = false,
          bool was_written = false) noexcept {
  todo.add({action::kind::send, to, {about, what, has_data, was_written, at.page}});
}

void open(actions& todo, const copy& c, const place& at) noexcept {
  access const to = c.is_clean ? access::read : c.has;
  todo.add({action::kind::open, 0, {topic::grant, to, false, false, at.page}});
}

// --- the home

[[nodiscard]] std::uint64_t holders(const entry& e) noexcept { return e.readers | (e.writer >= 0 ? bit(e.writer) : 0); }

/// All that it waited for has been given back.
void finish(entry& e, const place& at, actions& todo) noexcept {
  int const to = e.requester;
  // The home's memory is its own copy. A process that may read has the contents already (P1).
  bool const has_contents = to == at.home || (holders(e) & bit(to)) != 0;
  if (e.requested == access::write) {
    e.writer = e.last_writer = static_cast<std::int8_t>(to);
    e.readers = 0;
  } else {
    e.readers |= bit(to);
  }
  e.is_busy = false;
  send(todo, to, at, topic::grant, e.requested, !has_contents);
}

/// P8. The other one that may read is who has written last, or nobody is: it was read, and now it is written to.
[[nodiscard]] bool is_handed_on(const entry& e, int from) noexcept {
  return e.writer < 0 && (e.readers & bit(from)) != 0 && e.last_writer != from &&
         (e.readers & ~bit(from) & ~bit(e.last_writer)) == 0;
}

void begin(entry& e, const place& at, int from, access wanted, actions& todo) noexcept {
  if (wanted == access::write && is_handed_on(e, from)) e.migrates = true;
  if (e.migrates) wanted = access::write;
  e.is_busy = true;
  e.requester = static_cast<std::int8_t>(from);
  e.requested = wanted;
  bool const writes = wanted == access::write;
  std::uint64_t const in_the_way = writes ? holders(e) : e.writer >= 0 ? bit(e.writer) : 0;
  e.awaited = in_the_way & ~bit(from);
  for (std::uint64_t left = e.awaited; left != 0; left &= left - 1)
    send(todo, std::countr_zero(left), at, topic::recall, writes ? access::none : access::read);
  if (e.awaited == 0) finish(e, at, todo);
}

/// Of those that wait, the one whose turn is next: round and round, so that each comes (P6).
[[nodiscard]] int next_of(const entry& e) noexcept {
  std::uint64_t const waiting = e.want_read | e.want_write;
  std::uint64_t const later = waiting & ~(bit(e.requester) | (bit(e.requester) - 1));
  return std::countr_zero(later != 0 ? later : waiting);
}

void begin_next(entry& e, const place& at, actions& todo) noexcept {
  while (!e.is_busy && (e.want_read | e.want_write) != 0) {
    int const next = next_of(e);
    bool const writes = (e.want_write & bit(next)) != 0;
    (writes ? e.want_write : e.want_read) &= ~bit(next);
    begin(e, at, next, writes ? access::write : access::read, todo);
  }
}

void take_back(entry& e, int from, const message& m) noexcept {
  access const kept = m.what;
  e.awaited &= ~bit(from);
  if (e.writer == from) {
    e.writer = -1;
    if (!m.was_written) e.migrates = false;
  }
  if (kept == access::none)
    e.readers &= ~bit(from);
  else
    e.readers |= bit(from);
}

}  // namespace

void fault(copy& c, const place& at, access wanted, actions& todo) noexcept {
  know(c, at);
  if (c.has >= wanted) {
    if (wanted == access::write) c.is_clean = false;
    open(todo, c, at);
    return;
  }
  if (c.asked != access::none) return;  // whoever is woken and may not do what it wants comes here again (P4)
  c.asked = wanted;
  send(todo, at.home, at, topic::ask, wanted);
}

void step(copy& c, const place& at, const message& m, actions& todo) noexcept {
  know(c, at);
  if (m.about == topic::recall) {
    AMITY_ASSERT(!c.is_recalled);
    c.is_recalled = true;
    c.keeps = m.what;
    todo.add({action::kind::hold, 0, m});
    return;
  }
  AMITY_ASSERT(m.about == topic::grant && !c.is_recalled);
  c.has = m.what;
  c.is_clean = m.what > c.asked;
  c.asked = access::none;
  open(todo, c, at);
}

void recall_is_due(copy& c, const place& at, actions& todo) noexcept {
  AMITY_ASSERT(c.is_recalled && c.has > c.keeps);
  bool const was_written = c.has == access::write && !c.is_clean;
  c.is_recalled = c.is_clean = false;
  c.has = c.keeps;
  todo.add({action::kind::close, 0, {topic::recall, c.keeps, false, false, at.page}});  // first: what is sent lasts
  send(todo, at.home, at, topic::give_back, c.keeps, was_written && at.own != at.home, was_written);
}

bool allows(const copy& c, const place& at, access wanted) noexcept {
  return c.is_known ? c.has >= wanted : at.own == at.home;
}

bool is_ours_alone(const copy& c, const place& at) noexcept {
  if (!c.is_known) return at.own == at.home;
  return c.has == access::write && !c.is_clean && !c.is_recalled;
}

void step(entry& e, const place& at, int from, const message& m, actions& todo) noexcept {
  if (!e.is_known) {
    e.is_known = true;
    e.writer = static_cast<std::int8_t>(at.home);
  }
  if (m.about == topic::give_back) {
    AMITY_ASSERT((e.awaited & bit(from)) != 0);
    take_back(e, from, m);
    if (e.awaited == 0) finish(e, at, todo);
  } else if (e.is_busy) {
    (m.what == access::write ? e.want_write : e.want_read) |= bit(from);
  } else {
    begin(e, at, from, m.what, todo);
  }
  begin_next(e, at, todo);
}

}  // namespace amity::dsm
