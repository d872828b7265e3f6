/// What becomes of devices when a rank is lost in a job that goes on (net/losses.hpp): README.md, R5.

#include "amity/net/losses.hpp"

#include "amity/accel/remote/client.hpp"
#include "amity/net/job.hpp"

namespace amity::accel::remote {
namespace {

const char* follow_loss(int rank) noexcept {
  fail_what_is_asked_of(rank);
  if (!net::has_left_job()) free_what_is_of(rank);  // the driver may have ended
  return nullptr;
}

constinit net::job_hook hook{nullptr, nullptr, follow_loss};
[[gnu::constructor]] void add_hook() noexcept { net::add_job_hook(hook); }

}  // namespace
}  // namespace amity::accel::remote
