#include "amity/cli/local/node_channels.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "amity/cli/node_threads.hpp"
#include "amity/omp/cluster/processes.hpp"

namespace amity::cli {
namespace {

constexpr int most_nodes = omp::cluster::most_processes;

// Descriptors of ours in the program: high, where a program that takes the lowest free one doesn't notice.
int first_number() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const auto limit = static_cast<int>(std::min<rlim_t>(files.rlim_cur, 1024));
  return std::max(limit - 2 * most_nodes - 8, 3);
}

}  // namespace

void tell_of_connections(int own, const std::vector<int>& threads, int memory, const std::vector<int>& for_messages,
                         const std::vector<int>& for_pages) {
  int number = first_number();
  std::string text = std::to_string(own) + '/' + std::to_string(for_messages.size()) + '/' + text_of(threads) + '/';
  setenv("AMITY_RUN_THREADS", std::to_string(std::max(threads[static_cast<std::size_t>(own)], 1)).c_str(), 1);
  const auto keep = [&](int fd) {
    const int moved = fcntl(fd, F_DUPFD, number);  // without CLOEXEC
    if (moved >= 0) number = moved + 1;
    text += std::to_string(moved);
  };
  const auto keep_all = [&](const std::vector<int>& all) {
    for (std::size_t to = 0; to < all.size(); ++to) {
      text += to == 0 ? '/' : ',';
      if (static_cast<int>(to) == own)
        text += "-1";
      else
        keep(all[to]);
    }
  };
  if (memory >= 0)
    keep(memory);
  else
    text += "-1";
  keep_all(for_messages);
  if (memory < 0) keep_all(for_pages);
  setenv("AMITY_NODES_JOB", text.c_str(), 1);
}

node_channels::node_channels(std::vector<int> threads, nodes_memory memory)
    : count_(static_cast<int>(threads.size())), threads_(std::move(threads)) {
  if (count_ > most_nodes) {
    problem_ = "at most " + std::to_string(most_nodes) + " nodes";
    return;
  }
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit more{before.rlim_max, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &more);
  if (memory == nodes_memory::pages) {
    connect(for_pages_);
  } else {
    memory_ = memfd_create("amity-nodes", MFD_CLOEXEC);
    if (memory_ < 0) problem_ = std::string("no memory to share: ") + std::strerror(errno);
  }
  connect(for_messages_);
  setrlimit(RLIMIT_NOFILE, &before);  // what is open above it stays open
}

void node_channels::connect(ends& all) {
  all.assign(static_cast<std::size_t>(count_ * count_), -1);
  for (int a = 0; a < count_ && problem_.empty(); ++a)
    for (int b = a + 1; b < count_; ++b) {
      int pair[2];
      if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        problem_ = std::string("no connections between the nodes: ") + std::strerror(errno);
        break;
      }
      end(all, a, b) = pair[0];
      end(all, b, a) = pair[1];
    }
}

void node_channels::become(int own) {
  const auto row = [&](const ends& all) {
    if (all.empty()) return ends{};
    const auto from = all.begin() + own * count_;
    return ends(from, from + count_);
  };
  tell_of_connections(own, threads_, memory_, row(for_messages_), row(for_pages_));
}

void node_channels::close() {
  for (ends* const all : {&for_messages_, &for_pages_})
    for (int& fd : *all) {
      if (fd >= 0) ::close(fd);
      fd = -1;
    }
  if (memory_ >= 0) ::close(memory_);
  memory_ = -1;
}

}  // namespace amity::cli
