// What collectives cost over messages of MPI: Amity's algorithms, and MPI's own. One line of JSON for each operation,
// size and way; results are checked. Under SimGrid's smpirun the times are simulated, under mpirun they are real.
//
//     collectives [--operations reduce,scatter] [--bytes 4,1048576] [--rounds 3] [--table FILE]
//                 [--ways amity,mpi] [--blind]
//
// --table: rules as amity/coll/choice_text.hpp reads them. --blind: Amity is not told which ranks share a node.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "amity/coll/choice_text.hpp"
#include "operations.hpp"

namespace amity::simulation {
namespace {

struct options {
  std::vector<std::string> operations;
  std::vector<std::size_t> bytes = {4, 1024, 64 * 1024, 1024 * 1024};
  int rounds = 3;
  collectives::tuning::table rules{collectives::tuning::default_table().begin(),
                                   collectives::tuning::default_table().end()};
  std::vector<std::string> ways = {"amity", "mpi"};
  bool blind = false;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "collectives: %s\n", why.c_str());
  std::exit(2);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

options read(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    std::string const option = argv[i];
    if (option == "--blind") {
      o.blind = true;
      continue;
    }
    if (++i == argc) refuse(option + " wants a value");
    if (option == "--operations") {
      o.operations = split(argv[i]);
    } else if (option == "--bytes") {
      o.bytes.clear();
      for (const std::string& word : split(argv[i])) o.bytes.push_back(std::strtoull(word.c_str(), nullptr, 10));
    } else if (option == "--ways") {
      o.ways = split(argv[i]);
    } else if (option == "--rounds") {
      o.rounds = std::max(1, std::atoi(argv[i]));
    } else if (option == "--table") {
      std::ifstream file(argv[i]);
      std::string const text{std::istreambuf_iterator<char>(file), {}};
      std::string const wrong = file ? parse_table(text, o.rules) : "it can't be read";
      if (!wrong.empty()) refuse(std::string(argv[i]) + ": " + wrong);
    } else {
      refuse("no option is named " + option);
    }
  }
  return o;
}

/// All ranks go on at one moment, as far as that can be had.
void meet() {
  MPI_Barrier(MPI_COMM_WORLD);
#ifdef SMPI_H
  double now = MPI_Wtime(), last = 0;
  MPI_Allreduce(&now, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  constexpr double later = 20e-3;  // than the last rank heard of the others
  computation_takes(last + later - MPI_Wtime());
#endif
}

/// From the common start to the end of the last rank, in microseconds: the mean over rounds, the first left out.
template <class Reset, class Run>
double time_of(int rounds, Reset reset, Run run) {
  double sum = 0;
  for (int r = 0; r <= rounds; ++r) {
    reset();
    meet();
    double const begun = MPI_Wtime();
    run();
    double mine = MPI_Wtime() - begun, longest = 0;
    MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (r > 0) sum += longest;
  }
  return sum / rounds * 1e6;
}

/// Which ranks share a node, by the names of their hosts.
collectives::placement nodes_of_ranks(int ranks) {
  std::vector<char> mine(MPI_MAX_PROCESSOR_NAME), all(mine.size() * static_cast<std::size_t>(ranks));
  int length = 0;
  MPI_Get_processor_name(mine.data(), &length);
  MPI_Allgather(mine.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                MPI_COMM_WORLD);
  std::vector<std::string> names;
  std::vector<int> nodes;
  for (int i = 0; i < ranks; ++i) {
    std::string const name = all.data() + static_cast<std::size_t>(i) * mine.size();
    auto const at = std::find(names.begin(), names.end(), name);
    nodes.push_back(static_cast<int>(at - names.begin()));
    if (at == names.end()) names.push_back(name);
  }
  return collectives::placement(nodes);
}

bool measure(const options& o, const setting& s, const operation_pair& operation, std::size_t bytes) {
  bool good = true;
  for (const std::string& way : o.ways) {
    bool const ours = way == "amity";
    workload w = operation.make(s, bytes);
    double const us = time_of(o.rounds, w.reset, ours ? w.amity : w.mpi);
    int right = w.is_right() ? 1 : 0, all_right = 0;
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    good = good && all_right == 1;
    if (s.me != 0) continue;
    std::printf(
        "{\"operation\": \"%s\", \"bytes\": %zu, \"ranks\": %d, \"way\": \"%s\", \"us\": %.3f, \"right\": %s}\n",
        operation.name, bytes, s.ranks, way.c_str(), us, all_right == 1 ? "true" : "false");
    std::fflush(stdout);
  }
  return good;
}

int run(int argc, char** argv) {
  options const o = read(argc, argv);
  setting s;
  MPI_Comm_rank(MPI_COMM_WORLD, &s.me);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  if (!o.blind) s.nodes = nodes_of_ranks(s.ranks);
  s.rules = o.rules;
  MPI_Op_create(&add_as_mpi, /*commute=*/1, &s.sum);
  bool good = true;
  for (const operation_pair& operation : all_operations) {
    bool const wanted = o.operations.empty() ||
                        std::find(o.operations.begin(), o.operations.end(), operation.name) != o.operations.end();
    for (std::size_t bytes : o.bytes)
      if (wanted && operation.memory(s.ranks, bytes) <= most_memory) good = measure(o, s, operation, bytes) && good;
  }
  MPI_Op_free(&s.sum);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace amity::simulation

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const status = amity::simulation::run(argc, argv);
  MPI_Finalize();
  return status;
}
