/// Handles on their way to another process.

#include "amity/accel/device.hpp"
#include "amity/accel/remote/calls.hpp"
#include "amity/accel/remote/client.hpp"
#include "amity/accel/remote/exports.hpp"
#include "amity/net/archive.hpp"
#include "amity/net/job.hpp"

namespace amity::accel {
namespace {

using namespace remote;
using detail::buffer_object;
using detail::ref;

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

namespace {
ref<buffer_object> buffer_from(in_archive& in, std::size_t& size, std::size_t element_bytes) {
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
  if (s.client != s.owner) ask_and_wait(s.owner, await_requests, s.client, s.requests);
  return ref<buffer_object>::adopt(
      new buffer_object(device_of(s.owner, s.device), std::make_unique<memory>(s.owner, s.its), s.bytes));
}
}  // namespace

ref<buffer_object> detail::load_buffer(in_archive& in, std::size_t& size, std::size_t element_bytes,
                                       std::exception_ptr& failure) noexcept {
  return amity::detail::caught(failure, [&] { return buffer_from(in, size, element_bytes); });
}

void save(out_archive& out, const device& d) {
  int const rank = d ? d.rank() : -1, number = d ? d.number() : 0;
  out(rank, number);
}

void detail::load_device(in_archive& in, device& d, std::exception_ptr& failure) noexcept {
  amity::detail::caught(failure, [&] {
    int rank = -1, number = 0;
    in(rank, number);
    d = device();
    if (rank < 0) return;
    if (rank >= rank_n()) throw bad_message("a handle of a device");
    device_object* const found = rank == rank_me() ? own_device(number) : &device_of(rank, number);
    if (found == nullptr) throw bad_message("a handle of a device");
    d = device(*found);
  });
}

}  // namespace amity::accel
