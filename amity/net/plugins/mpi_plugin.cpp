/// Messages by MPI, for machines that have no UCX but an MPI that knows their network. A plug-in for each family,
/// because neither need be there.
///
/// A small message is one of MPI's: a header of ours, and the bytes. A ring of receives waits for those. A large one is
/// told of by a small one without bytes, and then its bytes come in parts, straight into place. *Why the parts find
/// their message*: MPI matches what one rank sends another, with one tag, in the order of sending, with the oldest
/// receive; and the ring is looked at in the order of its receives.
///
/// Several instances in a process have one rank of MPI's between them. So an address says which of MPI's ranks carries
/// a rank of the job, and under which tags it receives; a header says which rank has sent. A small message and the
/// parts of a large one are sent under the session's lock, so that those of another instance do not come between them.
///
/// MPI has no descriptor to sleep on.

#include <stddef.h>
#include <stdio.h>
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

constexpr std::size_t ring_size = 64;
constexpr std::size_t largest_part = std::size_t{1} << 30;  // MPI counts bytes in an int
constexpr std::size_t tested_at_once = 64;
/// So often a carrier polls in vain, beside what is under way, before it may nap.
constexpr int patience = 200;

/// Before the bytes of each message.
struct wire_header {
  message_header header;
  std::uint64_t large;  ///< bytes that come in parts; 0: they are here
  std::uint64_t from;   ///< a rank of the job
};

/// Where a rank of the job receives.
struct place {
  int process = 0;  ///< MPI's rank
  int tag = 0;      ///< of small messages; the next one is of parts
};
/// MPI has at least this many tags. An instance takes two that no other one of its process has had.
constexpr int most_tags = 32767;

/// A message that is under way, until MPI is through with its memory. The bytes of a small one lie behind it.
struct transfer {
  struct mpi* of;
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

struct mpi : engine_instance {
  engine_facts facts{};
  place own;
  std::vector<place> places;  ///< by rank
  slot ring[ring_size];
  std::size_t oldest = 0;             ///< in the ring
  std::vector<MPI_Request> requests;  ///< of transfers
  std::vector<transfer*> owners;      ///< of those
  std::size_t next = 0;               ///< to be tested
  std::vector<std::size_t> waiting;   ///< bytes on their way out, by rank
  std::size_t leaving = 0;            ///< transfers
  int vain_arms = 0;                  ///< since something came or left
};

void lose(const mpi& m, int rank, const char* why) noexcept { m.facts.events->lost(m.facts.owner, rank, why); }
void lose(const mpi& m, int rank, const char* what, int code) noexcept { lose(m, rank, mpi_failed(what, code)); }

// --- what is under way

void end(transfer* t) noexcept {
  mpi& m = *t->of;
  if (t->comes) {
    m.facts.events->arrived_large(m.facts.owner, t->rank, t->wire.header, t->large, t->size);
  } else {
    m.waiting[t->rank] -= t->size;
    --m.leaving;
    if (t->large != nullptr) m.facts.events->give_buffer(t->large);
  }
  free(t);
}

/// A call of MPI's for `t` has begun, or has failed.
void follow(transfer* t, MPI_Request request, int error) noexcept {
  mpi& m = *t->of;
  if (error != MPI_SUCCESS) return lose(m, t->rank, t->comes ? "receive" : "send", error);
  ++t->calls;
  m.requests.push_back(request);
  m.owners.push_back(t);
}

/// Some that are under way, in turn.
int test_some(mpi& m) noexcept {
  std::size_t const n = std::min(tested_at_once, m.requests.size());
  if (n == 0) return 0;
  if (m.next + n > m.requests.size()) m.next = m.requests.size() - n;
  int done = 0, which[tested_at_once];
  MPI_Request* const first = m.requests.data() + m.next;
  int const error = MPI_Testsome(static_cast<int>(n), first, &done, which, MPI_STATUSES_IGNORE);
  if (error != MPI_SUCCESS) lose(m, m.owners[m.next]->rank, "send or receive", error);
  // From the end: the last of all takes the place of one that is done, and has been looked at.
  for (std::size_t i = m.next + n; done > 0 && i-- > m.next;) {
    if (m.requests[i] != MPI_REQUEST_NULL) continue;
    transfer* const t = m.owners[i];
    m.requests[i] = m.requests.back();
    m.owners[i] = m.owners.back();
    m.requests.pop_back();
    m.owners.pop_back();
    if (--t->calls == 0) end(t);
  }
  m.next = m.next + n < m.requests.size() ? m.next + n : 0;
  return std::max(done, 0);
}

// --- receiving

void post(mpi& m, slot& s) noexcept {
  int const error = MPI_Irecv(s.bytes.get(), static_cast<int>(sizeof(wire_header) + large_message), MPI_BYTE,
                              MPI_ANY_SOURCE, m.own.tag, session().ranks, &s.request);
  if (error != MPI_SUCCESS) lose(m, m.facts.rank, "receive", error);
}

transfer* new_transfer(mpi& m, bool comes, int rank, const wire_header& wire, std::size_t size, std::byte* large,
                       std::size_t more) noexcept {
  auto* const t = static_cast<transfer*>(malloc(sizeof(transfer) + more));
  if (t != nullptr) *t = {&m, comes, rank, 0, size, large, wire};
  return t;
}

void begin_large(mpi& m, int process, const wire_header& wire) noexcept {
  int const from = static_cast<int>(wire.from);
  std::byte* const bytes = m.facts.events->take_buffer(wire.large);
  transfer* const t = bytes == nullptr ? nullptr : new_transfer(m, true, from, wire, wire.large, bytes, 0);
  if (t == nullptr) {
    if (bytes != nullptr) m.facts.events->give_buffer(bytes);
    return lose(m, from, "there is no memory for a message from it");
  }
  for (std::size_t at = 0; at < t->size; at += largest_part) {
    MPI_Request request = MPI_REQUEST_NULL;
    int const error = MPI_Irecv(bytes + at, static_cast<int>(std::min(largest_part, t->size - at)), MPI_BYTE, process,
                                m.own.tag + 1, session().ranks, &request);
    follow(t, request, error);
  }
}

void take(mpi& m, const slot& s, const MPI_Status& status) noexcept {
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  wire_header wire;
  if (size < static_cast<int>(sizeof wire)) return;
  memcpy(&wire, s.bytes.get(), sizeof wire);
  if (wire.large != 0) return begin_large(m, status.MPI_SOURCE, wire);
  m.facts.events->arrived(m.facts.owner, static_cast<int>(wire.from), wire.header, s.bytes.get() + sizeof wire,
                          static_cast<std::size_t>(size) - sizeof wire);
}

int take_some(mpi& m) noexcept {
  int taken = 0;
  for (; taken < static_cast<int>(ring_size); ++taken) {
    slot& s = m.ring[m.oldest];
    int done = 0;
    MPI_Status status;
    if (int const error = MPI_Test(&s.request, &done, &status); error != MPI_SUCCESS) {
      lose(m, m.facts.rank, "receive", error);
      break;
    }
    if (done == 0) break;
    take(m, s, status);
    post(m, s);
    m.oldest = (m.oldest + 1) % ring_size;
  }
  return taken;
}

// --- the engine's functions

/// "PROCESS.TAG"
engine_instance* open(const engine_facts& facts, char* text, std::size_t size) noexcept {
  mpi_session& s = session();
  std::lock_guard const held(s);
  if (s.ranks == MPI_COMM_NULL)
    return not_opened("MPI carries messages only where it was chosen for the whole job (AMITY_NET=mpi)", text, size);
  if (s.next_tag + 1 > most_tags) return not_opened("MPI was opened too often in this process", text, size);
  auto m = std::make_unique<mpi>();
  m->facts = facts;
  MPI_Comm_rank(s.ranks, &m->own.process);
  m->own.tag = s.next_tag;
  if (snprintf(text, size, "%d.%d", m->own.process, m->own.tag) >= static_cast<int>(size))
    return not_opened("it has an address that is too long", text, size);
  s.next_tag += 2;
  m->places.resize(static_cast<std::size_t>(facts.size));
  m->waiting.resize(static_cast<std::size_t>(facts.size), 0);
  for (slot& each : m->ring) {
    each.bytes = std::make_unique<std::byte[]>(sizeof(wire_header) + large_message);
    post(*m, each);
  }
  s.users.push_back({m.get(), facts.owner, facts.events->taken_away});
  return m.release();
}

const char* know(mpi& m, int rank, const char* address) noexcept {
  place& its = m.places[rank];
  return sscanf(address, "%d.%d", &its.process, &its.tag) == 2 ? nullptr
                                                               : "another process's MPI address makes no sense";
}

void begin_to_leave(transfer* t, std::size_t first) noexcept {
  mpi& m = *t->of;
  place const to = m.places[t->rank];
  m.waiting[t->rank] += t->size;
  ++m.leaving;
  m.vain_arms = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  int error = MPI_Isend(&t->wire, static_cast<int>(sizeof t->wire + first), MPI_BYTE, to.process, to.tag,
                        session().ranks, &request);
  if (int done = 0; error == MPI_SUCCESS && t->large == nullptr) {  // small ones mostly leave at once
    error = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return end(t);
  }
  follow(t, request, error);
  for (std::size_t at = 0; t->large != nullptr && at < t->size; at += largest_part) {
    error = MPI_Isend(t->large + at, static_cast<int>(std::min(largest_part, t->size - at)), MPI_BYTE, to.process,
                      to.tag + 1, session().ranks, &request);
    follow(t, request, error);
  }
}

wire_header header_of(const mpi& m, const message_header& h, std::size_t large) noexcept {
  return {h, large, static_cast<std::uint64_t>(m.facts.rank)};
}

void send_large(mpi& m, int to, const message_header& h, std::byte* bytes, std::size_t size) noexcept {
  std::lock_guard const held(session());
  transfer* const t = new_transfer(m, false, to, header_of(m, h, size), size, bytes, 0);
  if (t != nullptr) return begin_to_leave(t, 0);
  m.facts.events->give_buffer(bytes);
  lose(m, to, "there is no memory for what waits to be sent there");
}

void send(mpi& m, int to, const message_header& h, const std::byte* bytes, std::size_t size) noexcept {
  if (size > large_message) {
    std::byte* const copy = m.facts.events->take_buffer(size);
    if (copy == nullptr) return lose(m, to, "there is no memory for what waits to be sent there");
    memcpy(copy, bytes, size);
    return send_large(m, to, h, copy, size);
  }
  std::lock_guard const held(session());
  transfer* const t = new_transfer(m, false, to, header_of(m, h, 0), size, nullptr, size);
  if (t == nullptr) return lose(m, to, "there is no memory for what waits to be sent there");
  if (size != 0) memcpy(t + 1, bytes, size);
  begin_to_leave(t, size);
}

int poll(mpi& m) noexcept {
  std::lock_guard const held(session());
  int const taken = take_some(m) + test_some(m);
  if (taken != 0) m.vain_arms = 0;
  return taken;
}

/// Nothing tells of what comes: the carrier that arms naps. But what is under way may need many polls.
bool arm(mpi& m) noexcept {
  std::lock_guard const held(session());
  int here = 0;
  MPI_Request_get_status(m.ring[m.oldest].request, &here, MPI_STATUS_IGNORE);
  return here == 0 && (m.requests.empty() || ++m.vain_arms > patience);
}

int descriptor(mpi&) noexcept { return -1; }
std::size_t backlog(mpi& m, int rank) noexcept { return m.waiting[rank]; }
bool needs_polls(mpi& m) noexcept { return m.leaving != 0; }
bool is_flushed(mpi& m) noexcept { return m.leaving == 0; }

/// What is under way stays MPI's, with its memory: nobody can take it back from MPI.
void close_ring(mpi& m) noexcept {
  mpi_session& s = session();
  std::lock_guard const held(s);
  std::erase_if(s.users, [&m](const mpi_session::user& each) { return each.instance == &m; });
  for (slot& each : m.ring) {
    MPI_Cancel(&each.request);
    MPI_Wait(&each.request, MPI_STATUS_IGNORE);
  }
  delete &m;
}

constexpr engine table{
    .name = "mpi",
    .open = open,
    .know = with_own<know>,
    .send = with_own<send>,
    .send_large = with_own<send_large>,
    .poll = with_own<poll>,
    .arm = with_own<arm>,
    .fd = with_own<descriptor>,
    .backlog = with_own<backlog>,
    .needs_polls = with_own<needs_polls>,
    .is_flushed = with_own<is_flushed>,
    .close = with_own<close_ring>,
    .longest_nap_us = 1000,
    .collectives = &mpi_collectives,
};

}  // namespace
}  // namespace amity::net

extern "C" [[gnu::visibility("default")]] const amity::net::engine amity_engine = amity::net::table;
