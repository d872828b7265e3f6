/// Messages by MPI, for machines that have no UCX but an MPI that knows their network. A plug-in for each family,
/// because neither need be there.
///
/// A small message is one of MPI's: a header of ours, and the bytes. A ring of receives waits for those. A large one is
/// told of by a small one without bytes, and then its bytes come in parts, straight into place. *Why the parts find
/// their message*: MPI matches what one rank sends another, with one tag, in the order of sending, with the oldest
/// receive; and the ring is looked at in the order of its receives.
///
/// MPI has no descriptor to sleep on.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "amity/net/internal/engine.hpp"
#include "amity/net/plugins/mpi_session.h"

namespace amity::net {

extern const engine_collectives mpi_collectives;  // mpi_collectives.cpp

namespace {

constexpr int message_tag = 1, part_tag = 2;
constexpr std::size_t ring_size = 64;
constexpr std::size_t largest_part = std::size_t{1} << 30;  // MPI counts bytes in an int
constexpr std::size_t tested_at_once = 64;
/// So often a carrier polls in vain, beside what is under way, before it may nap.
constexpr int patience = 200;

/// Before the bytes of each message.
struct wire_header {
  message_header header;
  std::uint64_t large;  ///< bytes that come in parts; 0: they are here
};

/// A message that is under way, until MPI is through with its memory. The bytes of a small one lie behind it.
struct transfer {
  bool comes;  ///< else it leaves
  int rank;
  int calls;  ///< of MPI's that are not complete
  std::size_t size;
  std::byte* large;  ///< from malloc, or null
  wire_header wire;
};

static_assert(offsetof(transfer, wire) + sizeof(wire_header) == sizeof(transfer));

struct slot {
  MPI_Request request = MPI_REQUEST_NULL;
  std::unique_ptr<std::byte[]> bytes;
};

struct engine_state {
  engine_facts facts{};
  slot ring[ring_size];
  std::size_t oldest = 0;             ///< in the ring
  std::vector<MPI_Request> requests;  ///< of transfers
  std::vector<transfer*> owners;      ///< of those
  std::size_t next = 0;               ///< to be tested
  std::vector<std::size_t> waiting;   ///< bytes on their way out, by rank
  std::size_t leaving = 0;            ///< transfers
  int vain_arms = 0;                  ///< since something came or left
  bool is_open = false;
};

engine_state& all() noexcept {
  static auto* const one = new engine_state;
  return *one;
}

void lose(int rank, const char* what, int code) noexcept { all().facts.events->lost(rank, mpi_failed(what, code)); }

// --- what is under way

void end(transfer* t) noexcept {
  engine_state& e = all();
  if (t->comes) {
    e.facts.events->arrived_large(t->rank, t->wire.header, t->large, t->size);
  } else {
    e.waiting[t->rank] -= t->size;
    --e.leaving;
    all().facts.events->give_buffer(t->large);
  }
  free(t);
}

/// A call of MPI's for `t` has begun, or has failed.
void follow(transfer* t, MPI_Request request, int error) noexcept {
  engine_state& e = all();
  if (error != MPI_SUCCESS) return lose(t->rank, t->comes ? "receive" : "send", error);
  ++t->calls;
  e.requests.push_back(request);
  e.owners.push_back(t);
}

/// Some that are under way, in turn.
int test_some() noexcept {
  engine_state& e = all();
  std::size_t const n = std::min(tested_at_once, e.requests.size());
  if (n == 0) return 0;
  if (e.next + n > e.requests.size()) e.next = e.requests.size() - n;
  int done = 0, which[tested_at_once];
  MPI_Request* const first = e.requests.data() + e.next;
  int const error = MPI_Testsome(static_cast<int>(n), first, &done, which, MPI_STATUSES_IGNORE);
  if (error != MPI_SUCCESS) lose(e.owners[e.next]->rank, "send or receive", error);
  // From the end: the last of all takes the place of one that is done, and has been looked at.
  for (std::size_t i = e.next + n; done > 0 && i-- > e.next;) {
    if (e.requests[i] != MPI_REQUEST_NULL) continue;
    transfer* const t = e.owners[i];
    e.requests[i] = e.requests.back();
    e.owners[i] = e.owners.back();
    e.requests.pop_back();
    e.owners.pop_back();
    if (--t->calls == 0) end(t);
  }
  e.next = e.next + n < e.requests.size() ? e.next + n : 0;
  return std::max(done, 0);
}

// --- receiving

void post(slot& s) noexcept {
  int const error = MPI_Irecv(s.bytes.get(), static_cast<int>(sizeof(wire_header) + large_message), MPI_BYTE,
                              MPI_ANY_SOURCE, message_tag, session().ranks, &s.request);
  if (error != MPI_SUCCESS) lose(all().facts.rank, "receive", error);
}

transfer* new_transfer(bool comes, int rank, const wire_header& wire, std::size_t size, std::byte* large,
                       std::size_t more) noexcept {
  auto* const t = static_cast<transfer*>(malloc(sizeof(transfer) + more));
  if (t != nullptr) *t = {comes, rank, 0, size, large, wire};
  return t;
}

void begin_large(int from, const wire_header& wire) noexcept {
  std::byte* const bytes = all().facts.events->take_buffer(wire.large);
  transfer* const t = bytes == nullptr ? nullptr : new_transfer(true, from, wire, wire.large, bytes, 0);
  if (t == nullptr) {
    free(bytes);
    return all().facts.events->lost(from, "there is no memory for a message from it");
  }
  for (std::size_t at = 0; at < t->size; at += largest_part) {
    MPI_Request request = MPI_REQUEST_NULL;
    int const error = MPI_Irecv(bytes + at, static_cast<int>(std::min(largest_part, t->size - at)), MPI_BYTE, from,
                                part_tag, session().ranks, &request);
    follow(t, request, error);
  }
}

void take(const slot& s, const MPI_Status& status) noexcept {
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  wire_header wire;
  if (size < static_cast<int>(sizeof wire)) return;
  memcpy(&wire, s.bytes.get(), sizeof wire);
  if (wire.large != 0) return begin_large(status.MPI_SOURCE, wire);
  all().facts.events->arrived(status.MPI_SOURCE, wire.header, s.bytes.get() + sizeof wire,
                              static_cast<std::size_t>(size) - sizeof wire);
}

int take_some() noexcept {
  engine_state& e = all();
  int taken = 0;
  for (; taken < static_cast<int>(ring_size); ++taken) {
    slot& s = e.ring[e.oldest];
    int done = 0;
    MPI_Status status;
    if (int const error = MPI_Test(&s.request, &done, &status); error != MPI_SUCCESS) {
      lose(e.facts.rank, "receive", error);
      break;
    }
    if (done == 0) break;
    take(s, status);
    post(s);
    e.oldest = (e.oldest + 1) % ring_size;
  }
  return taken;
}

// --- the engine's functions

const char* open(const engine_facts& facts, char* address, std::size_t* size) noexcept {
  engine_state& e = all();
  if (session().ranks == MPI_COMM_NULL)
    return "MPI carries messages only where it was chosen for the whole job (AMITY_NET=mpi)";
  e.facts = facts;
  e.waiting.resize(static_cast<std::size_t>(facts.size), 0);
  for (slot& s : e.ring) {
    s.bytes = std::make_unique<std::byte[]>(sizeof(wire_header) + large_message);
    post(s);
  }
  e.is_open = true;
  session().taken_away = facts.events->taken_away;
  memcpy(address, "MPI", 4);
  *size = 3;
  return nullptr;
}

const char* know(int, const char*) noexcept { return nullptr; }

void begin_to_leave(transfer* t, std::size_t first) noexcept {
  engine_state& e = all();
  e.waiting[t->rank] += t->size;
  ++e.leaving;
  e.vain_arms = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  int error = MPI_Isend(&t->wire, static_cast<int>(sizeof t->wire + first), MPI_BYTE, t->rank, message_tag,
                        session().ranks, &request);
  if (int done = 0; error == MPI_SUCCESS && t->large == nullptr) {  // small ones mostly leave at once
    error = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return end(t);
  }
  follow(t, request, error);
  for (std::size_t at = 0; t->large != nullptr && at < t->size; at += largest_part) {
    error = MPI_Isend(t->large + at, static_cast<int>(std::min(largest_part, t->size - at)), MPI_BYTE, t->rank,
                      part_tag, session().ranks, &request);
    follow(t, request, error);
  }
}

void send_large(int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
  std::lock_guard const held(session());
  transfer* const t = new_transfer(false, to, {h, size}, size, bytes, 0);
  if (t != nullptr) return begin_to_leave(t, 0);
  all().facts.events->give_buffer(bytes);
  all().facts.events->lost(to, "there is no memory for what waits to be sent there");
}

void send(int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept {
  if (size > large_message) {
    auto* const copy = static_cast<std::byte*>(malloc(size));
    if (copy == nullptr) return all().facts.events->lost(to, "there is no memory for what waits to be sent there");
    memcpy(copy, bytes, size);
    return send_large(to, h, copy, size);
  }
  std::lock_guard const held(session());
  transfer* const t = new_transfer(false, to, {h, 0}, size, nullptr, size);
  if (t == nullptr) return all().facts.events->lost(to, "there is no memory for what waits to be sent there");
  if (size != 0) memcpy(t + 1, bytes, size);
  begin_to_leave(t, size);
}

int poll() noexcept {
  std::lock_guard const held(session());
  int const taken = take_some() + test_some();
  if (taken != 0) all().vain_arms = 0;
  return taken;
}

/// Nothing tells of what comes: the carrier that arms naps. But what is under way may need many polls.
bool arm() noexcept {
  engine_state& e = all();
  std::lock_guard const held(session());
  int here = 0;
  MPI_Request_get_status(e.ring[e.oldest].request, &here, MPI_STATUS_IGNORE);
  return here == 0 && (e.requests.empty() || ++e.vain_arms > patience);
}

int descriptor() noexcept { return -1; }
std::size_t backlog(int rank) noexcept { return all().waiting[rank]; }
bool needs_polls() noexcept { return all().leaving != 0; }
bool is_flushed() noexcept { return all().leaving == 0; }

void close_ring() noexcept {
  engine_state& e = all();
  session().taken_away = nullptr;
  if (!e.is_open) return;
  e.is_open = false;
  for (slot& s : e.ring) {
    MPI_Cancel(&s.request);
    MPI_Wait(&s.request, MPI_STATUS_IGNORE);
  }
}

}  // namespace
}  // namespace amity::net

extern "C" [[gnu::visibility("default")]] const amity::net::engine amity_engine{"mpi",
                                                                                amity::net::open,
                                                                                amity::net::know,
                                                                                amity::net::send,
                                                                                amity::net::send_large,
                                                                                amity::net::poll,
                                                                                amity::net::arm,
                                                                                amity::net::descriptor,
                                                                                amity::net::backlog,
                                                                                amity::net::needs_polls,
                                                                                amity::net::is_flushed,
                                                                                amity::net::close_ring,
                                                                                1000,
                                                                                &amity::net::mpi_collectives};
