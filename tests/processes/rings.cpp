// Small messages within a node: by rings in memory that both processes map, where both have them, and by the engine
// where not. Messages of all sizes about a ring's limits, more than it has room for, and to processes that fall asleep.
//
//     rings N    there are N processes with rings to one another; 0: none has any
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

using test::check;

/// Before the process joins its job: every other rank does without.
[[gnu::constructor]] void switch_half_of_them_off() {
  const char* const rank = getenv("PMI_RANK");
  if (getenv("TEST_HALF_HAVE_RINGS") != nullptr && rank != nullptr && atoi(rank) % 2 == 1)
    setenv("AMITY_NET_RINGS", "off", 1);
}

/// Of how many processes this one has mapped the rings.
std::size_t rings_here() {
  std::set<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("amity-rings") == std::string::npos) continue;
    std::istringstream words(line);
    std::string range, rights, offset, device, file;
    words >> range >> rights >> offset >> device >> file;
    files.insert(file);
  }
  return files.size();
}

std::vector<unsigned char> some_bytes(std::size_t size, unsigned seed) {
  std::vector<unsigned char> all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<unsigned char>(1 + (i * 31 + seed) % 255);
  return all;
}

void all_sizes(int me, int n) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < 300; ++size) sizes.push_back(size);
  for (std::size_t size = 3900; size < 4200; size += 3) sizes.push_back(size);
  for (std::size_t size : {16'000u, 16'300u, 16'400u, 17'000u, 70'000u}) sizes.push_back(size);
  for (std::size_t size : sizes) {
    std::vector<amity::future<std::vector<unsigned char>>> answers;
    for (int to = 0; to < n; ++to)
      answers.push_back(amity::rpc(
          to,
          [](std::vector<unsigned char> bytes) {
            for (unsigned char& b : bytes) b = static_cast<unsigned char>(b ^ 0x5a);
            return bytes;
          },
          some_bytes(size, static_cast<unsigned>(me))));
    std::vector<unsigned char> expected = some_bytes(size, static_cast<unsigned>(me));
    for (unsigned char& b : expected) b = static_cast<unsigned char>(b ^ 0x5a);
    for (auto& answer : answers) check(answer.get() == expected, "a call of " + std::to_string(size) + " bytes");
  }
}

std::atomic<long> came{0}, total{0};

/// To processes that don't look at their messages meanwhile.
void more_than_there_is_room_for(int me, int n) {
  constexpr int calls = 3000;
  amity::barrier_all();
  came = 0;
  total = 0;
  amity::barrier_all();
  amity::finish_spmd([&] {
    for (int i = 0; i < calls; ++i)
      for (int to = 0; to < n; ++to)
        if (to != me)
          amity::rpc_ff(
              to,
              [](int number, std::vector<int> numbers) {
                ++came;
                total += number;
                for (int each : numbers) total += each;
              },
              i, std::vector<int>(static_cast<std::size_t>(i % 100), 1));
  });
  long sum = 0;
  for (int i = 0; i < calls; ++i) sum += i + i % 100;
  check(came == static_cast<long>(calls) * (n - 1), "calls came once each");
  check(total == sum * (n - 1), "calls came whole");
  amity::barrier_all();
}

std::atomic<bool> may_go_on{false};

/// Arguments that are read where they were written, as long as the calls last; the last ones find no room there.
void more_than_can_be_lent(int me, int n) {
  constexpr int calls = 70;
  constexpr std::size_t size = std::size_t{1} << 20;
  std::vector<amity::future<bool>> answers;
  for (int i = 0; i < calls; ++i)
    answers.push_back(amity::rpc((me + 1) % n,
                                 [](std::span<const unsigned char> bytes, unsigned seed) {
                                   while (!may_go_on) amity::this_task::sleep_for(std::chrono::milliseconds(2));
                                   std::vector<unsigned char> const expected = some_bytes(size, seed);
                                   return std::equal(bytes.begin(), bytes.end(), expected.begin(), expected.end());
                                 },
                                 some_bytes(size, static_cast<unsigned>(me + i)), static_cast<unsigned>(me + i)));
  amity::barrier_all();
  may_go_on = true;
  for (auto& answer : answers) check(answer.get(), "a large view that is kept");
  amity::barrier_all();
  // There is room again.
  for (int i = 0; i < 2 * calls; ++i) {
    std::vector<unsigned char> const sent = some_bytes(size, static_cast<unsigned>(i));
    auto back = amity::rpc((me + 1) % n, [](std::vector<unsigned char> bytes) { return bytes; }, sent);
    check(back.get() == sent, "a large argument and result");
  }
}

/// Pauses in which processes fall asleep, are about to, or do not.
void to_those_who_fall_asleep(int me, int n) {
  std::minstd_rand random(static_cast<unsigned>(me) + 1);
  for (int round = 0; round < 400; ++round) {
    unsigned const longest_us = round % 20 == 0 ? 5000 : 200;
    amity::this_task::sleep_for(std::chrono::microseconds(random() % longest_us));
    int const to = (me + 1 + static_cast<int>(random() % static_cast<unsigned>(n))) % n;
    check(amity::rpc(
              to, [](int x) { return x + 1; }, round)
                  .get() == round + 1,
          "a call after a pause");
  }
}

}  // namespace

int main(int, char** arguments) {
  int const me = amity::rank_me(), n = amity::rank_n();
  std::size_t const expected = strtoul(arguments[1], nullptr, 10);
  bool const has_some = getenv("AMITY_NET_RINGS") == nullptr || std::string(getenv("AMITY_NET_RINGS")) != "off";
  all_sizes(me, n);
  more_than_there_is_room_for(me, n);
  more_than_can_be_lent(me, n);
  to_those_who_fall_asleep(me, n);
  std::size_t const rings = rings_here();
  check(rings == (has_some ? expected : 0), "rings of " + std::to_string(rings) + " processes");
  return test::end();
}
