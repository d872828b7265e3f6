// What ranks write, on its way to where `amity run` writes: by whole lines, so that those of several ranks don't mix.
#pragma once

#include <poll.h>

#include <chrono>
#include <string>
#include <vector>

namespace amity::cli {

// One of our own outputs, which the ranks' end in. Nothing here blocks: others wait for answers of this process.
class output {
 public:
  explicit output(int fd);

  void add(const char* text, std::size_t size) { waiting_.append(text, size); }
  void add(const std::string& text) { waiting_ += text; }
  [[nodiscard]] bool is_empty() const { return waiting_.empty(); }
  // A rank that writes more has to wait.
  [[nodiscard]] bool is_full() const { return waiting_.size() > most_kept; }
  // Nobody reads it any more, or there is no room: errno. What was to be written is dropped.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] int fd() const { return fd_; }
  // As much as goes without waiting.
  void write_some();

 private:
  static constexpr std::size_t most_kept = 1 << 18;
  void write_now(std::size_t most);

  int fd_;
  bool is_file_;  // always ready
  std::string waiting_;
  int error_ = 0;
};

// What one rank writes to its standard output, or to its standard error.
class rank_stream {
 public:
  using clock = std::chrono::steady_clock;

  // `from`: our end of a pipe or of a pseudo terminal; closed here. `tag`: before each line.
  rank_stream(int from, output& to, std::string tag);
  rank_stream(rank_stream&& other) noexcept;
  rank_stream& operator=(rank_stream&&) = delete;
  ~rank_stream() { close(); }

  // -1: it is at its end.
  [[nodiscard]] int fd() const { return from_; }
  [[nodiscard]] output& to() const { return *to_; }
  // Reads what has come, and passes the lines on. False: there is nothing now, or no more at all.
  bool read_some();
  // When the beginning of a line is passed on though the rest has not come: a program may ask something.
  [[nodiscard]] bool has_part() const { return !part_.empty(); }
  [[nodiscard]] clock::time_point part_is_due() const { return part_came_ + patience; }
  void pass_part();
  // The rest, and no more.
  void close();

 private:
  static constexpr std::chrono::milliseconds patience{100};
  static constexpr std::size_t longest_line = 1 << 16;
  void pass_lines(const char* text, std::size_t size);
  void pass(const char* text, std::size_t size);

  int from_;
  output* to_;
  std::string tag_;
  std::string part_;  // of a line that has not ended
  clock::time_point part_came_{};
  bool at_line_begin_ = true;
};

// Both ends of what a rank is to write to. With `terminal` a pseudo terminal like the one of `like`, so that the
// program writes line by line as it would there; where there is none, a pipe. False: errno.
[[nodiscard]] bool open_channel(bool terminal, int like, int& ours, int& its);

// The same file, terminal or pipe.
[[nodiscard]] bool is_same_file(int a, int b);

}  // namespace amity::cli
