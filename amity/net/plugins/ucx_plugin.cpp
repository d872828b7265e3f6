/// Messages by UCX (Unified Communication X): shared memory within a node, InfiniBand or RoCE between nodes. A plug-in,
/// because libucp need not be there.
///
/// Not by TCP, where UCX listens, and believes whoever connects: one of its messages says where in the receiver's
/// memory bytes are to be put. Where UCX knows no other network, it stays within the node (decision 0025).
///
/// One worker for the process, which carries active messages: a header of ours, and the bytes. UCX sends small ones at
/// once, and large ones when the receiver has said where they are to be put.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

#include <string>
#include <utility>
#include <vector>

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

/// A message on its way out, with what UCX must find until it has left.
struct outgoing {
  wire_header header;
  int to;
  std::size_t size;
  std::byte* large;  ///< from malloc; null: the bytes lie behind this object
  std::byte* bytes() noexcept { return large != nullptr ? large : reinterpret_cast<std::byte*>(this + 1); }
};

/// A large message on its way in.
struct incoming {
  wire_header header;
  std::byte* bytes;
  std::size_t size;
};

struct ucx {
  engine_facts facts{};
  ucp_context_h context = nullptr;
  ucp_worker_h worker = nullptr;
  int fd = -1;
  bool is_near = true;  ///< there is no network but TCP
  std::vector<salt> salts;
  std::vector<std::vector<char>> addresses;
  std::vector<ucp_ep_h> endpoints;
  struct backlog {
    std::size_t bytes = 0, messages = 0;
    bool is_forgotten = false;  ///< the rank is lost
  };
  std::vector<backlog> waiting;  ///< on their way out, by rank
  std::size_t all_waiting = 0;   ///< messages
  std::vector<void*> flushes;    ///< requests of UCX's
  bool sent_since_flush = false;
  bool some_forgotten = false;
  int taken = 0;  ///< messages, in this poll
  std::string error;
};

ucx& all() noexcept {
  static auto* const one = new ucx;
  return *one;
}

const char* fail(const char* what, ucs_status_t status) noexcept {
  all().error = std::string(what) + ": " + ucs_status_string(status);
  return all().error.c_str();
}

// --- receiving

void hand_on(const wire_header& h, std::byte* bytes, std::size_t size) noexcept {
  ++all().taken;
  all().facts.events->arrived_large(static_cast<int>(h.from), h.header, bytes, size);
}

void received(void*, ucs_status_t status, std::size_t, void* data) noexcept {
  auto* const m = static_cast<incoming*>(data);
  if (status == UCS_OK)
    hand_on(m->header, m->bytes, m->size);
  else
    all().facts.events->lost(static_cast<int>(m->header.from), ucs_status_string(status));
  delete m;
}

/// The sender waits until this says where the bytes are to be put.
ucs_status_t begin_large(const wire_header& h, void* description, std::size_t size) noexcept {
  auto* const m = new incoming{h, all().facts.events->take_buffer(size), size};
  if (m->bytes == nullptr) {
    delete m;
    all().facts.events->lost(static_cast<int>(h.from), "there is no memory for a message from it");
    return UCS_OK;
  }
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  how.cb.recv_am = [](void* request, ucs_status_t status, std::size_t length, void* data) {
    received(request, status, length, data);
    ucp_request_free(request);
  };
  how.user_data = m;
  ucs_status_ptr_t const request = ucp_am_recv_data_nbx(all().worker, description, m->bytes, size, &how);
  if (UCS_PTR_IS_ERR(request)) {
    all().facts.events->lost(static_cast<int>(h.from), ucs_status_string(UCS_PTR_STATUS(request)));
    free(m->bytes);
    delete m;
  }
  return UCS_INPROGRESS;
}

ucs_status_t on_message(void*, const void* header, std::size_t header_size, void* data, std::size_t size,
                        const ucp_am_recv_param_t* how) noexcept {
  ucx& u = all();
  wire_header h;
  memcpy(&h, header, header_size < sizeof h ? header_size : sizeof h);
  if (header_size != sizeof h || h.from >= static_cast<std::uint32_t>(u.facts.size) || h.mark != u.salts[h.from].mark) {
    u.facts.events->stranger("by UCX", "its message does not bear the mark of the job's secret");
    return UCS_OK;  // also of a large one, whose bytes UCX does not fetch then
  }
  h.header.code ^= u.salts[h.from].of_codes;
  if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) return begin_large(h, data, size);
  ++u.taken;
  u.facts.events->arrived(static_cast<int>(h.from), h.header, static_cast<const std::byte*>(data), size);
  return UCS_OK;
}

// --- opening

/// With these transports, in this process's part of UCX alone: an MPI beside it has settings of its own.
const char* begin(const char* transports) noexcept {
  ucx& u = all();
  ucp_config_t* config = nullptr;
  ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return fail("UCX can't read its settings", status);
  status = ucp_config_modify(config, "TLS", transports);
  ucp_params_t wishes{};
  wishes.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
  wishes.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  wishes.estimated_num_eps = static_cast<std::size_t>(u.facts.size);
  if (status == UCS_OK) status = ucp_init(&wishes, config, &u.context);
  ucp_config_release(config);
  if (status == UCS_OK) return nullptr;
  u.context = nullptr;
  return fail("UCX can't begin", status);
}

/// UCX's own listing has "rc_verbs/mlx5_0:1" and the like; there is no other way to ask. If a later version writes
/// something else, it stays within the node.
bool has_network() noexcept {
  char* text = nullptr;
  std::size_t size = 0;
  FILE* const f = open_memstream(&text, &size);
  if (f == nullptr) return false;
  ucp_context_print_info(all().context, f);
  fclose(f);
  bool found = false;
  for (const char* network : {" rc_", " dc_", " ud_", " ugni", " srd"})
    found = found || strstr(text, network) != nullptr;
  free(text);
  return found;
}

/// A job on several nodes takes a network, if there is one. Without "self", which would open also where no memory can
/// be shared: what goes to the own rank is none of the engine's.
const char* begin_on_best() noexcept {
  ucx& u = all();
  if (!u.facts.one_node && *u.facts.ucx_between != '\0' && begin(u.facts.ucx_between) == nullptr) {
    u.is_near = !has_network();
    if (!u.is_near) return nullptr;
    ucp_cleanup(std::exchange(u.context, nullptr));
  }
  if (*u.facts.ucx_within == '\0') return "UCX_TLS leaves UCX none of posix, sysv and xpmem, which share memory";
  return begin(u.facts.ucx_within);
}

const char* open(const engine_facts& facts, char* address, std::size_t* size) noexcept {
  ucx& u = all();
  u.facts = facts;
  u.salts.resize(static_cast<std::size_t>(facts.size));
  u.addresses.resize(static_cast<std::size_t>(facts.size));
  u.endpoints.resize(static_cast<std::size_t>(facts.size), nullptr);
  u.waiting.resize(static_cast<std::size_t>(facts.size));
  if (const char* const error = begin_on_best()) return error;

  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  ucx_wakeups const wakeups;
  ucs_status_t status = ucp_worker_create(u.context, &worker, &u.worker);
  if (status != UCS_OK) return fail("UCX can neither share memory nor finds a network", status);
  status = ucp_worker_get_efd(u.worker, &u.fd);
  if (status != UCS_OK) return fail("UCX has no descriptor to sleep on", status);
  if (!wakeups.guard()) return "the system refuses to guard the sockets by which UCX is woken up";
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB;
  handler.id = message_id;
  handler.cb = on_message;
  status = ucp_worker_set_am_recv_handler(u.worker, &handler);
  if (status != UCS_OK) return fail("UCX takes no messages", status);

  ucp_address_t* own = nullptr;
  std::size_t length = 0;
  status = ucp_worker_get_address(u.worker, &own, &length);
  if (status != UCS_OK) return fail("UCX has no address", status);
  bool const fits = 2 * length + 1 <= *size;
  static constexpr char digits[] = "0123456789abcdef";
  for (std::size_t i = 0; fits && i < length; ++i) {
    auto const b = reinterpret_cast<const unsigned char*>(own)[i];
    address[2 * i] = digits[b >> 4];
    address[2 * i + 1] = digits[b & 15];
  }
  ucp_worker_release_address(u.worker, own);
  if (!fits) return "UCX has an address that is too long";
  *size = 2 * length;
  return nullptr;
}

const char* know(int rank, const char* address) noexcept {
  all().salts[rank] = salt_of(all().facts.secret, all().facts.secret_bytes, rank);
  std::vector<char>& bytes = all().addresses[rank];
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

ucp_ep_h endpoint_of(int rank) noexcept {
  ucx& u = all();
  ucp_ep_h& e = u.endpoints[rank];
  if (e != nullptr) return e;
  ucp_ep_params_t how{};
  how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  how.address = reinterpret_cast<const ucp_address_t*>(u.addresses[rank].data());
  if (!u.facts.is_watched(rank)) {
    how.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    how.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    how.err_handler.arg = reinterpret_cast<void*>(static_cast<std::intptr_t>(rank));
    how.err_handler.cb = [](void* which, ucp_ep_h, ucs_status_t status) {
      all().facts.events->lost(static_cast<int>(reinterpret_cast<std::intptr_t>(which)), ucs_status_string(status));
    };
  }
  ucs_status_t status = ucp_ep_create(u.worker, &how, &e);
  // Some ways are open only to those that want no errors: shared memory between containers.
  if (status == UCS_ERR_UNREACHABLE && !u.facts.is_watched(rank)) {
    how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    status = ucp_ep_create(u.worker, &how, &e);
  }
  if (status == UCS_OK) return e;
  e = nullptr;
  u.facts.events->lost(rank, ucs_status_string(status));
  return nullptr;
}

/// With its header: one without bytes waits, too (net::await_handover).
std::size_t bytes_of(const outgoing& m) noexcept { return sizeof m.header + m.size; }

void forget(outgoing* m) noexcept {
  ucx& u = all();
  if (ucx::backlog& its = u.waiting[m->to]; !its.is_forgotten) {
    its.bytes -= bytes_of(*m);
    --its.messages;
    --u.all_waiting;
  }
  u.facts.events->give_buffer(m->large);
  free(m);
}

void has_left(void* request, ucs_status_t status, void* data) noexcept {
  auto* const m = static_cast<outgoing*>(data);
  if (status != UCS_OK && !all().waiting[m->to].is_forgotten)
    all().facts.events->lost(m->to, ucs_status_string(status));
  forget(m);
  if (request != nullptr) ucp_request_free(request);
}

/// With memory of its own, which stays until UCX is through with it.
void send_kept(ucp_ep_h e, outgoing* m) noexcept {
  ucx& u = all();
  u.waiting[m->to].bytes += bytes_of(*m);
  ++u.waiting[m->to].messages;
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

outgoing* new_outgoing(const wire_header& h, int to, std::size_t size, std::byte* large) noexcept {
  auto* const m = static_cast<outgoing*>(malloc(sizeof(outgoing) + (large == nullptr ? size : 0)));
  if (m == nullptr) {
    all().facts.events->lost(to, "there is no memory for what waits to be sent there");
    return nullptr;
  }
  *m = {h, to, size, large};
  return m;
}

wire_header salted(const message_header& h) noexcept {
  const ucx& u = all();
  const salt& own = u.salts[u.facts.rank];
  return {{h.code ^ own.of_codes, h.word}, static_cast<std::uint32_t>(u.facts.rank), own.mark};
}

void send(int to, const message_header& header, const std::byte* bytes, std::size_t size) noexcept {
  ucx& u = all();
  ucp_ep_h const e = endpoint_of(to);
  if (e == nullptr) return;
  u.sent_since_flush = true;
  wire_header const h = salted(header);
  ucp_request_param_t at_once{};
  at_once.op_attr_mask = UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL;
  ucs_status_ptr_t const request = ucp_am_send_nbx(e, message_id, &h, sizeof h, bytes, size, &at_once);
  if (request == nullptr) return;
  outgoing* const m = new_outgoing(h, to, size, nullptr);
  if (m == nullptr) return;
  if (size != 0) memcpy(m->bytes(), bytes, size);
  send_kept(e, m);
}

void send_large(int to, const message_header& header, std::byte* bytes, std::size_t size) noexcept {
  ucx& u = all();
  ucp_ep_h const e = endpoint_of(to);
  outgoing* const m = e == nullptr ? nullptr : new_outgoing(salted(header), to, size, bytes);
  if (m == nullptr) return all().facts.events->give_buffer(bytes);
  u.sent_since_flush = true;
  send_kept(e, m);
}

// --- progress

int poll() noexcept {
  ucx& u = all();
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
bool has_handed_on(int) noexcept {
  for (int round = 0; round < 64; ++round)
    if (ucp_worker_progress(all().worker) == 0) return true;
  return false;
}

bool stays_within() noexcept { return all().is_near; }

bool arm() noexcept { return ucp_worker_arm(all().worker) == UCS_OK; }
int descriptor() noexcept { return all().fd; }
std::size_t backlog(int rank) noexcept { return all().waiting[rank].bytes; }

bool needs_polls() noexcept { return all().all_waiting != 0; }

/// Requests to flush: of the worker, or of each endpoint where the worker's would wait for a lost rank.
void begin_flushes() noexcept {
  ucx& u = all();
  ucp_request_param_t how{};
  const auto keep = [&u](void* request) {
    if (UCS_PTR_IS_PTR(request)) u.flushes.push_back(request);
  };
  if (!u.some_forgotten) return keep(ucp_worker_flush_nbx(u.worker, &how));
  for (ucp_ep_h e : u.endpoints)
    if (e != nullptr) keep(ucp_ep_flush_nbx(e, &how));
}

/// What UCX has taken may still lie here: a flush of its own says when it has left.
bool is_flushed() noexcept {
  ucx& u = all();
  if (u.all_waiting != 0) return false;
  if (u.flushes.empty()) {
    if (!std::exchange(u.sent_since_flush, false)) return true;
    begin_flushes();
  }
  while (!u.flushes.empty() && ucp_request_check_status(u.flushes.back()) != UCS_INPROGRESS) {
    ucp_request_free(u.flushes.back());
    u.flushes.pop_back();
  }
  return u.flushes.empty() && !u.sent_since_flush;
}

/// UCX never ends what waits for a process that has ended without a word, so this counts it no more. An endpoint that
/// looks for errors can be closed; another one is left as it is.
void forget_rank(int rank) noexcept {
  ucx& u = all();
  ucx::backlog& its = u.waiting[rank];
  u.all_waiting -= its.messages;
  its = {0, 0, true};
  u.some_forgotten = true;
  for (void* flush : std::exchange(u.flushes, {})) {  // of the worker: it waits for that rank
    ucp_request_free(flush);
    u.sent_since_flush = true;
  }
  ucp_ep_h const e = std::exchange(u.endpoints[rank], nullptr);
  if (e == nullptr || u.facts.is_watched(rank)) return;
  ucs_status_ptr_t const request = ucp_ep_close_nb(e, UCP_EP_CLOSE_MODE_FORCE);
  if (UCS_PTR_IS_PTR(request)) ucp_request_free(request);
}

/// A sender takes its place in the receiver's queue, then writes there. If it ends in between, the receiver waits for
/// that place for ever, and never comes to the next ones.
constexpr char loss_hazard[] =
    "a process that is killed while it sends leaves UCX's shared memory blocked for others; AMITY_NET=sockets does not";

void close_all() noexcept {
  ucx& u = all();
  if (u.some_forgotten) return;  // UCX would wait for what never ends; the process ends soon
  for (ucp_ep_h e : u.endpoints) {
    if (e == nullptr) continue;
    ucs_status_ptr_t const request = ucp_ep_close_nb(e, UCP_EP_CLOSE_MODE_FORCE);
    if (!UCS_PTR_IS_PTR(request)) continue;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(u.worker);
    ucp_request_free(request);
  }
  if (u.worker != nullptr) ucp_worker_destroy(u.worker);
  if (u.context != nullptr) ucp_cleanup(u.context);
  u.worker = nullptr;
  u.context = nullptr;
}

}  // namespace
}  // namespace amity::net

extern "C" [[gnu::visibility("default")]] const amity::net::engine amity_engine{"ucx",
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
                                                                                amity::net::close_all,
                                                                                0,
                                                                                nullptr,
                                                                                amity::net::forget_rank,
                                                                                amity::net::loss_hazard,
                                                                                amity::net::has_handed_on,
                                                                                amity::net::stays_within};
