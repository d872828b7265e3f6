// Of docs/tutorials/processes.md.
// clang-format off
// [all]
#include <amity/amity.hpp>
#include <amity/distributed.hpp>

int main() {
  amity::promise<int> forgotten;  // nobody puts a value
  if (amity::rank_me() == 1) forgotten.get_future().get();
  amity::barrier_all();
}
// [end]
// clang-format on
