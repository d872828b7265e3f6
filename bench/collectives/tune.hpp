// Which algorithm is the fastest for each operation and size, with as many ranks as there are.
#pragma once

#include "messages/ranks.hpp"

namespace collectives {

/// Measures all algorithms that an operation has, in turns, and says a line of JSON for each operation and size: the
/// best one, as in a table of algorithms (amity/coll/choice_text.hpp), its time and the built-in table's. One that is
/// not 3 % faster than the built-in table's choice is not taken. Collective; false: a result was wrong.
bool tune(ranks::job& j, const ranks::settings& how);

}  // namespace collectives
