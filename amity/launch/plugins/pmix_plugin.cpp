/// Wiring up by PMIx: Open MPI's mpirun, srun --mpi=pmix. A plug-in, because libpmix need not be there.

#include <pmix.h>
#include <string.h>

#include <string>

#include "amity/launch/wire_up.hpp"

namespace amity::launching {
namespace {

pmix_proc_t self;
std::string error, got;
bool is_open = false;

const char* fail(const char* what, pmix_status_t status) noexcept {
  error = std::string("the launcher's process manager (PMIx) refuses to ") + what + ": " + PMIx_Error_string(status);
  return error.c_str();
}

/// A fact about the job, or about this process in it; -1: not known.
int number(const char* key, bool of_job) noexcept {
  pmix_proc_t whose = self;
  if (of_job) whose.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* value = nullptr;
  if (PMIx_Get(&whose, key, nullptr, 0, &value) != PMIX_SUCCESS || value == nullptr) return -1;
  int const result = value->type == PMIX_UINT32   ? static_cast<int>(value->data.uint32)
                     : value->type == PMIX_UINT16 ? static_cast<int>(value->data.uint16)
                                                  : -1;
  PMIX_VALUE_RELEASE(value);
  return result;
}

const char* open(membership& of) noexcept {
  pmix_status_t const status = PMIx_Init(&self, nullptr, 0);
  if (status != PMIX_SUCCESS) return fail("take this process in", status);
  is_open = true;
  of.rank = static_cast<int>(self.rank);
  int const size = number(PMIX_JOB_SIZE, true);
  if (size > 0) of.size = size;
  if (of.size < 1) return "the launcher's process manager (PMIx) does not say how many processes there are";
  if (int const n = number(PMIX_LOCAL_SIZE, true); n > 0) of.local_size = n;
  if (int const n = number(PMIX_LOCAL_RANK, false); n >= 0) of.local_rank = n;
  return nullptr;
}

const char* put(const char* key, const char* text) noexcept {
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  value.type = PMIX_STRING;
  value.data.string = const_cast<char*>(text);
  pmix_status_t status = PMIx_Put(PMIX_GLOBAL, key, &value);
  if (status == PMIX_SUCCESS) status = PMIx_Commit();
  return status == PMIX_SUCCESS ? nullptr : fail("keep an address", status);
}

const char* fence() noexcept {
  pmix_info_t collect;
  bool yes = true;
  PMIX_INFO_CONSTRUCT(&collect);
  PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
  pmix_status_t const status = PMIx_Fence(nullptr, 0, &collect, 1);
  PMIX_INFO_DESTRUCT(&collect);
  return status == PMIX_SUCCESS ? nullptr : fail("have all processes meet", status);
}

const char* get(int rank, const char* key, const char** text) noexcept {
  pmix_proc_t whose = self;
  whose.rank = static_cast<pmix_rank_t>(rank);
  pmix_value_t* value = nullptr;
  pmix_status_t const status = PMIx_Get(&whose, key, nullptr, 0, &value);
  if (status != PMIX_SUCCESS || value == nullptr) return fail("give another process's address", status);
  bool const is_text = value->type == PMIX_STRING && value->data.string != nullptr;
  got = is_text ? value->data.string : "";
  PMIX_VALUE_RELEASE(value);
  *text = got.c_str();
  return is_text ? nullptr : "another process's address is no text";
}

void abort_job(int status, const char* text) noexcept {
  if (is_open) PMIx_Abort(status, text, nullptr, 0);
}

void close_session() noexcept {
  if (is_open) PMIx_Finalize(nullptr, 0);
  is_open = false;
}

}  // namespace
}  // namespace amity::launching

extern "C" [[gnu::visibility("default")]] const amity::launching::wire_up amity_wire_up{
    amity::launching::open, amity::launching::put,       amity::launching::fence,
    amity::launching::get,  amity::launching::abort_job, amity::launching::close_session};
