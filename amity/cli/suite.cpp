#include "amity/cli/suite.hpp"

#include <algorithm>
#include <array>

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
                               .computes = false};

const suite blaze_suite = {.name = "blaze",
                           .about = "vectors and matrices from 1 to 10^7 elements: MFLOP/s on Amity, libgomp, libomp",
                           .item = "kernel",
                           .shown = figure::mflops,
                           .rounds = "3",
                           .samples = "5",
                           .least_samples = "3",
                           .limit_s = "300",
                           .threads = {"1", "2", "4", "8", "16"},
                           .computes = true};

const suite tasks_suite = {.name = "tasks",
                           .about = "whole programs made of tasks, on Amity, libgomp and libomp",
                           .item = "program",
                           .shown = figure::milliseconds,
                           .rounds = "3",
                           .samples = "3",
                           .least_samples = "1",
                           .limit_s = "300",
                           .threads = {},
                           .computes = true};

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
                           .idioms = {"serial", "std", "omp", "tbb", "tbb_invoke", "amity_fork_join", "amity_group",
                                      "amity_finish", "amity_future"}};

namespace {
constexpr std::array all = {&overheads_suite, &blaze_suite, &tasks_suite, &spawn_suite};
}

std::string known_suites() {
  std::string names;
  for (const suite* one : all) names += (names.empty() ? "" : ", ") + std::string(one->name);
  return names;
}

bool is_suite(const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const suite* one) { return name == one->name; });
}

}  // namespace amity::cli
