// A pipeline of three stages, each of them a task, joined by channels. The stages have different speeds: a channel with
// a bound makes the fast one wait for the slow one, and a stage that waits leaves its core to the others.
//
//   read  --(16 texts)-->  work  --(8 futures)-->  write
//
// `work` begins a task for each text, as many at a time as the second channel holds, and sends their futures on in the
// order of the texts. So the work is done in any order, and written in the first.
//
// Usage: pipeline [texts]
#include <amity/amity.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "usage.hpp"

namespace {

struct text {
  int number;
  std::string words;
};
struct result {
  int number;
  std::uint64_t hash;
};

text make_text(int number) {
  return {number, std::string(100 + number * 37 % 500, static_cast<char>('a' + number % 26))};
}

// What takes long, and not equally long for each.
result hash(const text& t) {
  std::uint64_t h = 0;
  for (int round = 0; round < 10 + t.number % 40; ++round)
    for (char const c : t.words) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return {t.number, h};
}

}  // namespace

int main(int argc, char** argv) {
  answer_help(argc, argv, "[texts = 500]");
  int const texts = argc > 1 ? std::atoi(argv[1]) : 500;

  amity::channel<text> read(16);
  amity::channel<amity::future<result>> worked(8);
  int out_of_order = 0, written = 0;
  std::uint64_t all = 0;

  amity::finish([&] {
    amity::post([&] {
      for (int i = 0; i < texts; ++i) {
        // A slow device. Only this task sleeps, not its core.
        if (i % 100 == 0) amity::this_task::sleep_for(std::chrono::milliseconds(1));
        read.send(make_text(i));
      }
      read.close();
    });
    amity::post([&] {
      for (text& t : read) worked.send(amity::async([t = std::move(t)] { return hash(t); }));
      worked.close();
    });
    for (auto& f : worked) {
      result const r = f.get();
      if (r.number != written) ++out_of_order;
      ++written;
      all = all * 31 + r.hash;
    }
  });

  std::uint64_t right = 0;
  for (int i = 0; i < texts; ++i) right = right * 31 + hash(make_text(i)).hash;
  std::printf("%d of %d texts written, %d out of order, hash of all %016llx: %s\n", written, texts, out_of_order,
              static_cast<unsigned long long>(all), all == right ? "right" : "WRONG");
  return written == texts && out_of_order == 0 && all == right ? 0 : 1;
}
