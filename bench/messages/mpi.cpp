// The same as amity.cpp with MPI alone: blocking messages between ranks 0 and 1, and windows for put and get. One
// program for each MPI that is installed.
//
//   mpirun.mpich -n 2 build/bench/messages_mpich
#include <array>
#include <thread>
#include <vector>

#include "messages/items.hpp"
#include "messages/mpi_job.hpp"

namespace {

using ranks::item;
using ranks::job;
using ranks::settings;

void send(const void* bytes, std::size_t size, int to) {
  MPI_Send(bytes, static_cast<int>(size), MPI_CHAR, to, 0, MPI_COMM_WORLD);
}
void receive(void* bytes, std::size_t size, int from) {
  MPI_Recv(bytes, static_cast<int>(size), MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// --- there and back

void ping_pong(const job& j, std::vector<char>& bytes) {
  if (j.rank() == 0) {
    send(bytes.data(), bytes.size(), 1);
    receive(bytes.data(), bytes.size(), 1);
  } else if (j.rank() == 1) {
    receive(bytes.data(), bytes.size(), 0);
    send(bytes.data(), bytes.size(), 0);
  }
}

item round_trip(std::string name, std::size_t bytes) {
  item made =
      ranks::repeated(std::move(name), [buffer = std::vector<char>(bytes)](job& j) mutable { ping_pong(j, buffer); });
  made.check = [bytes](job& j) {
    std::vector<char> buffer(bytes, j.rank() == 0 ? 'x' : ' ');
    ping_pong(j, buffer);
    return j.rank() > 1 || buffer == std::vector<char>(bytes, 'x');
  };
  return made;
}

/// All on their way at once; one comes back when all have come.
void send_window(job& j) {
  static std::array<std::array<char, messages::small_bytes>, messages::window> buffers;
  std::array<MPI_Request, messages::window> requests;
  if (j.rank() > 1) return;
  int const other = 1 - j.rank();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (j.rank() == 0)
      MPI_Isend(buffers[i].data(), messages::small_bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Irecv(buffers[i].data(), messages::small_bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(messages::window, requests.data(), MPI_STATUSES_IGNORE);
  char done = 0;
  if (j.rank() == 0)
    receive(&done, 1, 1);
  else
    send(&done, 1, 0);
}

// --- put and get

MPI_Win memory = MPI_WIN_NULL;
char* own = nullptr;  // of the window
std::vector<char> here;

void prepare_memory(job&) {
  here.assign(messages::most_bytes, 'x');
  MPI_Win_allocate(messages::most_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &memory);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, memory);
}
void free_memory(job&) {
  MPI_Win_unlock_all(memory);
  MPI_Win_free(&memory);
}

void put(std::size_t bytes) {
  int const n = static_cast<int>(bytes);
  MPI_Put(here.data(), n, MPI_CHAR, 1, 0, n, MPI_CHAR, memory);
  MPI_Win_flush(1, memory);
}
void get(std::size_t bytes) {
  int const n = static_cast<int>(bytes);
  MPI_Get(here.data(), n, MPI_CHAR, 1, 0, n, MPI_CHAR, memory);
  MPI_Win_flush(1, memory);
}

bool memory_is_kept(job& j) {
  if (j.rank() != 0) return true;
  for (std::size_t i = 0; i < here.size(); ++i) here[i] = static_cast<char>(i * 7);
  std::vector<char> const expected = here;
  put(here.size());
  here.assign(here.size(), ' ');
  get(here.size());
  return here == expected;
}

item transfer(const char* name, std::size_t bytes, void (*what)(std::size_t)) {
  item made = ranks::repeated(messages::sized(name, bytes), [bytes, what](job& j) {
    if (j.rank() == 0) what(bytes);
  });
  made.prepare = prepare_memory;
  made.finish = free_memory;
  made.check = memory_is_kept;
  return made;
}

// --- a rank that waits

std::vector<double> wakes(job& j, const settings& how) {
  std::size_t const count = static_cast<std::size_t>(messages::wakes_for_a_sample * how.samples);
  std::vector<double> late(count);
  j.barrier();
  for (double& one : late) {
    double sent = 0;
    if (j.rank() == 0) {
      std::this_thread::sleep_for(messages::idle_time);
      sent = ranks::now_us();
      send(&sent, sizeof sent, 1);
      receive(&one, sizeof one, 1);
    } else if (j.rank() == 1) {
      receive(&sent, sizeof sent, 0);
      one = ranks::now_us() - sent;
      send(&one, sizeof one, 0);
    }
  }
  j.barrier();
  return late;
}

std::vector<item> make(const settings&) {
  std::vector<item> all{ranks::start_of_job(), round_trip("round_trip", messages::small_bytes)};
  for (std::size_t bytes : messages::round_trip_sizes)
    all.push_back(round_trip(messages::sized("round_trip", bytes), bytes));
  all.push_back(ranks::repeated("in_window", send_window));
  all.back().per_run = messages::window;
  for (std::size_t bytes : messages::transfer_sizes) all.push_back(transfer("put", bytes, put));
  for (std::size_t bytes : messages::transfer_sizes) all.push_back(transfer("get", bytes, get));
  messages::add_wakes(all, wakes);
  all.push_back(ranks::idle_cpu());
  all.push_back(ranks::left_out("task_in_finish", "MPI has no finish"));
  all.push_back(ranks::left_out("messages_in_finish", "MPI has no finish"));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return ranks::bench_main({.name = "messages", .make = make, .join = ranks::join_mpi}, argc, argv);
}
