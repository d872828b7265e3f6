#include "amity/cli/suite.hpp"

#include <algorithm>

namespace amity::cli {

const suite overheads_suite = {.name = "overheads",
                               .about = "what each construct of OpenMP costs, on Amity, libgomp and libomp",
                               .item = "construct",
                               .shown = figure::microseconds,
                               .rounds = "5",
                               .samples = "15",
                               .least_samples = "3",
                               .limit_s = "120",
                               .threads = {},
                               .computes = false,
                               .draws = false};

const suite blaze_suite = {.name = "blaze",
                           .about = "vectors and matrices from 1 to 10^7 elements: MFLOP/s on Amity, libgomp, libomp",
                           .item = "kernel",
                           .shown = figure::mflops,
                           .rounds = "3",
                           .samples = "5",
                           .least_samples = "3",
                           .limit_s = "300",
                           .threads = {"1", "2", "4", "8", "16"},
                           .computes = true,
                           .draws = true};

const suite tasks_suite = {.name = "tasks",
                           .about = "whole programs made of tasks, on Amity, libgomp and libomp",
                           .item = "program",
                           .shown = figure::milliseconds,
                           .rounds = "3",
                           .samples = "3",
                           .least_samples = "1",
                           .limit_s = "300",
                           .threads = {},
                           .computes = true,
                           .draws = true};

const suite spawn_suite = {.name = "spawn",
                           .about = "what a task of C++ costs, by Amity's idioms, oneTBB, OpenMP and std::async",
                           .item = "problem",
                           .shown = figure::milliseconds,
                           .rounds = "5",
                           .samples = "3",
                           .least_samples = "1",
                           .limit_s = "120",
                           .threads = {},
                           .computes = false,
                           .draws = true,
                           .idioms = {"serial", "std", "omp", "tbb", "tbb_invoke", "amity_fork_join", "amity_group",
                                      "amity_finish", "amity_future"},
                           .openmp = false};

const suite algorithms_suite = {.name = "algorithms",
                                .about = "parallel algorithms of C++: Amity's, oneTBB's and libstdc++'s",
                                .item = "algorithm",
                                .shown = figure::milliseconds,
                                .rounds = "3",
                                .samples = "3",
                                .least_samples = "1",
                                .limit_s = "600",
                                .threads = {"1", "2"},
                                .computes = false,
                                .draws = true,
                                .idioms = {"serial", "tbb", "std_par", "amity"},
                                .openmp = false};

const suite futures_suite = {
    .name = "futures",
    .about = "what a step with futures and coroutines costs, beside std's and oneTBB's flow graph",
    .item = "problem",
    .shown = figure::microseconds,
    .rounds = "5",
    .samples = "15",
    .least_samples = "3",
    .limit_s = "120",
    .threads = {"1", "2"},
    .computes = false,
    .draws = true,
    .idioms = {"serial", "std", "tbb", "amity"},
    .openmp = false};

const suite devices_suite = {.name = "devices",
                             .about = "launches, copies and whole computations on a device, beside the driver's own",
                             .item = "problem",
                             .shown = figure::microseconds,
                             .rounds = "5",
                             .samples = "15",
                             .least_samples = "3",
                             .limit_s = "120",
                             .threads = {"1", "2"},
                             .computes = false,
                             .draws = true,
                             .idioms = {"opencl", "cuda", "amity"},
                             .openmp = false};

const suite graph_suite = {.name = "graph",
                           .about = "graphs of tasks (after Task Bench): the smallest grain that is half efficient",
                           .item = "graph",
                           .shown = figure::microseconds,
                           .rounds = "3",
                           .samples = "5",
                           .least_samples = "1",
                           .limit_s = "300",
                           .threads = {"1", "2"},
                           .computes = false,
                           .draws = true,
                           .idioms = {"serial", "tbb_flow", "tbb_group", "amity_future", "amity_group"}};

const suite messages_suite = {.name = "messages",
                              .about = "what a message, a put, a remote task cost between processes, beside the MPIs",
                              .item = "message",
                              .shown = figure::microseconds,
                              .rounds = "5",
                              .samples = "5",
                              .least_samples = "1",
                              .limit_s = "120",
                              .threads = {"2", "4", "8"},
                              .computes = false,
                              .draws = true,
                              .idioms = {"openmpi", "mpich", "ucx", "amity"},
                              .openmp = false,
                              .processes = true};

const suite collectives_suite = {.name = "collectives",
                                 .about = "collective operations of 4 bytes to 1 MiB, beside the MPIs' own",
                                 .item = "operation",
                                 .shown = figure::microseconds,
                                 .rounds = "3",
                                 .samples = "5",
                                 .least_samples = "1",
                                 .limit_s = "600",
                                 .threads = {"2", "4", "8", "16"},
                                 .computes = false,
                                 .draws = true,
                                 .idioms = {"openmpi", "mpich", "amity"},
                                 .openmp = false,
                                 .processes = true};

const suite nodes_suite = {
    .name = "nodes",
    .about = "one OpenMP program over several nodes: barriers, sums, programs, beside one process",
    .item = "benchmark",
    .shown = figure::milliseconds,
    .rounds = "3",
    .samples = "3",
    .least_samples = "1",
    .limit_s = "600",
    .threads = {"2"},
    .computes = false,
    .draws = false,
    .nodes = true};

std::string known_suites() {
  std::string names;
  for (const suite* one : all_suites) names += (names.empty() ? "" : ", ") + std::string(one->name);
  return names;
}

bool is_suite(const std::string& name) {
  return std::any_of(all_suites.begin(), all_suites.end(), [&](const suite* one) { return name == one->name; });
}

}  // namespace amity::cli
