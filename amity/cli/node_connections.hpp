// The nodes of one program that mpirun or srun has started, a process each (`mpirun amity run --nodes -- ./program`):
// they connect to one another by TCP before the program is loaded. Where each listens, and a secret without which
// nobody is let in, they tell one another by the launcher.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "amity/launch/wire_up.hpp"

namespace amity::cli {

class node_connections {
 public:
  // Waits for all processes of the job, up to a minute. After that, look at problem(). `deal`: how many threads each of
  // `count` nodes has; what node 0 says holds for all. `plugins`: the folder that they are in.
  node_connections(const std::function<std::vector<int>(int own, int count)>& deal, const std::string& plugins);

  // Why they can't be; empty: they are there.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  [[nodiscard]] int own() const { return own_; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] const std::vector<int>& threads() const { return threads_; }  // of each node

  // Has the program in this process use them (tell_of_connections).
  void hand_over() const;

 private:
  void meet(const launching::wire_up& wires);
  void connect(int to, const std::string& text);
  void accept(int listener, const std::array<unsigned char, 16>& secret);
  [[nodiscard]] int& place(int process, bool pages) {
    return (pages ? for_pages_ : for_messages_)[static_cast<std::size_t>(process)];
  }

  int own_ = 0, count_ = 0;
  std::vector<int> threads_;
  std::string problem_;
  std::vector<int> for_messages_, for_pages_;  // by process
};

}  // namespace amity::cli
