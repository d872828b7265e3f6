#include "collectives/operations.hpp"

#include <array>
#include <string>

namespace collectives {
namespace {

using ranks::item;
using ranks::job;
using ranks::settings;

struct named {
  operation what;
  const char* name;
};
constexpr std::array operations = {
    named{operation::broadcast, "broadcast"},
    named{operation::reduce, "reduce"},
    named{operation::all_reduce, "all_reduce"},
    named{operation::reduce_scatter, "reduce_scatter"},
    named{operation::scatter, "scatter"},
    named{operation::gather, "gather"},
    named{operation::all_gather, "all_gather"},
    named{operation::all_to_all, "all_to_all"},
    named{operation::scan, "scan"},
};

/// What rank `rank` has at place `i` of what it gives; `part`: of the part for that rank.
element given(int rank, int part, std::size_t i) {
  return static_cast<element>(rank + 1) * 1000003U + static_cast<element>(part) * 8191U + static_cast<element>(i) * 31U;
}

/// The sum of what ranks from 0 to below `ranks` give.
element sum_of(int ranks, int part, std::size_t i) {
  element sum = 0;
  for (int r = 0; r < ranks; ++r) sum += given(r, part, i);
  return sum;
}

// --- memory

/// Of one item at one rank.
class memory {
 public:
  memory(const job& j, operation what, std::size_t bytes) : rank_(j.rank()), size_(j.size()), what_(what) {
    std::size_t const count = bytes / sizeof(element);
    mine_.resize(count);
    bool const root = rank_ == 0;
    bool const rooted = what == operation::scatter || what == operation::gather;
    bool const everywhere = what == operation::reduce_scatter || what == operation::all_gather;
    if (everywhere || (rooted && root) || what == operation::all_to_all) all_.resize(count * parts());
    if (what == operation::all_to_all) other_.resize(count * parts());
  }

  [[nodiscard]] buffers on() { return {mine_, all_, other_}; }

  void fill() {
    bool const from_all = what_ == operation::reduce_scatter || what_ == operation::scatter;
    bool const silent = what_ == operation::broadcast && rank_ != 0;
    for (std::size_t i = 0; i < mine_.size(); ++i) mine_[i] = from_all || silent ? 0 : given(rank_, 0, i);
    for (std::size_t p = 0; p < all_.size() / mine_.size(); ++p)
      for (std::size_t i = 0; i < mine_.size(); ++i)
        all_[p * mine_.size() + i] =
            from_all || what_ == operation::all_to_all ? given(rank_, static_cast<int>(p), i) : 0;
    for (element& one : other_) one = 0;
  }

  [[nodiscard]] bool is_right() const {
    switch (what_) {
      case operation::broadcast:
        return mine_is([](std::size_t i) { return given(0, 0, i); });
      case operation::reduce:
        return rank_ != 0 || mine_is([this](std::size_t i) { return sum_of(size_, 0, i); });
      case operation::all_reduce:
        return mine_is([this](std::size_t i) { return sum_of(size_, 0, i); });
      case operation::reduce_scatter:
        return mine_is([this](std::size_t i) { return sum_of(size_, rank_, i); });
      case operation::scatter:
        return mine_is([this](std::size_t i) { return given(0, rank_, i); });
      case operation::gather:
      case operation::all_gather:
        return parts_are(all_, 0);
      case operation::all_to_all:
        return parts_are(other_, rank_);
      case operation::scan:
        return mine_is([this](std::size_t i) { return sum_of(rank_ + 1, 0, i); });
      case operation::barrier:
        break;
    }
    return true;
  }

 private:
  [[nodiscard]] std::size_t parts() const { return static_cast<std::size_t>(size_); }

  template <class F>
  [[nodiscard]] bool mine_is(F expected) const {
    for (std::size_t i = 0; i < mine_.size(); ++i)
      if (mine_[i] != expected(i)) return false;
    return true;
  }
  /// Part r is what rank r gives to `part`. Elements that are not here are right.
  [[nodiscard]] bool parts_are(const std::vector<element>& of, int part) const {
    for (std::size_t at = 0; at < of.size(); ++at)
      if (of[at] != given(static_cast<int>(at / mine_.size()), part, at % mine_.size())) return false;
    return true;
  }

  int rank_;
  int size_;
  operation what_;
  std::vector<element> mine_, all_, other_;
};

// --- items

using run_function = decltype(contender::run);
run_function run_here = nullptr;  // of the one contender of this program

item item_of(const named& one, std::size_t bytes) {
  auto const kept = std::make_shared<std::unique_ptr<memory>>();
  item made;
  made.name = std::string(one.name) + "/" + std::to_string(bytes);
  made.prepare = [=](job& j) { *kept = std::make_unique<memory>(j, one.what, bytes); };
  made.finish = [=](job&) { kept->reset(); };
  made.run = [=](job&, long reps) { run_here(one.what, (*kept)->on(), reps); };
  made.check = [=](job& j) {
    (*kept)->fill();
    j.barrier();
    run_here(one.what, (*kept)->on(), 1);
    return (*kept)->is_right();
  };
  return made;
}

std::vector<item> make(const settings& how) {
  std::vector<item> all;
  for (const named& one : operations)
    for (std::size_t bytes : how.sizes) all.push_back(item_of(one, bytes));
  item barrier;
  barrier.name = std::string("barrier");
  barrier.run = [](job&, long reps) { run_here(operation::barrier, {}, reps); };
  all.push_back(barrier);
  return all;
}

}  // namespace

ranks::item item_named(const std::string& name, std::size_t bytes) {
  for (const named& one : operations)
    if (name == one.name) return item_of(one, bytes);
  return {};
}

int bench_main(const contender& by, int argc, char** argv) {
  run_here = by.run;
  return ranks::bench_main({.name = "collectives",
                            .default_sizes = "4,16,64,256,1024,4096,16384,65536,262144,1048576",
                            .tune = by.tune,
                            .make = make,
                            .join = by.join},
                           argc, argv);
}

}  // namespace collectives
