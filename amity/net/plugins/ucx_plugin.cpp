/// Messages by UCX (Unified Communication X): shared memory within a node, InfiniBand or RoCE between nodes. A plug-in,
/// because libucp need not be there.
///
/// Not by TCP, where UCX listens, and believes whoever connects: one of its messages says where in the receiver's
/// memory bytes are to be put. Where UCX knows no other network, it stays within the node (decision 0025).
///
/// One worker for each instance, which carries active messages: a header of ours, and the bytes. UCX sends small ones
/// at once, and large ones when the receiver has said where they are to be put.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amity/base/hex.hpp"
#include "amity/net/internal/engine.hpp"
#include "amity/net/internal/salt.hpp"
#include "amity/net/plugins/ucx_wakeups.hpp"

namespace amity::net {
namespace {

constexpr unsigned message_id = 1;

/// Before the bytes of each message. The code is salted (salt.hpp).
struct wire_header {
  message_header header;
  std::uint32_t from;
  std::uint32_t mark;
};

struct ucx;

/// A message on its way out, with what UCX must find until it has left.
struct outgoing {
  ucx* of;
  wire_header header;
  int to;
  std::size_t size;
  std::byte* large;  ///< from malloc; null: the bytes lie behind this object
  std::byte* bytes() noexcept { return large != nullptr ? large : reinterpret_cast<std::byte*>(this + 1); }
};

/// A large message on its way in.
struct incoming {
  ucx* of;
  wire_header header;
  std::byte* bytes;
  std::size_t size;
};

/// A rank that is sent to.
struct peer {
  ucx* of = nullptr;
  int rank = 0;
  std::vector<char> address;
  ucp_ep_h endpoint = nullptr;
  std::size_t waiting_bytes = 0, waiting_messages = 0;  ///< on their way there
  bool is_forgotten = false;                            ///< the rank is lost
};

struct ucx : engine_instance {
  explicit ucx(const engine_facts& f)
      : facts(f), salts(static_cast<std::size_t>(f.size)), peers(static_cast<std::size_t>(f.size)) {
    for (int r = 0; r < f.size; ++r) {
      peers[r].of = this;
      peers[r].rank = r;
    }
  }
  ucx(const ucx&) = delete;
  ucx& operator=(const ucx&) = delete;
  ~ucx() {
    if (worker != nullptr) ucp_worker_destroy(worker);
    if (context != nullptr) ucp_cleanup(context);
  }

  engine_facts facts;
  ucp_context_h context = nullptr;
  ucp_worker_h worker = nullptr;
  int fd = -1;
  bool is_near = true;  ///< there is no network but TCP
  std::vector<salt> salts;
  std::vector<peer> peers;
  std::size_t all_waiting = 0;  ///< messages on their way out
  std::vector<void*> flushes;   ///< requests of UCX's
  bool sent_since_flush = false;
  bool some_forgotten = false;
  int taken = 0;  ///< messages, in this poll
};

void lose(const ucx& u, int rank, const char* why) noexcept { u.facts.events->lost(u.facts.owner, rank, why); }

std::string in_words(const char* what, ucs_status_t status) {
  return std::string(what) + ": " + ucs_status_string(status);
}

// --- receiving

void received(ucs_status_t status, incoming* m) noexcept {
  ucx& u = *m->of;
  int const from = static_cast<int>(m->header.from);
  if (status == UCS_OK && !u.peers[from].is_forgotten) {
    ++u.taken;
    u.facts.events->arrived_large(u.facts.owner, from, m->header.header, m->bytes, m->size);
  } else {
    u.facts.events->give_buffer(m->bytes);
    if (status != UCS_OK) lose(u, from, ucs_status_string(status));
  }
  delete m;
}

/// The sender waits until this says where the bytes are to be put.
ucs_status_t begin_large(ucx& u, const wire_header& h, void* description, std::size_t size) noexcept {
  std::byte* const bytes = u.facts.events->take_buffer(size);
  if (bytes == nullptr) {
    lose(u, static_cast<int>(h.from), "there is no memory for a message from it");
    return UCS_OK;
  }
  auto* const m = new incoming{&u, h, bytes, size};
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  how.cb.recv_am = [](void* request, ucs_status_t status, std::size_t, void* data) {
    received(status, static_cast<incoming*>(data));
    ucp_request_free(request);
  };
  how.user_data = m;
  ucs_status_ptr_t const request = ucp_am_recv_data_nbx(u.worker, description, bytes, size, &how);
  if (UCS_PTR_IS_ERR(request)) received(UCS_PTR_STATUS(request), m);
  return UCS_INPROGRESS;
}

/// Its message bears another mark than is expected. That is also so where its rank was forgotten (forget_rank).
void turn_away(const ucx& u, const wire_header& h, bool has_header) noexcept {
  bool const is_rank = has_header && h.from < u.peers.size();
  if (is_rank && u.peers[h.from].is_forgotten) return;
  u.facts.events->stranger(u.facts.owner, "by UCX", "its message does not bear the mark of the job's secret");
}

ucs_status_t on_message(void* of, const void* header, std::size_t header_size, void* data, std::size_t size,
                        const ucp_am_recv_param_t* how) noexcept {
  ucx& u = *static_cast<ucx*>(of);
  wire_header h;
  memcpy(&h, header, header_size < sizeof h ? header_size : sizeof h);
  if (header_size != sizeof h || h.from >= static_cast<std::uint32_t>(u.facts.size) || h.mark != u.salts[h.from].mark) {
    turn_away(u, h, header_size == sizeof h);
    return UCS_OK;  // also of a large one, whose bytes UCX does not fetch then
  }
  h.header.code ^= u.salts[h.from].of_codes;
  if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) return begin_large(u, h, data, size);
  ++u.taken;
  u.facts.events->arrived(u.facts.owner, static_cast<int>(h.from), h.header, static_cast<const std::byte*>(data), size);
  return UCS_OK;
}

// --- opening

/// With these transports, in this instance's part of UCX alone: an MPI beside it has settings of its own. Empty, or
/// what is wrong.
std::string begin(ucx& u, const char* transports) noexcept {
  ucp_config_t* config = nullptr;
  ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return in_words("UCX can't read its settings", status);
  status = ucp_config_modify(config, "TLS", transports);
  ucp_params_t wishes{};
  wishes.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
  wishes.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  wishes.estimated_num_eps = static_cast<std::size_t>(u.facts.size);
  if (status == UCS_OK) status = ucp_init(&wishes, config, &u.context);
  ucp_config_release(config);
  if (status == UCS_OK) return {};
  u.context = nullptr;
  return in_words("UCX can't begin", status);
}

/// UCX's own listing has "rc_verbs/mlx5_0:1" and the like; there is no other way to ask. If a later version writes
/// something else, it stays within the node.
bool has_network(const ucx& u) noexcept {
  char* text = nullptr;
  std::size_t size = 0;
  FILE* const f = open_memstream(&text, &size);
  if (f == nullptr) return false;
  ucp_context_print_info(u.context, f);
  fclose(f);
  bool found = false;
  for (const char* network : {" rc_", " dc_", " ud_", " ugni", " srd"})
    found = found || strstr(text, network) != nullptr;
  free(text);
  return found;
}

/// A job on several nodes takes a network, if there is one. Without "self", which would open also where no memory can
/// be shared: what goes to the own rank is none of the engine's.
std::string begin_on_best(ucx& u) noexcept {
  if (!u.facts.one_node && *u.facts.ucx_between != '\0' && begin(u, u.facts.ucx_between).empty()) {
    u.is_near = !has_network(u);
    if (!u.is_near) return {};
    ucp_cleanup(std::exchange(u.context, nullptr));
  }
  if (*u.facts.ucx_within == '\0') return "UCX_TLS leaves UCX none of posix, sysv and xpmem, which share memory";
  return begin(u, u.facts.ucx_within);
}

std::string begin_worker(ucx& u) {
  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  ucx_wakeups const wakeups;
  ucs_status_t status = ucp_worker_create(u.context, &worker, &u.worker);
  if (status != UCS_OK) return in_words("UCX can neither share memory nor finds a network", status);
  status = ucp_worker_get_efd(u.worker, &u.fd);
  if (status != UCS_OK) return in_words("UCX has no descriptor to sleep on", status);
  if (!wakeups.guard()) return "the system refuses to guard the sockets by which UCX is woken up";
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = message_id;
  handler.cb = on_message;
  handler.arg = &u;
  status = ucp_worker_set_am_recv_handler(u.worker, &handler);
  return status == UCS_OK ? std::string() : in_words("UCX takes no messages", status);
}

/// In hexadecimal digits.
std::string tell_address(const ucx& u, char* text, std::size_t size) {
  ucp_address_t* own = nullptr;
  std::size_t length = 0;
  ucs_status_t const status = ucp_worker_get_address(u.worker, &own, &length);
  if (status != UCS_OK) return in_words("UCX has no address", status);
  bool const fits = 2 * length + 1 <= size;
  for (std::size_t i = 0; fits && i < length; ++i)
    put_hex(text + 2 * i, reinterpret_cast<const unsigned char*>(own)[i]);
  ucp_worker_release_address(u.worker, own);
  if (!fits) return "UCX has an address that is too long";
  text[2 * length] = '\0';
  return {};
}

engine_instance* open(const engine_facts& facts, char* text, std::size_t size) noexcept {
  auto u = std::make_unique<ucx>(facts);
  std::string wrong = begin_on_best(*u);
  if (wrong.empty()) wrong = begin_worker(*u);
  if (wrong.empty()) wrong = tell_address(*u, text, size);
  return wrong.empty() ? u.release() : not_opened(wrong.c_str(), text, size);
}

const char* know(ucx& u, int rank, const char* address) noexcept {
  u.salts[rank] = salt_of(u.facts.secret, u.facts.secret_bytes, rank);
  std::vector<char>& bytes = u.peers[rank].address;
  std::size_t const length = strlen(address);
  bytes.resize(length / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    unsigned value = 0;
    if (sscanf(address + 2 * i, "%2x", &value) != 1) return "another process's UCX address is no number";
    bytes[i] = static_cast<char>(value);
  }
  return nullptr;
}

// --- sending

ucp_ep_h endpoint_of(ucx& u, int rank) noexcept {
  peer& its = u.peers[rank];
  ucp_ep_h& e = its.endpoint;
  if (e != nullptr) return e;
  ucp_ep_params_t how{};
  how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  how.address = reinterpret_cast<const ucp_address_t*>(its.address.data());
  bool const is_watched = u.facts.is_watched(u.facts.owner, rank);
  if (!is_watched) {
    how.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    how.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    how.err_handler.arg = &its;
    how.err_handler.cb = [](void* which, ucp_ep_h, ucs_status_t status) {
      const peer& lost = *static_cast<const peer*>(which);
      lose(*lost.of, lost.rank, ucs_status_string(status));
    };
  }
  ucs_status_t status = ucp_ep_create(u.worker, &how, &e);
  // Some ways are open only to those that want no errors: shared memory between containers.
  if (status == UCS_ERR_UNREACHABLE && !is_watched) {
    how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    status = ucp_ep_create(u.worker, &how, &e);
  }
  if (status == UCS_OK) return e;
  e = nullptr;
  lose(u, rank, ucs_status_string(status));
  return nullptr;
}

/// With its header: one without bytes waits, too (net::await_handover).
std::size_t bytes_of(const outgoing& m) noexcept { return sizeof m.header + m.size; }

void forget(outgoing* m) noexcept {
  ucx& u = *m->of;
  if (peer& its = u.peers[m->to]; !its.is_forgotten) {
    its.waiting_bytes -= bytes_of(*m);
    --its.waiting_messages;
    --u.all_waiting;
  }
  if (m->large != nullptr) u.facts.events->give_buffer(m->large);
  free(m);
}

void has_left(void* request, ucs_status_t status, void* data) noexcept {
  auto* const m = static_cast<outgoing*>(data);
  if (status != UCS_OK && !m->of->peers[m->to].is_forgotten) lose(*m->of, m->to, ucs_status_string(status));
  forget(m);
  if (request != nullptr) ucp_request_free(request);
}

/// With memory of its own, which stays until UCX is through with it.
void send_kept(ucx& u, ucp_ep_h e, outgoing* m) noexcept {
  peer& its = u.peers[m->to];
  its.waiting_bytes += bytes_of(*m);
  ++its.waiting_messages;
  ++u.all_waiting;
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = has_left;
  how.user_data = m;
  ucs_status_ptr_t const request =
      ucp_am_send_nbx(e, message_id, &m->header, sizeof m->header, m->bytes(), m->size, &how);
  if (UCS_PTR_IS_PTR(request)) return;  // has_left is called
  has_left(nullptr, UCS_PTR_STATUS(request), m);
}

outgoing* new_outgoing(ucx& u, const wire_header& h, int to, std::size_t size, std::byte* large) noexcept {
  auto* const m = static_cast<outgoing*>(malloc(sizeof(outgoing) + (large == nullptr ? size : 0)));
  if (m == nullptr) {
    lose(u, to, "there is no memory for what waits to be sent there");
    return nullptr;
  }
  *m = {&u, h, to, size, large};
  return m;
}

wire_header salted(const ucx& u, const message_header& h) noexcept {
  const salt& own = u.salts[u.facts.rank];
  return {{h.code ^ own.of_codes, h.word}, static_cast<std::uint32_t>(u.facts.rank), own.mark};
}

void send(ucx& u, int to, const message_header& header, const std::byte* bytes, std::size_t size) noexcept {
  ucp_ep_h const e = endpoint_of(u, to);
  if (e == nullptr) return;
  u.sent_since_flush = true;
  wire_header const h = salted(u, header);
  ucp_request_param_t at_once{};
  at_once.op_attr_mask = UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL;
  ucs_status_ptr_t const request = ucp_am_send_nbx(e, message_id, &h, sizeof h, bytes, size, &at_once);
  if (request == nullptr) return;
  outgoing* const m = new_outgoing(u, h, to, size, nullptr);
  if (m == nullptr) return;
  if (size != 0) memcpy(m->bytes(), bytes, size);
  send_kept(u, e, m);
}

void send_large(ucx& u, int to, const message_header& header, std::byte* bytes, std::size_t size) noexcept {
  ucp_ep_h const e = endpoint_of(u, to);
  outgoing* const m = e == nullptr ? nullptr : new_outgoing(u, salted(u, header), to, size, bytes);
  if (m == nullptr) return u.facts.events->give_buffer(bytes);
  u.sent_since_flush = true;
  send_kept(u, e, m);
}

// --- progress

int poll(ucx& u) noexcept {
  u.taken = 0;
  int progress = 0;
  // Some rounds: what has come leads to more, as the parts of a large message do.
  for (int round = 0; round < 16; ++round) {
    unsigned const n = ucp_worker_progress(u.worker);
    if (n == 0) break;
    progress += static_cast<int>(n);
  }
  return u.taken != 0 ? u.taken : progress;
}

/// What a process that has ended had put into shared memory lies there: as long as rounds find something, it may be
/// its.
bool has_handed_on(ucx& u, int) noexcept {
  for (int round = 0; round < 64; ++round)
    if (ucp_worker_progress(u.worker) == 0) return true;
  return false;
}

bool stays_within(ucx& u) noexcept { return u.is_near; }

bool arm(ucx& u) noexcept { return ucp_worker_arm(u.worker) == UCS_OK; }
int descriptor(ucx& u) noexcept { return u.fd; }
std::size_t backlog(ucx& u, int rank) noexcept { return u.peers[rank].waiting_bytes; }

bool needs_polls(ucx& u) noexcept { return u.all_waiting != 0; }

/// Requests to flush: of the worker, or of each endpoint where the worker's would wait for a lost rank.
void begin_flushes(ucx& u) noexcept {
  ucp_request_param_t how{};
  const auto keep = [&u](void* request) {
    if (UCS_PTR_IS_PTR(request)) u.flushes.push_back(request);
  };
  if (!u.some_forgotten) return keep(ucp_worker_flush_nbx(u.worker, &how));
  for (const peer& p : u.peers)
    if (p.endpoint != nullptr) keep(ucp_ep_flush_nbx(p.endpoint, &how));
}

/// What UCX has taken may still lie here: a flush of its own says when it has left.
bool is_flushed(ucx& u) noexcept {
  if (u.all_waiting != 0) return false;
  if (u.flushes.empty()) {
    if (!std::exchange(u.sent_since_flush, false)) return true;
    begin_flushes(u);
  }
  while (!u.flushes.empty() && ucp_request_check_status(u.flushes.back()) != UCS_INPROGRESS) {
    ucp_request_free(u.flushes.back());
    u.flushes.pop_back();
  }
  return u.flushes.empty() && !u.sent_since_flush;
}

/// UCX never ends what waits for a process that has ended without a word, so this counts it no more. An endpoint that
/// looks for errors can be closed; another one is left as it is. What comes from there later bears a mark that is no
/// rank's, and is dropped: so those that are not lost pay nothing for the question.
void forget_rank(ucx& u, int rank) noexcept {
  peer& its = u.peers[rank];
  u.all_waiting -= std::exchange(its.waiting_messages, 0);
  its.waiting_bytes = 0;
  if (!std::exchange(its.is_forgotten, true)) u.salts[rank].mark = ~u.salts[rank].mark;
  u.some_forgotten = true;
  for (void* flush : std::exchange(u.flushes, {})) {  // of the worker: it waits for that rank
    ucp_request_free(flush);
    u.sent_since_flush = true;
  }
  ucp_ep_h const e = std::exchange(its.endpoint, nullptr);
  if (e == nullptr || u.facts.is_watched(u.facts.owner, rank)) return;
  ucs_status_ptr_t const request = ucp_ep_close_nb(e, UCP_EP_CLOSE_MODE_FORCE);
  if (UCS_PTR_IS_PTR(request)) ucp_request_free(request);
}

/// A sender takes its place in the receiver's queue, then writes there. If it ends in between, the receiver waits for
/// that place for ever, and never comes to the next ones.
constexpr char loss_hazard[] =
    "a process that is killed while it sends leaves UCX's shared memory blocked for others; AMITY_NET=sockets does not";

void close_all(ucx& u) noexcept {
  if (u.some_forgotten) return;  // UCX would wait for what never ends; the process ends soon
  for (const peer& p : u.peers) {
    if (p.endpoint == nullptr) continue;
    ucs_status_ptr_t const request = ucp_ep_close_nb(p.endpoint, UCP_EP_CLOSE_MODE_FORCE);
    if (!UCS_PTR_IS_PTR(request)) continue;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(u.worker);
    ucp_request_free(request);
  }
  delete &u;
}

constexpr engine table{
    .name = "ucx",
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
    .close = with_own<close_all>,
    .forget = with_own<forget_rank>,
    .loss_hazard = loss_hazard,
    .has_handed_on = with_own<has_handed_on>,
    .stays_within = with_own<stays_within>,
};

}  // namespace
}  // namespace amity::net

extern "C" [[gnu::visibility("default")]] const amity::net::engine amity_engine = amity::net::table;
