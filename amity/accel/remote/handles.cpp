/// Handles on their way to another process.

#include "amity/accel/device.hpp"
#include "amity/accel/remote/client.hpp"
#include "amity/accel/remote/exports.hpp"
#include "amity/net/archive.hpp"
#include "amity/net/job.hpp"
#include "amity/pgas/remote_call.hpp"

namespace amity::accel {
namespace {

using namespace remote;

/// R4: a handle under way counts, and the one that arrives takes that over. `client` and `requests`: whose channel to
/// the owner has to have come how far, since the buffer may have been made by it.
struct sent_buffer {
  int owner = -1, device = 0, client = 0;
  std::uint64_t requests = 0;
  name its = 0;
  std::uint64_t bytes = 0, size = 0;
};

}  // namespace

void detail::save_buffer(out_archive& out, buffer_object* b, std::size_t size) {
  sent_buffer s;
  if (b != nullptr) {
    s.owner = b->of.rank < 0 ? rank_me() : b->of.rank;
    s.client = rank_me();
    s.bytes = b->bytes;
    s.size = size;
    s.device = b->of.number;
    if (b->of.rank < 0) {
      s.its = export_buffer(*b);
    } else {
      s.its = static_cast<const memory*>(b->memory.get())->its_name();
      s.requests = ask(b->of.rank, count_buffer{s.its, 1});
    }
  }
  out(s);
}

detail::ref<detail::buffer_object> detail::load_buffer(in_archive& in, std::size_t& size, std::size_t element_bytes) {
  sent_buffer s;
  in(s);
  size = s.size;
  if (s.owner < 0) return {};
  if (s.owner >= rank_n() || s.client < 0 || s.client >= rank_n() || s.size > s.bytes / element_bytes)
    throw bad_message("a handle of a device's buffer");
  if (s.owner == rank_me()) {
    await_requests(s.client, s.requests);
    ref<buffer_object> found = find_export(s.its);
    count_export(s.its, -1);
    return found;
  }
  if (s.client != s.owner) rpc(s.owner, await_requests, s.client, s.requests).get();
  const auto& there = devices_of(s.owner);
  if (s.device < 0 || static_cast<std::size_t>(s.device) >= there.size())
    throw bad_message("a handle of a device's buffer");
  return ref<buffer_object>::adopt(
      new buffer_object(*there[static_cast<std::size_t>(s.device)], std::make_unique<memory>(s.owner, s.its), s.bytes));
}

void save(out_archive& out, const device& d) {
  int const rank = d ? d.rank() : -1, number = d ? d.number() : 0;
  out(rank, number);
}

void load(in_archive& in, device& d) {
  int rank = -1, number = 0;
  in(rank, number);
  d = device();
  if (rank < 0) return;
  if (rank >= rank_n()) throw bad_message("a handle of a device");
  const auto& all = rank == rank_me() ? detail::own_devices() : devices_of(rank);
  if (number < 0 || static_cast<std::size_t>(number) >= all.size()) throw bad_message("a handle of a device");
  d = device(*all[static_cast<std::size_t>(number)]);
}

}  // namespace amity::accel
