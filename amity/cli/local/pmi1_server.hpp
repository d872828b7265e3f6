// The process manager that ranks speak PMI-1 to, without any input and output: lines come in, lines go out.
//
// The protocol, of which `amity/launch/pmi1.cpp` is the other end, is described in "PMI: A Scalable Parallel
// Process-Management Interface for Extreme-Scale Systems" (2010) and in MPICH's src/pmi. A program's MPICH speaks it as
// well, so what MPICH asks for is answered, too.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amity::cli {

class pmi1_server {
 public:
  // What is to be written to a rank: whole lines.
  struct answer {
    int rank;
    std::string text;
  };
  // A rank has asked for the end of the job.
  struct abortion {
    int rank;
    int status;
  };

  // `name`: of the job's key space; without blanks.
  pmi1_server(int ranks, std::string name);

  // Bytes of a rank, cut anywhere.
  [[nodiscard]] std::vector<answer> take(int rank, std::string_view bytes);
  // The rank's process has ended. Ranks that wait for it at a barrier are told so.
  [[nodiscard]] std::vector<answer> end(int rank);

  // It has begun to speak, and has not said that it is done: it ends in the midst of its job.
  [[nodiscard]] bool is_in_the_midst(int rank) const { return of(rank).begun && !of(rank).finalized; }
  [[nodiscard]] bool has_finalized(int rank) const { return of(rank).finalized; }
  // The first one.
  [[nodiscard]] const std::optional<abortion>& aborted() const { return aborted_; }

  // Longer lines are nobody's.
  static constexpr std::size_t most_of_line = 1 << 16;

 private:
  struct peer {
    std::string unread;
    bool begun = false, finalized = false, at_barrier = false, ended = false;
    bool in_spawn = false;  // within its many lines
  };
  using answers = std::vector<answer>;

  [[nodiscard]] peer& of(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const peer& of(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  void take_line(int rank, const std::string& line, answers& out);
  void put(int rank, const std::string& line, answers& out);
  void get(int rank, const std::string& line, answers& out);
  void enter_barrier(int rank, answers& out);
  void look_at_barrier(answers& out);

  std::string name_;
  std::vector<peer> peers_;
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, std::string, std::less<>> published_;
  std::optional<abortion> aborted_;
};

}  // namespace amity::cli
