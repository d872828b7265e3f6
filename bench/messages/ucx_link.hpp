// UCX as one process uses it for its messages: active messages that are counted when they have come, and memory of
// others that is written and read.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <span>
#include <vector>

namespace ranks {

class ucx_link {
 public:
  ucx_link();
  ucx_link(const ucx_link&) = delete;
  ucx_link& operator=(const ucx_link&) = delete;
  ~ucx_link();

  /// What others have to know to reach this process.
  [[nodiscard]] std::vector<char> address() const;
  /// Requires: `address` is of another process, and stays.
  void connect(const void* address);

  /// To the process that this one is connected to; the bytes must stay until flush().
  void send(const void* bytes, std::size_t size);
  /// Until so many messages have come since the last call.
  void await(long messages);
  void flush();
  void progress() { ucp_worker_progress(worker_); }
  [[nodiscard]] std::span<const char> received() const { return received_; }

  /// Memory that others may write: its start, and its key for them.
  [[nodiscard]] char* share(std::size_t size);
  [[nodiscard]] std::vector<char> key() const;
  void unshare();
  /// Memory of the process that this one is connected to.
  void map(char* start, const void* key);
  void unmap();
  void put(const void* from, std::size_t size);
  void get(void* to, std::size_t size);

 private:
  static ucs_status_t on_message(void* self, const void*, std::size_t, void* data, std::size_t size,
                                 const ucp_am_recv_param_t* how);
  void finish(ucs_status_ptr_t request);

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h other_ = nullptr;
  ucp_mem_h memory_ = nullptr;
  ucp_rkey_h rkey_ = nullptr;
  char* mapped_ = nullptr;
  std::vector<char> received_;
  std::vector<ucs_status_ptr_t> on_the_way_;
  long come_ = 0;
};

}  // namespace ranks
