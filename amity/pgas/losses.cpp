/// What this module does when a rank is lost in a job that goes on (net/losses.hpp).

#include "amity/net/job.hpp"
#include "amity/pgas/async_any.hpp"
#include "amity/pgas/finish_tree.hpp"
#include "amity/pgas/remote_call.hpp"

namespace amity::pgas {
namespace {

const char* follow_loss(int rank) noexcept {
  detail::fail_answers_of(rank);
  // Nobody knows what was done of these.
  if (some_finish_waits_for(rank)) return "a finish waits for tasks there";
  if (get_stealing() != stealing::off) return "tasks that may run anywhere may have been there (set_stealing)";
  return nullptr;
}

constinit net::job_hook hook{nullptr, nullptr, follow_loss};
[[gnu::constructor]] void add_hook() noexcept { net::add_job_hook(hook); }

}  // namespace
}  // namespace amity::pgas
