#pragma once

/// The transport of amity/coll/transport.hpp over messages of MPI, simulated ones too. Without threads and static
/// objects, so that SimGrid may run a thousand of them in one process.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace amity::simulation {

/// A computation takes so long: the simulator is told, real time passes by itself.
inline void computation_takes([[maybe_unused]] double seconds) {
#ifdef SMPI_H
  constexpr double operations_per_second = 1e9;  // of the simulated cores, as machine.py has it
  smpi_execute_flops(seconds * operations_per_second);
#endif
}

/// What a core does in a second, by which simulated time passes (the machine's memory, one core of sixteen at work).
inline constexpr double copied_bytes_per_second = 10e9, folded_bytes_per_second = 8e9;

class mpi_transport {
 public:
  /// No message is longer than `most` bytes.
  mpi_transport(MPI_Comm of, std::size_t most) : of_(of), most_(most) {
    MPI_Comm_rank(of, &me_);
    MPI_Comm_size(of, &n_);
  }
  mpi_transport(const mpi_transport&) = delete;
  mpi_transport& operator=(const mpi_transport&) = delete;
  ~mpi_transport() { settle(); }

  [[nodiscard]] int site() const noexcept { return me_; }
  [[nodiscard]] int sites() const noexcept { return n_; }

  void send(int to, int tag, std::span<const std::byte> bytes) { send_all({&to, 1}, tag, bytes); }
  /// One copy serves all.
  void send_all(std::span<const int> to, int tag, std::span<const std::byte> bytes) {
    if (to.empty()) return;
    copies_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes.size()));
    if (!bytes.empty()) std::memcpy(copies_.back().get(), bytes.data(), bytes.size());
    computation_takes(static_cast<double>(bytes.size()) / copied_bytes_per_second);
    for (int site : to) send_kept(site, tag, {copies_.back().get(), bytes.size()});
  }
  /// The bytes stay as they are until settle().
  void send_kept(int to, int tag, std::span<const std::byte> bytes) {
    sent_.emplace_back();
    MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag, of_, &sent_.back());
  }
  void settle() {
    MPI_Waitall(static_cast<int>(sent_.size()), sent_.data(), MPI_STATUSES_IGNORE);
    sent_.clear();
    copies_.clear();
  }

  class message {
   public:
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {place_, size_}; }

   private:
    friend mpi_transport;
    std::unique_ptr<std::byte[]> owned_;
    std::byte* place_ = nullptr;
    std::size_t size_ = 0;
    MPI_Request request_ = MPI_REQUEST_NULL;
  };
  /// A `receive` of so many bytes follows; they may come to their place before it.
  void expect(int from, int tag, std::size_t bytes) {
    expected_.emplace(std::pair(from, tag), begun(from, tag, std::min(bytes, most_)));
  }
  void expect_at(int from, int tag, std::span<std::byte> place) {
    expected_.emplace(std::pair(from, tag), begun(from, tag, place.size(), place.data()));
  }
  [[nodiscard]] message receive(int from, int tag) {
    auto const at = expected_.find({from, tag});
    message m = at != expected_.end() ? std::move(at->second) : begun(from, tag, most_);
    if (at != expected_.end()) expected_.erase(at);
    MPI_Status status;
    MPI_Wait(&m.request_, &status);
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    m.size_ = static_cast<std::size_t>(size);
    return m;
  }

 private:
  /// At its place, if that is known.
  [[nodiscard]] message begun(int from, int tag, std::size_t bytes, std::byte* place = nullptr) const {
    message m;
    if (place == nullptr) m.owned_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    m.place_ = place == nullptr ? m.owned_.get() : place;
    MPI_Irecv(m.place_, static_cast<int>(bytes), MPI_BYTE, from, tag, of_, &m.request_);
    return m;
  }

  MPI_Comm of_;
  std::size_t most_;
  int me_ = 0, n_ = 1;
  std::vector<MPI_Request> sent_;
  std::vector<std::unique_ptr<std::byte[]>> copies_;
  std::map<std::pair<int, int>, message> expected_;
};

}  // namespace amity::simulation
