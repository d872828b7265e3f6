#pragma once

/// MPI as a job goes by it: the engine (mpi_plugin.cpp) and the wire-up (mpi_wire_up.cpp) share it. Compiled once for
/// each family of MPI, by C's interface alone. (No .hpp: those compile alone, and this needs to be told which mpi.h.)

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <atomic>
#include <string>
#include <vector>

namespace amity::net {

struct mpi_session {
  MPI_Comm ranks = MPI_COMM_NULL;  ///< all processes, for Amity's messages alone
  /// The same for collective operations of the program's: one that never ends must not come before a fence.
  MPI_Comm collectives = MPI_COMM_NULL;
  bool is_ours = false;  ///< MPI was initialised here
  std::string error;
  /// An instance of the engine, which is closed when the program finalises MPI.
  struct user {
    const void* instance;
    void* owner;
    void (*taken_away)(void* owner) noexcept;
  };
  std::vector<user> users;
  int next_tag = 1;  ///< of an instance

  /// One thread at a time calls MPI, so that MPI need not see to that: the engine's functions are called one at a time,
  /// but beside the fence of the job's end.
  void lock() noexcept;
  void unlock() noexcept { held_.store(false, std::memory_order_release); }  // pairs with lock

 private:
  std::atomic<bool> held_{false};
};

[[nodiscard]] mpi_session& session() noexcept;

/// What MPI could not do, and why, in words that stay valid until the next call.
[[nodiscard]] const char* mpi_failed(const char* what, int code) noexcept;

}  // namespace amity::net
