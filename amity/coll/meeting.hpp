#pragma once

/// How the sites of a communicator find one another: by its name, at a home rank. README-agreement.md has the rules,
/// M1 to M9.

#include <cstdint>
#include <memory>
#include <string>

#include "amity/coll/communicator.hpp"

namespace amity::collectives::detail {

/// A site that comes to a meeting.
struct comer {
  std::string name;                  ///< of the communicator
  std::int64_t generation = -1;      ///< of its creation; -1: none was given, 0: one that there is not
  std::int32_t sites = 0, site = 0;  ///< 0 sites: it has said a number that there is not
  std::uint64_t token = 0;           ///< names its handle in its process
  std::string refused;               ///< what is wrong with its arguments; empty: nothing is
};

/// Sends the site of `s` there. `s->ranks` becomes ready when all have come. `local`: all sites are of this process.
void meet_others(const std::shared_ptr<communicator::state>& s, comer c, bool local);

/// A site of `s` has waited for a while: looks whether the others can still come.
void wait_longer_to_meet(const communicator::state& s);

/// A site can't come: those that wait for it are told.
void refuse_to_meet(comer c, bool local);

}  // namespace amity::collectives::detail
