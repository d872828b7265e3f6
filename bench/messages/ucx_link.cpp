#include "messages/ucx_link.hpp"

#include <sched.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ranks {
namespace {

constexpr unsigned message_id = 1;

void check(ucs_status_t status, const char* what) {
  if (status == UCS_OK) return;
  std::fprintf(stderr, "messages: UCX: %s: %s\n", what, ucs_status_string(status));
  std::exit(1);
}

}  // namespace

ucx_link::ucx_link() : received_(std::size_t{1} << 20) {
  ucp_params_t wishes{};
  wishes.field_mask = UCP_PARAM_FIELD_FEATURES;
  wishes.features = UCP_FEATURE_AM | UCP_FEATURE_RMA;
  check(ucp_init(&wishes, nullptr, &context_), "it can't begin");
  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker.thread_mode = UCS_THREAD_MODE_SINGLE;
  check(ucp_worker_create(context_, &worker, &worker_), "it finds no network");
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = message_id;
  handler.cb = on_message;
  handler.arg = this;
  check(ucp_worker_set_am_recv_handler(worker_, &handler), "it takes no messages");
}

ucx_link::~ucx_link() {
  ucp_worker_destroy(worker_);
  ucp_cleanup(context_);
}

std::vector<char> ucx_link::address() const {
  ucp_address_t* own = nullptr;
  std::size_t length = 0;
  check(ucp_worker_get_address(worker_, &own, &length), "it has no address");
  const char* const bytes = reinterpret_cast<const char*>(own);
  std::vector<char> copy(bytes, bytes + length);
  ucp_worker_release_address(worker_, own);
  return copy;
}

void ucx_link::connect(const void* address) {
  ucp_ep_params_t how{};
  how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  how.address = static_cast<const ucp_address_t*>(address);
  check(ucp_ep_create(worker_, &how, &other_), "it does not reach the other process");
}

// --- messages

ucs_status_t ucx_link::on_message(void* self, const void*, std::size_t, void* data, std::size_t size,
                                  const ucp_am_recv_param_t* how) {
  ucx_link& of = *static_cast<ucx_link*>(self);
  if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
    std::memcpy(of.received_.data(), data, size);
    ++of.come_;
    return UCS_OK;
  }
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.user_data = &of;
  param.cb.recv_am = [](void* request, ucs_status_t status, std::size_t, void* user) {
    check(status, "a message was lost");
    ++static_cast<ucx_link*>(user)->come_;
    ucp_request_free(request);
  };
  ucs_status_ptr_t const request = ucp_am_recv_data_nbx(of.worker_, data, of.received_.data(), size, &param);
  if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), "a message can't be taken");
  return UCS_INPROGRESS;
}

void ucx_link::send(const void* bytes, std::size_t size) {
  ucp_request_param_t how{};
  ucs_status_ptr_t const request = ucp_am_send_nbx(other_, message_id, nullptr, 0, bytes, size, &how);
  if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), "a message can't be sent");
  if (UCS_PTR_IS_PTR(request)) on_the_way_.push_back(request);
}

void ucx_link::flush() {
  for (ucs_status_ptr_t one : on_the_way_) finish(one);
  on_the_way_.clear();
}

void ucx_link::await(long messages) {
  constexpr unsigned patience = 1024;  // empty polls: then somebody else may need the core
  for (unsigned polls = 1; come_ < messages; ++polls) {
    ucp_worker_progress(worker_);
    if (polls % patience == 0) sched_yield();
  }
  come_ -= messages;
}

void ucx_link::finish(ucs_status_ptr_t request) {
  if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), "it gave an operation up");
  if (!UCS_PTR_IS_PTR(request)) return;
  ucs_status_t status = UCS_INPROGRESS;
  while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS) ucp_worker_progress(worker_);
  ucp_request_free(request);
  check(status, "an operation failed");
}

// --- memory of others

char* ucx_link::share(std::size_t size) {
  ucp_mem_map_params_t how{};
  how.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  how.length = size;
  how.flags = UCP_MEM_MAP_ALLOCATE;
  check(ucp_mem_map(context_, &how, &memory_), "it has no memory to share");
  ucp_mem_attr_t said{};
  said.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  check(ucp_mem_query(memory_, &said), "it does not say where its memory is");
  return static_cast<char*>(said.address);
}

std::vector<char> ucx_link::key() const {
  void* packed = nullptr;
  std::size_t size = 0;
  check(ucp_rkey_pack(context_, memory_, &packed, &size), "its memory has no key");
  const char* const bytes = static_cast<const char*>(packed);
  std::vector<char> copy(bytes, bytes + size);
  ucp_rkey_buffer_release(packed);
  return copy;
}

void ucx_link::unshare() { check(ucp_mem_unmap(context_, memory_), "its memory can't be given back"); }

void ucx_link::map(char* start, const void* key) {
  mapped_ = start;
  check(ucp_ep_rkey_unpack(other_, key, &rkey_), "it does not reach the other process's memory");
}
void ucx_link::unmap() { ucp_rkey_destroy(rkey_); }

void ucx_link::put(const void* from, std::size_t size) {
  ucp_request_param_t how{};
  finish(ucp_put_nbx(other_, from, size, reinterpret_cast<std::uint64_t>(mapped_), rkey_, &how));
  finish(ucp_ep_flush_nbx(other_, &how));
}

void ucx_link::get(void* to, std::size_t size) {
  ucp_request_param_t how{};
  finish(ucp_get_nbx(other_, to, size, reinterpret_cast<std::uint64_t>(mapped_), rkey_, &how));
  finish(ucp_ep_flush_nbx(other_, &how));
}

}  // namespace ranks
