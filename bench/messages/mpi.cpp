// The same as amity.cpp with MPI alone: blocking ping-pong, collectives. One program for each MPI that is installed.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int rounds = 15;

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

template <class F>
void time_all(const std::string& name, int times, F f) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> each;
  for (int r = 0; r <= rounds; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    double const begun = MPI_Wtime();
    for (int i = 0; i < times; ++i) f();
    if (r > 0) each.push_back((MPI_Wtime() - begun) * 1e6 / times);
  }
  if (rank == 0) std::printf("%s %.4f\n", name.c_str(), median(each)), std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto const ping_pong = [rank](std::vector<char>& bytes) {
    int const n = static_cast<int>(bytes.size());
    if (rank == 0) {
      MPI_Send(bytes.data(), n, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(bytes.data(), n, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(bytes.data(), n, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(bytes.data(), n, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
  };
  std::vector<char> small(40), some(1000);
  time_all("round_trip", 2000, [&] { ping_pong(small); });
  time_all("round_trip_1000_bytes", 1000, [&] { ping_pong(some); });
  time_all("barrier", 200, [] { MPI_Barrier(MPI_COMM_WORLD); });
  for (std::size_t bytes : {8u, 1024u, 65536u, 1048576u}) {
    int const n = static_cast<int>(bytes / 8);
    std::vector<double> values(bytes / 8, 1.0), result(bytes / 8);
    int const times = bytes < 65536 ? 200 : 10;
    std::string const size = "_" + std::to_string(bytes);
    time_all("broadcast" + size, times, [&] { MPI_Bcast(values.data(), n, MPI_DOUBLE, 0, MPI_COMM_WORLD); });
    time_all("reduce" + size, times,
             [&] { MPI_Reduce(values.data(), result.data(), n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); });
    time_all("all_reduce" + size, times,
             [&] { MPI_Allreduce(values.data(), result.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
  }
  MPI_Finalize();
}
