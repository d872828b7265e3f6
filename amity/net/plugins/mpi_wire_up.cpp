/// Wiring up by MPI itself, where MPI carries the messages too: MPI_Init speaks to the launcher's process manager, and
/// by MPICH's launcher over the one descriptor that there is. So nothing else speaks to it.
///
/// What ranks put is kept until the next fence, which hands all of it to all.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "amity/launch/wire_up.hpp"
#include "amity/net/plugins/mpi_session.h"

namespace amity::net {

void mpi_session::lock() noexcept {
  // By the kernel: a sched_yield of the C library's may let another fiber run here, which waits for this one.
  while (held_.exchange(true, std::memory_order_acquire)) syscall(SYS_sched_yield);  // pairs with unlock
}

mpi_session& session() noexcept {
  static auto* const one = new mpi_session;
  return *one;
}

const char* mpi_failed(const char* what, int code) noexcept {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  session().error = std::string("MPI can't ") + what + ": " + text;
  return session().error.c_str();
}

namespace {

std::string unsent;                                     ///< "KEY\0VALUE\0", put since the last fence
std::vector<std::map<std::string, std::string>> known;  ///< by rank

/// Like MPI_Wait, but that gives the core away, and naps where others keep it waiting: one rank may come to its end
/// before it joins.
int wait_for(MPI_Request& request) noexcept {
  constexpr int polls = 200, yields = 2000, nap_us = 500;
  for (int looks = 0;; ++looks) {
    int done = 0, error = MPI_SUCCESS;
    {
      std::lock_guard const held(session());
      error = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    if (error != MPI_SUCCESS || done != 0) return error;
    if (looks > yields)
      usleep(nap_us);
    else if (looks > polls)
      syscall(SYS_sched_yield);
  }
}

/// The program, or a library that it was linked to, calls MPI.
bool program_has_mpi() noexcept {
  void* const program = dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
  return program != nullptr && dlsym(program, "MPI_Init") != nullptr;
}

/// Where ranks outnumber cores, Open MPI gives the core away in each MPI_Test that finds nothing. That is for ranks
/// that wait within MPI, and these are Amity's, which sleeps when there is nothing to do: beside a busy process, each
/// look would cost it a time slice, and collective operations took far longer. A user who sets the variable
/// has his way.
class no_yields_of_its_own {
 public:
  no_yields_of_its_own() noexcept { setenv(name, "0", 0); }
  ~no_yields_of_its_own() {
    if (is_ours_) unsetenv(name);
  }
  no_yields_of_its_own(const no_yields_of_its_own&) = delete;
  no_yields_of_its_own& operator=(const no_yields_of_its_own&) = delete;

 private:
  static constexpr const char* name = "OMPI_MCA_mpi_yield_when_idle";
  bool const is_ours_ = getenv(name) == nullptr;
};

const char* initialise() noexcept {
  mpi_session& s = session();
  int begun = 0, ended = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (ended != 0)
    return "the program has called MPI_Finalize before it called the first of Amity's functions for several processes";
  if (begun != 0) {
    MPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) return nullptr;
    return "the program has initialised MPI for calls from one thread at a time, and Amity calls MPI from others "
           "(AMITY_NET=mpi); it has to call MPI_Init_thread with MPI_THREAD_MULTIPLE";
  }
  int const wanted = program_has_mpi() ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
  no_yields_of_its_own const meanwhile;
  if (int const error = MPI_Init_thread(nullptr, nullptr, wanted, &level); error != MPI_SUCCESS)
    return mpi_failed("begin", error);
  s.is_ours = true;
  return level >= MPI_THREAD_SERIALIZED ? nullptr : "this MPI can only be called by the program's first thread";
}

/// Of those that use MPI, the one that began last; empty: there is none, or none that is to be told.
mpi_session::user take_user() noexcept {
  mpi_session& s = session();
  std::lock_guard const held(s);
  if (s.users.empty()) return {};
  mpi_session::user const last = s.users.back();
  s.users.pop_back();
  return last;
}

int on_finalize(MPI_Comm, int, void*, void*) noexcept {
  for (mpi_session::user u = take_user(); u.instance != nullptr; u = take_user()) u.taken_away(u.owner);
  return MPI_SUCCESS;
}

/// MPI_Finalize first frees the attributes of MPI_COMM_SELF, while MPI can still be used.
int watch_finalize() noexcept {
  int key = 0;
  int const error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &key, nullptr);
  return error == MPI_SUCCESS ? MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr) : error;
}

const char* open(launching::membership& of) noexcept {
  if (const char* const error = initialise()) return error;
  mpi_session& s = session();
  int error = MPI_SUCCESS;
  for (MPI_Comm* const made : {&s.ranks, &s.collectives}) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (error == MPI_SUCCESS) error = MPI_Comm_idup(MPI_COMM_WORLD, made, &request);
    if (error == MPI_SUCCESS) error = wait_for(request);
    if (error == MPI_SUCCESS) error = MPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN);
  }
  if (error == MPI_SUCCESS && !s.is_ours) error = watch_finalize();
  if (error != MPI_SUCCESS) return mpi_failed("take this process in", error);
  int rank = 0, size = 0;
  MPI_Comm_rank(s.ranks, &rank);
  MPI_Comm_size(s.ranks, &size);
  if (of.size > 0 && size != of.size) {
    s.error = "the launcher has started " + std::to_string(of.size) + " processes, and MPI counts " +
              std::to_string(size) + "; is the program's MPI of the launcher's make?";
    return s.error.c_str();
  }
  of.rank = rank;
  of.size = size;
  known.resize(static_cast<std::size_t>(size));
  return nullptr;
}

const char* put(const char* key, const char* value) noexcept {
  unsent.append(key, strlen(key) + 1);
  unsent.append(value, strlen(value) + 1);
  return nullptr;
}

void learn(int rank, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const char* const key = text.c_str() + at;
    const char* const value = key + strlen(key) + 1;
    at += strlen(key) + strlen(value) + 2;
    known[rank][key] = value;
  }
}

/// `call` begins one of MPI's collective operations.
template <class Call>
int complete(Call call) noexcept {
  MPI_Request request = MPI_REQUEST_NULL;
  int error = MPI_SUCCESS;
  {
    std::lock_guard const held(session());
    error = call(&request);
  }
  return error == MPI_SUCCESS ? wait_for(request) : error;
}

const char* fence() noexcept {
  MPI_Comm const ranks = session().ranks;
  int const own = static_cast<int>(unsent.size());
  std::vector<int> sizes(known.size()), begins(known.size());
  int error =
      complete([&](MPI_Request* r) { return MPI_Iallgather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, ranks, r); });
  if (error != MPI_SUCCESS) return mpi_failed("have all processes meet", error);
  int all = 0;
  for (std::size_t r = 0; r < sizes.size(); ++r) begins[r] = std::exchange(all, all + sizes[r]);
  if (all == 0) return nullptr;
  std::string text(static_cast<std::size_t>(all), '\0');
  error = complete([&](MPI_Request* r) {
    return MPI_Iallgatherv(unsent.data(), own, MPI_CHAR, text.data(), sizes.data(), begins.data(), MPI_CHAR, ranks, r);
  });
  if (error != MPI_SUCCESS) return mpi_failed("tell all processes the others' addresses", error);
  for (std::size_t r = 0; r < sizes.size(); ++r)
    learn(static_cast<int>(r), text.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(sizes[r])));
  unsent.clear();
  return nullptr;
}

const char* get(int rank, const char* key, const char** value) noexcept {
  auto const found = known[rank].find(key);
  if (found == known[rank].end()) return "another process has not told what it should";
  *value = found->second.c_str();
  return nullptr;
}

void abort_job(int status, const char*) noexcept {
  if (session().ranks != MPI_COMM_NULL) MPI_Abort(MPI_COMM_WORLD, status);
}

void close_session() noexcept {
  mpi_session& s = session();
  s.users.clear();
  int ended = 0;
  MPI_Finalized(&ended);  // a job of one does not end with it
  if (s.ranks == MPI_COMM_NULL || ended != 0) return;
  MPI_Comm_free(&s.ranks);
  MPI_Comm_free(&s.collectives);
  if (s.is_ours) MPI_Finalize();
}

}  // namespace
}  // namespace amity::net

extern "C" [[gnu::visibility("default")]] const amity::launching::wire_up amity_wire_up{
    amity::net::open, amity::net::put,       amity::net::fence,
    amity::net::get,  amity::net::abort_job, amity::net::close_session};
