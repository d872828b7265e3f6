// The job of the programs of Amity.
#pragma once

#include <algorithm>
#include <memory>

#include "amity/distributed.hpp"
#include "messages/ranks.hpp"

namespace ranks {

class amity_job final : public job {
 public:
  amity_job() : job(amity::rank_me(), amity::rank_n()) {}
  void barrier() override { amity::barrier_all(); }
  double most(double value) override {
    return amity::reduce_all(value, [](double a, double b) { return std::max(a, b); }).get();
  }
};

inline std::unique_ptr<job> join_amity() { return std::make_unique<amity_job>(); }

}  // namespace ranks
