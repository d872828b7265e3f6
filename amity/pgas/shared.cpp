#include "amity/pgas/shared.hpp"

#include <map>
#include <mutex>

#include "amity/net/messages.hpp"
#include "amity/sys/spin_lock.hpp"

namespace amity::pgas::detail {
namespace {

/// How many processes have let go of a part of this one's memory, by its address.
struct farewells {
  sys::spin_lock lock;
  std::map<std::uint64_t, int> of;
};
farewells& all() noexcept {
  static auto* const one = new farewells;
  return *one;
}

void take_farewell(net::arrival& m) noexcept {
  {
    farewells& f = all();
    std::lock_guard const held(f.lock);
    if (++f.of[m.word] < net::job().size) return;
    f.of.erase(m.word);
  }
  free_or_end_job(m.word);
}

}  // namespace

void joint_memory::make(std::size_t bytes, std::exception_ptr& failure) noexcept {
  void* const mine = bytes == 0 ? nullptr : allocate_here(bytes);
  // Those without room say so together with the others, or these would wait for ever.
  constexpr std::uint64_t no_room = ~std::uint64_t{0};
  addresses_ = exchange(bytes != 0 && mine == nullptr ? no_room : reinterpret_cast<std::uint64_t>(mine));
  for (std::size_t r = 0; r < addresses_.size(); ++r) {
    if (addresses_[r] != no_room) continue;
    // All come here, or nobody.
    segment_use const own = use_of_segment();
    segment_use const its{exchange(own.size)[r], exchange(own.used)[r]};
    std::string const words = words_for_full_segment(static_cast<int>(r), exchange(bytes)[r], its);
    if (mine != nullptr) free_or_end_job(reinterpret_cast<std::uint64_t>(mine));
    addresses_.clear();
    failure = std::make_exception_ptr(bad_shared_alloc(words));
    return;
  }
}

joint_memory::~joint_memory() {
  for (std::size_t r = 0; r < addresses_.size(); ++r)
    if (addresses_[r] != 0) net::send(static_cast<int>(r), net::code_of<take_farewell>(), addresses_[r], nullptr, 0);
}

}  // namespace amity::pgas::detail
