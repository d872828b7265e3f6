/// MPI's own collective operations, for those who choose them (coll/choice.hpp).

#include <mutex>
#include <new>

#include "amity/net/internal/engine.hpp"
#include "amity/net/plugins/mpi_session.h"

namespace amity::net {
namespace {

/// In the order of `number`.
MPI_Datatype type_of(number n) noexcept {
  MPI_Datatype const types[] = {MPI_INT8_T,   MPI_INT16_T,  MPI_INT32_T,  MPI_INT64_T, MPI_UINT8_T,
                                MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_FLOAT,   MPI_DOUBLE};
  return types[static_cast<int>(n)];
}

/// In the order of `combination`.
MPI_Op op_of(combination c) noexcept {
  MPI_Op const operators[] = {MPI_SUM, MPI_PROD, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MIN};
  return operators[static_cast<int>(c)];
}

/// What moves within a rank may be there already: MPI wants to be told so.
const void* unless_there(const void* from, const void* there) noexcept { return from == there ? MPI_IN_PLACE : from; }

int begin_call(const engine_call& c, MPI_Request* request) noexcept {
  MPI_Comm const ranks = session().collectives;
  int const count = static_cast<int>(c.count);
  int me = 0;
  MPI_Comm_rank(ranks, &me);
  std::byte* const all = static_cast<std::byte*>(c.to);
  bool const is_root = me == c.root;
  switch (c.what) {
    case engine_operation::broadcast:
      return MPI_Ibcast(c.to, count, MPI_BYTE, c.root, ranks, request);
    case engine_operation::reduce:
      return MPI_Ireduce(is_root ? MPI_IN_PLACE : c.to, is_root ? c.to : nullptr, count, type_of(c.type), op_of(c.op),
                         c.root, ranks, request);
    case engine_operation::all_reduce:
      return MPI_Iallreduce(MPI_IN_PLACE, c.to, count, type_of(c.type), op_of(c.op), ranks, request);
    case engine_operation::gather: {
      const void* const from = is_root ? unless_there(c.from, all + c.count * static_cast<unsigned>(me)) : c.from;
      return MPI_Igather(from, count, MPI_BYTE, c.to, count, MPI_BYTE, c.root, ranks, request);
    }
    case engine_operation::scatter: {
      const std::byte* const own = static_cast<const std::byte*>(c.from) + c.count * static_cast<unsigned>(me);
      void* const to = is_root && own == all ? MPI_IN_PLACE : c.to;
      return MPI_Iscatter(c.from, count, MPI_BYTE, to, count, MPI_BYTE, c.root, ranks, request);
    }
    case engine_operation::all_gather:
      return MPI_Iallgather(unless_there(c.from, all + c.count * static_cast<unsigned>(me)), count, MPI_BYTE, c.to,
                            count, MPI_BYTE, ranks, request);
    case engine_operation::all_to_all:
      break;
  }
  return MPI_Ialltoall(c.from, count, MPI_BYTE, c.to, count, MPI_BYTE, ranks, request);
}

void* begin(const engine_call& c, const char** why) noexcept {
  auto* const request = new (std::nothrow) MPI_Request(MPI_REQUEST_NULL);
  if (request == nullptr) return *why = "out of memory for a collective operation", nullptr;
  std::lock_guard const held(session());
  int const error = begin_call(c, request);
  if (error == MPI_SUCCESS) return request;
  delete request;
  *why = mpi_failed("begin a collective operation", error);
  return nullptr;
}

bool is_over(void* request, const char** why) noexcept {
  auto* const r = static_cast<MPI_Request*>(request);
  int done = 0;
  std::lock_guard const held(session());
  int const error = MPI_Test(r, &done, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS) *why = mpi_failed("go on with a collective operation", error);
  if (done != 0 || error != MPI_SUCCESS) delete r;
  return done != 0 || error != MPI_SUCCESS;
}

}  // namespace

extern const engine_collectives mpi_collectives;
const engine_collectives mpi_collectives{begin, is_over};

}  // namespace amity::net
