#include "amity/pgas/global_ptr.hpp"

#include <stdio.h>

namespace amity::pgas::detail {

void free_or_end_job(std::uint64_t address) noexcept {
  if (free_here(reinterpret_cast<void*>(address))) return;
  char why[120];
  snprintf(why, sizeof why, "deallocate of %#lx, which is no shared memory that was allocated here, or is free already",
           static_cast<unsigned long>(address));
  net::end_job(why);
}

std::string words_for_full_segment_of(int rank, std::size_t bytes) {
  if (rank == net::job().rank) return words_for_full_segment(rank, bytes, use_of_segment());
  auto const [size, used] = own_rpc(rank, [] {
                              segment_use const u = use_of_segment();
                              return std::pair(u.size, u.used);
                            }).get();
  return words_for_full_segment(rank, bytes, {size, used});
}

}  // namespace amity::pgas::detail
