// The library of late_library.cpp.
#include "amity/amity.hpp"

extern "C" amity::future<int> ask_in_library(int rank);
amity::future<int> ask_in_library(int rank) {
  return amity::rpc(rank, [] { return amity::rank_me() + 1; });
}
