#include "amity/sched/profile/messages.hpp"

#include "amity/sched/profile/rows.hpp"

namespace amity::sched::profile {

void note_sent(int to, std::uint32_t key) noexcept { note_message(true, static_cast<unsigned>(to), key); }

in_handler::in_handler(const void* function, int from, std::uint32_t key) noexcept {
  turn const before = last_turn();
  row_ = before.row;
  column_ = static_cast<unsigned>(before.in);
  unsigned const row = row_of(function, construct::handler);
  count(row);
  turn_to(row, column::runtime);
  note_message(false, static_cast<unsigned>(from), key);
}

in_handler::~in_handler() { turn_to(row_, static_cast<column>(column_)); }

}  // namespace amity::sched::profile
