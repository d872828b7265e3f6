/// MPI's own collective operations, for those who choose them (coll/choice.hpp).

#include <mutex>
#include <new>

#include "amity/net/internal/engine.hpp"
#include "amity/net/plugins/mpi_session.h"

namespace amity::net {
namespace {

MPI_Datatype type_of(number n) noexcept {
  switch (n) {
    case number::i8:
      return MPI_INT8_T;
    case number::i16:
      return MPI_INT16_T;
    case number::i32:
      return MPI_INT32_T;
    case number::i64:
      return MPI_INT64_T;
    case number::u8:
      return MPI_UINT8_T;
    case number::u16:
      return MPI_UINT16_T;
    case number::u32:
      return MPI_UINT32_T;
    case number::u64:
      return MPI_UINT64_T;
    case number::f32:
      return MPI_FLOAT;
    case number::f64:
      break;
  }
  return MPI_DOUBLE;
}

MPI_Op op_of(combination c) noexcept {
  switch (c) {
    case combination::sum:
      return MPI_SUM;
    case combination::product:
      return MPI_PROD;
    case combination::bit_and:
      return MPI_BAND;
    case combination::bit_or:
      return MPI_BOR;
    case combination::bit_xor:
      break;
  }
  return MPI_BXOR;
}

/// What moves within a rank may be there already: MPI wants to be told so.
const void* unless_there(const void* from, const void* there) noexcept { return from == there ? MPI_IN_PLACE : from; }

int begin_call(const engine_call& c, MPI_Request* request) noexcept {
  MPI_Comm const ranks = session().ranks;
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
