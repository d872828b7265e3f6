// Handles of devices in static storage, with operations under way as the program ends. What a device was given is
// carried out, and nothing crashes. Arguments: how the program ends,
// and whose devices it uses. Skipped where there is no device.
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "amity/accel.hpp"
#include "check.hpp"

namespace accel = amity::accel;

namespace {

std::vector<accel::buffer<unsigned>> buffers;
std::optional<accel::program> program;
std::optional<accel::kernel<void(unsigned*, unsigned)>> slow;
accel::stream stream;
std::optional<accel::graph> graph;
std::vector<amity::future<std::vector<unsigned>>> reads;
std::vector<accel::device> all;

const char* const source = R"(
AMITY_KERNEL void slow(AMITY_GLOBAL unsigned* x, unsigned n) {
  unsigned s = x[0];
  for (unsigned i = 0; i < n; ++i) s = s * 1664525u + 1u;
  x[1] = s;
}
)";

}  // namespace

int main(int, char** argv) {
  std::string const how = argv[1];
  all = std::string(argv[2]) == "others" ? accel::remote_devices().get() : accel::local_devices().get();
  if (all.empty()) {
    if (accel::local_devices().get().empty()) return 77;
    if (amity::rank_me() == 0) std::puts("ok");  // a job of one: there are no others
    return 0;
  }
  constexpr unsigned turns = 200'000;
  program.emplace(all[0].program(accel::source(source)));
  slow.emplace(program->kernel<void(unsigned*, unsigned)>("slow"));
  stream = all[0].make_stream();
  graph.emplace(all[0]);
  for (int i = 0; i < 4; ++i) buffers.push_back(all[0].upload(std::vector<unsigned>{1, 2}));
  graph->add(*slow, {}, buffers[0], 1000u).fill(buffers[1], 7u);
  for (int i = 0; i < 10; ++i) {
    (*slow)({.on = stream}, buffers[static_cast<std::size_t>(i % 4)], turns);
    (*graph)();
  }
  for (auto& b : buffers) reads.push_back(b.read());
  if (amity::rank_me() == 0) std::puts("ok"), std::fflush(stdout);
  if (how == "handles_first") buffers.clear(), program.reset(), slow.reset(), graph.reset();
  if (how == "some_exit" && amity::rank_me() == 0) std::exit(0);
  if (how == "task") amity::async([] { std::exit(0); }).get();
  if (how == "thread") std::thread([] { std::exit(0); }).join();
  if (how == "continued")
    for (auto& r : reads) static_cast<void>(r.then([](auto f) { f.get(); }));
  if (how == "quick_exit") std::quick_exit(0);
  return 0;
}
