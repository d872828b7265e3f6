#include "amity/coll/channels.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include "amity/coll/team.hpp"
#include "amity/net/losses.hpp"
#include "amity/pgas/remote_call.hpp"

namespace amity::collectives::detail {
namespace {

using bytes = std::vector<std::byte>;

/// Values that nobody has asked for, or those who wait for one; never both.
struct queue {
  std::deque<bytes> values;
  std::deque<promise<bytes>> waiting;
  int from = 0;  ///< the rank of the site that they come from
};
struct queues {
  sync::mutex lock;
  std::map<channel_end, queue> all;
};
queues& all_queues() {
  static auto* const one = new queues;  // lasts, as the job does
  return *one;
}

void arrive(const channel_end& at, bytes value) {
  queues& q = all_queues();
  std::unique_lock held(q.lock);
  auto const found = q.all.find(at);
  if (found == q.all.end() || found->second.waiting.empty()) {
    q.all[at].values.push_back(std::move(value));
    return;
  }
  promise<bytes> first = std::move(found->second.waiting.front());
  found->second.waiting.pop_front();
  if (found->second.waiting.empty()) q.all.erase(found);
  held.unlock();
  first.set_value(std::move(value));
}

/// Those who wait for values of a rank that is lost.
const char* follow_loss(int rank) noexcept {
  std::vector<promise<bytes>> failed;
  {
    queues& q = all_queues();
    std::lock_guard const held(q.lock);
    for (auto at = q.all.begin(); at != q.all.end();) {
      if (at->second.from != rank || at->second.waiting.empty()) {
        ++at;
        continue;
      }
      for (promise<bytes>& p : at->second.waiting) failed.push_back(std::move(p));
      at = q.all.erase(at);
    }
  }
  for (promise<bytes>& p : failed) p.set_exception(std::make_exception_ptr(lost_rank(rank, net::words_of_loss(rank))));
  return nullptr;
}

constinit net::job_hook hook{nullptr, nullptr, follow_loss};
[[gnu::constructor]] void add_hook() noexcept { net::add_job_hook(hook); }

}  // namespace

channel_end end_of_channel(const communicator& c, that_site_arg that, tag_arg tag, bool is_to) {
  int const sites = c.num_sites();
  if (!that.is_set() || that.value < 0 || that.value >= sites)
    throw std::out_of_range("a channel to site " +
                            (that.is_set() ? std::to_string(that.value) : std::string("(none)")) + "; there are 0 to " +
                            std::to_string(sites - 1));
  auto const other = static_cast<int>(that.value);
  int const mine = c.this_site();
  return {c.checked().met_id(), tag.is_set() ? tag.value : 0, is_to ? mine : other, is_to ? other : mine};
}

future<void> send_by_channel(const communicator& c, const channel_end& to, std::vector<std::byte> value) {
  return pgas::detail::own_rpc(
      rank_of(c, to.to),
      [](std::uint64_t id, std::int64_t tag, int from, int site, bytes its) {
        arrive({id, tag, from, site}, std::move(its));
      },
      to.communicator, to.tag, to.from, to.to, std::move(value));
}

future<std::vector<std::byte>> await_by_channel(const communicator& c, const channel_end& at) {
  int const from = rank_of(c, at.from);
  queues& q = all_queues();
  std::lock_guard const held(q.lock);
  queue& its = q.all[at];
  if (!its.values.empty()) {
    future<bytes> first = make_ready_future(std::move(its.values.front()));
    its.values.pop_front();
    if (its.values.empty()) q.all.erase(at);
    return first;
  }
  // Under the lock: either this sees the loss, or follow_loss sees who waits.
  if (net::is_lost(from)) {
    if (its.waiting.empty()) q.all.erase(at);
    return make_exceptional_future<bytes>(std::make_exception_ptr(lost_rank(from, net::words_of_loss(from))));
  }
  its.from = from;
  return its.waiting.emplace_back().get_future();
}

}  // namespace amity::collectives::detail
